//! Reads settings of git: enough to find the files and programs that they name.

use std::path::Path;

use super::super::paths::{content, real};

/// A setting: its section and key in lower case, without the subsection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfigEntry {
    pub(super) section: String,
    pub(super) key: String,
    pub(super) value: String,
}

/// The settings of a file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub(super) found: Vec<ConfigEntry>,
    /// The headers: a section in lower case, and its subsection.
    pub(super) headers: Vec<(String, String)>,
    /// Whether a line was skipped that git would refuse.
    pub(super) has_errors: bool,
}

/// Returns the settings in a file, which may be a link as for git; none if it can't be read.
pub(super) fn settings_in(file: &Path) -> Vec<ConfigEntry> {
    let text = real(file).and_then(|file| String::from_utf8(content(&file)?).ok());
    parse(&text.unwrap_or_default()).found
}

/// Parses settings. Skips lines that git would refuse.
pub(super) fn parse(text: &str) -> ConfigFile {
    let text = text.replace("\r\n", "\n");
    let mut settings = ConfigFile::default();
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(first) = rest.chars().next() {
        let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = match first {
            '#' | ';' => below,
            '[' => {
                if let Some((header, length)) = header(&line[1..]) {
                    settings.headers.push(header);
                    &rest[1 + length..]
                } else {
                    settings.has_errors = true;
                    below
                }
            }
            _ => settings.add(rest),
        }
        .trim_start();
    }
    settings
}

impl ConfigFile {
    /// Adds the setting at the start of a text, and returns the text behind it.
    fn add<'a>(&mut self, text: &'a str) -> &'a str {
        let end = text.find(['=', '\n']).unwrap_or(text.len());
        let (key, behind) = text.split_at(end);
        let (value, behind) = match behind.strip_prefix('=') {
            Some(behind) => {
                let (value, length) = value(behind);
                self.has_errors |= value.is_none();
                (value.unwrap_or_default(), &behind[length..])
            }
            None => (String::new(), behind),
        };
        let key = key.trim().to_lowercase();
        if !key.is_empty() {
            let section = self.headers.last().map(|(section, _)| section.clone()).unwrap_or_default();
            self.found.push(ConfigEntry { section, key, value });
        }
        behind
    }
}

/// Parses a header after its first bracket. Returns the section with its subsection, and the length.
fn header(line: &str) -> Option<((String, String), usize)> {
    let end = line.find([']', '"'])?;
    let (name, rest) = line.split_at(end);
    let name = name.trim().to_lowercase();
    if rest.starts_with(']') {
        // The old spelling: `[section.subsection]`.
        let (section, subsection) = name.split_once('.').unwrap_or((&name, ""));
        return Some(((section.to_owned(), subsection.to_owned()), end + 1));
    }
    let mut subsection = String::new();
    let mut characters = rest[1..].char_indices();
    while let Some((offset, character)) = characters.next() {
        match character {
            '\\' => subsection.push(characters.next()?.1),
            '"' => {
                let behind = rest[1 + offset + 1..].trim_start().strip_prefix(']')?;
                return Some(((name, subsection), line.len() - behind.len()));
            }
            character => subsection.push(character),
        }
    }
    None
}

/// Parses a value, without its quotes, escapes and comment. Returns `None` for a value whose quotes don't
/// end, and the length.
///
/// A line that ends with a backslash goes on in the next one, but not in a comment.
fn value(text: &str) -> (Option<String>, usize) {
    let mut value = String::new();
    // The length up to the last character that is no blank outside of quotes.
    let mut kept = 0;
    let mut is_quoted = false;
    let mut is_comment = false;
    let mut end = text.len();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\n' => {
                end = at;
                break;
            }
            _ if is_comment => continue,
            '"' => {
                is_quoted = !is_quoted;
                continue;
            }
            '#' | ';' if !is_quoted => is_comment = true,
            '\\' => match characters.next() {
                Some((_, '\n')) | None => continue,
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, other)) => value.push(other),
            },
            other if value.is_empty() && !is_quoted && other.is_whitespace() => continue,
            other => value.push(other),
        }
        if !is_comment && (is_quoted || !character.is_whitespace()) {
            kept = value.len();
        }
    }
    value.truncate(kept);
    ((!is_quoted).then_some(value), end)
}

#[cfg(test)]
mod tests {
    use super::{ConfigFile, parse};

    fn read(text: &str) -> Vec<(String, String, String)> {
        parse(text).found.into_iter().map(|found| (found.section, found.key, found.value)).collect()
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
    fn a_comment_does_not_go_on_in_the_next_line() {
        for comment in ["# x\\\n", "; x \\\n", "a = b # x\\\n", "a = \"b\" ; \"\\\n"] {
            let headers = parse(&format!("[core]\n{comment}[filter \"x\"]\n")).headers;
            assert_eq!(headers[1..], [("filter".to_owned(), "x".to_owned())], "{comment:?}");
        }
    }

    #[test]
    fn what_git_would_refuse_is_left_out_and_noted() {
        for text in ["[core\n# x = y\n\n[core]\n= x\n", "[filter \"open\n", "[a \"b\" c]\n"] {
            let ConfigFile { found, has_errors, .. } = parse(text);
            assert_eq!(found, [], "{text:?}");
            assert!(has_errors, "{text:?}");
        }
        assert!(parse("[a]\nb = \"open\n").has_errors);
        assert!(!parse("[a]\nb = \"closed\"\n").has_errors);
    }
}
