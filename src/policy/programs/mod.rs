//! The programs that the policy knows: one [`Program`] record for each, with all that the other modules ask
//! about it. Shells are the exception: [`KnownShell`](crate::syntax::shells::KnownShell) lists them for all
//! layers.
//!
//! [`program`] has the record and its parts. Each other module has the records of a family of programs, and
//! the functions that only these records need. What several families need is where the effect is judged: in
//! [`danger`](super::danger), [`read_only`](super::read_only) and [`commands`](super::commands).

#![allow(clippy::unnecessary_wraps, reason = "a function of a record has the type of its field")]

mod builtins;
mod files;
pub(crate) mod git;
mod languages;
mod network;
mod packages;
mod program;
mod runners;
pub(crate) mod search;
mod system;
mod text;
mod windows;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::commands::{Field, base_name};
use super::paths::PathStyle;

pub(crate) use program::{
    Fetch, Harden, HiddenPrograms, InnerCommands, Language, Offer, Operands, Program, Query, ReadsPath,
    Synonyms, Wrapper,
};

/// The tables in which a program is looked up, one for each family. A new family needs a row here.
const FAMILIES: &[&[Program]] = &[
    builtins::PROGRAMS,
    files::PROGRAMS,
    files::archive::PROGRAMS,
    files::disk::PROGRAMS,
    files::permission::PROGRAMS,
    git::PROGRAMS,
    languages::PROGRAMS,
    languages::application::PROGRAMS,
    languages::tool::PROGRAMS,
    network::PROGRAMS,
    packages::PROGRAMS,
    runners::PROGRAMS,
    runners::container::PROGRAMS,
    runners::text::PROGRAMS,
    runners::user::PROGRAMS,
    search::PROGRAMS,
    search::fd::PROGRAMS,
    search::find::PROGRAMS,
    system::PROGRAMS,
    text::PROGRAMS,
];

/// The records by name. `prefixes` has those whose name ends with `*`.
struct Registry {
    by_name: HashMap<&'static str, &'static Program>,
    /// The records of programs of Windows, which hold for its requests alone, before the others.
    on_windows: HashMap<&'static str, &'static Program>,
    prefixes: Vec<(&'static str, &'static Program)>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let on_windows = windows::PROGRAMS.iter().flat_map(|program| {
        let names = program.names.iter();
        names.map(move |name| (*name, *program))
    });
    let mut registry =
        Registry { by_name: HashMap::new(), on_windows: on_windows.collect(), prefixes: Vec::new() };
    for program in Program::all() {
        for name in program.names {
            match name.strip_suffix('*') {
                Some(prefix) => registry.prefixes.push((prefix, program)),
                None => drop(registry.by_name.insert(name, program)),
            }
        }
    }
    registry
});

impl Program {
    /// Returns all records.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        FAMILIES.iter().copied().flatten()
    }

    /// Returns the record of the program with this name, which has no path.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        let by_prefix = || REGISTRY.prefixes.iter().find(|(prefix, _)| name.starts_with(prefix));
        REGISTRY.by_name.get(name).copied().or_else(|| by_prefix().map(|(_, program)| *program))
    }

    /// Returns the record of the program with this name in a request of this style.
    pub(crate) fn on(style: PathStyle, name: &str) -> Option<&'static Self> {
        let own = || REGISTRY.on_windows.get(name).copied();
        if style == PathStyle::Windows { own().or_else(|| Self::of(name)) } else { Self::of(name) }
    }

    /// Returns the record of the program with this name, which may end with a version: `python3.12`.
    pub(crate) fn of_any_version(name: &str) -> Option<&'static Self> {
        let bare = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
        Self::of(if bare.is_empty() { name } else { bare })
    }
}

/// Returns whether a program is an interpreter: its arguments are code in a language that is not read. A
/// version after the name does not count.
pub(crate) fn is_interpreter(name: &str) -> bool {
    Program::of_any_version(base_name(name)).is_some_and(|program| program.language.is_some())
}

/// Returns a command without its first argument, if that is optional.
fn without_first(words: &[Field], is_optional: impl Fn(&str) -> bool) -> Vec<Vec<Field>> {
    if words.get(1).is_none_or(|field| !is_optional(&field.text)) {
        return Vec::new();
    }
    vec![[&words[..1], &words[2..]].concat()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Program;

    #[test]
    fn each_name_has_one_record() {
        let mut names = HashSet::new();
        let mut doubled =
            Program::all().flat_map(|program| program.names).filter(|name| !names.insert(**name));
        assert_eq!(doubled.next(), None);
    }
}
