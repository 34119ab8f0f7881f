//! The scope: the known values of variables, functions and the directory at a place of the command line.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::policy::syntax::tree::Compound;

use super::field::{Field, TAINTED, UNKNOWN, unknown_of};

/// The most values of a variable that are distinguished.
const MAX_VALUES: usize = 4;

/// The longest value that is kept (bytes), as long as the longest command: `a=$a$a` doubles the value each time.
const MAX_VALUE: usize = 10_000;

/// The characters at which shells split values, unless `IFS` says otherwise.
const SEPARATORS: &str = " \t\n";

/// The most work for one command line, in characters and words that are copied. Usual command lines need below 2,000, long
/// scripts below 100,000.
const MAX_WORK: usize = 250_000;

/// The work of copying a variable, a function or a path.
const COPY_WORK: usize = 4;

/// The known values at a place of the command line.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Shared with the copies of the scope, until one of them sets a variable.
    variables: Rc<HashMap<String, Variable>>,
    /// The environment, if it is known: `NAME=value` with a NUL behind each.
    environment: Option<Rc<str>>,
    /// The cache of values looked up in the environment: a command line uses the same names again and again.
    inherited: Rc<RefCell<HashMap<String, Option<String>>>>,
    /// Names of variables that may be read-only.
    read_only: Rc<HashSet<String>>,
    /// Whether elements of arrays count from 1, and `$a` is all of them, as in zsh. They are not told apart then.
    pub(super) counts_from_one: bool,
    /// `$1` and up, where they are known.
    pub(super) positional: Option<Vec<Field>>,
    /// Functions by name, and whether each is defined in any case.
    pub(super) functions: Rc<HashMap<String, (Rc<Compound>, bool)>>,
    /// Directories in which the next command may run; `None` for one that is not known.
    pub(super) directories: Vec<Option<String>>,
    /// The directory in which the next command probably runs, where none is known.
    pub(super) likely_directory: Option<String>,
    /// The root of the project.
    pub(in crate::policy) project: Option<Rc<str>>,
    /// Files that were written by a download.
    pub(super) downloads: Vec<String>,
    /// Files that commands before this place have written.
    pub(super) written: Vec<String>,
    /// The number of conditions on which it depends whether the next command runs.
    pub(super) conditions: usize,
    /// The number of definitions of functions so far, which tells two states of `functions` apart.
    definitions: Rc<Cell<usize>>,
    defined: usize,
    /// Variables that were read and set, for each call of a function around the current place.
    uses: Rc<RefCell<Vec<Uses>>>,
    /// The work so far, shared by all copies: see [`MAX_WORK`].
    work: Rc<Cell<usize>>,
}

/// Names of variables that were read, and of those that were set.
type Uses = (HashSet<String>, HashSet<String>);

/// The directories and the numbers of definitions and files that a function's visit may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    defined: usize,
    directories: Vec<Option<String>>,
    downloads: usize,
    written: usize,
}

/// The possible values of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variable {
    /// Possible values; one with [`UNKNOWN`] stands for many.
    pub(super) values: Vec<String>,
    /// Whether a part of the value was downloaded.
    pub(super) is_downloaded: bool,
    /// Whether it may be an array. The values are likely ones of all elements together then.
    pub(super) is_array: bool,
    /// Whether a value that is a glob stands for the names of the files that match it, as in a loop over `*`.
    pub(super) names_files: bool,
    /// The elements of an array, where all are known.
    pub(super) elements: Option<Rc<[String]>>,
}

impl Variable {
    /// Returns a variable with one known value.
    pub(super) fn of(value: &str) -> Self {
        Self { values: vec![value.to_owned()], ..Self::default() }
    }

    pub(super) fn unknown() -> Self {
        Self::of(TAINTED)
    }

    /// Returns a variable that holds a number.
    pub(super) fn number() -> Self {
        Self { values: vec![UNKNOWN.to_string()], ..Self::default() }
    }

    /// Returns an array of which the elements are not known, after `old`.
    pub(super) fn array(old: Option<Self>) -> Self {
        let old = old.unwrap_or_else(Self::unknown);
        let mark = unknown_of(old.values.iter().map(String::as_str));
        Self { values: vec![mark], is_array: true, elements: None, ..old }
    }

    /// Returns the variable with one more possible value.
    pub(super) fn or(mut self, value: &str) -> Self {
        self.values.push(value.to_owned());
        self
    }

