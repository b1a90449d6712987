//! Installing from a registry of this machine, and verifying what was installed.

mod market;
mod no_op;
mod user;
mod verifying;
mod whole;

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Row, Scale};
use crate::Outcome;
use crate::run;
use market::Market;

/// How much is installed.
pub(super) struct InstallScale {
    servers: usize,
    /// Facets of the large project.
    facets: usize,
    /// Facets of the small project.
    few: usize,
}

pub(super) const FULL: InstallScale = InstallScale { servers: 20, facets: 40, few: 10 };
pub(super) const QUICK: InstallScale = InstallScale { servers: 2, facets: 4, few: 2 };

/// What all of it needs: the program, a runtime for servers, and a place outside of every repository.
struct InstallBench<'b> {
    facet: &'b Path,
    place: &'b Path,
    scale: &'b Scale,
}

/// No rows where the runtime cannot be fetched.
pub(super) fn rows(facet: &Path, _folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    // Outside of the repository: facet uses no store that lies in the one where it is started.
    let place = run::user_folder("bench-install");
    fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let bench = InstallBench { facet, place: &place, scale };
    let rows = if bench.has_runtime()? { bench.rows() } else { Ok(Vec::new()) };
    remove_sealed(&place);
    rows
}

impl InstallBench<'_> {
    fn has_runtime(&self) -> Outcome<bool> {
        let mut install = Command::new(self.facet);
        install.args(["runtime", "install"]).current_dir(self.place);
        install
            .env("XDG_CACHE_HOME", user::shared_cache())
            .env("FACET_DIR", self.place.join("own"));
        match run::output(&mut install) {
            Err(reason) if reason.contains("[fetch-") => {
                eprintln!("SKIP installing and verifying: no registry has the runtime");
                Ok(false)
            }
            other => other.map(|_| true),
        }
    }

    fn rows(&self) -> Outcome<Vec<Row>> {
        let market = Market::open(self)?;
        let mut rows = whole::rows(self, &market)?;
        rows.extend(no_op::rows(self, &market)?);
        drop(market);
        rows.extend(verifying::rows(self)?);
        Ok(rows)
    }
}

/// Removes a directory with stores, whose trees are sealed.
fn remove_sealed(folder: &Path) {
    let mut unseal = Command::new("chmod");
    let _ = unseal.args(["-R", "u+w"]).arg(folder).status();
    let _ = fs::remove_dir_all(folder);
}
