//! The run of a command: why no allow rule may cover it, and what the command itself runs.

use crate::policy::commands::analysis::{ExpandedCommand, Obstacle, Origin, StandardInput, Trust};
use crate::policy::commands::definitions::Definitions;
use crate::policy::commands::field::{Field, shown};
use crate::policy::commands::inner::{Inner, changed_directory, inner, obstacles};
use crate::policy::commands::variables;
use crate::policy::paths::PathStyle;
use crate::policy::windows::{program_name, with_slashes};
use crate::syntax::read_nested;

use super::builtin::affects_walk;
use super::walker::Walker;

impl Walker<'_> {
    /// Adds a command, and visits everything that it runs. `is_program` is true after a wrapper that runs no
    /// functions.
    pub(super) fn invoke(&mut self, mut found: ExpandedCommand, is_program: bool) {
        if self.error.is_some() {
            return;
        }
        found.style = self.known.style();
        self.name_program(&mut found);
        let name = found.base_name().unwrap_or_default().to_owned();
        found.obstacles = obstacles_of(&name, &found);
        found.is_function = !is_program && found.name().is_some_and(|name| self.known.is_function(name));
        let inner =
            if found.is_function { Vec::new() } else { inner(&found.words, &found.input, found.style) };
        found.trust = least_trust(&inner);
        found.other_starts = other_starts(&inner);
        // An unquoted expansion at the start may become no word at all. The next word is then the name.
        let rest = found.words.first().is_some_and(|field| field.is_many).then(|| found.words[1..].to_vec());
        let directories: Vec<Option<Field>> =
            inner.iter().map(|inner| changed_directory(&name, &found.words, inner.start()?)).collect();
        let (is_function, input) = (found.is_function, found.input.clone());
        let words = if affects_walk(&name) { found.words.clone() } else { Vec::new() };
        let at = self.push(found);
        if is_function && self.moves.by_functions {
            self.known.change_directory(None, false);
        } else if !is_function && !words.is_empty() {
            self.apply_builtin(&name, &words);
        }
        for (inner, directory) in inner.into_iter().zip(directories) {
            self.visit_inner(at, &name, &input, inner, directory);
        }
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            self.inside(at, Some(1), |walker| {
                walker.invoke(ExpandedCommand { input, ..ExpandedCommand::of(rest) }, false);
            });
        }
    }

    /// Gives a command of Windows the name by which the tables and rules know its program.
    fn name_program(&self, found: &mut ExpandedCommand) {
        let is_function = found.words.first().is_some_and(|first| self.known.is_function(&first.text));
        if found.style == PathStyle::Windows
            && !is_function
            && let Some(first) = found.words.first_mut().filter(|first| first.known().is_some())
        {
            first.text = program_name(&first.text);
        }
    }

    fn visit_inner(
        &mut self,
        at: usize,
        name: &str,
        input: &StandardInput,
        inner: Inner,
        directory: Option<Field>,
    ) {
        match inner {
            Inner::Words { at: index, words: inner, assignments, .. } => {
                let input = if name == "xargs" { StandardInput::default() } else { input.clone() };
                let visit = |walker: &mut Self| {
                    for (name, value) in assignments.iter().filter(|(name, _)| variables::is_code_text(name))
                    {
                        walker.visit_variable_code(name, value.as_deref(), false);
                    }
                    walker.invoke(ExpandedCommand { assignments, input, ..ExpandedCommand::of(inner) }, true);
                };
                self.inside(at, Some(index), |walker| match directory {
                    Some(directory) => walker.in_process(|walker| {
                        walker.known.change_directory(directory.known(), true);
                        visit(walker);
                    }),
                    None => visit(walker),
                });
            }
            Inner::Made(words) => self.inside(at, None, |walker| {
                walker.push(ExpandedCommand::of(words));
            }),
            Inner::Start(_) => {}
            Inner::Code { text, is_own_shell, what, is_downloaded, .. } => self.inside(at, None, |walker| {
                let outer = std::mem::replace(&mut walker.input, input.clone());
                match text {
                    Some(text) if is_own_shell => walker.visit_script(&text, what, is_downloaded),
                    // `eval` runs its text at once.
                    text if name == "eval" => walker.visit_code(text.as_deref(), what, is_downloaded),
                    text => {
                        walker.in_branch(|walker| walker.visit_code(text.as_deref(), what, is_downloaded));
                    }
                }
                walker.input = outer;
            }),
        }
    }

    /// Visits code that a new shell runs: that shell does not know the functions and variables of this one.
    fn visit_script(&mut self, text: &str, what: &'static str, is_downloaded: bool) {
        let list = read_nested(text, self.syntax, self.depth()).unwrap_or_default();
        let outer = self.known.enter_shell(Definitions::of(&list, self.syntax));
        self.in_process(|walker| walker.visit_code(Some(text), what, is_downloaded));
        self.known.leave_shell(outer);
    }

    /// Visits text that runs as code. `what` names the text in the reason of a verdict, if the text is
    /// unknown.
    pub(super) fn visit_code(&mut self, text: Option<&str>, what: &'static str, is_downloaded: bool) {
        let Some(text) = text else {
            let origin = if is_downloaded { Origin::Network } else { self.input.origin };
            return self.push_code_of(what, StandardInput { origin, ..StandardInput::default() });
        };
        if is_downloaded {
            self.push_unknown_code(what, true);
        }
        self.charge(text.len());
        if self.error.is_some() {
            return;
        }
        match read_nested(text, self.syntax, self.depth()) {
            Ok(list) => self.visit_list(&list),
            Err(error) => return self.fail(error),
        }
        if self.known.style() == PathStyle::Windows
            && let Some(Ok(list)) =
                with_slashes(text).map(|text| read_nested(&text, self.syntax, self.depth()))
        {
            self.in_branch(|walker| walker.visit_list(&list));
        }
    }
}

