//! Filters in their simple forms: substitutions of plain text by `sed`, columns of `cut` and `awk`, `tr` and `rev`.

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
pub(in crate::policy::commands) fn filtered(words: &[Field], text: &str) -> Option<String> {
    let name = base_name(words.first()?.known()?);
    let arguments = || words[1..].iter().map(Field::known).collect::<Option<Vec<&str>>>();
    match name {
        "sed" | "gsed" => substituted(words, text),
        "cut" => columns_cut(&arguments()?, text),
        "tr" => translated(&arguments()?, text),
        "rev" => Some(by_line(text, |line| line.chars().rev().collect())),
        "awk" | "gawk" | "mawk" | "nawk" => printed_by_awk(&arguments()?, text),
        _ => None,
    }
}

fn by_line(text: &str, change: impl FnMut(&str) -> String) -> String {
    let lines: Vec<String> = text.lines().map(change).collect();
    lines.join("\n") + "\n"
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
            lines = by_line(&lines, |line| substitution.apply(line));
            count += 1;
            if lines.len() > MAX_TEXT || count > MAX_COMMANDS {
                return None;
            }
            rest = next_command(behind);
        }
    }
    Some(lines)
}

fn next_command(script: &str) -> &str {
    script.trim_start_matches([' ', ';', '\n', '\t'])
}

impl Substitution {
    /// Reads a command, and returns it with the script behind it; `None` if it is another one.
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

    fn apply(&self, line: &str) -> String {
        let Some(pattern) = self.pattern.as_deref() else { return self.replacement.join(line) };
        let new = || self.replacement.join(pattern);
        match (self.is_at_start, self.is_at_end) {
            (true, true) if line == pattern => new(),
            (true, false) if line.starts_with(pattern) => new() + &line[pattern.len()..],
            (false, true) if line.ends_with(pattern) => {
                line[..line.len() - pattern.len()].to_owned() + &new()
            }
            (false, false) if self.is_global => line.replace(pattern, &new()),
            (false, false) => line.replacen(pattern, &new(), 1),
            _ => line.to_owned(),
        }
    }
}

/// Splits a script behind the next delimiter, and removes the backslashes before others.
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

fn columns_cut(arguments: &[&str], text: &str) -> Option<String> {
    let (mut delimiter, mut fields, mut characters) = ('\t', None, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(option) = argument.strip_prefix('-') else { continue };
        let letter = option.chars().next()?;
        let mut value = &option[letter.len_utf8()..];
        if value.is_empty() && letter != 's' {
            value = rest.next()?;
        }
        match letter {
            'd' => delimiter = value.chars().next()?,
            'f' => fields = Some(value),
            'b' | 'c' => characters = Some(value),
            's' => {}
            _ => return None,
        }
    }
    let list = fields.or(characters)?;
    let line_cut = |line: &str| -> String {
        if fields.is_none() {
            return line
                .chars()
                .enumerate()
                .filter(|(at, _)| is_listed(list, at + 1))
                .map(|(_, char)| char)
                .collect();
        }
        if !line.contains(delimiter) {
            return line.to_owned();
        }
        let parts = line.split(delimiter).enumerate().filter(|(at, _)| is_listed(list, at + 1));
        parts.map(|(_, part)| part).collect::<Vec<_>>().join(delimiter.encode_utf8(&mut [0; 4]))
    };
    (list.len() < 16).then(|| by_line(text, line_cut))
}

/// Returns whether a list like `1,3-5,7-` has a column.
fn is_listed(list: &str, column: usize) -> bool {
    list.split(',').any(|range| match range.split_once('-') {
        Some((first, last)) => {
            first.parse().unwrap_or(1) <= column && column <= last.parse().unwrap_or(usize::MAX)
        }
        None => range.parse() == Ok(column),
    })
}

