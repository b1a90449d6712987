//! The body of a request, which notes on its connection whether all of it was read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;

use super::watched_stream::ConnectionState;

/// A body that notes whether all of it was read.
pub(crate) struct RequestBody {
    inner: Incoming,
    connection: Arc<ConnectionState>,
}

impl RequestBody {
    pub(crate) fn new(inner: Incoming, connection: &Arc<ConnectionState>) -> Self {
        connection.set_body_unread(!inner.is_end_stream());
        Self { inner, connection: Arc::clone(connection) }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        if frame.is_none() || self.inner.is_end_stream() {
            self.connection.set_body_unread(false);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
