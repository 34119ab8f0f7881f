//! Constants of a command line: variables that one assignment of plain text sets, or the words of one loop, and nothing else.
//!
//! The values that [`Scope`](super::scope::Scope) knows are likely ones. Those of a constant are certain, since no other place of
//! the text mentions its name but to read it.

/// The most values of a loop.
const MAX_VALUES: usize = 64;

/// A constant.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// The value after the assignment.
    Assigned(String),
    /// The values in the body of the loop.
    Looped(Vec<String>),
}

/// Returns the values of a variable, if the text sets it at one place, to plain words.
pub(super) fn constant(text: &str, name: &str) -> Option<Constant> {
    let mut definition = None;
    let mut rest = 0;
    while let Some(found) = text[rest..].find(name) {
        let start = rest + found;
        let (before, behind) = (&text[..start], &text[start + name.len()..]);
        rest = start + name.len();
        if before.ends_with(is_name_part) || behind.starts_with(is_name_part) {
            continue;
        }
        let is_read = before.ends_with('$') || before.ends_with("${") && behind.starts_with('}');
        if !is_read && definition.replace((before, behind)).is_some() {
            return None;
        }
    }
    let (before, behind) = definition?;
    if let Some(value) = behind.strip_prefix('=') {
        let starts = before.is_empty() || before.ends_with(['\n', ';', ' ', '\t']);
        let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''));
        let value = quote.map_or(value, |quote| value.strip_prefix(quote).unwrap_or(value));
        let (word, behind) = plain_word(value);
        let behind = quote.map_or(Some(behind), |quote| behind.strip_prefix(quote))?;
        let ends = behind.is_empty() || behind.starts_with(['\n', ';', ' ', '\t', '&', '|', ')']);
        return (starts && ends && !word.is_empty()).then(|| Constant::Assigned(word.to_owned()));
    }
    let before = before.trim_end_matches([' ', '\t']).strip_suffix("for")?;
    if before.ends_with(is_name_part) {
        return None;
    }
    let mut behind = behind.trim_start_matches([' ', '\t']).strip_prefix("in")?;
    let mut values = Vec::new();
    loop {
        let next = behind.trim_start_matches([' ', '\t']);
        if next.starts_with([';', '\n']) {
            return (!values.is_empty()).then_some(Constant::Looped(values));
        }
        let (word, rest) = plain_word(next);
        if word.is_empty() || next.len() == behind.len() || values.len() == MAX_VALUES {
            return None;
        }
        values.push(word.to_owned());
        behind = rest;
    }
}

fn is_name_part(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Splits a text behind the characters that no shell expands.
fn plain_word(text: &str) -> (&str, &str) {
    let is_plain =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '/' | ':' | '@' | '+');
    text.split_at(text.find(|char| !is_plain(char)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::{Constant, constant};

    fn looped(words: &[&str]) -> Constant {
        Constant::Looped(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn a_variable_of_plain_words_is_a_constant() {
        assert_eq!(constant("n=a; echo $n ${n}", "n"), Some(Constant::Assigned("a".to_owned())));
        assert_eq!(constant("n=\"a/b\"; echo \"$n\"", "n"), Some(Constant::Assigned("a/b".to_owned())));
        assert_eq!(constant("for n in a b 3; do echo $n; done", "n"), Some(looped(&["a", "b", "3"])));
        assert_eq!(constant("for n in a\ndo echo $n; done", "n"), Some(looped(&["a"])));
    }

    #[test]
    fn a_variable_that_anything_else_may_set_is_none() {
        for text in [
            "n=a; n=b",
            "n=a; unset n",
            "n=a; read n",
            "n=a; ((n++))",
            "n=a; echo ${n:=b}",
            "n=a; bash -c 'n=b'",
            "n+=a",
            "n=$(a)",
            "n=a$b",
            "n=a\"b\"",
            "n=*",
            "n=~",
            "n=a{b,c}",
            "x n=a",
            "select n in a b; do x; done",
            "for n in $x; do x; done",
            "for n in *; do x; done",
            "for n in a 'b c'; do x; done",
            "for n; do x; done",
            "echo $n",
        ] {
            let is_prefix = text == "x n=a";
            assert_eq!(constant(text, "n").is_none(), !is_prefix, "{text}");
        }
    }
}
