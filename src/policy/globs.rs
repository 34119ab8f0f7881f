//! Globs.

#[derive(Clone, Copy, PartialEq, Eq)]
enum GlobPart {
    /// Any text.
    Many,
    /// Any character.
    One,
    Char(char),
}

/// Returns whether a glob of a shell matches a name.
///
/// A bracket expression matches any character: the glob may match too much, but never too little.
pub(super) fn glob_matches(glob: &str, name: &str) -> bool {
    let mut parts = Vec::new();
    let mut rest = glob.chars();
    while let Some(char) = rest.next() {
        parts.push(match char {
            '*' => GlobPart::Many,
            '?' => GlobPart::One,
            '[' => {
                rest.by_ref().find(|char| *char == ']');
                GlobPart::One
            }
            char => GlobPart::Char(char),
        });
    }
    matches(&parts, name)
}

/// Returns whether a text matches a pattern in which only `*` has a meaning.
pub(super) fn star_matches(pattern: &str, text: &str) -> bool {
    let part = |char| if char == '*' { GlobPart::Many } else { GlobPart::Char(char) };
    matches(&pattern.chars().map(part).collect::<Vec<_>>(), text)
}

/// Compares from the left. Only the last [`GlobPart::Many`] ever has to take more: what an earlier one could
/// take instead, the last one can take as well.
fn matches(parts: &[GlobPart], text: &str) -> bool {
    let mut at = 0;
    let mut rest = text;
    let mut last: Option<(usize, &str)> = None;
    loop {
        let mut behind = rest.chars();
        let next = behind.next();
        match (parts.get(at), next) {
            (None, None) => return true,
            (Some(GlobPart::Many), _) => {
                last = Some((at, rest));
                at += 1;
                continue;
            }
            (Some(GlobPart::One), Some(_)) => {
                at += 1;
                rest = behind.as_str();
                continue;
            }
            (Some(GlobPart::Char(char)), Some(next)) if *char == next => {
                at += 1;
                rest = behind.as_str();
                continue;
            }
            _ => {}
        }
        let Some((star, taken)) = last else { return false };
        let mut taken = taken.chars();
        if taken.next().is_none() {
            return false;
        }
        last = Some((star, taken.as_str()));
        at = star + 1;
        rest = taken.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::{glob_matches, star_matches};

    #[test]
    fn a_star_takes_any_text() {
        for (pattern, text) in [("a*c", "ac"), ("a*c", "abcbc"), ("*", ""), ("*a*b", "xaab"), ("a**b", "ab")]
        {
            assert!(star_matches(pattern, text) && glob_matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*c", "ab"), ("ab*ba", "aba"), ("", "a"), ("a", "")] {
            assert!(!star_matches(pattern, text) && !glob_matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn only_a_glob_has_other_marks() {
        assert!(glob_matches("a?[bc]*", "axb") && !glob_matches("a?[bc]*", "ax"));
        assert!(!star_matches("a?", "ab") && star_matches("a?*", "a?b"));
    }
}
