//! Filters: the programs that print lines of what they read, and what `sed` makes of a text by plain substitutions.

use crate::policy::commands::field::Field;
use crate::policy::commands::found::base_name;
use crate::policy::commands::inner::sed_scripts;

/// The longest text that is computed (bytes): `s/a/aa/g` doubles it.
const MAX_TEXT: usize = 10_000;

/// The most commands of a script of sed that are computed.
const MAX_COMMANDS: usize = 8;

/// Returns whether a program prints lines of its files or its input, perhaps changed.
pub(in crate::policy::commands) fn is_filter(name: &str) -> bool {
    matches!(
        name,
        "cat"
            | "tac"
            | "tee"
            | "head"
            | "tail"
            | "sort"
            | "uniq"
            | "grep"
            | "egrep"
            | "fgrep"
            | "rev"
            | "nl"
            | "shuf"
            | "fold"
            | "cut"
            | "sed"
            | "gsed"
            | "awk"
            | "gawk"
            | "mawk"
            | "nawk"
    )
}

/// Returns what a filter makes of a text; `None` for another program, or a form that is not computed.
#[inline(never)]
pub(in crate::policy::commands) fn filtered(words: &[Field], text: &str) -> Option<String> {
    let name = base_name(words.first()?.known()?);
    if matches!(name, "sed" | "gsed") { substituted(words, text) } else { None }
}

#[inline(never)]
fn by_line(text: &str, substitution: &Substitution) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        substitution.apply(line, &mut lines);
        lines.push('\n');
    }
    lines
}

/// The command `s` of sed with a pattern that is plain text.
struct Substitution {
    /// The text; `None` for all of the line (`.*`).
    pattern: Option<String>,
    is_at_start: bool,
    is_at_end: bool,
    /// The parts of the replacement between which the matched text stands.
    replacement: Vec<String>,
    is_global: bool,
}

fn substituted(words: &[Field], text: &str) -> Option<String> {
    let is_quiet = |text: &str| match text.strip_prefix("--") {
        Some(long) => "quiet".starts_with(long) || "silent".starts_with(long),
        None => text.starts_with('-') && text.split(['e', 'i']).next().is_some_and(|text| text.contains('n')),
    };
    if words.iter().any(|field| is_quiet(&field.text)) {
        return None;
    }
    let (mut lines, mut count) = (text.to_owned(), 0);
    for script in sed_scripts(words) {
        let mut rest = next_command(script.known()?);
        while !rest.is_empty() {
            let (substitution, behind) = Substitution::read(rest)?;
            lines = by_line(&lines, &substitution);
            count += 1;
            if lines.len() > MAX_TEXT || count > MAX_COMMANDS {
                return None;
            }
            rest = next_command(behind);
        }
    }
    Some(lines)
}

#[inline(never)]
fn next_command(script: &str) -> &str {
    script.trim_start_matches([' ', ';', '\n', '\t'])
}

impl Substitution {
    /// Reads a command, and returns it with the script behind it; `None` if it is another one.
    #[inline(never)]
    fn read(script: &str) -> Option<(Self, &str)> {
        let script = script.strip_prefix('s')?;
        let delimiter = script.chars().next().filter(|char| !char.is_alphanumeric())?;
        let (pattern, script) = section(&script[delimiter.len_utf8()..], delimiter)?;
        let (replacement, script) = section(script, delimiter)?;
        let (flags, behind) = script.split_at(script.find([' ', ';', '\n', '}']).unwrap_or(script.len()));
        let is_at_start = pattern.starts_with('^');
        let pattern = pattern.strip_prefix('^').unwrap_or(&pattern);
        let is_at_end = pattern.ends_with('$');
        let pattern = pattern.strip_suffix('$').unwrap_or(pattern);
        let pattern = if pattern == ".*" { None } else { Some(plain(pattern)?) };
        let is_whole = pattern.as_ref().is_some_and(String::is_empty) && !is_at_start && !is_at_end;
        let mut parts = vec![String::new()];
        let mut chars = replacement.chars();
        while let Some(char) = chars.next() {
            let next = match char {
                '&' => {
                    parts.push(String::new());
                    continue;
                }
                '\\' => match chars.next()? {
                    'n' => '\n',
                    char if char.is_alphanumeric() => return None,
                    char => char,
                },
                char => char,
            };
            parts.last_mut()?.push(next);
        }
        let substitution =
            Self { pattern, is_at_start, is_at_end, replacement: parts, is_global: flags == "g" };
        (!is_whole && matches!(flags, "" | "g")).then_some((substitution, behind))
    }

