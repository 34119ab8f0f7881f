//! Reads settings of git: enough to find the files that they name.

use std::path::Path;

use super::super::paths::{content, real};

/// A setting: its section and key in lower case, without the subsection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) section: String,
    pub(super) key: String,
    pub(super) value: String,
}

/// Returns the settings in a file, which may be a link as for git; none if it can't be read.
pub(super) fn settings_in(file: &Path) -> Vec<Setting> {
    let text = real(file).and_then(|file| String::from_utf8(content(&file)?).ok());
    settings(&text.unwrap_or_default())
}

/// Parses settings, in order. Skips lines that git would refuse.
fn settings(text: &str) -> Vec<Setting> {
    // A line that ends with a backslash goes on in the next one.
    let text = text.replace("\r\n", "\n").replace("\\\n", "");
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim();
        if let Some(header) = rest.strip_prefix('[') {
            let Some(end) = end_of_header(header) else { continue };
            section = header[..end].split(['.', ' ', '\t', '"']).next().unwrap_or_default().to_lowercase();
            rest = header[end + 1..].trim_start();
        }
        let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
        let key = key.trim().to_lowercase();
        if !key.is_empty() && !key.starts_with(['#', ';']) {
            found.push(Setting { section: section.clone(), key, value: value_of(value) });
        }
    }
    found
}

/// Returns the position of the bracket that ends a header; a subsection in quotes may contain one.
fn end_of_header(header: &str) -> Option<usize> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    header.char_indices().find_map(|(at, character)| {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return Some(at),
            _ => {}
        }
        None
    })
}

/// Returns a value without its quotes, escapes and comment.
fn value_of(text: &str) -> String {
    let mut value = String::new();
    // The length up to the last character that is no blank outside of quotes.
    let mut length = 0;
    let mut is_quoted = false;
    let mut characters = text.trim_start().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                is_quoted = !is_quoted;
                continue;
            }
            '#' | ';' if !is_quoted => break,
            '\\' => value.extend(match characters.next() {
                Some('n') => Some('\n'),
                Some('t') => Some('\t'),
                other => other,
            }),
            other => value.push(other),
        }
        if is_quoted || !character.is_whitespace() {
            length = value.len();
        }
    }
    value.truncate(length);
    value
}

#[cfg(test)]
mod tests {
    use super::settings;

    fn read(text: &str) -> Vec<(String, String, String)> {
        settings(text).into_iter().map(|found| (found.section, found.key, found.value)).collect()
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "[core]\n\tbare = false\n hooksPath=\"my hooks\" # a comment\n; one\n\
                    [remote \"a]b\"] url = x\n[includeIf \"gitdir:~/x/\"]\n  path = ../in\\\n clude\n\
                    [Core] WorkTree\n[filter.x]\nclean = \"a \\\"b\\\" \" c \n";
        let expected = [
            ("core", "bare", "false"),
            ("core", "hookspath", "my hooks"),
            ("remote", "url", "x"),
            ("includeif", "path", "../in clude"),
            ("core", "worktree", ""),
            ("filter", "clean", "a \"b\"  c"),
        ];
        assert_eq!(
            read(text),
            expected.map(|(section, key, value)| (section.into(), key.into(), value.into()))
        );
    }

    #[test]
    fn what_is_no_setting_is_left_out() {
        assert_eq!(read("[core\n# x = y\n\n[core]\n= x\n"), []);
    }
}
