//! The options of a view.

use napi_derive::napi;

use crate::job::model::invocation::Invocation;
use crate::text::view::ViewOptions;
use crate::text::view::minimize::Choice;
use crate::tools::result::minimize::minimizer;

/// The options of a view. An absent option has its default.
#[derive(Clone, Debug, Default)]
#[napi(object, object_to_js = false)]
pub struct ViewSpec {
    /// The most bytes that the text may have.
    pub max_bytes: Option<u32>,
    /// The share that the beginning gets at least.
    pub head: Option<f64>,
    /// The share that the end gets at least.
    pub tail: Option<f64>,
    /// The number of lines shown before an important one.
    pub before: Option<u32>,
    /// The number of lines shown after an important one.
    pub after: Option<u32>,
    /// Texts that make a line rank above all others.
    pub important: Option<Vec<String>>,
    /// Whether runs of lines of one form are folded.
    pub fold: Option<bool>,
    /// Whether the last line reports the size of the output.
    pub footer: Option<bool>,
    /// Whether lines that begin like a marker get a space in front.
    pub escape: Option<bool>,
    /// The rules by which lines are left out although there is room, as JSON: `{}` for all rules.
    pub minimize: Option<String>,
}

impl ViewSpec {
    /// Converts the options to those of the crate, for the output of a command. `has_source` tells whether
    /// the caller has the whole output.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a number of 32 bits"
    )]
    pub fn options(self, command: Option<&Invocation>, has_source: bool) -> ViewOptions {
        let usual =
            self.max_bytes.map_or_else(ViewOptions::default, |bytes| ViewOptions::new(bytes as usize));
        let share = |share: f64| (f64::from(usual.max_bytes as u32) * share) as usize;
        ViewOptions {
            head: self.head.map_or(usual.head, share),
            tail: self.tail.map_or(usual.tail, share),
            before: self.before.map_or(usual.before, |lines| lines as usize),
            after: self.after.map_or(usual.after, |lines| lines as usize),
            important: self.important.unwrap_or_default(),
            fold: self.fold.unwrap_or(usual.fold),
            footer: self.footer.unwrap_or(usual.footer),
            escape: self.escape.unwrap_or(usual.escape),
            minimize: self.minimize.and_then(|choice| {
                // JavaScript has checked it.
                let choice: Choice = serde_json::from_str(&choice).unwrap_or_default();
                minimizer(command, &choice, has_source)
            }),
            max_bytes: usual.max_bytes,
        }
    }
}
