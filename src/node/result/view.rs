//! The view of an output for a model.

use napi_derive::napi;

use super::javascript_number;
use crate::text::view::minimize::Reasons;
use crate::text::view::{LeftOut, View};

/// The view of an output for a model.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ViewResult {
    pub text: String,
    /// The number of lines of the output.
    pub lines: f64,
    /// The size of the output (bytes).
    pub bytes: f64,
    /// The ranges of lines shown: first, last.
    pub shown: Vec<Vec<f64>>,
    /// The ranges of lines left out.
    pub left_out: Vec<LeftOutResult>,
    /// Whether the view is the whole output.
    pub complete: bool,
}

/// A range of lines left out.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct LeftOutResult {
    /// The number of the first line.
    pub from: f64,
    /// The number of the last line.
    pub to: f64,
    pub lines: f64,
    /// The size of the lines (bytes).
    pub bytes: f64,
    /// The number of the line that all of them resemble, if the run is folded.
    pub like: Option<f64>,
    /// The reasons to leave them out although there is room.
    pub reason: Option<String>,
}

impl From<View> for ViewResult {
    fn from(view: View) -> Self {
        let range = |(from, to): (u64, u64)| vec![javascript_number(from), javascript_number(to)];
        Self {
            text: view.text,
            lines: javascript_number(view.lines),
            bytes: javascript_number(view.bytes),
            shown: view.shown.into_iter().map(range).collect(),
            left_out: view.left_out.into_iter().map(LeftOutResult::from).collect(),
            complete: view.complete,
        }
    }
}

impl From<LeftOut> for LeftOutResult {
    fn from(left_out: LeftOut) -> Self {
        Self {
            from: javascript_number(left_out.from),
            to: javascript_number(left_out.to),
            lines: javascript_number(left_out.lines()),
            bytes: javascript_number(left_out.bytes),
            like: left_out.like.map(javascript_number),
            reason: left_out.reason.map(Reasons::text),
        }
    }
}