fn translated(arguments: &[&str], text: &str) -> Option<String> {
    match arguments {
        ["-d", set] => {
            let set = characters(set)?;
            Some(text.chars().filter(|char| !set.contains(char)).collect())
        }
        [from, to] if !from.starts_with('-') => {
            let (from, to) = (characters(from)?, characters(to)?);
            let change = |char: char| match from.iter().rposition(|other| *other == char) {
                Some(at) => to.get(at).or(to.last()).copied().unwrap_or(char),
                None => char,
            };
            Some(text.chars().map(change).collect())
        }
        _ => None,
    }
}

/// Returns the characters of a set of `tr`; `None` for one with classes or escapes.
fn characters(set: &str) -> Option<Vec<char>> {
    let given: Vec<char> = set.chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(&first) = given.get(at) {
        match given.get(at + 1..at + 3) {
            Some(['-', last]) if first.is_ascii() && last.is_ascii() => {
                all.extend(first..=*last);
                at += 3;
            }
            _ => {
                all.push(first);
                at += 1;
            }
        }
    }
    (!set.contains(['[', '\\']) && all.len() <= 256).then_some(all)
}

/// Returns what awk prints by a program of one `print` with columns and strings: `{print $2, "a" $NF}`.
fn printed_by_awk(arguments: &[&str], text: &str) -> Option<String> {
    let (separator, program) = match arguments {
        ["-F", separator, program, ..] => (*separator, program),
        [option, program, ..] if option.starts_with("-F") => (&option[2..], program),
        [program, ..] => (" ", program),
        [] => return None,
    };
    let list = program.trim().strip_prefix('{')?.trim().strip_prefix("print")?;
    let list = list.strip_suffix('}')?.trim().trim_end_matches(';');
    let is_special = separator.len() != 1 || separator == "\\" || list.contains([';', '{', '}']);
    if is_special {
        return None;
    }
    let mut has_all = true;
    let lines = by_line(text, |line| {
        let columns: Vec<&str> = match separator {
            " " => line.split_whitespace().collect(),
            separator => line.split(separator).collect(),
        };
        let printed =
            if list.is_empty() { Some(line.to_owned()) } else { columns_printed(list, line, &columns) };
        has_all &= printed.is_some();
        printed.unwrap_or_default()
    });
    has_all.then_some(lines)
}

/// Returns the values of a list of columns and strings, such as `$1, "a" $NF`.
fn columns_printed(list: &str, line: &str, columns: &[&str]) -> Option<String> {
    let mut printed = String::new();
    let mut rest = list;
    while !rest.is_empty() {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix(',') {
            printed.push(' ');
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('"') {
            let (text, behind) = behind.split_once('"').filter(|(text, _)| !text.contains('\\'))?;
            printed.push_str(text);
            rest = behind;
        } else {
            let behind = rest.strip_prefix('$')?;
            let end = behind.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(behind.len());
            let column = match &behind[..end] {
                "0" => line,
                "NF" => columns.last().copied().unwrap_or_default(),
                number => {
                    columns.get(number.parse::<usize>().ok()?.checked_sub(1)?).copied().unwrap_or_default()
                }
            };
            printed.push_str(column);
            rest = &behind[end..];
        }
        if printed.len() > MAX_TEXT {
            return None;
        }
    }
    Some(printed)
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
            (&["cut", "-c2-3,5"], "abcdef", "bce"),
            (&["cut", "-d:", "-f", "2-"], "a:b:c\nx", "b:c\nx"),
            (&["tr", "a-c", "x-z"], "aabc", "xxyz"),
            (&["tr", "abc", "x"], "abcd", "xxxd"),
            (&["tr", "-d", "b"], "abc", "ac"),
            (&["rev"], "abc", "cba"),
            (&["awk", "{print $2, \"-\" $NF}"], "a  b c", "b -c"),
            (&["awk", "-F:", "{ print $1 }"], "a b:c", "a b"),
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
            &["cut", "--complement", "-f1"],
            &["tr", "[:lower:]", "x"],
            &["tr", "-s", "a", "b"],
            &["awk", "{print length($1)}"],
            &["awk", "/a/{print $1}"],
            &["grep", "a"],
        ] {
            assert_eq!(output(words, "abc"), None, "{words:?}");
        }
    }
}
