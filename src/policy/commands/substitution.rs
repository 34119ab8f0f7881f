//! The output of command substitutions, where it is known without running them.

use crate::policy::syntax::tree::{Command, Connector, Item, List, Pipeline};

use super::expand::{Outputs, UNSURE, expand};
use super::field::{Field, UNKNOWN, is_glob};
use super::found::{Input, base_name};
use super::scope::{Scope, resolve};

/// Returns the output of a list that is one `echo`, `pwd`, `dirname` or the like with arguments that are known, or `cd` and
/// `pwd` behind it.
pub(super) fn static_output(list: &List, scope: &Scope, outputs: &dyn Outputs) -> Option<String> {
    let words = |pipeline: &Pipeline| -> Option<Vec<Field>> {
        let [Command::Simple(simple)] = pipeline.stages.as_slice() else { return None };
        let words = || simple.words.iter().flat_map(|word| expand(word, scope, outputs, UNSURE, &mut 0));
        (simple.redirections.is_empty() && simple.assignments.is_empty()).then(|| words().collect())
    };
    let (first, second) = match list.items.as_slice() {
        [Item { first, rest, .. }] => match rest.as_slice() {
            [] => (first, None),
            [(Connector::And, second)] => (first, Some(second)),
            _ => return None,
        },
        [Item { first, rest, is_background: false }, Item { first: second, rest: no_rest, .. }]
            if rest.is_empty() && no_rest.is_empty() =>
        {
            (first, Some(second))
        }
        _ => return None,
    };
    let words_of_first = words(first)?;
    let Some(second) = second else { return output_of(&words_of_first, scope) };
    let second = words(second)?;
    let texts: Option<Vec<&str>> = words_of_first.iter().map(Field::known).collect();
    match (texts?.as_slice(), second.as_slice()) {
        (["cd", directory] | ["cd", "--", directory], [pwd, ..]) if pwd.known() == Some("pwd") => {
            (*directory != "-").then(|| resolve(scope.directory().as_deref(), directory)).flatten()
        }
        _ => None,
    }
}

/// Returns what a command prints into a file or a pipe; `cat` without files prints its input.
pub(super) fn printed_text(words: &[Field], input: &Input, scope: &Scope) -> Option<String> {
    let name = words.first().and_then(Field::known).map(base_name);
    if name == Some("cat") && words.len() == 1 {
        return input.text.as_deref().map(str::to_owned);
    }
    let text = output_of(words, scope)?;
    let ends_line = name == Some("echo") && !words.get(1).is_some_and(|field| field.text.starts_with("-n"));
    Some(if ends_line { format!("{text}\n") } else { text })
}

/// Returns the output of a program with these arguments.
pub(super) fn output_of(words: &[Field], scope: &Scope) -> Option<String> {
    // A glob is taken as text: it stays as it is if no file matches. What an operator has left of one is not.
    let is_known = |field: &&Field| {
        !field.is_many && !field.text.contains(UNKNOWN) && (!field.has_glob || is_glob(&field.text))
    };
    let texts: Option<Vec<&str>> =
        words.iter().map(|field| Some(field).filter(is_known).map(|field| field.text.as_str())).collect();
    let texts = texts?;
    let (name, arguments) = texts.split_first()?;
    match (base_name(name), arguments) {
        ("builtin" | "command", arguments) if !arguments.is_empty() && !arguments[0].starts_with('-') => {
            output_of(&words[1..], scope)
        }
        ("echo", arguments) => {
            let is_flag = |text: &&&str| {
                text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|char| "neE".contains(char))
            };
            let flags = arguments.iter().take_while(is_flag).count();
            let text = arguments[flags..].join(" ");
            let is_escaped = arguments[..flags].iter().any(|flag| flag.contains('e'));
            if is_escaped {
                return unescape(&text, Escapes::Echo);
            }
            // `echo` of other shells, and of bash with `xpg_echo`, decodes escapes without `-e`.
            (!text.contains('\\')).then_some(text)
        }
        ("printf", ["--", format, arguments @ ..] | [format, arguments @ ..]) if !format.starts_with('-') => {
            printed(format, arguments)
        }
        ("pwd", []) => scope.directory(),
        ("which", [program]) | ("command", ["-v", program]) | ("type", ["-p" | "-P", program]) => {
            Some((*program).to_owned())
        }
        ("true" | ":", _) => Some(String::new()),
        ("dirname", [path] | ["--", path]) => Some(directory_of(path)),
        ("basename", [path] | ["--", path]) => Some(name_of(path).to_owned()),
        ("realpath", [path]) | ("readlink", ["-f" | "-e" | "-m", path]) => {
            resolve(scope.directory().as_deref(), path)
        }
        _ => None,
    }
}

