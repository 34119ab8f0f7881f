//! What the walk knows at its current position: constants, functions that are certainly defined, and the
//! directory.

use std::rc::Rc;

use crate::policy::commands::analysis::Directories;
use crate::policy::commands::definitions::Definitions;
use crate::policy::commands::expand::Expansion;
use crate::policy::commands::field::{ANY_PLAIN, ANY_TEXT, Values};
use crate::policy::paths::PathStyle;
use crate::policy::windows;

/// The most directories that are distinguished.
const MAX_DIRECTORIES: usize = 4;

/// The longest path of a directory that is followed (bytes).
const MAX_PATH: usize = 512;

/// Variables of the environment that no start file of a shell changes in practice.
const STABLE_VARIABLES: [&str; 5] = ["HOME", "USER", "LOGNAME", "SHELL", "TMPDIR"];

/// The directory and the environment of a command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct WalkSurroundings<'a> {
    /// The working directory, absolute; `None` if it is unknown.
    pub directory: Option<&'a str>,
    /// `NAME=value`, each with a NUL after it; `None` if any variable may have any value.
    pub environment: Option<&'a str>,
    pub style: PathStyle,
}

/// What is known of variables, functions and the directory.
///
/// The lists grow as the walk goes on. Entries from a subshell or a branch are removed after it, because they
/// may not hold there.
#[derive(Debug)]
pub(super) struct Known<'a> {
    surroundings: WalkSurroundings<'a>,
    pub(super) definitions: Definitions,
    /// Variables that certainly have these values here.
    constants: Vec<(String, Rc<[String]>)>,
    /// Values that were assigned once, here or in another branch.
    likely: Vec<(String, String)>,
    /// Variables whose value was downloaded or decoded.
    downloaded: Vec<String>,
    /// Functions that are certainly defined here.
    functions: Vec<String>,
    /// Arrays whose subscripts are text.
    associative: Vec<String>,
    /// Directories in which the next command may run, the most probable one last.
    pub(super) directories: Directories,
}

/// The knowledge outside of the code of a new shell, restored after that code.
#[derive(Debug)]
pub(super) struct OuterShell {
    definitions: Definitions,
    constants: Vec<(String, Rc<[String]>)>,
    likely: Vec<(String, String)>,
    functions: Vec<String>,
}

/// The lengths of the lists at a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    constants: usize,
    functions: usize,
    associative: usize,
}

impl<'a> Known<'a> {
    pub(super) fn new(definitions: Definitions, surroundings: WalkSurroundings<'a>) -> Self {
        let directory = surroundings.directory.map(|path| match surroundings.style {
            PathStyle::Unix => path.to_owned(),
            PathStyle::Windows => surroundings.style.plain(path, None).into_owned(),
        });
        Self {
            surroundings,
            definitions,
            constants: Vec::new(),
            likely: Vec::new(),
            downloaded: Vec::new(),
            functions: Vec::new(),
            associative: Vec::new(),
            directories: Rc::from([directory]),
        }
    }

