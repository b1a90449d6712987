//! Between a network of its own and the proxy outside: a process that copies bytes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::exit;
use std::thread;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(50);
/// Connections at the same time; more are closed at once.
const MOST: usize = 256;

pub(crate) fn run() -> ! {
    // Standard output is the socket of the proxy, which is reached by no other name.
    let proxy = "/proc/self/fd/1";
    let Ok(listener) = io::stdin().as_fd().try_clone_to_owned() else { exit(2) };
    let open = std::sync::Arc::new(());
    for stream in TcpListener::from(listener).incoming() {
        let Ok(stream) = stream else {
            // No descriptors left, for example: it does not get better by asking at once.
            thread::sleep(PAUSE);
            continue;
        };
        if std::sync::Arc::strong_count(&open) > MOST {
            continue;
        }
        let open = std::sync::Arc::clone(&open);
        // Without a thread this connection is closed, and the server sees that.
        let _ = thread::Builder::new().spawn(move || {
            if let Ok(outside) = UnixStream::connect(proxy) {
                let _ = join(&stream, &outside);
            }
            drop(open);
        });
    }
    exit(0)
}

fn join(inside: &TcpStream, outside: &UnixStream) -> io::Result<()> {
    let (from_inside, to_outside) = (inside.try_clone()?, outside.try_clone()?);
    let up = thread::Builder::new().spawn(move || {
        copy(from_inside, &to_outside);
        let _ = to_outside.shutdown(Shutdown::Write);
    })?;
    copy(outside, inside);
    let _ = inside.shutdown(Shutdown::Write);
    let _ = up.join();
    Ok(())
}

/// Copies until one side has had enough.
pub(crate) fn copy(mut from: impl Read, mut to: impl Write) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
}
