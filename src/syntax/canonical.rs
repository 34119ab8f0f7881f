//! The canonical text of a command line: equal for command lines that a shell reads in the same way.
//!
//! Blanks, line breaks instead of `;`, comments, and quotes that change nothing make no difference. Neither
//! does the order of assignments before a command, as long as no value depends on another one.

use std::fmt::Write;

use super::tree::{
    AndOrList, Assignment, Command, Compound, CompoundKind, Connector, List, Parameter, Pipeline,
    Redirection, Simple, Word, WordPart,
};

/// Returns the canonical text of a list. It is for comparison only, and no command line.
#[must_use]
pub fn canonical(list: &List) -> String {
    let mut text = Text::default();
    text.list(list);
    text.0
}

/// The text so far. Each part begins with a mark of its kind, and each literal is in quotes with escapes, so
/// that different trees have different texts.
#[derive(Default)]
struct Text(String);

impl Text {
    fn literal(&mut self, text: &str) {
        let _ = write!(self.0, "{text:?}");
    }

    /// Adds the parts that `add` writes, in parentheses after a mark.
    fn group(&mut self, mark: &str, add: impl FnOnce(&mut Self)) {
        self.0.push_str(mark);
        self.0.push('(');
        add(self);
        self.0.push(')');
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            self.and_or(item);
        }
    }

    fn and_or(&mut self, AndOrList { first, rest, is_background }: &AndOrList) {
        self.group(if *is_background { "&" } else { ";" }, |text| {
            text.pipeline(first);
            for (connector, pipeline) in rest {
                text.0.push_str(if *connector == Connector::And { "&&" } else { "||" });
                text.pipeline(pipeline);
            }
        });
    }

    fn pipeline(&mut self, Pipeline { stages }: &Pipeline) {
        for (index, stage) in stages.iter().enumerate() {
            if index > 0 {
                self.0.push('|');
            }
            self.command(stage);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function { name, body } => self.group("function", |text| {
                text.literal(name);
                text.compound(body);
            }),
        }
    }

    fn simple(&mut self, Simple { assignments, words, redirections }: &Simple) {
        let mut texts: Vec<String> = assignments.iter().map(assignment).collect();
        if is_unordered(assignments) {
            texts.sort();
        }
        self.group("run", |text| {
            text.0.extend(texts);
            text.words(words);
            text.redirections(redirections);
        });
    }

    fn compound(&mut self, Compound { kind, redirections }: &Compound) {
        match kind {
            CompoundKind::Subshell(list) => self.group("subshell", |text| text.list(list)),
            CompoundKind::Group(list) => self.group("group", |text| text.list(list)),
            CompoundKind::If(arms, otherwise) => self.group("if", |text| {
                for (condition, body) in arms {
                    text.group("when", |text| text.list(condition));
                    text.group("then", |text| text.list(body));
                }
                if let Some(list) = otherwise {
                    text.group("else", |text| text.list(list));
                }
            }),
            CompoundKind::Loop(condition, body) => self.group("loop", |text| {
                text.group("when", |text| text.list(condition));
                text.list(body);
            }),
            CompoundKind::For(name, values, body) => self.group("for", |text| {
                text.literal(name);
                if let Some(values) = values {
                    text.group("in", |text| text.words(values));
                }
                text.list(body);
            }),
            CompoundKind::ArithmeticFor(parts, body) => self.group("for-arithmetic", |text| {
                text.word(parts);
                text.list(body);
            }),
            CompoundKind::Case(subject, arms) => self.group("case", |text| {
                text.word(subject);
                for (patterns, body) in arms {
                    text.group("of", |text| text.words(patterns));
                    text.list(body);
                }
            }),
            CompoundKind::Arithmetic(word) => self.group("arithmetic", |text| text.word(word)),
            CompoundKind::Test(words) => self.group("test", |text| text.words(words)),
            CompoundKind::Coprocess(command) => self.group("coproc", |text| text.command(command)),
        }
        self.redirections(redirections);
    }

    fn redirections(&mut self, redirections: &[Redirection]) {
        for Redirection { number, variable, mode, target, body } in redirections {
            self.group("redirect", |text| {
                let _ = write!(text.0, "{number:?}{variable:?}{mode:?}");
                text.word(target);
                if let Some(body) = body.as_ref().and_then(|body| body.get()) {
                    text.word(body);
                }
            });
        }
    }

    fn words(&mut self, words: &[Word]) {
        for word in words {
            self.word(word);
        }
    }

    fn word(&mut self, word: &Word) {
        self.group(" ", |text| {
            let mut plain: Option<String> = None;
            for piece in &word.pieces {
                match &piece.part {
                    WordPart::Text(part) if piece.is_quoted || is_plain(part) => {
                        plain.get_or_insert_default().push_str(part);
                    }
                    part => {
                        text.end_plain(&mut plain);
                        text.0.push(if piece.is_quoted { 'q' } else { 'u' });
                        text.part(part);
                    }
                }
            }
            text.end_plain(&mut plain);
        });
    }

    fn end_plain(&mut self, plain: &mut Option<String>) {
        if let Some(plain) = plain.take() {
            self.literal(&plain);
        }
    }

    fn part(&mut self, part: &WordPart) {
        match part {
            WordPart::Text(part) => self.literal(part),
            WordPart::Parameter(parameter) => self.parameter(parameter),
            WordPart::Substitution(list) => self.group("$", |text| text.list(list)),
            WordPart::Process(list) => self.group("<>", |text| text.list(list)),
            WordPart::Arithmetic(word) => self.group("$(())", |text| text.word(word)),
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let Parameter { name, subscript, operator, symbol, operand, .. } = parameter;
        self.group("$", |text| {
            text.literal(name);
            let _ = write!(text.0, "{operator:?}{symbol}");
            for (mark, word) in [("[]", subscript), ("operand", operand)] {
                if let Some(word) = word {
                    text.group(mark, |text| text.word(word));
                }
            }
        });
    }
}

