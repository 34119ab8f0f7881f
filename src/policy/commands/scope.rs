//! What is known of variables, functions and directories at a place of the command line.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::policy::syntax::tree::Compound;

use super::field::{Field, UNKNOWN};

/// The most values of a variable that are told apart.
const MAX_VALUES: usize = 4;

/// The longest value that is followed (bytes), as long as the longest command: `a=$a$a` doubles it each time.
const MAX_VALUE: usize = 10_000;

/// The most work that one command line is worth, in characters and words that were copied. Usual ones need below 2,000, long
/// scripts below 100,000.
const MAX_WORK: usize = 250_000;

/// What is known at a place.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    variables: HashMap<String, Variable>,
    /// `NAME=value` with a NUL behind each, where the environment is known.
    environment: Option<Rc<str>>,
    /// The values looked up in the environment: a command line asks for the same names again and again.
    inherited: Rc<RefCell<HashMap<String, Option<String>>>>,
    /// `$1` and up, where they are known.
    pub(super) positional: Option<Vec<Field>>,
    /// Functions, and whether they are defined for certain.
    pub(super) functions: HashMap<String, (Rc<Compound>, bool)>,
    /// Directories in which the next command may run; `None` for one that is not known.
    pub(super) directories: Vec<Option<String>>,
    /// Files that were written by a download.
    pub(super) downloads: Vec<String>,
    /// Files that commands before this place have written.
    pub(super) written: Vec<String>,
    /// The work so far, of all copies together: see [`MAX_WORK`].
    work: Rc<Cell<usize>>,
}

/// What a variable may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variable {
    /// Possible values; one with [`UNKNOWN`] stands for many.
    pub(super) values: Vec<String>,
    /// Whether a download is in it.
    pub(super) is_downloaded: bool,
}

impl Variable {
    pub(super) fn unknown() -> Self {
        Self { values: vec![UNKNOWN.to_string()], is_downloaded: false }
    }
}

impl Scope {
    /// Of a command line that begins in a directory. `environment` is `NAME=value` with a NUL behind each; without one, any
    /// variable may have any value.
    #[must_use]
    pub fn new(directory: Option<String>, environment: Option<&str>) -> Self {
        Self { environment: environment.map(Rc::from), directories: vec![directory], ..Self::default() }
    }

    /// Counts work, and returns whether it is still within its bound.
    pub(super) fn spend(&self, amount: usize) -> bool {
        self.work.set(self.work.get().saturating_add(amount));
        !self.is_exhausted()
    }

    /// Whether the command line needs more work than any is worth. It is not judged then.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work.get() > MAX_WORK
    }

    /// Returns a copy to come back to.
    pub(super) fn saved(&self) -> Self {
        self.spend(
            4 * (self.variables.len() + self.functions.len() + self.downloads.len() + self.written.len()),
        );
        self.clone()
    }

    pub(super) fn knows_environment(&self) -> bool {
        self.environment.is_some()
    }

    /// Sets `$1` and up to the arguments of a call. A pattern among them has become the names of files.
    pub(super) fn set_positional(&mut self, arguments: &[Field]) {
        let argument = |field: &Field| {
            let unknown = Field { is_downloaded: field.is_downloaded, ..Field::unknown() };
            if field.has_glob { unknown } else { field.clone() }
        };
        self.positional = Some(arguments.iter().map(argument).collect());
    }

    pub(super) fn get(&self, name: &str) -> Option<Variable> {
        if let Some(variable) = self.variables.get(name) {
            return Some(variable.clone());
        }
        let of = |value: &str| Some(Variable { values: vec![value.to_owned()], is_downloaded: false });
        match name {
            "IFS" => return of(" \t\n"),
            "PWD" => {
                return Some(self.directory().map_or_else(Variable::unknown, |directory| Variable {
                    values: vec![directory],
                    is_downloaded: false,
                }));
            }
            _ => {}
        }
        let mut variable = of(&self.inherited(name)?)?;
        // A file that the shell reads at its start may change it, but for those.
        if !matches!(name, "HOME" | "USER" | "LOGNAME" | "SHELL" | "TMPDIR") {
            variable.values.push(UNKNOWN.to_string());
        }
        Some(variable)
    }

    /// Returns the value of a variable of the environment.
    fn inherited(&self, name: &str) -> Option<String> {
        if let Some(value) = self.inherited.borrow().get(name) {
            return value.clone();
        }
        let mut lines = self.environment.as_ref()?.split('\0');
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned);
        self.inherited.borrow_mut().insert(name.to_owned(), value.clone());
        value
    }

    /// Sets a variable; where that may not happen, it keeps its old values too.
    pub(super) fn set(&mut self, name: &str, mut variable: Variable, is_certain: bool) {
        if !is_certain {
            // What was not set before may not be set now.
            let unset =
                || Variable { values: vec![String::new(), UNKNOWN.to_string()], is_downloaded: false };
            let old = self.get(name).unwrap_or_else(unset);
            variable.is_downloaded |= old.is_downloaded;
            for value in old.values {
                if !variable.values.contains(&value) {
                    variable.values.push(value);
                }
            }
        }
        if variable.values.len() > MAX_VALUES {
            variable.values.truncate(MAX_VALUES);
            variable.values.push(UNKNOWN.to_string());
        }
        for value in &mut variable.values {
            if value.len() > MAX_VALUE {
                *value = UNKNOWN.to_string();
            }
        }
        self.variables.insert(name.to_owned(), variable);
    }

    /// The directory where the next command runs, if that is known.
    pub(super) fn directory(&self) -> Option<String> {
        match self.directories.as_slice() {
            [.., Some(directory)] => Some(directory.clone()),
            _ => None,
        }
    }

    /// Goes into a directory. Where that may fail or not happen, the old ones stay possible.
    pub(super) fn change_directory(&mut self, target: Option<&str>, is_certain: bool) {
        let now = self.directory();
        self.spend(now.as_ref().map_or(0, String::len));
        let next = target.and_then(|target| resolve(now.as_deref(), target));
        if is_certain {
            self.directories.clear();
        }
        self.directories.retain(|directory| *directory != next);
        if self.directories.len() > MAX_VALUES {
            self.directories.truncate(1);
            self.directories.push(None);
        }
        self.directories.push(next.clone());
        let value = next.map_or_else(Variable::unknown, |directory| Variable {
            values: vec![directory],
            is_downloaded: false,
        });
        self.set("PWD", value, true);
    }
}

/// A path without `.`, `..` and doubled slashes; relative ones belong to a directory.
#[must_use]
pub fn resolve(directory: Option<&str>, path: &str) -> Option<String> {
    if path.contains(UNKNOWN) {
        return None;
    }
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", directory?) };
    Some(normal(&joined))
}

/// An absolute path without `.`, `..` and doubled slashes.
#[must_use]
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
