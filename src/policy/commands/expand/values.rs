//! The possible values of an expansion.

use crate::policy::commands::field::{PROCESS_FILE, TAINTED, UNKNOWN, unknown_of};
use crate::policy::commands::scope::Scope;
use crate::policy::syntax::tree::{Operator, Parameter, Part, Word};

use super::edit::edit;
use super::tilde::with_home;

/// The most values of a word that are distinguished.
const MAX_VALUES: usize = 4;

/// The most values that are joined before some of them are left out.
const MAX_JOINED: usize = MAX_VALUES + 1;

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

/// The output of the commands in a substitution.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::commands) struct Output {
    /// The text, where it is known.
    pub(in crate::policy::commands) text: Option<String>,
    /// Guesses at a text that is not known: paths, and globs for them.
    pub(in crate::policy::commands) guesses: Vec<String>,
    /// Whether a download is in the text.
    pub(in crate::policy::commands) is_downloaded: bool,
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
            let known = word.literal().and_then(|text| text.trim().parse::<i64>().ok());
            (known.map_or_else(number, |number| vec![number.to_string()]), false)
        }
        Part::Substitution(_) => {
            let Output { text, guesses, is_downloaded } = outputs.output(part);
            // Line breaks at the end are dropped.
            let values = match text {
                Some(text) => vec![text.trim_end_matches('\n').to_owned()],
                None => [TAINTED.to_owned()].into_iter().chain(guesses).collect(),
            };
            (values, is_downloaded)
        }
        Part::Process(_) => (vec![PROCESS_FILE.to_owned()], outputs.output(part).is_downloaded),
        Part::Parameter(parameter) => parameter_value(parameter, scope, outputs),
    }
}

fn parameter_value(parameter: &Parameter, scope: &Scope, outputs: &dyn Outputs) -> (Vec<String>, bool) {
    let (now, mut is_downloaded) = current(parameter, scope);
    let operand = parameter.operand.as_ref().map(|word| values(word, scope, outputs));
    let (operand, has_download) = operand.unwrap_or_else(|| (vec![String::new()], false));
    is_downloaded |= has_download;
    let unknown = vec![TAINTED.to_owned()];
    let values = match parameter.operator {
        // An unset variable may be set by a file that the shell reads at its start.
        Operator::None => now.unwrap_or_else(|| vec![String::new(), UNKNOWN.to_string()]),
        Operator::Error => now.unwrap_or(unknown),
        Operator::Default | Operator::Assign => match now {
            None => operand,
            Some(mut now) => {
                // The default replaces an empty value, and perhaps an unknown one.
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
                let edited = |value: &String| {
                    edit(value, parameter.symbol, operand)
                        .unwrap_or_else(|| unknown_of([value.as_str(), operand].into_iter()))
                };
                now.iter().map(edited).collect()
            }
            _ => unknown,
        },
        Operator::Length => vec![UNKNOWN.to_string()],
        Operator::Names | Operator::Code => unknown,
    };
    (values, is_downloaded)
}

/// Returns the values of a parameter; `None` where it is certainly unset.
fn current(parameter: &Parameter, scope: &Scope) -> (Option<Vec<String>>, bool) {
    let unknown = (Some(vec![TAINTED.to_owned()]), false);
    let number = (Some(vec![UNKNOWN.to_string()]), false);
    if parameter.subscript.is_some() {
        // The element may not be known, but whether a part of the array was downloaded is.
        let is_downloaded = scope.get(&parameter.name).is_some_and(|variable| variable.is_downloaded);
        return match scope.get(&parameter.name) {
            Some(variable) if variable.values.len() == 1 => {
                (Some(elements(parameter, variable.values)), is_downloaded)
            }
            Some(variable) => {
                (Some(vec![unknown_of(variable.values.iter().map(String::as_str))]), is_downloaded)
            }
            None => (Some(vec![UNKNOWN.to_string()]), is_downloaded),
        };
    }
    if let Some(variable) = scope.get(&parameter.name) {
        return (Some(variable.values), variable.is_downloaded);
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
        "@" | "*" | "_" | "BASH_COMMAND" | "OLDPWD" | "OPTARG" | "REPLY" => unknown,
        name if SET_BY_SHELL.contains(&name) || !scope.knows_environment() => number,
        _ => (None, false),
    }
}

/// Returns the possible values of one element of an array, or of all elements together.
fn elements(parameter: &Parameter, mut values: Vec<String>) -> Vec<String> {
    let joined = &values[0];
    if has_all_elements(parameter) || !joined.contains(char::is_whitespace) {
        return values;
    }
    // The elements are kept as one text, and one that holds blanks is not distinguished from several.
    let mut parts: Vec<String> = joined.split_whitespace().take(MAX_VALUES).map(str::to_owned).collect();
    parts.push(unknown_of([joined.as_str()].into_iter()));
    parts.append(&mut values);
    parts
}

/// Returns whether an expansion takes all elements of an array: `${a[@]}`, `${a[*]}`.
pub(super) fn has_all_elements(parameter: &Parameter) -> bool {
    let subscript = parameter.subscript.as_ref().and_then(Word::literal);
    matches!(subscript.as_deref(), Some("@" | "*"))
}

pub(super) fn is_all_positional(parameter: &Parameter) -> bool {
    matches!(parameter.name.as_str(), "@" | "*") && parameter.operator == Operator::None
}
