//! The other reading of a command line: a backslash outside of quotes parts the names of a path.

/// Returns a command line with slashes in place of the backslashes that part names outside of quotes; `None`
/// without any.
///
/// A POSIX shell removes these backslashes, so that `C:\Users` is `C:Users`. Some shells for Windows keep
/// them, and models write them. Escapes that no path has (`\;`, `\$x`, `\rm`, `a\.b`) stay.
pub(in crate::policy) fn with_slashes(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut quote = None;
    let mut is_changed = false;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let behind = &rest[char.len_utf8()..];
        match (char, quote) {
            ('\\', None) if parts_names(&result, behind) => {
                is_changed = true;
                result.push('/');
                rest = behind;
                continue;
            }
            // An escaped character is no quote.
            ('\\', None | Some('"')) => {
                let escaped = behind.chars().next().map_or(0, char::len_utf8);
                result.push_str(&rest[..=escaped]);
                rest = &behind[escaped..];
                continue;
            }
            ('\'' | '"', None) => quote = Some(char),
            (char, Some(open)) if char == open => quote = None,
            _ => {}
        }
        result.push(char);
        rest = behind;
    }
    is_changed.then_some(result)
}

/// Returns whether a backslash stands in a path, by the texts on both sides of it.
fn parts_names(before: &str, behind: &str) -> bool {
    let word = before.rsplit([' ', '\t', '\n', ';', '|', '&', '(', '<', '>', '=']).next().unwrap_or_default();
    let next = behind.chars().next();
    let is_name =
        |char: char| char.is_alphanumeric() || matches!(char, '.' | '_' | '$' | '%' | '~' | '-' | '{');
    let is_path = word.contains('/')
        || word.ends_with(':')
        || word.ends_with('%')
        || word.ends_with('}')
        || matches!(word, "." | ".." | "~")
        || word.starts_with('$') && word.len() > 1
        || word.ends_with(|char: char| char.is_alphanumeric()) && next.is_some_and(char::is_alphanumeric);
    match next {
        // `\\server`; but the first two of `\\\\server` are one backslash in each reading.
        Some('\\') => word.is_empty() && !behind.starts_with(r"\\\"),
        Some('"' | '\'') => is_path,
        Some('*' | '?') => word.contains('/') || word.ends_with(':'),
        Some(next) if is_path => is_name(next) || next.is_whitespace() && word.ends_with(':'),
        // `\Users\ann`; but `\rm` is `rm` without its alias.
        Some(next) if word.is_empty() => {
            next.is_alphanumeric() && (!is_command_position(before) || has_more(behind))
        }
        None => is_path,
        Some(_) => false,
    }
}

fn is_command_position(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with(['\n', ';', '|', '&', '(', '{'])
}

fn has_more(behind: &str) -> bool {
    behind.split([' ', '\t', '\n', ';', '|', '&']).next().is_some_and(|word| word.contains('\\'))
}

#[cfg(test)]
mod tests {
    use super::with_slashes;

    #[test]
    fn a_backslash_in_a_path_is_a_slash() {
        for (text, other) in [
            (r"rm -rf C:\Users\ann", "rm -rf C:/Users/ann"),
            (r"rm C:\Windows\*", "rm C:/Windows/*"),
            (r"type \\srv\share\x", "type //srv/share/x"),
            (r"rm -rf \Windows", "rm -rf /Windows"),
            (r"rm -rf ..\..", "rm -rf ../.."),
            (r"rm $HOME\.ssh", "rm $HOME/.ssh"),
            (r"rm ~\.ssh", "rm ~/.ssh"),
            (r"cat>a\b", "cat>a/b"),
            (r"rm C:\", "rm C:/"),
        ] {
            assert_eq!(with_slashes(text).as_deref(), Some(other), "{text}");
        }
    }

    #[test]
    fn another_escape_stays() {
        for text in [
            r"\rm x", r"find . -exec rm {} \;", r"grep a\.b f", r"echo 'C:\a' \$x", "a \\\n b", "ls",
            r"rm C:\\Users", r"ls \\\\srv",
        ] {
            assert_eq!(with_slashes(text), None, "{text}");
        }
    }
}
