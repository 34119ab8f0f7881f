//! The view of a command's output.

use crate::job::Outcome;
use crate::job::model::outcome::{End, Spilled};
use crate::process::wait::Exit;
use crate::text::view::{ExitKind, Source, View};

/// Returns the view of an outcome, if the plan asked for one.
#[must_use]
pub fn of(outcome: &Outcome) -> Option<View> {
    let builder = outcome.view.as_ref()?;
    let source = outcome.spilled.as_ref().map_or(Source::NotKept, source);
    Some(builder.view(ending(outcome), &source))
}

fn ending(outcome: &Outcome) -> ExitKind {
    match (outcome.cause, &outcome.end) {
        (None, End::Exit(Exit::Code(0))) => ExitKind::Well,
        _ => ExitKind::Failed,
    }
}

fn source(spilled: &Spilled) -> Source<'_> {
    match spilled {
        Spilled { bytes: 0, .. } => Source::NotKept,
        Spilled { path, is_complete: true, .. } => Source::File(path),
        Spilled { path, bytes, .. } => Source::Beginning(path, *bytes),
    }
}
