//! The end of a connection whose client is still sending: what comes is read and dropped for a while. A socket that is
//! closed with unread bytes is reset, and a reset takes the answer away from a client that has not read it yet.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a client may send what nobody reads.
const LONGEST: Duration = Duration::from_secs(20);
/// How long it may be silent.
const SILENCE: Duration = Duration::from_secs(3);
/// How much it may send: more than the largest archive that is usual.
const MOST_BYTES: usize = 128 << 20;
/// Read at once.
const CHUNK: usize = 16 << 10;
/// How often it is read before other connections get their turn.
const TURN: usize = 32;

/// Reads and drops what a client sends until it ends, is silent, or has sent enough.
pub(crate) struct Lingering {
    end: Instant,
    timer: Pin<Box<Sleep>>,
    left: usize,
}

impl Lingering {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let timer = Box::pin(sleep_until(now + SILENCE));
        Self { end: now + LONGEST, timer, left: MOST_BYTES }
    }

    /// Ready when the connection can be closed.
    pub(crate) fn poll<S>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<()>
    where
        S: AsyncRead + Unpin,
    {
        let mut chunk = [0; CHUNK];
        for _ in 0..TURN {
            let mut buffer = ReadBuf::new(&mut chunk);
            match Pin::new(&mut *stream).poll_read(context, &mut buffer) {
                Poll::Pending => return self.timer.as_mut().poll(context),
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(())) => {}
            }
            let count = buffer.filled().len();
            self.left = self.left.saturating_sub(count);
            let now = Instant::now();
            if count == 0 || self.left == 0 || now >= self.end {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(self.end.min(now + SILENCE));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncWriteExt as _;

    use super::*;

    fn linger(left: usize) -> (tokio::io::DuplexStream, impl Future<Output = usize>) {
        let (client, mut server) = tokio::io::duplex(4096);
        let lingering = async move {
            let mut lingering = Lingering { left, ..Lingering::new() };
            poll_fn(|context| lingering.poll(&mut server, context)).await;
            lingering.left
        };
        (client, lingering)
    }

    #[tokio::test]
    async fn what_a_client_sends_is_dropped_until_it_ends() {
        let (mut client, lingering) = linger(MOST_BYTES);
        let sent = 3 << 20;
        let (left, ()) = tokio::join!(lingering, async move {
            client.write_all(&vec![0; sent]).await.unwrap();
            drop(client);
        });
        assert_eq!(left, MOST_BYTES - sent);
    }

    #[tokio::test]
    async fn a_client_that_sends_too_much_or_nothing_is_left() {
        let (mut client, lingering) = linger(10_000);
        let (left, sent) =
            tokio::join!(lingering, async move { client.write_all(&vec![0; 1 << 20]).await });
        assert_eq!(left, 0);
        assert!(sent.is_err());
        let (_silent, lingering) = linger(MOST_BYTES);
        assert_eq!(lingering.await, MOST_BYTES);
    }
}
