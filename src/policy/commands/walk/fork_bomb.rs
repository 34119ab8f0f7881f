//! Functions and loops that start processes without end, recognized by their text.

use crate::syntax::tree::{AndOrList, Command, CompoundKind, List, Pipeline, Word};

/// Returns whether each call of a function starts itself in a pipeline or in the background, without a
/// condition.
pub(super) fn multiplies(name: &str, body: &CompoundKind) -> bool {
    let (CompoundKind::Group(list) | CompoundKind::Subshell(list)) = body else { return false };
    list.items.iter().take_while(|item| !ends(item)).any(|item| starts(item, name))
}

/// Returns whether a command may end the function before the commands after it.
fn ends(item: &AndOrList) -> bool {
    let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline));
    pipelines.flat_map(|pipeline| &pipeline.stages).any(|stage| match stage {
        Command::Simple(_) => is_call(stage, "return") || is_call(stage, "exit"),
        Command::Compound(compound) => match &compound.kind {
            CompoundKind::If(arms, _) => arms.iter().any(|(_, body)| body.items.iter().any(ends)),
            CompoundKind::Case(_, arms) => arms.iter().any(|(_, body)| body.items.iter().any(ends)),
            CompoundKind::Group(list) => list.items.iter().any(ends),
            _ => false,
        },
        Command::Function { .. } => false,
    })
}

fn starts(item: &AndOrList, name: &str) -> bool {
    let Pipeline { stages } = &item.first;
    let is_in_background = item.is_background && item.rest.is_empty();
    stages.iter().any(|stage| match stage {
        Command::Compound(compound) => multiplies(name, &compound.kind),
        stage => is_call(stage, name) && (stages.len() > 1 || is_in_background),
    })
}

fn is_call(stage: &Command, name: &str) -> bool {
    let Command::Simple(simple) = stage else { return false };
    simple.words.first().and_then(Word::literal).is_some_and(|word| word == name)
}

/// Returns whether a loop without an end starts a process in each round and waits for none.
pub(super) fn is_endless_loop(kind: &CompoundKind) -> bool {
    match kind {
        CompoundKind::Loop(condition, body) => always_holds(condition) && only_spawns(body),
        CompoundKind::ArithmeticFor(header, body) => {
            let header = header.literal().unwrap_or_default();
            header.split(';').nth(1).is_some_and(|test| test.trim().is_empty()) && only_spawns(body)
        }
        _ => false,
    }
}

/// Returns whether a list is one command that always gives the same result: `true`, `:`, and `false` for
/// `until`.
fn always_holds(list: &List) -> bool {
    let [item] = list.items.as_slice() else { return false };
    let [stage] = item.first.stages.as_slice() else { return false };
    let names = ["true", "false", ":"];
    item.rest.is_empty() && names.iter().any(|name| is_call(stage, name))
}

/// Returns whether all commands of a list run in the background, or print something.
fn only_spawns(list: &List) -> bool {
    let is_quick = |item: &AndOrList| {
        let [stage] = item.first.stages.as_slice() else { return false };
        item.rest.is_empty() && ["echo", "printf", "true", ":"].iter().any(|name| is_call(stage, name))
    };
    list.items.iter().any(|item| item.is_background)
        && list.items.iter().all(|item| item.is_background || is_quick(item))
}
