//! What may be asked for.

/// How a view is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewOptions {
    /// The most bytes of UTF-8 that the text may have, markers and footer included. 200 at least.
    pub max_bytes: usize,
    /// How much of it the beginning gets at least (bytes).
    pub head: usize,
    /// How much of it the end gets at least (bytes).
    pub tail: usize,
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
    /// What ranks depend on: everything, unless somebody measures what each signal brings.
    pub signals: Signals,
}

/// What the rank of a line depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signals {
    /// What a line looks like.
    pub classes: bool,
    /// How few lines are like it.
    pub rarity: bool,
    /// Whether it is the first of its kind, and how many more there are.
    pub order: bool,
}

impl Default for Signals {
    /// All signals.
    fn default() -> Self {
        Self { classes: true, rarity: true, order: true }
    }
}

impl ViewOptions {
    /// The usual view of so many bytes: a tenth of it for the beginning, 15 % for the end.
    #[must_use]
    pub const fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            head: max_bytes / 10,
            tail: max_bytes / 20 * 3,
            before: 2,
            after: 4,
            important: Vec::new(),
            fold: true,
            footer: true,
            escape: false,
            signals: Signals { classes: true, rarity: true, order: true },
        }
    }
}

impl Default for ViewOptions {
    /// A view of 16,000 bytes.
    fn default() -> Self {
        Self::new(16_000)
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