/// Returns why no allow rule covers a command.
fn obstacles_of(name: &str, found: &ExpandedCommand) -> Vec<Obstacle> {
    let mut all = obstacles(name, &found.words, &found.input, found.style);
    match found.words.first() {
        // `!name` is another command in a shell with a history.
        Some(first) if first.known().is_none() || first.text.starts_with('!') && first.text.len() > 1 => {
            all.push(Obstacle::UnknownName);
        }
        None => all.push(Obstacle::UnknownName),
        Some(_) => {}
    }
    let mut harmless = String::new();
    for (variable, value) in variables::set_by(found) {
        if variable == harmless {
            continue;
        }
        if variables::runs_code_on(found.style, &variable) {
            all.extend(variables::obstacle(&shown(&variable), value.as_deref(), found.style));
        } else {
            harmless = variable;
        }
    }
    all
}

/// Returns the words at which the inner command may begin besides the word that the options indicate.
fn other_starts(inner: &[Inner]) -> Vec<usize> {
    inner.iter().filter_map(|inner| if let Inner::Start(at) = inner { Some(*at) } else { None }).collect()
}

/// Returns the most careful trust among the commands that a command runs.
fn least_trust(inner: &[Inner]) -> Option<Trust> {
    let trusts = inner.iter().filter_map(|inner| match inner {
        Inner::Words { trust, .. } | Inner::Code { trust, .. } => Some(*trust),
        Inner::Made(_) => Some(Trust::Separate),
        Inner::Start(_) => None,
    });
    trusts.fold(None, |all, trust| match (all, trust) {
        (None, trust) => Some(trust),
        (Some(Trust::Separate), _) | (_, Trust::Separate) => Some(Trust::Separate),
        (Some(Trust::Runner), _) | (_, Trust::Runner) => Some(Trust::Runner),
        _ => Some(Trust::Transparent),
    })
}
