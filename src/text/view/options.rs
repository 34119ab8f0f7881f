//! What may be asked for.

/// How a view is made.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewOptions {
    /// The most bytes of UTF-8 that the text may have, markers and footer included. 200 at least.
    pub max_bytes: usize,
    /// The share of it that the beginning gets at least, 0 to 0.5.
    pub head: f64,
    /// The share of it that the end gets at least, 0 to 0.9.
    pub tail: f64,
    /// How many lines before an important one belong to it.
    pub before: usize,
    /// How many lines after an important one belong to it.
    pub after: usize,
    /// Texts: a line that has one of them ranks above all others.
    pub important: Vec<String>,
    /// Whether runs of lines of one form are folded at the beginning and at the end.
    pub fold: bool,
    /// Whether the last line says how much there is and how to get more.
    pub footer: bool,
    /// Whether a line of the output that begins like a marker gets a space in front.
    pub escape: bool,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            max_bytes: 16_000,
            head: 0.10,
            tail: 0.15,
            before: 2,
            after: 4,
            important: Vec::new(),
            fold: true,
            footer: true,
            escape: false,
        }
    }
}

/// The smallest budget (bytes): room for two markers, the footer, and something of two lines.
pub const MIN_BYTES: usize = 200;

/// How the command ended. It shifts weights and switches nothing off: some failures exit with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With exit code 0.
    Well,
    /// With another code, by a signal, by its timeout, by an abort; or it has not ended.
    Failed,
}

/// Where the whole output can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// Nowhere.
    NotKept,
    /// In a file that has all of it.
    File(&'a str),
    /// In a file that has its first bytes.
    Beginning(&'a str, u64),
}
