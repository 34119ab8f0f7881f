//! Moves a leading `cd PATH &&` of a command into its working directory.

/// Returns the directory and the rest of `cd <one word> && rest`.
///
/// `None` for a `cd` whose meaning depends on the shell: several words, expansions, redirections, `~`,
/// options, line breaks, open quotes.
pub(super) fn leading_cd(command: &str) -> Option<(String, String)> {
    let rest = command.trim_start().strip_prefix("cd")?.strip_prefix([' ', '\t'])?;
    let (path, rest) = word(rest.trim_start_matches([' ', '\t']))?;
    let rest = rest.trim_start_matches([' ', '\t']).strip_prefix("&&")?.trim_start();
    let is_plain = !path.is_empty() && !path.starts_with(['-', '~']) && !rest.is_empty();
    is_plain.then(|| (path, rest.to_owned()))
}

/// Returns the first word, without its quotes, and the rest of the text.
fn word(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut quote = None;
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match (character, quote) {
            ('$' | '(' | '`' | '\n' | '\r', _)
            | ('<' | '>' | '|' | ';' | ')' | '*' | '?' | '[' | '{' | '#', None) => return None,
            ('\'', Some('\'')) | ('"', Some('"')) => quote = None,
            ('\\', None | Some('"')) => {
                let (_, next) = characters.next()?;
                if next == '\n' {
                    return None;
                }
                if quote.is_some() && !matches!(next, '"' | '\\') {
                    word.push('\\');
                }
                word.push(next);
            }
            ('\'' | '"', None) => quote = Some(character),
            (' ' | '\t' | '&', None) => return Some((word, &text[index..])),
            _ => word.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::leading_cd;

    fn rewritten(command: &str) -> Option<(String, String)> {
        leading_cd(command)
    }

    #[test]
    fn one_word_is_moved_without_its_quotes() {
        let expected = |path: &str| Some((path.to_owned(), "ls -l".to_owned()));
        for command in ["cd a && ls -l", "  cd \ta&&ls -l", "cd 'a' && ls -l", "cd \"a\" && ls -l"] {
            assert_eq!(rewritten(command), expected("a"), "{command}");
        }
        assert_eq!(rewritten(r"cd a\ b/'c d' && ls -l"), expected("a b/c d"));
    }

    #[test]
    fn everything_else_stays() {
        for command in [
            "cd", "cd a", "cd a; ls", "cd a || ls", "cd a b && ls", "cd $HOME && ls", "cd `pwd` && ls",
            "cd \"$(pwd)\" && ls", "cd 'a && ls", "cd a >x && ls", "cd a \\\n&& ls", "cd - && ls",
            "cd ~ && ls", "cd a* && ls", "cda && ls", "cd a &&", "cd a & ls",
        ] {
            assert_eq!(rewritten(command), None, "{command}");
        }
    }
}
