//! The expansions of a word: braces, parameters, substitutions, splitting.

use crate::policy::syntax::tree::{Operator, Parameter, Part, Word};

use super::field::{Field, PROCESS_FILE, UNKNOWN};
use super::scope::Scope;

/// The most fields that one word becomes; more are not told apart.
const MAX_FIELDS: usize = 64;

/// The most braces in a word that are expanded.
const MAX_BRACES: usize = 16;

/// What the expansion of a word needs to know of commands inside of it.
pub(super) trait Outputs {
    /// What a command substitution prints, if that is known; and whether a download is in it.
    fn output(&self, piece: &Part) -> (Option<String>, bool);
}

/// A character of a word on its way through the expansions.
#[derive(Clone, Debug)]
enum Atom {
    Char(char, bool),
    /// The result of an expansion, unquoted if it is to be split.
    Value {
        value: String,
        is_quoted: bool,
        is_downloaded: bool,
        is_text: bool,
    },
    /// All positional parameters.
    Positional,
}

/// Which of several values is taken where more than one is possible; [`UNSURE`] for none of them.
pub(super) type Choice = usize;

/// No value is taken: what has several is not known.
pub(super) const UNSURE: Choice = usize::MAX;

/// Expands a word to the fields that it becomes. `most` grows to the number of values that were to be chosen from.
pub(super) fn expand(
    word: &Word,
    scope: &Scope,
    outputs: &dyn Outputs,
    choice: Choice,
    most: &mut usize,
) -> Vec<Field> {
    let mut atoms = Vec::new();
    for piece in &word.pieces {
        match &piece.part {
            Part::Text(text) => {
                if text.is_empty() {
                    atoms.push(Atom::Value {
                        value: String::new(),
                        is_quoted: true,
                        is_downloaded: false,
                        is_text: true,
                    });
                }
                atoms.extend(text.chars().map(|char| Atom::Char(char, piece.is_quoted)));
            }
            Part::Parameter(parameter) if is_all_positional(parameter) && scope.positional.is_some() => {
                atoms.push(Atom::Positional);
            }
            part => {
                let (mut values, is_downloaded) = value_of(part, scope, outputs);
                *most = (*most).max(values.len());
                let place = if values.len() == 1 { 0 } else { choice };
                let value =
                    if place < values.len() { values.swap_remove(place) } else { UNKNOWN.to_string() };
                // `"$@"` and `"${a[@]}"` are as many fields as there are values.
                let is_quoted = piece.is_quoted && !is_many(part) || matches!(part, Part::Process(_));
                atoms.push(Atom::Value { value, is_quoted, is_downloaded, is_text: false });
            }
        }
    }
    let length = |atom: &Atom| match atom {
        Atom::Char(..) => 1,
        Atom::Value { value, .. } => 16 + value.len(),
        Atom::Positional => {
            1 + scope.positional.iter().flatten().map(|field| 1 + field.text.len()).sum::<usize>()
        }
    };
    let length = atoms.iter().map(length).sum();
    if !scope.spend(length) {
        return vec![Field::unknown()];
    }
    let mut fields = Vec::new();
    for atoms in braces(&atoms, scope) {
        assemble(&atoms, scope, &mut fields);
        if fields.len() > MAX_FIELDS || !scope.spend(length) {
            fields.truncate(MAX_FIELDS);
            fields.push(Field::unknown());
            break;
        }
    }
    fields
}

/// The possible values of a word that is neither split nor globbed, as in an assignment.
pub(super) fn values(word: &Word, scope: &Scope, outputs: &dyn Outputs) -> (Vec<String>, bool) {
    let mut texts = vec![String::new()];
    let mut has_download = false;
    let begins_with_tilde = word.pieces.first().is_some_and(
        |piece| matches!(&piece.part, Part::Text(text) if !piece.is_quoted && text.starts_with('~')),
    );
    for piece in &word.pieces {
        let (values, is_downloaded) = match &piece.part {
            Part::Text(text) => (vec![text.clone()], false),
            Part::Parameter(parameter) if is_all_positional(parameter) && scope.positional.is_some() => {
                let all: Vec<&str> =
                    scope.positional.iter().flatten().map(|field| field.text.as_str()).collect();
                (vec![all.join(" ")], false)
            }
            part => value_of(part, scope, outputs),
        };
        has_download |= is_downloaded;
        let length = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        if !scope.spend(1 + length(&values) + length(&texts)) {
            return (vec![UNKNOWN.to_string()], has_download);
        }
        let joined = values.iter().flat_map(|value| texts.iter().map(move |text| format!("{text}{value}")));
        texts = joined.take(4).collect();
    }
    if begins_with_tilde {
        for text in &mut texts {
            *text = with_home(text, scope);
        }
    }
    (texts, has_download)
}