fn assignment(Assignment { name, subscript, is_append, values, is_array }: &Assignment) -> String {
    let mut text = Text::default();
    text.group("=", |text| {
        text.literal(name);
        let _ = write!(text.0, "{is_append}{is_array}");
        if let Some(subscript) = subscript {
            text.group("[]", |text| text.word(subscript));
        }
        text.words(values);
    });
    text.0
}

/// Returns whether the order of assignments makes no difference: each sets another variable to a literal.
fn is_unordered(assignments: &[Assignment]) -> bool {
    let is_literal = |assignment: &Assignment| {
        assignment.subscript.is_none() && assignment.values.iter().all(|value| value.literal().is_some())
    };
    let mut names: Vec<&str> = assignments.iter().map(|assignment| assignment.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.len() == assignments.len() && assignments.iter().all(is_literal)
}

/// Returns whether text means the same with and without quotes.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./:@%+,-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use crate::syntax::{Syntax, read};

    fn of(text: &str) -> String {
        canonical(&read(text, Syntax::Bash).expect("readable"))
    }

    #[test]
    fn blanks_quotes_and_line_breaks_make_no_difference() {
        for (one, other) in [
            ("A=1  B=2 npm test", "B=2 A=1 npm 'test'"),
            ("a; b", "a\nb"),
            ("a  # why\nb", "a;b"),
            ("git commit -m \"a b\"", "git commit -m 'a b'"),
            ("npm 'te'st", "npm test"),
            ("echo \"$a\"", "echo \"${a}\""),
        ] {
            assert_eq!(of(one), of(other), "{one}");
        }
    }

    #[test]
    fn another_meaning_is_another_text() {
        for (one, other) in [
            ("A=1 B=$A x", "B=$A A=1 x"),
            ("A=1 A=2 x", "A=2 A=1 x"),
            ("a; b", "a && b"),
            ("a & b", "a; b"),
            ("echo *", "echo '*'"),
            ("echo \"$a\"", "echo $a"),
            ("echo a b", "echo 'a b'"),
            ("echo a >b", "echo a 2>b"),
            ("echo ~", "echo '~'"),
            ("cat <<E\na\nE", "cat <<E\nb\nE"),
            ("x ''", "x"),
            ("(a)", "{ a; }"),
        ] {
            assert_ne!(of(one), of(other), "{one}");
        }
    }
}
