//! A package, as it is shown before it is started or trusted.

use facets_closure::npm::NpmPlatform;
use facets_closure::{Closure, PackageFlag};
use facets_lock::PackagePin;
use facets_model::PlatformName;

/// A package, as it is shown before it is started or trusted.
#[derive(Clone, Debug)]
pub struct PackageShown {
    /// What exactly it is.
    pub pin: PackagePin,
    /// How many packages are installed on this machine.
    pub packages: usize,
    /// How many bytes their files have.
    pub bytes: u64,
    /// Packages that have a script that an installer would run, or need to be built.
    pub scripts: Vec<String>,
    /// Packages with machine code.
    pub native: Vec<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

impl PackageShown {
    /// Of a pin alone.
    pub(crate) fn of_pin(pin: &PackagePin) -> Self {
        let (scripts, native, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { pin: pin.clone(), packages: 0, bytes: 0, scripts, native, notes }
    }

    /// Of a closure on this platform.
    pub(crate) fn of(pin: &PackagePin, closure: &Closure, platform: &PlatformName) -> Self {
        let mut shown = Self::of_pin(pin);
        match closure {
            Closure::Npm(closure) => {
                for (_, package) in closure.on(NpmPlatform::of(platform)) {
                    let size = package.file.as_ref().map_or(0, |file| file.size);
                    shown.add(&package.shown(), size, package.flags.iter());
                }
            }
            Closure::Pypi(closure) => {
                let here = closure.wheels.iter().filter(|(key, _)| key.platform == *platform);
                for (key, wheel) in here {
                    let name = format!("{}=={}", key.name, wheel.version);
                    shown.add(&name, wheel.file.size, wheel.flags.iter());
                }
            }
        }
        shown
    }

    fn add<'f>(&mut self, name: &str, size: u64, flags: impl Iterator<Item = &'f PackageFlag>) {
        self.packages += 1;
        self.bytes += size;
        for flag in flags {
            let list = match flag {
                PackageFlag::Script => &mut self.scripts,
                PackageFlag::Native => &mut self.native,
                PackageFlag::Optional => continue,
            };
            if !list.iter().any(|known| known == name) {
                list.push(name.to_owned());
            }
        }
    }
}