fn is_all_positional(parameter: &Parameter) -> bool {
    matches!(parameter.name.as_str(), "@" | "*") && parameter.operator == Operator::None
}

fn is_many(part: &Part) -> bool {
    let Part::Parameter(parameter) = part else { return false };
    let is_all = |word: &Word| word.is_bare("@") || word.is_bare("*");
    matches!(parameter.name.as_str(), "@" | "*") && parameter.operator != Operator::Length
        || parameter.subscript.as_ref().is_some_and(is_all) && parameter.operator != Operator::Length
        || parameter.operator == Operator::Names
        || parameter.operator == Operator::Code
}

/// The possible values of an expansion, and whether a download is in it.
fn value_of(part: &Part, scope: &Scope, outputs: &dyn Outputs) -> (Vec<String>, bool) {
    let unknown = || vec![UNKNOWN.to_string()];
    match part {
        Part::Text(text) => (vec![text.clone()], false),
        Part::Arithmetic(word) => {
            let number = word.literal().and_then(|text| text.trim().parse::<i64>().ok());
            (number.map_or_else(unknown, |number| vec![number.to_string()]), false)
        }
        Part::Substitution(_) => {
            let (output, is_downloaded) = outputs.output(part);
            // Line breaks at the end are dropped.
            let text = output.map(|text| text.trim_end_matches('\n').to_owned());
            (text.map_or_else(unknown, |text| vec![text]), is_downloaded)
        }
        Part::Process(_) => {
            let (_, is_downloaded) = outputs.output(part);
            (vec![PROCESS_FILE.to_owned()], is_downloaded)
        }
        Part::Parameter(parameter) => parameter_value(parameter, scope, outputs),
    }
}

fn parameter_value(parameter: &Parameter, scope: &Scope, outputs: &dyn Outputs) -> (Vec<String>, bool) {
    let (now, mut is_downloaded) = current(parameter, scope);
    let operand = parameter.operand.as_ref().map(|word| values(word, scope, outputs));
    let (operand, has_download) = operand.unwrap_or_else(|| (vec![String::new()], false));
    is_downloaded |= has_download;
    let unknown = vec![UNKNOWN.to_string()];
    let values = match parameter.operator {
        // What is not set may still be set by a file that the shell reads at its start.
        Operator::None => now.unwrap_or_else(|| vec![String::new(), UNKNOWN.to_string()]),
        Operator::Error => now.unwrap_or(unknown),
        Operator::Default | Operator::Assign => match now {
            None => operand,
            Some(mut now) => {
                // An empty or unknown value may give way to the default.
                if now.iter().any(|value| value.is_empty() || value.contains(UNKNOWN)) {
                    now.extend(operand);
                }
                now
            }
        },
        Operator::Alternative => {
            let mut values = operand;
            values.push(String::new());
            values
        }
        Operator::Edit => match (now, operand.as_slice()) {
            (Some(now), [operand]) => {
                let edited = now.iter().map(|value| edit(value, parameter.symbol, operand));
                edited.map(|value| value.unwrap_or_else(|| UNKNOWN.to_string())).collect()
            }
            _ => unknown,
        },
        Operator::Length | Operator::Names | Operator::Code => unknown,
    };
    (values, is_downloaded)
}

/// The values of a parameter; `None` where it is certainly unset.
fn current(parameter: &Parameter, scope: &Scope) -> (Option<Vec<String>>, bool) {
    let unknown = (Some(vec![UNKNOWN.to_string()]), false);
    if parameter.subscript.is_some() {
        // Which value it is may not be known, but whether a download is in it is.
        let is_downloaded = scope.get(&parameter.name).is_some_and(|variable| variable.is_downloaded);
        return match scope.get(&parameter.name) {
            Some(variable) if variable.values.len() == 1 => (Some(variable.values), is_downloaded),
            _ => (Some(vec![UNKNOWN.to_string()]), is_downloaded),
        };
    }
    if let Some(variable) = scope.get(&parameter.name) {
        return (Some(variable.values), variable.is_downloaded);
    }
    if let Ok(number) = parameter.name.parse::<usize>() {
        return match (&scope.positional, number) {
            (_, 0) => (Some(vec!["bash".to_owned()]), false),
            // A field that may be none or several arguments moves those behind it.
            (Some(fields), number) if fields.iter().take(number).any(|field| field.is_many) => unknown,
            (Some(fields), number) => {
                let field = fields.get(number - 1);
                let is_downloaded = field.is_some_and(|field| field.is_downloaded);
                (field.map(|field| vec![field.text.clone()]), is_downloaded)
            }
            (None, _) => unknown,
        };
    }
    match parameter.name.as_str() {
        "@" | "*" | "#" | "?" | "-" | "$" | "!" | "_" => unknown,
        name if SET_BY_SHELL.contains(&name) || !scope.knows_environment() => unknown,
        _ => (None, false),
    }
}

