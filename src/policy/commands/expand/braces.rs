//! Brace expansion.

use crate::policy::commands::scope::Scope;

use super::atom::Atom;

/// The most alternatives that one word becomes; more are not distinguished.
const MAX_ALTERNATIVES: usize = 64;

/// The most elements of a range that are distinguished.
const MAX_RANGE: i64 = 64;

/// The most opening braces in a word that are expanded: each may double the alternatives.
const MAX_BRACES: usize = 16;

/// The longest word of which the braces are expanded, in atoms: each alternative is a copy of it.
const MAX_ATOMS: usize = 2_000;

/// Expands braces: `a{b,c}d` is `abd acd`, `{1..3}` is `1 2 3`.
pub(super) fn braces(atoms: &[Atom], scope: &Scope) -> Vec<Vec<Atom>> {
    let is_bare = |atom: &Atom, char: char| matches!(atom, Atom::Char(other, false) if *other == char);
    let count = atoms.iter().filter(|atom| is_bare(atom, '{')).count();
    if count == 0 {
        return vec![atoms.to_vec()];
    }
    if count > MAX_BRACES || atoms.len() > MAX_ATOMS || !scope.spend(atoms.len()) {
        return vec![vec![Atom::unknown()]];
    }
    for open in (0..atoms.len()).filter(|&index| is_bare(&atoms[index], '{')) {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        let mut close = None;
        for (index, atom) in atoms.iter().enumerate().skip(open) {
            if is_bare(atom, '{') {
                depth += 1;
            } else if is_bare(atom, '}') {
                depth -= 1;
                if depth == 0 {
                    close = Some(index);
                    break;
                }
            } else if is_bare(atom, ',') && depth == 1 {
                commas.push(index);
            }
        }
        let Some(close) = close else { continue };
        let inner = &atoms[open + 1..close];
        let choices: Vec<Vec<Atom>> = if commas.is_empty() {
            let Some(range) = range(inner) else { continue };
            range
        } else {
            let ends = commas.iter().copied().chain([close]);
            let starts = [open].into_iter().chain(commas.iter().copied());
            starts.zip(ends).map(|(start, end)| atoms[start + 1..end].to_vec()).collect()
        };
        let mut results = Vec::new();
        for choice in choices {
            let whole = [&atoms[..open], &choice, &atoms[close + 1..]].concat();
            results.extend(braces(&whole, scope));
            if results.len() > MAX_ALTERNATIVES {
                break;
            }
        }
        return results;
    }
    vec![atoms.to_vec()]
}

/// Returns the elements of `1..3` or `a..c`; unknown ones for more than [`MAX_RANGE`].
fn range(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let mut text = String::new();
    for atom in inner {
        let Atom::Char(char, false) = atom else { return None };
        text.push(*char);
    }
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let unknown = || vec![vec![Atom::unknown()]];
    let spelled = |text: String| text.chars().map(|char| Atom::Char(char, true)).collect::<Vec<_>>();
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let (low, high) = (first.min(last), first.max(last));
        let is_short = high.checked_sub(low).is_some_and(|distance| distance < MAX_RANGE);
        if !is_short || parts.next().is_some() {
            return Some(unknown());
        }
        return Some((low..=high).map(|number| spelled(number.to_string())).collect());
    }
    let letter = |text: &str| text.parse::<char>().ok().filter(char::is_ascii_alphabetic);
    let (first, last) = (letter(first)?, letter(last)?);
    if parts.next().is_some() {
        return Some(unknown());
    }
    Some((first.min(last)..=first.max(last)).map(|char| spelled(char.to_string())).collect())
}
