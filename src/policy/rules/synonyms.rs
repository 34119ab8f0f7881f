//! Flags and names that mean the same, for rules and commands alike.

use crate::policy::programs::{Program, Synonyms};

/// Flags of the same meaning, for all commands.
const FLAGS: [&str; 8] = [
    "-r -R --recursive", "-f --force", "-n --dry-run", "-i --interactive", "-a --all", "-d --delete",
    "-g --global", "-v --verbose",
];

/// Returns whether two flags of a command mean the same.
pub(super) fn is_same_flag(command: &Subcommand, one: &str, other: &str) -> bool {
    let has = |flags: &str, flag: &str| flags.split(' ').any(|same| same == flag);
    let is_same = |flags: &str| has(flags, one) && has(flags, other);
    let mut own = command.synonyms.flags.iter();
    one == other
        || FLAGS.iter().any(|flags| is_same(flags))
        || own.any(|(subcommand, flags)| is_same(flags) && command.is(subcommand))
}

/// Returns the flags that one flag of a command stands for, with itself.
pub(super) fn parts_of<'a>(command: &Subcommand, flag: &'a str) -> Vec<&'a str> {
    let mut combined = command.synonyms.combined.iter();
    let combined = combined.find(|(subcommand, name, _)| *name == flag && command.is(subcommand));
    std::iter::once(flag).chain(combined.iter().flat_map(|(_, _, parts)| parts.iter().copied())).collect()
}

/// A program with its first operand, on which the meaning of flags depends.
pub(super) struct Subcommand {
    synonyms: &'static Synonyms,
    name: String,
}

impl Subcommand {
    pub(super) fn new(program: &str, name: String) -> Self {
        let synonyms = Program::of(program).map_or(&Synonyms::NONE, |program| &program.synonyms);
        Self { synonyms, name }
    }

    fn is(&self, name: &str) -> bool {
        name.is_empty() || self.name == name
    }
}

/// Returns the words that may stand for the first words of a command: `source` for `.`.
pub(super) fn other_names(words: &[&str]) -> Vec<(usize, Vec<&'static str>)> {
    let Some(program) = words.first().and_then(|name| Program::of(name)) else { return Vec::new() };
    let other = |from: &str, to: &'static str| {
        let count = from.split(' ').count();
        let is_same = words.len() >= count && from.split(' ').eq(words[..count].iter().copied());
        is_same.then(|| (count, to.split(' ').collect()))
    };
    let names = program.synonyms.names.iter();
    names.flat_map(|(one, two)| [other(one, two), other(two, one)]).flatten().collect()
}

/// Returns whether a program may be another name of a program.
pub(super) fn has_other_names(program: &str) -> bool {
    let of_git = program.starts_with("git-");
    let synonyms = || Program::of_any_version(program).map(|program| &program.synonyms);
    of_git || synonyms().is_some_and(|synonyms| synonyms.is_renamed || !synonyms.names.is_empty())
}