/// Returns the output of `dirname`.
fn directory_of(path: &str) -> String {
    let path = path.trim_end_matches('/');
    match path.rfind('/') {
        None if path.is_empty() => "/".to_owned(),
        None => ".".to_owned(),
        Some(slash) => {
            let directory = path[..slash].trim_end_matches('/');
            if directory.is_empty() { "/".to_owned() } else { directory.to_owned() }
        }
    }
}

/// Returns the output of `basename`.
fn name_of(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { path.get(..1).unwrap_or_default() } else { base_name(trimmed) }
}

/// Returns the output of `printf`; `None` for directives other than `%s`, `%b`, `%c` and `%%`.
fn printed(format: &str, arguments: &[&str]) -> Option<String> {
    let mut text = String::new();
    let mut rest = arguments.iter();
    let format = unescape(format, Escapes::Format)?;
    loop {
        let mut taken = 0;
        let mut next = || {
            taken += 1;
            rest.next().copied().unwrap_or_default()
        };
        let mut chars = format.chars();
        while let Some(char) = chars.next() {
            if char != '%' {
                text.push(char);
                continue;
            }
            match chars.next()? {
                '%' => text.push('%'),
                's' => text.push_str(next()),
                'b' => text.push_str(&unescape(next(), Escapes::Argument)?),
                'c' => text.push(next().chars().next()?),
                _ => return None,
            }
        }
        if taken == 0 || rest.len() == 0 {
            return Some(text);
        }
    }
}

/// What reads escapes: the octal ones differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// The format of `printf`.
    Format,
    /// An argument of `printf '%b'`.
    Argument,
    /// `echo -e`
    Echo,
}

/// Returns a text with its escapes decoded; `None` where they make other bytes than ASCII, or end the output.
fn unescape(text: &str, escapes: Escapes) -> Option<String> {
    let mut result = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            result.push(char);
            continue;
        }
        let Some(kind) = chars.next() else {
            result.push('\\');
            break;
        };
        let mut number = |radix: u32, most: usize, first: Option<u32>| {
            let mut value = first;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|char| char.to_digit(radix)) else { break };
                chars.next();
                value = Some(value.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
            }
            value.and_then(|value| u8::try_from(value).ok()).filter(|byte| byte.is_ascii() && *byte != 0)
        };
        let byte = match kind {
            'a' => 7,
            'b' => 8,
            't' => b'\t',
            'n' => b'\n',
            'v' => 11,
            'f' => 12,
            'r' => b'\r',
            'e' | 'E' => 27,
            '\\' => b'\\',
            'x' => number(16, 2, None)?,
            'u' => number(16, 4, None)?,
            'U' => number(16, 8, None)?,
            '0' => number(8, if escapes == Escapes::Format { 2 } else { 3 }, Some(0))?,
            '1'..='7' if escapes != Escapes::Echo => number(8, 2, kind.to_digit(8))?,
            '"' | '\'' | '?' if escapes != Escapes::Echo => u8::try_from(kind).ok()?,
            // It ends the output.
            'c' => return None,
            other => {
                result.push('\\');
                result.push(other);
                continue;
            }
        };
        result.push(char::from(byte));
    }
    Some(result)
}
