//! A stream whose first bytes have been read already.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// A stream that reads its first bytes again.
#[derive(Debug)]
pub struct Prefixed<S> {
    first: Vec<u8>,
    /// The number of first bytes that were read.
    position: usize,
    stream: S,
}

impl<S: AsyncRead + Unpin> Prefixed<S> {
    #[must_use]
    pub const fn new(stream: S, first: Vec<u8>) -> Self {
        Self { first, position: 0, stream }
    }

    /// Returns the next byte, which stays to be read.
    ///
    /// # Errors
    ///
    /// The system's error, [`io::ErrorKind::UnexpectedEof`] if there is none.
    pub async fn peek(&mut self) -> io::Result<u8> {
        if let Some(byte) = self.first.get(self.position) {
            return Ok(*byte);
        }
        let byte = self.stream.read_u8().await?;
        self.first = vec![byte];
        self.position = 0;
        Ok(byte)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Prefixed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let rest = self.first.get(self.position..).unwrap_or_default();
        if rest.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        self.position += count;
        if self.position == self.first.len() {
            // No connection keeps memory for what it has read.
            self.first = Vec::new();
            self.position = 0;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Prefixed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::Prefixed;

    #[tokio::test]
    async fn the_first_bytes_are_read_before_the_others() {
        for first in ["", "a", "ab"] {
            let (mut client, stream) = duplex(64);
            client.write_all(&b"abcd"[first.len()..]).await.expect("it is written");
            drop(client);
            let mut stream = Prefixed::new(stream, first.as_bytes().to_vec());
            assert_eq!(stream.peek().await.expect("a byte"), b'a');
            assert_eq!(stream.peek().await.expect("a byte"), b'a');
            let mut text = String::new();
            stream.read_to_string(&mut text).await.expect("text");
            assert_eq!(text, "abcd");
            assert!(stream.peek().await.is_err());
        }
    }
}
