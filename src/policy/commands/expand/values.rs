//! The possible values of an expansion.

use std::rc::Rc;

use crate::policy::commands::field::{Field, PROCESS_FILE, TAINTED, UNKNOWN, is_glob, unknown_of};
use crate::policy::commands::scope::{Scope, Variable};
use crate::policy::syntax::tree::{Operator, Parameter, Part, Word};

use super::edit::{Operand, Origin, decimal, edit, glyphs, is_unknown};
use super::tilde::with_home;

/// The most values of a word that are distinguished.
const MAX_VALUES: usize = 4;

/// The most values that are joined before some of them are left out.
const MAX_JOINED: usize = MAX_VALUES + 1;

/// Variables that shells set by themselves to what holds no text from outside.
const SET_BY_SHELL: [&str; 41] = [
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV0",
    "BASH_CMDS",
    "BASH_LINENO",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COLUMNS",
    "COMP_WORDBREAKS",
    "COPROC",
    "COPROC_PID",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "HOSTNAME",
    "HOSTTYPE",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PIPESTATUS",
    "PPID",
    "PS4",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "TERM",
    "UID",
];

/// Variables that shells set to text that may come from outside.
const SET_TO_TEXT: [&str; 8] =
    ["BASH_ARGV", "BASH_COMMAND", "BASH_REMATCH", "MAPFILE", "OLDPWD", "OPTARG", "READLINE_LINE", "REPLY"];

/// The output of the commands in a substitution.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::commands) struct Output {
    /// The text, where it is known.
    pub(in crate::policy::commands) text: Option<String>,
    /// Guesses at a text that is not known: paths, and globs for them.
    pub(in crate::policy::commands) guesses: Vec<String>,
    /// Whether a download is in the text.
    pub(in crate::policy::commands) is_downloaded: bool,
    /// The text as a file would hold it, where it is known. A glob in it may stand for the names of files.
    pub(in crate::policy::commands) content: Option<Rc<str>>,
}

/// The outputs of the commands inside of a word.
pub(in crate::policy::commands) trait Outputs {
    /// Returns the output of a substitution.
    fn output(&self, piece: &Part) -> Output;
}

/// Returns the possible values of a word that is neither split nor globbed, as in an assignment, and whether a download is in
/// them.
pub(in crate::policy::commands) fn values(
    word: &Word,
    scope: &Scope,
    outputs: &dyn Outputs,
) -> (Vec<String>, bool) {
    let mut texts = vec![String::new()];
    let mut has_download = false;
    let begins_with_tilde = word.pieces.first().is_some_and(
        |piece| matches!(&piece.part, Part::Text(text) if !piece.is_quoted && text.starts_with('~')),
    );
    for piece in &word.pieces {
        let (values, is_downloaded) = match &piece.part {
            Part::Text(text) => (vec![text.clone()], false),
            part => match all_fields(part, scope, outputs) {
                Some((fields, is_starred)) => {
                    let is_downloaded = fields.iter().any(|field| field.is_downloaded);
                    (vec![joined(&fields, is_starred, scope)], is_downloaded)
                }
                None => {
                    let (mut values, is_downloaded) = value_of(part, scope, outputs);
                    if names_files(part, &values, scope) {
                        values.push(TAINTED.to_owned());
                    }
                    (values, is_downloaded)
                }
            },
        };
        has_download |= is_downloaded;
        let length = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        if !scope.spend(1 + length(&values) + length(&texts)) {
            return (vec![TAINTED.to_owned()], has_download);
        }
        let joined = values.iter().flat_map(|value| texts.iter().map(move |text| format!("{text}{value}")));
        let mut all: Vec<String> = joined.take(MAX_JOINED).collect();
        if all.len() > MAX_VALUES {
            all.truncate(MAX_VALUES - 1);
            all.push(unknown_of(values.iter().chain(&texts).map(String::as_str)));
        }
        texts = all;
    }
    if begins_with_tilde {
        for text in &mut texts {
            *text = with_home(text, scope);
        }
    }
    (texts, has_download)
}

