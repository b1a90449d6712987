//! The environment that a server is started in (spec 5.2).

/// Which environment a server is started in, for capture and for use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// An empty `HOME` that goes with the process, `TZ=UTC`, `LANG=C.UTF-8`, `PATH`, and the
    /// variables that the entry names. An entry that says nothing means this.
    #[default]
    Scratch,
}