    /// Returns the variable with a text behind each of its values.
    pub(super) fn followed_by(self, text: &str) -> Self {
        if self.is_array {
            return Self::array(Some(self));
        }
        Self { values: self.values.iter().map(|value| format!("{value}{text}")).collect(), ..self }
    }
}

impl Scope {
    /// Returns the scope at the start of a command line. `environment` is `NAME=value` with a NUL behind each; if it is absent,
    /// any variable may have any value.
    #[must_use]
    pub fn new(directory: Option<String>, environment: Option<&str>) -> Self {
        Self { environment: environment.map(Rc::from), directories: vec![directory], ..Self::default() }
    }

    /// Counts work, and returns whether it is still within its bound.
    pub(super) fn spend(&self, amount: usize) -> bool {
        self.work.set(self.work.get().saturating_add(amount));
        !self.is_exhausted()
    }

    /// Returns whether the command line needs more than [`MAX_WORK`]. It is not judged then.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work.get() > MAX_WORK
    }

    /// Returns a copy for a later restore, and counts the work of copying.
    pub(super) fn saved(&self) -> Self {
        self.spend(COPY_WORK * (1 + self.downloads.len() + self.written.len()));
        self.clone()
    }

    /// Defines a function.
    #[inline(never)]
    pub(super) fn define(&mut self, name: &str, body: Rc<Compound>, is_certain: bool) {
        self.definitions.set(self.definitions.get() + 1);
        self.defined = self.definitions.get();
        let shared = Rc::strong_count(&self.functions) > 1;
        self.spend(if shared { COPY_WORK * self.functions.len() } else { 1 });
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), (body, is_certain));
    }

    pub(super) fn state(&self) -> State {
        State {
            defined: self.defined,
            directories: self.directories.clone(),
            downloads: self.downloads.len(),
            written: self.written.len(),
        }
    }

    /// Returns the variables, and begins to note which ones a call reads and sets.
    pub(super) fn variables_before_call(&self) -> Rc<HashMap<String, Variable>> {
        self.uses.borrow_mut().push((HashSet::new(), HashSet::new()));
        Rc::clone(&self.variables)
    }

    /// Returns the names of the variables that the innermost call has read and set.
    pub(super) fn end_of_call(&self) -> Uses {
        let mut uses = self.uses.borrow_mut();
        let (read, written) = uses.pop().unwrap_or_default();
        if let Some((outer_read, outer_written)) = uses.last_mut() {
            outer_read.extend(read.iter().cloned());
            outer_written.extend(written.iter().cloned());
        }
        (read, written)
    }

    fn note_use(&self, name: &str, is_set: bool) {
        if let Some((read, written)) = self.uses.borrow_mut().last_mut() {
            let names = if is_set { written } else { read };
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    }

    pub(super) fn knows_environment(&self) -> bool {
        self.environment.is_some()
    }

    /// Drops the first positional parameters, as `shift` does.
    pub(super) fn shift(&mut self, count: Option<usize>) {
        let fields = self.positional.take();
        self.positional = fields.zip(count).and_then(|(mut fields, count)| {
            let is_known = count <= fields.len() && !fields[..count].iter().any(|field| field.is_many);
            is_known.then(|| fields.split_off(count))
        });
    }

    /// Sets `$1` and up to the arguments of a call. A glob among them has become the names of files, which are not known.
    pub(super) fn set_positional(&mut self, arguments: &[Field]) {
        let argument = |field: &Field| {
            let unknown = Field { is_downloaded: field.is_downloaded, ..Field::unknown() };
            if field.has_glob { unknown } else { field.clone() }
        };
        self.positional = Some(arguments.iter().map(argument).collect());
    }

    pub(super) fn get(&self, name: &str) -> Option<Variable> {
        self.note_use(name, false);
        if let Some(variable) = self.variables.get(name) {
            return Some(variable.clone());
        }
        self.outer_value(name)
    }

    /// Returns the first possible value of a variable.
    pub(super) fn first_value(&self, name: &str) -> Option<String> {
        self.get(name)?.values.into_iter().next()
    }

    /// Returns whether the command line may have set a variable.
    pub(super) fn has_set(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Returns the value of a variable that the command line has not set.
    pub(super) fn outer_value(&self, name: &str) -> Option<Variable> {
        match name {
            "IFS" => return Some(Variable::of(SEPARATORS)),
            "PWD" => {
                let directory = self.directory();
                return Some(directory.map_or_else(Variable::unknown, |directory| Variable::of(&directory)));
            }
            _ => {}
        }
        let mut variable = Variable::of(&self.inherited(name)?);
        // A file that the shell reads at its start may change any other variable.
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

    /// Sets a variable. If `is_certain` is false, the assignment may not happen, and the old values stay possible.
    pub(super) fn set(&mut self, name: &str, mut variable: Variable, is_certain: bool) {
        if !is_certain || self.read_only.contains(name) {
            // A variable that was not set before may still be unset.
            let unset =
                || Variable { values: vec![String::new(), UNKNOWN.to_string()], ..Variable::default() };
            let old = self.get(name).unwrap_or_else(unset);
            variable.is_downloaded |= old.is_downloaded;
            variable.is_array |= old.is_array;
            variable.names_files |= old.names_files;
            variable.elements = None;
            for value in old.values {
                if !variable.values.contains(&value) {
                    variable.values.push(value);
                }
            }
        }
        if variable.values.len() > MAX_VALUES {
            let rest = variable.values.split_off(MAX_VALUES);
            variable.values.push(unknown_of(rest.iter().map(String::as_str)));
        }
        for value in &mut variable.values {
            if value.len() > MAX_VALUE {
                TAINTED.clone_into(value);
            }
        }
        self.note_use(name, true);
        let shared = Rc::strong_count(&self.variables) > 1;
        self.spend(if shared { COPY_WORK * self.variables.len() } else { 1 });
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), variable);
    }

    /// Removes a variable.
    pub(super) fn unset(&mut self, name: &str, is_certain: bool) {
        let value = if name == "IFS" { SEPARATORS } else { "" };
        self.set(name, Variable::of(value), is_certain);
    }

    /// Makes a variable read-only: later assignments may fail.
    pub(super) fn make_read_only(&mut self, name: &str) {
        self.spend(self.read_only.len());
        Rc::make_mut(&mut self.read_only).insert(name.to_owned());
    }

    /// Returns the characters at which unquoted values are split, if they are known.
    pub(super) fn separators(&self) -> Option<String> {
        match self.get("IFS")?.values.as_slice() {
            [separators] if !separators.contains(UNKNOWN) => Some(separators.clone()),
            _ => None,
        }
    }

    /// Returns the directory where the next command runs, if that is known.
    pub(super) fn directory(&self) -> Option<String> {
        match self.directories.as_slice() {
            [.., Some(directory)] => Some(directory.clone()),
            _ => None,
        }
    }

    /// Changes the directory. If `is_certain` is false, the change may fail or not happen, and the old directories stay possible.
    pub(super) fn change_directory(&mut self, target: Option<&str>, is_certain: bool) {
        let now = self.directory();
        self.spend(now.as_ref().map_or(0, String::len));
        let next = target.and_then(|target| resolve(now.as_deref(), target));
        self.likely_directory = None;
        // If the directory before does not exist, `..` leads from the one before that: the path as it stands has no real path then.
        let unresolved = target
            .filter(|target| !is_certain && self.directories.len() > 1 && climbs(target))
            .and_then(|target| Some(format!("{}/{target}", now.as_deref()?)));
        if is_certain {
            self.directories.clear();
        }
        if unresolved.is_some() {
            self.directories.insert(0, unresolved);
        }
        self.directories.retain(|directory| *directory != next);
        if self.directories.len() > MAX_VALUES {
            self.directories.truncate(1);
            self.directories.push(None);
        }
        self.directories.push(next.clone());
        let value = next.map_or_else(Variable::unknown, |directory| Variable::of(&directory));
        self.set("PWD", value, true);
    }
}

/// Returns whether a relative path leads out of the directory that it belongs to.
fn climbs(path: &str) -> bool {
    !path.starts_with('/') && path.split('/').any(|part| part == "..")
}

/// Returns an absolute path without `.`, `..` and doubled slashes; a relative path belongs to `directory`.
#[must_use]
pub fn resolve(directory: Option<&str>, path: &str) -> Option<String> {
    if path.contains(UNKNOWN) {
        return None;
    }
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", directory?) };
    Some(normal(&joined))
}

/// Returns an absolute path without `.`, `..` and doubled slashes.
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