/// Variables that shells set by themselves.
const SET_BY_SHELL: [&str; 24] = [
    "BASH",
    "BASHPID",
    "BASH_COMMAND",
    "BASH_SOURCE",
    "BASH_VERSION",
    "COLUMNS",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "HOSTNAME",
    "HOSTTYPE",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "OLDPWD",
    "OPTARG",
    "OPTIND",
    "OSTYPE",
    "PPID",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "UID",
];

/// A value after an operator that edits it, where that can be told.
fn edit(value: &str, symbol: u8, operand: &str) -> Option<String> {
    if value.contains(UNKNOWN) || operand.contains(UNKNOWN) {
        return None;
    }
    let is_plain = |pattern: &str| !pattern.contains(['*', '?', '[', '\\']);
    match symbol {
        b':' => {
            let mut numbers = operand.split(':').map(|number| number.trim().parse::<i64>());
            let from = usize::try_from(numbers.next()?.ok()?).ok()?;
            let length = match numbers.next() {
                None => usize::MAX,
                Some(length) => usize::try_from(length.ok()?).ok()?,
            };
            Some(value.chars().skip(from).take(length).collect())
        }
        b'#' | b'%' => {
            let double = operand.strip_prefix(symbol as char);
            let pattern = double.unwrap_or(operand);
            if !is_plain(pattern) {
                return None;
            }
            let cut = if symbol == b'#' { value.strip_prefix(pattern) } else { value.strip_suffix(pattern) };
            Some(cut.unwrap_or(value).to_owned())
        }
        b'/' => {
            let (is_all, rest) = operand.strip_prefix('/').map_or((false, operand), |rest| (true, rest));
            let (pattern, replacement) = rest.split_once('/').unwrap_or((rest, ""));
            if !is_plain(pattern) || pattern.is_empty() || pattern.starts_with(['#', '%']) {
                return None;
            }
            let edited = if is_all {
                value.replace(pattern, replacement)
            } else {
                value.replacen(pattern, replacement, 1)
            };
            Some(edited)
        }
        b'^' if operand == "^" => Some(value.to_uppercase()),
        b',' if operand == "," => Some(value.to_lowercase()),
        b'@' if operand == "L" => Some(value.to_lowercase()),
        b'@' if operand == "U" => Some(value.to_uppercase()),
        _ => None,
    }
}

