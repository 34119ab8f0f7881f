//! The bootstrap: the script that the shell on the target evaluates, and the handshake with it.
//!
//! The script is the first line of the stream. It executes a cached helper, or requests a copy and executes
//! that. It announces each step by a line with a marker, so the host can skip what a login shell prints
//! before.

use super::helper::Helper;
use super::scripts::{BOOTSTRAP, CACHED, COPIED, one_line};

/// The most bytes that may come before the first marker.
pub(super) const MAX_NOISE: usize = 64 * 1024;

/// The most bytes of a line behind a marker.
const MAX_LINE: usize = 1024;

/// The most bytes of other output that an error quotes.
const KEPT_NOISE: usize = 400;

/// Returns the script, as one line. `trusts_cache` is false after a cached helper was found to be damaged.
pub(super) fn script(nonce: &str, helpers: &[&Helper], trusts_cache: bool) -> String {
    let machines = helpers.iter().fold(String::new(), |machines, helper| {
        machines + &format!("\"{}\")h={};b={};;", helper.machine, helper.hex(), helper.bytes.len())
    });
    let mut script = one_line(BOOTSTRAP, &[("NONCE", nonce), ("MACHINES", &machines)]);
    for part in trusts_cache.then_some(CACHED).into_iter().chain([COPIED]) {
        script.push(' ');
        script.push_str(&one_line(part, &[]));
    }
    script.push('\n');
    script
}

/// A step that the script announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BootstrapMessage {
    /// The helper runs: the next byte is the first of a frame.
    Have,
    /// The script reads a copy of the helper for this machine from the stream.
    Want(String),
    /// The number of bytes of the copy that have arrived.
    Part(usize),
    /// A directory had no room for the copy.
    Full,
    /// The transport has given the shell a terminal.
    Terminal,
    /// The package has no helper for this machine.
    None(String),
    /// No directory can hold and execute the helper.
    Nowhere,
}

/// More bytes than [`MAX_NOISE`] came before the first marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMuchNoise;

/// The host's side of the handshake, up to [`BootstrapMessage::Have`].
#[derive(Debug)]
pub(super) struct Handshake {
    marker: Vec<u8>,
    buffer: Vec<u8>,
    noise: usize,
    /// The last bytes before the first marker.
    early_output: Vec<u8>,
}

impl Handshake {
    pub(super) fn new(nonce: &str) -> Self {
        let marker = format!("agent-bash {nonce} ").into_bytes();
        Self { marker, buffer: Vec::new(), noise: 0, early_output: Vec::new() }
    }

    /// Adds what the shell has printed.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next step that was announced; `None` until more is pushed.
    pub(super) fn next_step(&mut self) -> Result<Option<BootstrapMessage>, TooMuchNoise> {
        loop {
            let Some(at) = memchr::memmem::find(&self.buffer, &self.marker) else {
                // The last bytes may be the beginning of a marker.
                let kept = self.buffer.len().min(self.marker.len() - 1);
                self.skip(self.buffer.len() - kept)?;
                return Ok(None);
            };
            self.skip(at)?;
            let after = &self.buffer[self.marker.len()..];
            let Some(length) = memchr::memchr(b'\n', after) else {
                return if after.len() > MAX_LINE { Err(TooMuchNoise) } else { Ok(None) };
            };
            let line = String::from_utf8_lossy(&after[..length]);
            let (word, rest) = line.trim_end_matches('\r').split_once(' ').unwrap_or((line.trim_end(), ""));
            let said = match word {
                "have" => Some(BootstrapMessage::Have),
                "want" => Some(BootstrapMessage::Want(rest.to_owned())),
                "part" => rest.parse().ok().map(BootstrapMessage::Part),
                "full" => Some(BootstrapMessage::Full),
                "nowhere" => Some(BootstrapMessage::Nowhere),
                "terminal" => Some(BootstrapMessage::Terminal),
                "none" => Some(BootstrapMessage::None(rest.to_owned())),
                _ => None,
            };
            self.buffer.drain(..=self.marker.len() + length);
            if said.is_some() {
                return Ok(said);
            }
        }
    }

    /// Drops bytes that are no marker, and keeps the last of them for errors.
    fn skip(&mut self, count: usize) -> Result<(), TooMuchNoise> {
        self.noise += count;
        self.early_output.extend(self.buffer.drain(..count));
        let surplus = self.early_output.len().saturating_sub(KEPT_NOISE);
        self.early_output.drain(..surplus);
        if self.noise > MAX_NOISE { Err(TooMuchNoise) } else { Ok(()) }
    }