    /// Appends what becomes of a line.
    fn apply(&self, line: &str, lines: &mut String) {
        let pattern = self.pattern.as_deref().unwrap_or(line);
        let mut rest = line;
        let mut is_done = false;
        while !is_done && let Some(at) = self.find(pattern, rest, line) {
            lines.push_str(&rest[..at]);
            lines.push_str(&self.replacement.join(pattern));
            rest = &rest[at + pattern.len()..];
            is_done = !self.is_global || pattern.is_empty() || self.is_at_start;
        }
        lines.push_str(rest);
    }

    /// Returns the place of the next match.
    fn find(&self, pattern: &str, rest: &str, line: &str) -> Option<usize> {
        match (self.is_at_start, self.is_at_end) {
            (true, true) => (line == pattern).then_some(0),
            (true, false) => line.starts_with(pattern).then_some(0),
            (false, true) => rest.ends_with(pattern).then(|| rest.len() - pattern.len()),
            (false, false) => rest.find(pattern),
        }
    }
}

/// Splits a script behind the next delimiter, and removes the backslashes before others.
#[inline(never)]
fn section(script: &str, delimiter: char) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = script.char_indices();
    while let Some((at, char)) = chars.next() {
        if char == delimiter {
            return Some((text, &script[at + char.len_utf8()..]));
        }
        text.push(char);
        if char == '\\' {
            let (_, next) = chars.next()?;
            if next == delimiter {
                text.pop();
            }
            text.push(next);
        }
    }
    None
}

/// Returns the text that a pattern matches; `None` for a pattern that matches several.
#[inline(never)]
fn plain(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => text
                .push(chars.next().filter(|next| matches!(next, '.' | '*' | '/' | '\\' | '$' | '^' | '['))?),
            '.' | '*' | '[' | '^' | '$' | '+' | '?' | '(' | ')' | '{' | '}' | '|' => return None,
            char => text.push(char),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{Field, filtered};

    fn output(words: &[&str], text: &str) -> Option<String> {
        let words: Vec<Field> = words.iter().map(|word| Field::of(word)).collect();
        filtered(&words, text)
    }

    #[test]
    fn simple_filters_are_computed() {
        for (words, text, expected) in [
            (&["sed", "s/b/x/"][..], "abab", "axab"),
            (&["sed", "s/b/x/g; s,^,<,;s|$|>|"], "abab", "<axax>"),
            (&["sed", "-E", "-e", "s/a\\/b/[&]/"], "xa/b", "x[a/b]"),
            (&["sed", "s/.*/\\& & \\//"], "a", "& a /"),
            (&["sed", "s/^a$/b/"], "a\naa", "b\naa"),
        ] {
            let output = output(words, text);
            assert_eq!(output.as_deref().map(str::trim_end), Some(expected), "{words:?}");
        }
    }

    #[test]
    fn other_forms_are_not_computed() {
        for words in [
            &["sed", "s/a*/x/"][..],
            &["sed", "s/\\(a\\)/\\1/"],
            &["sed", "-n", "s/a/x/p"],
            &["sed", "/a/s/a/x/"],
            &["sed", "s/a/x/2"],
            &["sed", "s//x/"],
            &["grep", "a"],
        ] {
            assert_eq!(output(words, "abc"), None, "{words:?}");
        }
    }
}
