#![doc = include_str!("../README.md")]

mod probing;

pub use probing::{
    InstalledProgram, PROBE_STAGES, PROBE_WORKER, ProbeAnswer, ProbeFailure, ProbeRequest, probe,
    probe_worker,
};
