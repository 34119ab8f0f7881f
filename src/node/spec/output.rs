//! The options of a command's output.

use napi_derive::napi;

use super::view::ViewSpec;
use super::whole;
use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{DEFAULT_MAX_BYTES, DEFAULT_SPILL, Form, Output, Spill};
use crate::text::{Cut, Keep, Keeping, Marker, Shape};

/// The part of the output that is kept. An absent option has its default.
#[derive(Debug, Default)]
#[napi(object, object_to_js = false)]
pub struct OutputSpec {
    /// The bytes kept of each stream.
    pub max_bytes: Option<u32>,
    pub keep: Option<KeepSpec>,
    /// The bytes for the head, with `both`.
    pub head_bytes: Option<u32>,
    /// Whether a cut may fall inside a line.
    pub cut_at_character: Option<bool>,
    /// The marker of omitted text.
    pub marker: Option<String>,
    /// Whether both streams share one pipe.
    pub merge: Option<bool>,
    /// Whether the output becomes plain text.
    pub plain: Option<bool>,
    /// The file for the whole output.
    pub spill: Option<SpillSpec>,
    /// The view for a model.
    pub view: Option<ViewSpec>,
}

/// The part of a long output that is kept.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum KeepSpec {
    Head,
    Tail,
    Both,
}

/// The file for the whole output.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SpillSpec {
    pub directory: String,
    /// The quota of the file (bytes).
    pub max_bytes: Option<f64>,
    /// The size of the output up to which no file is created (bytes).
    pub above: Option<u32>,
}

impl OutputSpec {
    /// Converts the options for the plan of a command. `ring` is the size of the ring that `read()` serves
    /// (bytes), and `are_bytes` tells whether the output stays bytes.
    pub(super) fn output(&self, command: Option<&Invocation>, ring: Option<u32>, are_bytes: bool) -> Output {
        let limit = self.max_bytes.map_or(DEFAULT_MAX_BYTES, in_memory);
        let shape = Shape {
            head: self.head_bytes.map(in_memory),
            cut: if self.cut_at_character == Some(true) { Cut::Character } else { Cut::Line },
            marker: self.marker.clone().map(Marker::new),
            ..Shape::new(limit, self.keep.map_or(Keep::default(), Keep::from))
        };
        Output {
            is_merged: self.merge.unwrap_or_default(),
            form: match self.plain {
                _ if are_bytes => Form::Bytes,
                Some(true) => Form::Plain,
                _ => Form::Text,
            },
            ring: ring.map(in_memory),
            spill: self.spill.as_ref().map(SpillSpec::spill),
            view: self.view.clone().map(|view| view.options(command, false)),
            ..Output::keeping(Keeping::Excerpt(shape))
        }
    }
}

impl SpillSpec {
    fn spill(&self) -> Spill {
        Spill {
            directory: self.directory.clone(),
            limit: self.max_bytes.map_or(DEFAULT_SPILL, whole),
            above: self.above.map_or(0, u64::from),
        }
    }
}

impl From<KeepSpec> for Keep {
    fn from(keep: KeepSpec) -> Self {
        match keep {
            KeepSpec::Head => Self::Head,
            KeepSpec::Tail => Self::Tail,
            KeepSpec::Both => Self::Both,
        }
    }
}

const fn in_memory(bytes: u32) -> usize {
    bytes as usize
}