/// Returns the possible values of an expansion, and whether a download is in it.
pub(super) fn value_of(part: &Part, scope: &Scope, outputs: &dyn Outputs) -> (Vec<String>, bool) {
    let number = || vec![UNKNOWN.to_string()];
    match part {
        Part::Text(text) => (vec![text.clone()], false),
        Part::Arithmetic(word) => {
            let known = word.literal().and_then(|text| decimal(&text));
            (known.map_or_else(number, |number| vec![number.to_string()]), false)
        }
        Part::Substitution(_) => {
            let Output { text, guesses, is_downloaded, .. } = outputs.output(part);
            // Line breaks at the end are dropped.
            let text = match text {
                Some(text) => text.trim_end_matches('\n').to_owned(),
                None => TAINTED.to_owned(),
            };
            let values = [text].into_iter().chain(guesses).collect();
            (values, is_downloaded)
        }
        Part::Process(_) => (vec![PROCESS_FILE.to_owned()], outputs.output(part).is_downloaded),
        Part::Parameter(parameter) => parameter_value(parameter, scope, outputs),
    }
}

/// Returns whether an expansion stands for the names of files, by the variable of a loop over a glob.
pub(super) fn names_files(part: &Part, values: &[String], scope: &Scope) -> bool {
    let Part::Parameter(parameter) = part else { return false };
    let is_edited = parameter.operator == Operator::Edit;
    parameter.operator != Operator::Length
        && (is_edited || values.iter().any(|value| is_glob(value)))
        && scope.get(&parameter.name).is_some_and(|variable| variable.names_files)
}

fn parameter_value(parameter: &Parameter, scope: &Scope, outputs: &dyn Outputs) -> (Vec<String>, bool) {
    let (now, mut is_downloaded) = current(parameter, scope);
    let replacement = parameter.operand.as_ref().map(|word| values(word, scope, outputs));
    let (replacement, has_download) = replacement.unwrap_or_else(|| (vec![String::new()], false));
    is_downloaded |= has_download;
    let unknown = vec![TAINTED.to_owned()];
    let values = match parameter.operator {
        // An unset variable may be set by a file that the shell reads at its start.
        Operator::None => now.unwrap_or_else(|| vec![String::new(), UNKNOWN.to_string()]),
        Operator::Error => now.unwrap_or(unknown),
        Operator::Default | Operator::Assign => match now {
            None => replacement,
            Some(mut now) => {
                // The default replaces an empty value, and perhaps an unknown one.
                if now.iter().any(|value| value.is_empty() || value.contains(UNKNOWN)) {
                    now.extend(replacement);
                }
                now
            }
        },
        Operator::Alternative => {
            let mut values = replacement;
            values.push(String::new());
            values
        }
        // Each element of an array is edited.
        Operator::Edit if has_all_elements(parameter) => unknown,
        Operator::Edit => now.map_or(unknown, |now| {
            let operand = operand_of(parameter, scope, outputs);
            let edited = |value: &String| edit(value, parameter.symbol, operand.as_ref()?);
            let mark = |value: &String| unknown_of(replacement.iter().chain([value]).map(String::as_str));
            now.iter().map(|value| edited(value).unwrap_or_else(|| mark(value))).collect()
        }),
        Operator::Length => vec![UNKNOWN.to_string()],
        Operator::Names | Operator::Code => unknown,
    };
    (values, is_downloaded)
}