    /// Returns the last bytes that are no marker.
    pub(super) fn early_output(&self) -> Vec<u8> {
        let mut early_output = [self.early_output.as_slice(), &self.buffer].concat();
        early_output.drain(..early_output.len().saturating_sub(KEPT_NOISE));
        early_output
    }

    /// Returns the bytes after [`BootstrapMessage::Have`].
    pub(super) fn into_rest(self) -> Vec<u8> {
        self.buffer
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{BootstrapMessage, Handshake, Helper, TooMuchNoise, script};

    const NONCE: &str = "0123456789abcdef";

    fn steps(handshake: &mut Handshake, bytes: &[u8]) -> Result<Vec<BootstrapMessage>, TooMuchNoise> {
        handshake.push(bytes);
        let mut steps = Vec::new();
        while let Some(said) = handshake.next_step()? {
            let is_last = said == BootstrapMessage::Have;
            steps.push(said);
            if is_last {
                break;
            }
        }
        Ok(steps)
    }

    fn helper() -> Helper {
        Helper { machine: "Linux x86_64".to_owned(), hash: [171; 32], bytes: vec![0; 7] }
    }

    #[test]
    fn the_script_is_one_line_without_its_own_marker() {
        for trusts_cache in [true, false] {
            let script = script(NONCE, &[&helper()], trusts_cache);
            assert_eq!(script.matches('\n').count(), 1);
            assert!(script.ends_with("say nowhere\n"));
            assert!(!script.contains("agent-bash 0123456789abcdef"));
            assert_eq!(script.contains("[ -x "), trusts_cache);
        }
    }

    #[test]
    fn each_machine_has_its_helper() {
        let other = Helper { machine: "Linux aarch64".to_owned(), hash: [205; 32], bytes: vec![0; 8] };
        let script = script(NONCE, &[&helper(), &other], true);
        let choice = format!(
            "case $u in \"Linux x86_64\")h={};b=7;;\"Linux aarch64\")h={};b=8;;esac;",
            "ab".repeat(32),
            "cd".repeat(32)
        );
        assert!(script.contains(&choice), "{script}");
    }

    #[test]
    fn steps_are_found_behind_noise_and_with_carriage_returns() {
        let mut handshake = Handshake::new(NONCE);
        let text = "Welcome!\r\n\r\nagent-bash 0123456789abcdef want Linux x86_64\r\nmore\n\
                    agent-bash 0123456789abcdef part 65536\n\
                    agent-bash 0123456789abcdef have\nframes";
        assert_eq!(
            steps(&mut handshake, text.as_bytes()),
            Ok(vec![
                BootstrapMessage::Want("Linux x86_64".to_owned()),
                BootstrapMessage::Part(65_536),
                BootstrapMessage::Have
            ])
        );
        assert_eq!(handshake.into_rest(), b"frames");
    }

    #[test]
    fn an_unknown_machine_is_named() {
        let mut handshake = Handshake::new(NONCE);
        let text = "\nagent-bash 0123456789abcdef none FreeBSD amd64\n";
        let none = BootstrapMessage::None("FreeBSD amd64".to_owned());
        assert_eq!(steps(&mut handshake, text.as_bytes()), Ok(vec![none]));
    }

    #[test]
    fn endless_noise_is_given_up() {
        let mut handshake = Handshake::new(NONCE);
        assert_eq!(steps(&mut handshake, &vec![b'x'; 70_000]), Err(TooMuchNoise));
        let mut handshake = Handshake::new(NONCE);
        let endless = [b"agent-bash 0123456789abcdef ".as_slice(), &[b'x'; 2000]].concat();
        assert_eq!(steps(&mut handshake, &endless), Err(TooMuchNoise));
    }

    proptest! {
        #[test]
        fn steps_are_the_same_however_the_stream_is_split(
            noise in "[ -~\n]{0,300}", sizes in vec(1_usize..40, 1..20), rest in vec(any::<u8>(), 0..50),
        ) {
            prop_assume!(!noise.contains("agent-bash 0"));
            let head = format!("{noise}\nagent-bash {NONCE} full\n\nagent-bash {NONCE} have\n");
            let stream = [head.as_bytes(), &rest].concat();
            let mut handshake = Handshake::new(NONCE);
            let (mut found, mut left) = (Vec::new(), stream.as_slice());
            let mut sizes = sizes.iter().cycle();
            while !left.is_empty() && found.last() != Some(&BootstrapMessage::Have) {
                let (piece, after) = left.split_at(left.len().min(*sizes.next().expect("a cycle")));
                found.extend(steps(&mut handshake, piece).expect("little noise"));
                left = after;
            }
            prop_assert_eq!(found, [BootstrapMessage::Full, BootstrapMessage::Have]);
            prop_assert_eq!([handshake.into_rest().as_slice(), left].concat(), rest);
        }
    }
}
