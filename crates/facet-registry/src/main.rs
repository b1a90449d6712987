#![doc = include_str!("../README.md")]

fn main() {}