    pub(super) fn style(&self) -> PathStyle {
        self.surroundings.style
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            constants: self.constants.len(),
            functions: self.functions.len(),
            associative: self.associative.len(),
        }
    }

    /// Removes the entries added since a mark.
    pub(super) fn cut(&mut self, mark: Mark) {
        self.constants.truncate(mark.constants);
        self.functions.truncate(mark.functions);
        self.associative.truncate(mark.associative);
    }

    /// Begins the code of a new shell, with its definitions, and returns what is known outside of it.
    pub(super) fn enter_shell(&mut self, definitions: Definitions) -> OuterShell {
        OuterShell {
            definitions: std::mem::replace(&mut self.definitions, definitions),
            constants: std::mem::take(&mut self.constants),
            likely: std::mem::take(&mut self.likely),
            functions: std::mem::take(&mut self.functions),
        }
    }

    pub(super) fn leave_shell(&mut self, outer: OuterShell) {
        let OuterShell { definitions, constants, likely, functions } = outer;
        (self.definitions, self.constants, self.likely, self.functions) =
            (definitions, constants, likely, functions);
    }

    /// Records an assignment.
    pub(super) fn assign(&mut self, name: &str, value: &Expansion) {
        if value.is_downloaded && !self.downloaded.iter().any(|other| other == name) {
            self.downloaded.push(name.to_owned());
        }
        let is_exact = !value.text.contains(ANY_PLAIN);
        if is_exact && self.definitions.is_single(name) {
            self.likely.push((name.to_owned(), value.text.clone()));
            if self.definitions.is_constant(name) {
                self.constants.push((name.to_owned(), Rc::from([value.text.clone()])));
            }
        }
    }

    /// Records the values of a loop's variable, for the body of the loop. The values are only likely if
    /// `are_exact` is false.
    pub(super) fn assign_each(&mut self, name: &str, values: Vec<String>, are_exact: bool) {
        if are_exact && !values.is_empty() && self.definitions.is_constant(name) {
            self.constants.push((name.to_owned(), Rc::from(values)));
        } else if self.definitions.is_single(name) {
            self.likely.extend(values.into_iter().map(|value| (name.to_owned(), value)));
        }
    }

    pub(super) fn define_function(&mut self, name: &str) {
        self.functions.push(name.to_owned());
    }

    /// Returns whether a name is certainly that of a function here.
    pub(super) fn is_function(&self, name: &str) -> bool {
        !self.definitions.removes_functions && self.functions.iter().any(|function| function == name)
    }

    pub(super) fn declare_associative(&mut self, name: &str) {
        self.associative.push(name.to_owned());
    }

    pub(super) fn is_associative(&self, name: &str) -> bool {
        self.associative.iter().any(|array| array == name)
    }

    /// Returns the possible values of a variable.
    pub(super) fn variable(&self, name: &str) -> Expansion {
        let is_downloaded = self.downloaded.iter().any(|other| other == name);
        let value = self.value(name);
        Expansion { is_downloaded, ..value }
    }

    fn value(&self, name: &str) -> Expansion {
        if let Some((_, values)) = self.constants.iter().rfind(|(other, _)| other == name) {
            return match &**values {
                [value] => Expansion::of(value),
                values => {
                    let values = Values { all: Rc::from(values), is_complete: true };
                    Expansion { values, ..Expansion::any_text() }
                }
            };
        }
        if let Some(value) = self.inherited(name) {
            return value;
        }
        let all: Rc<[String]> =
            self.likely.iter().filter(|(other, _)| other == name).map(|(_, value)| value.clone()).collect();
        let mark = if self.definitions.is_plain(name) { ANY_PLAIN } else { ANY_TEXT };
        Expansion { values: Values { all, is_complete: false }, ..Expansion::of(mark) }
    }

    /// Returns the value of a variable that the command line does not set.
    fn inherited(&self, name: &str) -> Option<Expansion> {
        if self.definitions.has(name) {
            return None;
        }
        if name == "IFS" {
            return Some(Expansion::of(" \t\n"));
        }
        if name == "PWD" {
            return self.directory().map(Expansion::of);
        }
        if self.style() == PathStyle::Windows {
            let environment = self.surroundings.environment;
            let home = if name == "HOME" { windows::home_of(environment) } else { None };
            if let Some(value) = home.or_else(|| windows::variable(environment, name)) {
                return Some(Expansion::of(value));
            }
        }
        if !STABLE_VARIABLES.contains(&name) {
            return None;
        }
        let mut lines = self.surroundings.environment?.split('\0');
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(Expansion::of)
    }

    /// Returns a path with its tilde replaced.
    pub(super) fn with_home(&self, text: &str) -> String {
        let Some(rest) = text.strip_prefix('~') else { return text.to_owned() };
        let separators: &[char] = if self.style() == PathStyle::Windows { &['/', '\\'] } else { &['/'] };
        let homes = if self.style() == PathStyle::Windows { "/c/Users" } else { "/home" };
        let (user, path) = rest.find(separators).map_or((rest, ""), |slash| rest.split_at(slash));
        match user {
            "" => {
                let home = self.inherited("HOME");
                // The checks treat all home directories alike, so any name will do.
                home.map_or(format!("{homes}/~{path}"), |home| format!("{}{path}", home.text))
            }
            "root" => format!("/root{path}"),
            user if user.starts_with(|char: char| char.is_ascii_alphabetic()) => {
                format!("{homes}/{user}{path}")
            }
            _ => format!("{}{path}", Expansion::any_text().text),
        }
    }

    /// Returns the most probable directory of the next command, if it is known.
    pub(super) fn directory(&self) -> Option<&str> {
        self.directories.last()?.as_deref()
    }

    /// Changes the directory. If `is_certain` is false, the change may fail or not happen, so the old
    /// directories stay possible.
    pub(super) fn change_directory(&mut self, target: Option<&str>, is_certain: bool) {
        let now = self.directory();
        let next =
            target.and_then(|target| self.style().resolve(now, target)).filter(|path| path.len() <= MAX_PATH);
        // If the directory before does not exist, `..` leads out of the one before that: then the path as
        // written has no real path.
        let unresolved = target
            .map(|target| self.style().plain(target, now))
            .filter(|target| !is_certain && self.directories.len() > 1 && climbs(target))
            .and_then(|target| Some(format!("{}/{target}", now?)));
        let mut all = if is_certain { Vec::new() } else { self.directories.to_vec() };
        if unresolved.is_some() {
            all.insert(0, unresolved);
        }
        all.retain(|directory| *directory != next);
        if all.len() > MAX_DIRECTORIES {
            all = vec![None];
        }
        all.push(next);
        self.directories = Rc::from(all);
    }
}

/// Returns whether a relative path leads out of its directory.
fn climbs(path: &str) -> bool {
    !path.starts_with('/') && path.split('/').any(|part| part == "..")
}