/// Returns the values of a parameter; `None` where it is certainly unset.
fn current(parameter: &Parameter, scope: &Scope) -> (Option<Vec<String>>, bool) {
    let unknown = (Some(vec![TAINTED.to_owned()]), false);
    let number = (Some(vec![UNKNOWN.to_string()]), false);
    // `BASH_ARGV0` gives `$0` another value.
    if parameter.name == "0" && scope.get("BASH_ARGV0").is_some() {
        return unknown;
    }
    match scope.get(&parameter.name) {
        Some(variable) if variable.is_array || parameter.subscript.is_some() => {
            return (Some(element(parameter, &variable, scope)), variable.is_downloaded);
        }
        Some(variable) => return (Some(variable.values), variable.is_downloaded),
        None if parameter.subscript.is_some() => return number,
        None => {}
    }
    if let Ok(number) = parameter.name.parse::<usize>() {
        return match (&scope.positional, number) {
            (_, 0) => (Some(vec!["bash".to_owned()]), false),
            // A field that may be none or several arguments shifts those behind it.
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
        "#" | "?" | "-" | "$" | "!" => number,
        "@" | "*" | "_" => unknown,
        name if SET_TO_TEXT.contains(&name) => unknown,
        name if SET_BY_SHELL.contains(&name) || !scope.knows_environment() => number,
        _ => (None, false),
    }
}

/// Returns the possible values of one element of an array: `$a` is the first one.
fn element(parameter: &Parameter, variable: &Variable, scope: &Scope) -> Vec<String> {
    let subscript = match &parameter.subscript {
        None => Some(0),
        Some(word) => word.literal().as_deref().and_then(decimal),
    };
    match (&variable.elements, subscript) {
        (Some(elements), Some(index)) if !scope.counts_from_one => {
            vec![elements.get(index).cloned().unwrap_or_default()]
        }
        _ if !variable.is_array && subscript == Some(0) && !scope.counts_from_one => variable.values.clone(),
        _ => {
            // Not known, but likely one of these.
            let mut likely = variable.values.clone();
            let is_text = |value: &&String| value.contains('\n');
            let line = |index| variable.values.iter().find(is_text)?.lines().nth(index);
            likely.extend(subscript.and_then(line).map(str::to_owned));
            let words = variable.values.iter().flat_map(|value| value.split_whitespace());
            likely.extend(words.take(MAX_VALUES).map(str::to_owned));
            likely.push(unknown_of(variable.values.iter().map(String::as_str)));
            likely
        }
    }
}

/// Returns all positional parameters or all elements, where they are known, and whether `*` stands for them.
pub(super) fn all_fields(part: &Part, scope: &Scope, outputs: &dyn Outputs) -> Option<(Rc<[Field]>, bool)> {
    let Part::Parameter(parameter) = part else { return None };
    if is_all_positional(parameter) {
        let fields = scope.positional.as_deref()?;
        return Some((Rc::from(fields), parameter.name == "*"));
    }
    if !has_all_elements(parameter) {
        return None;
    }
    let variable = scope.get(&parameter.name)?;
    let elements = variable.elements?;
    let elements: Vec<String> = match parameter.operator {
        Operator::None => elements.to_vec(),
        Operator::Edit if parameter.symbol != b':' => {
            let operand = operand_of(parameter, scope, outputs)?;
            elements.iter().map(|element| edit(element, parameter.symbol, &operand)).collect::<Option<_>>()?
        }
        _ => return None,
    };
    let field = |text| Field { text, is_downloaded: variable.is_downloaded, ..Field::default() };
    let is_starred = parameter.subscript.as_ref().and_then(Word::literal).as_deref() == Some("*");
    Some((elements.into_iter().map(field).collect(), is_starred))
}

/// Returns the characters of the operand of an operator; `None` where they are not exactly known.
fn operand_of(parameter: &Parameter, scope: &Scope, outputs: &dyn Outputs) -> Option<Operand> {
    let mut operand = Operand::new();
    for piece in parameter.operand.iter().flat_map(|word| &word.pieces) {
        let origin = match &piece.part {
            _ if piece.is_quoted => Origin::Quoted,
            Part::Text(_) => Origin::Text,
            _ => Origin::Expansion,
        };
        let (values, _) = value_of(&piece.part, scope, outputs);
        let [value] = values.as_slice() else { return None };
        if names_files(&piece.part, &values, scope) {
            return None;
        }
        operand.extend(glyphs(value, origin));
    }
    (!is_unknown(&operand)).then_some(operand)
}

/// Returns the fields as one text: `*` puts the first separator between them, `@` a blank.
fn joined(fields: &[Field], is_starred: bool, scope: &Scope) -> String {
    let separator = match scope.separators() {
        Some(separators) if is_starred => separators.chars().next().map(String::from).unwrap_or_default(),
        None if is_starred => TAINTED.to_owned(),
        _ => " ".to_owned(),
    };
    fields.iter().map(|field| field.text.as_str()).collect::<Vec<_>>().join(&separator)
}

/// Returns whether an expansion takes all elements of an array: `${a[@]}`, `${a[*]}`.
pub(super) fn has_all_elements(parameter: &Parameter) -> bool {
    let subscript = parameter.subscript.as_ref().and_then(Word::literal);
    matches!(subscript.as_deref(), Some("@" | "*"))
}

fn is_all_positional(parameter: &Parameter) -> bool {
    matches!(parameter.name.as_str(), "@" | "*") && parameter.operator == Operator::None
}
