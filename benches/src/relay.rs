//! A relay between a client and a server that only copies: the least that anything between them adds.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;
use std::process::{Command, Stdio};

use facets_digest::ReadBuffer;

/// Copies between our streams and those of a server, on a thread for each direction, until one side ends.
pub(crate) fn run(server: &str) {
    let mut command = Command::new(server);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = spawned.expect("the server can be started");
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (server_input, server_output) = pipes.expect("both streams are pipes");
    // Without the buffers of the standard library.
    let input = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let output = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let (input, output) = (input.expect("standard input"), output.expect("standard output"));
    std::thread::spawn(move || copy(input, server_input));
    copy(server_output, output);
    let _ = child.wait();
}

fn copy(mut from: impl Read, mut to: impl Write) {
    let mut buffer = ReadBuffer::new();
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_copied() {
        let bytes: Vec<u8> = (0..=255).cycle().take(600_000).collect();
        let mut copied = Vec::new();
        copy(&bytes[..], &mut copied);
        assert!(copied == bytes);
    }
}