/// A path with its tilde replaced.
fn with_home(text: &str, scope: &Scope) -> String {
    let Some(rest) = text.strip_prefix('~') else { return text.to_owned() };
    let (user, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    match user {
        "" => {
            let home = scope.get("HOME").and_then(|variable| variable.values.into_iter().next());
            // A home like any other: which one it is makes no difference to the checks.
            format!("{}{path}", home.as_deref().unwrap_or("/home/~"))
        }
        "+" => format!("{}{path}", scope.directory().unwrap_or_else(|| UNKNOWN.to_string())),
        "-" => format!("{UNKNOWN}{path}"),
        "root" => format!("/root{path}"),
        user => format!("/home/{user}{path}"),
    }
}

/// Puts atoms together to fields: tilde, values, splitting, globs.
fn assemble(atoms: &[Atom], scope: &Scope, fields: &mut Vec<Field>) {
    let mut field = Field { is_literal: true, ..Field::default() };
    let mut is_begun = false;
    let begins_with_tilde = matches!(atoms.first(), Some(Atom::Char('~', false)));
    for atom in atoms {
        match atom {
            Atom::Char(char, is_quoted) => {
                is_begun = true;
                // A bracket is a glob only with another one behind it.
                field.has_glob |= !is_quoted && matches!(char, '*' | '?' | ']');
                field.text.push(*char);
            }
            Atom::Value { value, is_quoted: true, is_downloaded, is_text } => {
                is_begun = true;
                field.is_literal &= is_text;
                field.is_downloaded |= is_downloaded;
                field.text.push_str(value);
            }
            Atom::Value { value, is_quoted: false, is_downloaded, .. } => {
                split(value, *is_downloaded, scope, &mut field, &mut is_begun, fields);
            }
            Atom::Positional => {
                field.is_literal = false;
                for (place, argument) in scope.positional.iter().flatten().enumerate() {
                    if place > 0 {
                        fields.push(std::mem::take(&mut field));
                    }
                    is_begun = true;
                    field.text.push_str(&argument.text);
                    field.is_many |= argument.is_many;
                    field.is_downloaded |= argument.is_downloaded;
                }
            }
        }
    }
    if is_begun {
        field.has_glob &= field.text != "]" && field.text != "]]";
        if begins_with_tilde {
            let text = with_home(&field.text, scope);
            field.is_literal &= text == field.text;
            field.text = text;
        }
        fields.push(field);
    }
}

/// Adds an unquoted value, which blanks split into fields.
fn split(
    value: &str,
    is_downloaded: bool,
    scope: &Scope,
    field: &mut Field,
    is_begun: &mut bool,
    fields: &mut Vec<Field>,
) {
    field.is_literal = false;
    field.is_downloaded |= is_downloaded;
    let separators = scope.get("IFS").map_or_else(String::new, |variable| variable.values.concat());
    if separators.contains(UNKNOWN) && !value.is_empty() {
        // Where it is split is not known.
        *is_begun = true;
        field.is_many = true;
        field.text.push(UNKNOWN);
        return;
    }
    for char in value.chars() {
        if char.is_ascii_whitespace() || separators.contains(char) {
            if *is_begun {
                fields.push(std::mem::replace(field, Field { is_downloaded, ..Field::default() }));
                *is_begun = false;
            }
            continue;
        }
        *is_begun = true;
        field.has_glob |= matches!(char, '*' | '?' | ']');
        field.is_many |= char == UNKNOWN;
        field.text.push(char);
    }
}

/// Expands braces: `a{b,c}d` is `abd acd`, `{1..3}` is `1 2 3`.
fn braces(atoms: &[Atom], scope: &Scope) -> Vec<Vec<Atom>> {
    let is_bare = |atom: &Atom, char: char| matches!(atom, Atom::Char(other, false) if *other == char);
    let count = atoms.iter().filter(|atom| is_bare(atom, '{')).count();
    if count == 0 {
        return vec![atoms.to_vec()];
    }
    if count > MAX_BRACES || atoms.len() > 2_000 || !scope.spend(atoms.len()) {
        return vec![unknown_atoms()];
    }
    for open in (0..atoms.len()).filter(|&place| is_bare(&atoms[place], '{')) {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        let mut close = None;
        for (place, atom) in atoms.iter().enumerate().skip(open) {
            if is_bare(atom, '{') {
                depth += 1;
            } else if is_bare(atom, '}') {
                depth -= 1;
                if depth == 0 {
                    close = Some(place);
                    break;
                }
            } else if is_bare(atom, ',') && depth == 1 {
                commas.push(place);
            }
        }
        let Some(close) = close else { continue };
        let inner = &atoms[open + 1..close];
        let choices: Vec<Vec<Atom>> = if commas.is_empty() {
            let Some(range) = range(inner) else { continue };
            range
        } else {
            let ends = commas.iter().copied().chain([close]);
            let starts = [open].into_iter().chain(commas.iter().copied());
            starts.zip(ends).map(|(start, end)| atoms[start + 1..end].to_vec()).collect()
        };
        let mut results = Vec::new();
        for choice in choices {
            let whole = [&atoms[..open], &choice, &atoms[close + 1..]].concat();
            results.extend(braces(&whole, scope));
            if results.len() > MAX_FIELDS {
                break;
            }
        }
        return results;
    }
    vec![atoms.to_vec()]
}

fn unknown_atoms() -> Vec<Atom> {
    vec![Atom::Value { value: UNKNOWN.to_string(), is_quoted: false, is_downloaded: false, is_text: false }]
}

/// `1..3` and `a..c`. More than [`MAX_FIELDS`] are not known.
fn range(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let mut text = String::new();
    for atom in inner {
        let Atom::Char(char, false) = atom else { return None };
        text.push(*char);
    }
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let unknown = || vec![unknown_atoms()];
    let spelled = |text: String| text.chars().map(|char| Atom::Char(char, true)).collect::<Vec<_>>();
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let (low, high) = (first.min(last), first.max(last));
        let is_short = high.checked_sub(low).is_some_and(|distance| distance < 64);
        if !is_short || parts.next().is_some() {
            return Some(unknown());
        }
        return Some((low..=high).map(|number| spelled(number.to_string())).collect());
    }
    let letter = |text: &str| text.parse::<char>().ok().filter(char::is_ascii_alphabetic);
    let (first, last) = (letter(first)?, letter(last)?);
    if parts.next().is_some() {
        return Some(unknown());
    }
    Some((first.min(last)..=first.max(last)).map(|char| spelled(char.to_string())).collect())
}
