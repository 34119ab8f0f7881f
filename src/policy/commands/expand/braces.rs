//! Brace expansion.

use super::expansion::{Atom, Expansion};

/// The most alternatives of a word; more count as unknown.
const MAX_ALTERNATIVES: usize = 64;

/// The most elements of a range; more count as unknown.
const MAX_RANGE: u64 = 64;

/// The most opening braces that are expanded in a word: each may double the alternatives.
const MAX_BRACES: usize = 16;

/// The longest word whose braces are expanded (atoms): each alternative is a copy of it.
const MAX_ATOMS: usize = 2_000;

/// Expands braces: `a{b,c}d` is `abd acd`, `{1..3}` is `1 2 3`.
///
/// Shells expand braces before anything else: `$a{b,c}` is `$ab $ac`. A name that is composed in this way is
/// unknown.
pub(super) fn braces(atoms: Vec<Atom>) -> Vec<Vec<Atom>> {
    let has_brace = |atom: &Atom| matches!(atom, Atom::Text(text, false) if text.contains('{'));
    if !atoms.iter().any(has_brace) {
        return vec![atoms];
    }
    let single: Vec<Atom> = atoms.iter().flat_map(characters).collect();
    let mut words = multiplied(&single);
    if words.len() == 1 && words[0].len() == single.len() {
        return vec![atoms];
    }
    for word in words.iter_mut().filter(|word| has_new_expansion(word)) {
        *word = vec![unknown()];
    }
    words
}

fn unknown() -> Atom {
    Atom::Value(Expansion { is_many: true, ..Expansion::any_text() }, false)
}

/// Splits unquoted text into its characters.
fn characters(atom: &Atom) -> Vec<Atom> {
    match atom {
        Atom::Text(text, false) => text.chars().map(|char| Atom::Text(char.into(), false)).collect(),
        atom => vec![atom.clone()],
    }
}

/// Returns whether a `$`, or a name after one, has gained characters.
fn has_new_expansion(word: &[Atom]) -> bool {
    word.windows(2).any(|pair| match pair {
        [Atom::Text(text, false), _] => text == "$",
        [Atom::Value(value, _), Atom::Text(text, false)] if value.is_open => {
            text.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_')
        }
        _ => false,
    })
}

fn multiplied(atoms: &[Atom]) -> Vec<Vec<Atom>> {
    let is_bare = |atom: &Atom, char: &str| matches!(atom, Atom::Text(other, false) if other == char);
    let count = atoms.iter().filter(|atom| is_bare(atom, "{")).count();
    if count == 0 {
        return vec![atoms.to_vec()];
    }
    if count > MAX_BRACES || atoms.len() > MAX_ATOMS {
        return vec![vec![unknown()]];
    }
    for open in (0..atoms.len()).filter(|&index| is_bare(&atoms[index], "{")) {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        let mut close = None;
        for (index, atom) in atoms.iter().enumerate().skip(open) {
            if is_bare(atom, "{") {
                depth += 1;
            } else if is_bare(atom, "}") {
                depth -= 1;
                if depth == 0 {
                    close = Some(index);
                    break;
                }
            } else if is_bare(atom, ",") && depth == 1 {
                commas.push(index);
            }
        }
        let Some(close) = close else { continue };
        let choices: Vec<Vec<Atom>> = if commas.is_empty() {
            let Some(range) = range(&atoms[open + 1..close]) else { continue };
            range
        } else {
            let ends = commas.iter().copied().chain([close]);
            let starts = [open].into_iter().chain(commas.iter().copied());
            starts.zip(ends).map(|(start, end)| atoms[start + 1..end].to_vec()).collect()
        };
        let mut results = Vec::new();
        for choice in choices {
            let whole = [&atoms[..open], &choice, &atoms[close + 1..]].concat();
            results.extend(multiplied(&whole));
            if results.len() > MAX_ALTERNATIVES {
                results.truncate(MAX_ALTERNATIVES);
                results.push(vec![unknown()]);
                break;
            }
        }
        return results;
    }
    vec![atoms.to_vec()]
}

/// Returns the elements of `1..3` or `c..a` in order.
///
/// The elements are unknown if there are more than [`MAX_RANGE`], or if versions of shells differ: other
/// steps, leading zeros, characters between the capital and the small letters.
fn range(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let mut text = String::new();
    for atom in inner {
        let Atom::Text(part, false) = atom else { return None };
        text.push_str(part);
    }
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let has_step = parts.next().is_some();
    let is_padded = |text: &str| text.trim_start_matches(['-', '+']).starts_with('0') && text.len() > 1;
    let letter = |text: &str| text.parse::<char>().ok().filter(char::is_ascii_alphabetic);
    let elements: Option<Vec<String>> = if let (Ok(low), Ok(high)) =
        (first.parse::<i64>(), last.parse::<i64>())
    {
        let is_plain = !has_step && !is_padded(first) && !is_padded(last) && low.abs_diff(high) < MAX_RANGE;
        is_plain.then(|| ordered(low, high).map(|number| number.to_string()).collect())
    } else {
        let (low, high) = (u32::from(letter(first)?), u32::from(letter(last)?));
        let is_plain = !has_step && (low < 0x60) == (high < 0x60);
        let letters = || ordered(low.into(), high.into()).filter_map(|code| u8::try_from(code).ok());
        is_plain.then(|| letters().map(|code| char::from(code).to_string()).collect())
    };
    let spelled = |text: String| vec![Atom::Text(text, false)];
    Some(elements.map_or_else(|| vec![vec![unknown()]], |all| all.into_iter().map(spelled).collect()))
}

/// Returns the numbers from one to another, rising or falling.
fn ordered(first: i64, last: i64) -> impl Iterator<Item = i64> {
    let step = if first <= last { 1 } else { -1 };
    (0..=i64::try_from(first.abs_diff(last)).unwrap_or(0)).map(move |distance| first + step * distance)
}
