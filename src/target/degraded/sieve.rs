//! Finds the lines of the script among the output of a command.

/// The longest line behind a marker (bytes): a directory and a word.
const MAX_LINE: usize = 8 * 1024;

/// The bytes of the text before the output that an error may quote.
const KEPT_NOISE: usize = 400;

/// Separates an output from the lines of the script in it, however the stream is split.
#[derive(Debug)]
pub(super) struct Sieve {
    marker: Vec<u8>,
    /// The word of the line behind which the output begins. What comes before is noise of login shells and of
    /// the transport.
    begin: &'static str,
    has_begun: bool,
    /// The bytes that may begin a line of the script.
    held: Vec<u8>,
    noise: usize,
    /// The last bytes of the noise.
    early_output: Vec<u8>,
}

impl Sieve {
    pub(super) fn new(marker: &str, begin: &'static str) -> Self {
        Self {
            marker: marker.as_bytes().to_vec(),
            begin,
            has_begun: false,
            held: Vec::new(),
            noise: 0,
            early_output: Vec::new(),
        }
    }

    /// Takes what has come. Appends the command's output to `output`, and returns the lines of the script.
    pub(super) fn push(&mut self, bytes: &[u8], output: &mut impl Extend<u8>) -> Vec<String> {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let mut left = held.as_slice();
        let mut lines = Vec::new();
        while let Some(at) = memchr::memmem::find(left, &self.marker) {
            self.pass(&left[..at], output);
            left = &left[at..];
            let behind = &left[self.marker.len()..];
            let Some(length) = memchr::memchr(b'\n', behind) else {
                if behind.len() <= MAX_LINE {
                    self.held = left.to_vec();
                    return lines;
                }
                // No line of the script: the marker is passed on with the rest.
                let (marker, rest) = left.split_at(self.marker.len());
                self.pass(marker, output);
                left = rest;
                continue;
            };
            let line = String::from_utf8_lossy(&behind[..length]).trim_end().to_owned();
            self.has_begun |= line.split(' ').next() == Some(self.begin);
            lines.push(line);
            left = &behind[length + 1..];
        }
        let held = self.begun_marker(left);
        self.pass(&left[..left.len() - held], output);
        self.held = left[left.len() - held..].to_vec();
        lines
    }

    /// Takes the end of the stream: what was held back is output.
    pub(super) fn end(&mut self, output: &mut impl Extend<u8>) {
        let held = std::mem::take(&mut self.held);
        self.pass(&held, output);
    }

    /// Returns the number of bytes at the end that may be the beginning of a marker.
    fn begun_marker(&self, bytes: &[u8]) -> usize {
        let most = bytes.len().min(self.marker.len() - 1);
        (1..=most).rev().find(|&count| bytes.ends_with(&self.marker[..count])).unwrap_or(0)
    }

    fn pass(&mut self, bytes: &[u8], output: &mut impl Extend<u8>) {
        if self.has_begun {
            output.extend(bytes.iter().copied());
            return;
        }
        self.noise += bytes.len();
        self.early_output.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT_NOISE)..]);
        let surplus = self.early_output.len().saturating_sub(KEPT_NOISE);
        self.early_output.drain(..surplus);
    }

    /// Returns the number of bytes that came before the output.
    pub(super) const fn noise(&self) -> usize {
        self.noise
    }

    /// Returns the last bytes that came before the output, as text.
    pub(super) fn early_output(&self) -> String {
        String::from_utf8_lossy(&self.early_output).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::Sieve;
    use crate::target::degraded::script::marker;

    const NONCE: &str = "0123456789abcdef";

    fn sift(pieces: &[&[u8]]) -> (Vec<u8>, Vec<String>, String) {
        let mut sieve = Sieve::new(&marker(NONCE), "started");
        let (mut output, mut lines) = (Vec::new(), Vec::new());
        for piece in pieces {
            lines.extend(sieve.push(piece, &mut output));
        }
        sieve.end(&mut output);
        (output, lines, sieve.early_output())
    }

    #[test]
    fn a_line_is_taken_out_of_the_middle_of_an_output() {
        let marker = marker(NONCE);
        let stream = format!("welcome\n{marker}started /tmp\nno newline{marker}exit 0\nlate");
        let (output, lines, early_output) = sift(&[stream.as_bytes()]);
        assert_eq!(output, b"no newlinelate");
        assert_eq!(lines, ["started /tmp", "exit 0"]);
        assert_eq!(early_output, "welcome\n");
    }

    #[test]
    fn an_output_that_is_no_marker_is_not_held_back() {
        let mut sieve = Sieve::new(&marker(NONCE), "started");
        let mut output = Vec::new();
        let begin = format!("{}started\n", marker(NONCE));
        sieve.push(begin.as_bytes(), &mut output);
        sieve.push(b"Password: ", &mut output);
        assert_eq!(output, b"Password: ");
    }

    #[test]
    fn an_endless_line_is_output() {
        let stream = format!("{0}started\n{0}{1}", marker(NONCE), "x".repeat(20_000));
        let (output, lines, _) = sift(&[stream.as_bytes()]);
        assert_eq!(output.len(), 20_000 + marker(NONCE).len());
        assert_eq!(lines, ["started"]);
    }

    proptest! {
        #[test]
        fn an_output_is_the_same_however_the_stream_is_split(
            before in vec(any::<u8>(), 0..60),
            after in vec(any::<u8>(), 0..60),
            sizes in vec(1_usize..30, 1..20),
        ) {
            let marker = marker(NONCE);
            let line = |text| format!("{marker}{text}\n").into_bytes();
            let stream = [line("started"), before.clone(), line("exit 3"), after.clone()].concat();
            let mut pieces = Vec::new();
            let (mut left, mut sizes) = (stream.as_slice(), sizes.iter().cycle());
            while !left.is_empty() {
                let (piece, rest) = left.split_at(left.len().min(*sizes.next().expect("a cycle")));
                pieces.push(piece);
                left = rest;
            }
            let (output, lines, _) = sift(&pieces);
            prop_assert_eq!(output, [before, after].concat());
            prop_assert_eq!(lines, ["started", "exit 3"]);
        }
    }
}
