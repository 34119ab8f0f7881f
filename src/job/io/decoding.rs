//! The decoding of one output stream, before everything that keeps it or passes it on.

use std::sync::Arc;

use crate::text::code_page::{CodePage, PageDecoder};

/// A stream that is not UTF-8.
#[derive(Debug)]
pub(super) struct Decoding {
    decoder: PageDecoder,
    /// The text of a read; empty between two.
    text: Vec<u8>,
}

impl Decoding {
    pub(super) fn new(page: &Arc<CodePage>) -> Self {
        Self { decoder: PageDecoder::new(Arc::clone(page)), text: Vec::new() }
    }

    /// Replaces the bytes of a buffer from `start` on by their text in UTF-8.
    pub(super) fn take(&mut self, buffer: &mut Vec<u8>, start: usize) {
        self.decoder.push(&buffer[start..], &mut self.text);
        buffer.truncate(start);
        buffer.append(&mut self.text);
    }

    /// Appends what stands for a character that the end has cut.
    pub(super) fn finish(&mut self, buffer: &mut Vec<u8>) {
        self.decoder.finish(buffer);
    }
}
