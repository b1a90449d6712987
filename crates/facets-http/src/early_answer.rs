//! Answers to requests that are not sent to their end: a server may refuse a large body, and close the connection,
//! before it has received all of it. What it said is more useful than that the connection broke.

use std::fmt;
use std::io;

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Makes connections whose answer is read although sending failed. Stands below TLS, which sends what is left before
/// it reads.
#[derive(Debug)]
pub(crate) struct EarlyAnswers;

impl<Below: Transport> Connector<Below> for EarlyAnswers {
    type Out = EarlyAnswerTransport<Below>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<Below>,
    ) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(|below| EarlyAnswerTransport { below, unsent: None }))
    }
}

/// A connection whose answer is read although sending failed.
pub(crate) struct EarlyAnswerTransport<Below> {
    below: Below,
    /// Why nothing more can be sent.
    unsent: Option<io::Error>,
}

impl<Below: Transport> fmt::Debug for EarlyAnswerTransport<Below> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EarlyAnswerTransport").field("below", &self.below).finish_non_exhaustive()
    }
}

impl<Below: Transport> Transport for EarlyAnswerTransport<Below> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.below.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if self.unsent.is_some() {
            return Ok(());
        }
        match self.below.transmit_output(amount, timeout) {
            Err(Error::Io(error)) if is_closed(&error) => {
                self.unsent = Some(error);
                Ok(())
            }
            other => other,
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        match (self.below.await_input(timeout), self.unsent.take()) {
            (Ok(true), unsent) => {
                self.unsent = unsent;
                Ok(true)
            }
            // There is no answer, so that this is what is wrong.
            (_, Some(unsent)) => Err(Error::Io(unsent)),
            (other, None) => other,
        }
    }

    fn is_open(&mut self) -> bool {
        self.unsent.is_none() && self.below.is_open()
    }

    fn is_tls(&self) -> bool {
        self.below.is_tls()
    }
}

fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    use ureq::SendBody;
    use url::Url;

    use crate::agent::{Agents, agent_config};
    use crate::reach::Reach;
    use crate::route::Route;

    /// Sends 32 MiB to a server that reads little of it; what became of that, with the bytes of the answer.
    fn post(answer: impl Fn(&mut TcpStream) + Send + 'static) -> Result<String, ureq::Error> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url: Url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 1000]).unwrap();
            answer(&mut stream);
            // The rest is unread, so that the connection is reset here.
        });
        let agents = Agents::new(agent_config, &Route::default(), &Reach::AsUser).unwrap();
        let mut body = std::io::repeat(b'x').take(32 << 20);
        let request = agents.for_url(&url).post(url.as_str()).header("Content-Length", "33554432");
        let sent = request.send(SendBody::from_reader(&mut body));
        server.join().unwrap();
        sent?.body_mut().read_to_string()
    }

    #[test]
    fn an_answer_is_read_although_the_body_was_not_taken() {
        let text = post(|stream| {
            let answer = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\nrefused";
            stream.write_all(answer).unwrap();
        });
        assert_eq!(text.unwrap(), "refused");
    }

    #[test]
    fn without_an_answer_the_connection_broke() {
        let broken = post(|_| {});
        assert!(matches!(broken, Err(ureq::Error::Io(_))), "{broken:?}");
    }
}
