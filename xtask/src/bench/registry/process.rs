//! A server that ends with its benchmark.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use crate::Outcome;
use crate::bench::measure::high_water_mib;

pub(super) struct ServerProcess {
    child: Child,
}

impl ServerProcess {
    pub(super) fn start(command: &mut Command) -> Outcome<Self> {
        let child =
            command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        Ok(Self { child })
    }

    /// The first line on its standard output, if that is a pipe.
    pub(super) fn first_line(&mut self) -> Outcome<String> {
        let output = self.child.stdout.take().ok_or("no pipe")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        Ok(line.trim_end().to_owned())
    }

    /// The most memory that it has had.
    pub(super) fn peak_mib(&self) -> f64 {
        high_water_mib(self.child.id())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
