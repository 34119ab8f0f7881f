//! Brace expansion.

use crate::policy::commands::scope::Scope;

use super::atom::Atom;

/// The most alternatives that one word becomes; more are not distinguished.
const MAX_ALTERNATIVES: usize = 64;

/// The most elements of a range that are distinguished.
const MAX_RANGE: u64 = 64;

/// The most opening braces in a word that are expanded: each may double the alternatives.
const MAX_BRACES: usize = 16;

/// The longest word of which the braces are expanded, in atoms: each alternative is a copy of it.
const MAX_ATOMS: usize = 2_000;

/// Expands braces: `a{b,c}d` is `abd acd`, `{1..3}` is `1 2 3`.
///
/// Shells do this to the text, before anything else: `$a{b,c}` is `$ab $ac`. What is put together so is not known.
pub(super) fn braces(atoms: &[Atom], scope: &Scope) -> Vec<Vec<Atom>> {
    let mut words = multiplied(atoms, scope);
    if words.len() > 1 || words.first().is_some_and(|word| word.len() != atoms.len()) {
        for word in words.iter_mut().filter(|word| has_new_expansion(word)) {
            *word = vec![Atom::unknown()];
        }
    }
    words
}

/// Returns whether a `$` or a name behind one has got characters that it did not have before.
fn has_new_expansion(word: &[Atom]) -> bool {
    word.windows(2).any(|pair| match pair {
        [Atom::Char('$', false), _] => true,
        [Atom::Value { is_open: true, .. }, Atom::Char(char, false)] => {
            char.is_ascii_alphanumeric() || *char == '_'
        }
        _ => false,
    })
}

fn multiplied(atoms: &[Atom], scope: &Scope) -> Vec<Vec<Atom>> {
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
            results.extend(multiplied(&whole, scope));
            if results.len() > MAX_ALTERNATIVES {
                break;
            }
        }
        return results;
    }
    vec![atoms.to_vec()]
}

/// Returns the elements of `1..3` or `c..a`, in this order; unknown ones for more than [`MAX_RANGE`], and for what versions of shells
/// read in different ways: other steps, leading zeros, characters between the capital and the small letters.
fn range(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let mut text = String::new();
    for atom in inner {
        let Atom::Char(char, false) = atom else { return None };
        text.push(*char);
    }
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let has_step = parts.next().is_some();
    let spelled = |text: String| text.chars().map(|char| Atom::Char(char, false)).collect::<Vec<_>>();
    let is_padded = |text: &str| text.trim_start_matches(['-', '+']).starts_with('0') && text.len() > 1;
    let letter = |text: &str| text.parse::<char>().ok().filter(char::is_ascii_alphabetic);
    let elements = if let (Ok(low), Ok(high)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let is_plain = !has_step && !is_padded(first) && !is_padded(last);
        let elements = || ordered(low, high).map(|number| spelled(number.to_string())).collect();
        (is_plain && low.abs_diff(high) < MAX_RANGE).then(elements)
    } else {
        let (low, high) = (u32::from(letter(first)?), u32::from(letter(last)?));
        let is_plain = !has_step && first.is_ascii() && (low < 0x60) == (high < 0x60);
        let elements = || ordered(low.into(), high.into()).filter_map(letter_of).map(spelled).collect();
        is_plain.then(elements)
    };
    Some(elements.unwrap_or_else(|| vec![vec![Atom::unknown()]]))
}

/// Returns the numbers from one to another, down or up.
fn ordered(first: i64, last: i64) -> impl Iterator<Item = i64> {
    let step = if first <= last { 1 } else { -1 };
    (0..=i64::try_from(first.abs_diff(last)).unwrap_or(0)).map(move |distance| first + step * distance)
}

fn letter_of(code: i64) -> Option<String> {
    Some(char::from(u8::try_from(code).ok()?).to_string())
}
