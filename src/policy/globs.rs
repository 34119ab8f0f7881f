//! Globs of shells.

/// Returns whether a glob of a shell matches a name.
///
/// A bracket expression matches any character: the glob may match too much, but never too little.
pub(super) fn glob_matches(glob: &str, name: &str) -> bool {
    let mut chars: Vec<Option<char>> = Vec::new();
    let mut rest = glob.chars();
    while let Some(char) = rest.next() {
        match char {
            '[' => {
                for char in rest.by_ref() {
                    if char == ']' {
                        break;
                    }
                }
                chars.push(None);
            }
            '?' => chars.push(None),
            char => chars.push(Some(char)),
        }
    }
    let name: Vec<char> = name.chars().collect();
    // Each part but `*` takes a character, so a longer glob can't match.
    if chars.iter().filter(|char| **char != Some('*')).count() > name.len() {
        return false;
    }
    // reached[n]: the glob so far matches the first n characters.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for char in chars {
        let mut next = vec![false; name.len() + 1];
        for index in 0..=name.len() {
            next[index] = match char {
                Some('*') => reached[index] || index > 0 && next[index - 1],
                None => index > 0 && reached[index - 1],
                Some(char) => index > 0 && reached[index - 1] && name[index - 1] == char,
            };
        }
        reached = next;
    }
    reached[name.len()]
}
