#![doc = include_str!("../README.md")]

mod envelope;

pub use envelope::{Broken, Envelope, Facts, Shape};
