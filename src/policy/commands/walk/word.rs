//! The commands inside of words: substitutions, and expansions that assign or evaluate.

use std::rc::Rc;

use crate::policy::commands::expand::{Output, Outputs, values};
use crate::policy::commands::field::{Field, PROCESS_FILE, UNKNOWN, is_glob};
use crate::policy::commands::flow::{decodes, entries, fetches, listed_directory, paths_of};
use crate::policy::commands::found::{Found, Input};
use crate::policy::commands::scope::Variable;
use crate::policy::commands::substitution::{printed_text, static_output};
use crate::policy::syntax::tree::{Command, Item, List, Operator, Parameter, Part, Piece, Word};

use super::files::descriptors::number_of;
use super::walker::Walker;

impl Walker {
    pub(super) fn visit_word(&mut self, word: &Word) {
        for piece in &word.pieces {
            match &piece.part {
                Part::Text(_) => {}
                Part::Parameter(parameter) => self.visit_parameter(parameter),
                Part::Substitution(list) => drop(self.visit_substitution(list)),
                Part::Process(list) => {
                    self.pipelines += 1;
                    let output = self.visit_substitution(list);
                    self.pipelines -= 1;
                    self.open(number_of(PROCESS_FILE).unwrap_or_default().to_owned(), &output);
                }
                Part::Arithmetic(word) => {
                    self.visit_word(word);
                    self.note_arithmetic(word);
                }
            }
        }
    }

    fn visit_parameter(&mut self, parameter: &Parameter) {
        for word in parameter.subscript.iter().chain(&parameter.operand) {
            self.visit_word(word);
        }
        let is_substring = parameter.operator == Operator::Edit && parameter.symbol == b':';
        let offset = parameter.operand.as_ref().filter(|_| is_substring);
        let is_text = self.associative.contains(&parameter.name);
        let subscript = parameter.subscript.as_ref().filter(|_| !is_text);
        for expression in subscript.into_iter().chain(offset) {
            self.note_arithmetic(expression);
        }
        match parameter.operator {
            Operator::Assign => {
                let value = parameter.operand.as_ref().map(|word| values(word, &self.scope, self));
                self.note_assignment(
                    &parameter.name,
                    value.as_ref().and_then(|(values, _)| values.first().cloned()),
                );
                if let Some((values, is_downloaded)) = value {
                    self.check_integer(&parameter.name, values.iter().map(String::as_str));
                    self.scope.set(
                        &parameter.name,
                        Variable { values, is_downloaded, ..Variable::default() },
                        false,
                    );
                }
            }
            Operator::Code => {
                let is_downloaded =
                    self.scope.get(&parameter.name).is_some_and(|variable| variable.is_downloaded);
                self.push_unknown_code("an expansion that evaluates a value", is_downloaded);
            }
            _ => {}
        }
    }

    /// Visits the commands of a substitution, and remembers their output for the expansion of the word around it. Returns the
    /// output as the input of another command.
    fn visit_substitution(&mut self, list: &List) -> Input {
        let scope = self.scope.saved();
        // The commands read what the command around them would read: `curl x | eval "$(cat)"`.
        let shared = Input { is_shared: true, ..self.input.clone() };
        let input = std::mem::replace(&mut self.input, shared);
        let start = self.findings.commands.len();
        let printed = std::mem::replace(&mut self.prints_text, false);
        self.visit_list(list);
        let is_numeric = !std::mem::replace(&mut self.prints_text, printed);
        let found = &self.findings.commands[start..];
        let is_downloaded = found.iter().any(|found| {
            fetches(found)
                || decodes(found)
                || found.input.is_downloaded
                || found.words.iter().any(|field| field.is_downloaded || self.is_download(field))
        });
        let mut guesses = match list.items.as_slice() {
            [item] if item.rest.is_empty() => found.last().map_or_else(Vec::new, |last| self.guesses(last)),
            _ => Vec::new(),
        };
        let content = match found {
            [only] if is_simple(list) => printed_text(&only.words, &only.input, &self.scope).map(Rc::from),
            _ => None,
        };
        let keeps = found.iter().all(|found| found.is_captured || self.keeps_lines(found));
        let texts = self.printed_since(start);
        if keeps {
            let lines = texts.iter().map(|text| text.trim_end_matches('\n').to_owned());
            guesses.extend(lines.filter(|text| !text.is_empty()));
        }
        self.capture(start);
        self.restore(scope);
        self.input = input;
        let number = || is_numeric.then(|| UNKNOWN.to_string());
        let mut text = static_output(list, &self.scope, self);
        if let Some(glob) = text.take_if(|text| is_glob(text)) {
            guesses.push(glob);
        } else if text.is_some() {
            guesses.clear();
        }
        let text = text.or_else(number);
        let output = Output { text, guesses, is_downloaded, content };
        self.outputs.insert(std::ptr::from_ref(list).addr(), output);
        Input { is_given: true, is_downloaded, guesses: texts.into(), ..Input::default() }
    }

    /// Returns the fields of a word, each with the text of the file that it names.
    pub(super) fn with_content(&self, word: &Word, mut fields: Vec<Field>) -> Vec<Field> {
        if let ([Piece { part: part @ Part::Process(_), .. }], [field]) =
            (word.pieces.as_slice(), fields.as_mut_slice())
        {
            field.content = self.output(part).content;
        }
        fields
    }

    /// Returns guesses at the output of a command that prints paths.
    fn guesses(&self, command: &Found) -> Vec<String> {
        let texts: Vec<&str> = command.words.iter().map(|field| field.text.as_str()).collect();
        if matches!(texts.as_slice(), ["git", .., "rev-parse", "--show-toplevel"]) {
            return self.scope.project.iter().map(|path| (**path).to_owned()).collect();
        }
        let listed = listed_directory(command);
        entries(self.scope.directory().as_deref(), listed.as_deref(), &paths_of(command, None))
    }

    /// Returns whether a command prints text of its own, lines of its input as they are, or what is computed of them.
    fn keeps_lines(&self, found: &Found) -> bool {
        let texts = found.input.texts();
        texts.is_empty()
            || matches!(
                found.base_name(),
                Some("cat" | "tee" | "head" | "tail" | "sort" | "uniq" | "grep" | "echo" | "printf")
            )
            || texts.iter().any(|text| self.computed(found, text).is_some())
    }
}

/// Returns whether a list is one simple command.
fn is_simple(list: &List) -> bool {
    matches!(list.items.as_slice(), [Item { first, rest, .. }]
        if rest.is_empty() && matches!(first.stages.as_slice(), [Command::Simple(_)]))
}
