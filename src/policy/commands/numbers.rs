//! Words and programs that give numbers and no text from outside, so that expressions may read them.

use crate::syntax::tree::{Command, List, Operator, Parameter, Simple, Word, WordPart, WordPiece};

use super::analysis::base_name;
use super::expressions::names;
use super::field::is_glob;

/// Whether a word is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// The word may be any text.
    No,
    /// The word is a number if each of these variables is one.
    Of(Vec<String>),
}

/// Returns whether a word becomes a number: the value of an assignment, or a word of a loop.
pub(super) fn number_of(word: &Word) -> Number {
    let may_be_path = |piece: &WordPiece| match &piece.part {
        WordPart::Text(text) => is_glob(text) || text.contains('~'),
        _ => false,
    };
    if word.pieces.iter().any(may_be_path) { Number::No } else { number_of_expression(word) }
}

/// Returns whether an expression reads only numbers.
pub(super) fn number_of_expression(word: &Word) -> Number {
    let mut all = Vec::new();
    for (at, piece) in word.pieces.iter().enumerate() {
        let is_number = match &piece.part {
            WordPart::Text(text) => {
                let behind_expansion = at > 0 && !matches!(word.pieces[at - 1].part, WordPart::Text(_));
                let before_expansion =
                    word.pieces.get(at + 1).is_some_and(|next| !matches!(next.part, WordPart::Text(_)));
                let is_name_part = |char: char| char.is_ascii_alphabetic() || char == '_';
                for name in names(text) {
                    if !all.iter().any(|other| other == name) {
                        all.push(name.to_owned());
                    }
                }
                !text.contains(['$', '`', '\\'])
                    && !(behind_expansion && text.starts_with(is_name_part))
                    && !(before_expansion && ends_in_name(text))
            }
            WordPart::Parameter(parameter) => is_number_of_parameter(parameter, &mut all),
            WordPart::Substitution(list) => prints_number(list, &mut all),
            WordPart::Arithmetic(_) => true,
            WordPart::Process(_) => false,
        };
        if !is_number {
            return Number::No;
        }
    }
    Number::Of(all)
}

/// Returns whether a text ends in the name of a variable, which an expansion after it would extend.
fn ends_in_name(text: &str) -> bool {
    let last = text.rsplit(|char: char| !(char.is_ascii_alphanumeric() || char == '_')).next();
    last.is_some_and(|last| last.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_'))
}

fn is_number_of_parameter(parameter: &Parameter, all: &mut Vec<String>) -> bool {
    let Parameter { name, operator, operand, symbol, .. } = parameter;
    if matches!(name.as_str(), "#" | "?" | "$" | "!") || *operator == Operator::Length {
        return true;
    }
    let keeps_number = match operator {
        Operator::None => true,
        Operator::Default | Operator::Assign | Operator::Alternative => {
            match operand.as_ref().map_or(Number::Of(Vec::new()), number_of) {
                Number::No => false,
                Number::Of(names) => {
                    all.extend(names);
                    true
                }
            }
        }
        // A part of a number is a number.
        Operator::Edit => matches!(symbol, b':' | b'#' | b'%'),
        _ => false,
    };
    all.push(name.clone());
    keeps_number
        && !name.starts_with(|char: char| char.is_ascii_digit())
        && !matches!(name.as_str(), "@" | "*" | "_" | "-")
}

/// Returns whether a list is one pipeline that prints a number.
fn prints_number(list: &List, all: &mut Vec<String>) -> bool {
    let [item] = list.items.as_slice() else { return false };
    let is_silent = |stages: &[Command]| {
        let [Command::Simple(simple)] = stages else { return false };
        let name = simple.words.first().and_then(Word::literal);
        name.is_some_and(|name| matches!(name.as_str(), "true" | ":"))
    };
    // `grep -c x f || true`
    let rest = |all: &mut Vec<String>| {
        item.rest
            .iter()
            .all(|(_, pipeline)| is_silent(&pipeline.stages) || stages_print_number(&pipeline.stages, all))
    };
    !item.is_background && stages_print_number(&item.first.stages, all) && rest(all)
}

fn stages_print_number(stages: &[Command], all: &mut Vec<String>) -> bool {
    let Some((Command::Simple(last), before)) = stages.split_last() else { return false };
    let Some(name) = last.words.first().and_then(Word::literal) else { return false };
    let literal: Vec<Option<String>> = last.words[1..].iter().map(Word::literal).collect();
    let arguments: Vec<&str> = literal.iter().map(|text| text.as_deref().unwrap_or("$")).collect();
    let is_literal = arguments.iter().all(|text| !text.contains(['$', '[', '*', '?', '`']));
    match base_name(&name) {
        "nproc" => true,
        "wc" | "du" | "seq" => is_literal,
        "id" => matches!(arguments.as_slice(), ["-u" | "-g"]),
        "echo" | "expr" => echoes_number(last, all),
        "date" => {
            arguments.iter().any(|text| is_format(text.strip_prefix('+').unwrap_or("x"), "sNYmdHMSjuyU"))
        }
        "stat" => arguments
            .windows(2)
            .any(|pair| matches!(pair[0], "-c" | "-f") && is_format(pair[1], "sYXZWabhiugzm")),
        "grep" | "egrep" => counts_lines(&arguments),
        "tr" | "cut" | "head" | "tail" | "sort" | "xargs" | "cat" => {
            let are_options = arguments.iter().enumerate().all(|(at, text)| {
                text.starts_with('-')
                    || at > 0 && arguments[at - 1].starts_with('-') && arguments[at - 1].len() == 2
            });
            are_options && last.redirections.is_empty() && stages_print_number(before, all)
        }
        "awk" => {
            let column = |text: &str| text.strip_prefix("{print $")?.strip_suffix('}')?.parse::<u8>().ok();
            let is_column = matches!(arguments.as_slice(), [program] if column(program.trim()).is_some());
            is_column && stages_print_number(before, all)
        }
        _ => false,
    }
}

fn echoes_number(simple: &Simple, all: &mut Vec<String>) -> bool {
    simple.words[1..].iter().all(|word| match number_of(word) {
        Number::No => false,
        Number::Of(names) => {
            all.extend(names);
            true
        }
    })
}

/// Returns whether a format prints numbers only: these placeholders, digits and blanks.
fn is_format(format: &str, placeholders: &str) -> bool {
    let mut parts = format.split('%');
    let is_number = |text: &str| text.chars().all(|char| char.is_ascii_digit() || char == ' ');
    parts.next().is_some_and(is_number)
        && parts.all(|part| part.starts_with(|char| placeholders.contains(char)) && is_number(&part[1..]))
}

/// Returns whether `grep` prints the number of lines in one file, or in its input.
fn counts_lines(arguments: &[&str]) -> bool {
    let has = |letters: &[char], long: &str| {
        arguments.iter().any(|text| match text.strip_prefix("--") {
            Some(name) => !long.is_empty() && name.starts_with(long),
            None => text.starts_with('-') && text.contains(letters),
        })
    };
    let operands = arguments.iter().filter(|text| !text.starts_with('-')).count();
    has(&['c'], "count") && !has(&['r', 'R', 'H'], "r") && operands <= 2
}
