//! Packages of PyPI.

mod closure;
mod pylock;
mod scripts;
mod tags;
mod target;
mod wheel_name;

pub use closure::{PypiClosure, Wheel, WheelKey, normalised_name};
pub use pylock::{ListedWheel, ResolvedPackage, read_pylock};
pub use scripts::{EntryPoint, choose_script, read_scripts};
pub use tags::choose_wheel;
pub use target::{PythonTarget, PythonVersion};
pub use wheel_name::WheelName;
