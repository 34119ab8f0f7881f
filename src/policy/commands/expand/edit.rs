//! The operators of `${…}` that edit a value.

use crate::policy::commands::field::UNKNOWN;

/// Characters that mean something in a pattern. The parenthesis is one of extended patterns.
const ACTIVE: [char; 5] = ['*', '?', '[', '\\', '('];

/// The operand of an operator: a pattern, with a replacement behind some.
pub(super) type Operand = Vec<Glyph>;

/// A character of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    char: char,
    origin: Origin,
}

/// Where a character of an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// It stands there, and may be a part of the operator.
    Text,
    /// An expansion gave it: it may be a part of a pattern.
    Expansion,
    /// It is quoted, and means itself.
    Quoted,
}

impl Glyph {
    fn is_text(self, char: char) -> bool {
        self == Self { char, origin: Origin::Text }
    }

    fn is_active(self) -> bool {
        self.origin != Origin::Quoted && ACTIVE.contains(&self.char)
    }
}

/// Returns the characters of a part of an operand.
pub(super) fn glyphs(text: &str, origin: Origin) -> impl Iterator<Item = Glyph> {
    text.chars().map(move |char| Glyph { char, origin })
}

/// Returns whether the shell may replace a part of an operand by what is not known: a mark, or a tilde.
pub(super) fn is_unknown(operand: &[Glyph]) -> bool {
    operand.iter().any(|glyph| glyph.char == UNKNOWN || glyph.is_text('~'))
}

/// Returns a value after an operator that edits it; `None` where the result is not known.
pub(super) fn edit(value: &str, symbol: u8, operand: &[Glyph]) -> Option<String> {
    if value.contains(UNKNOWN) {
        return None;
    }
    match symbol {
        b':' => substring(value, &text_of(operand)),
        b'#' | b'%' => {
            let double = operand.first().is_some_and(|glyph| glyph.is_text(symbol as char));
            let pattern = &operand[usize::from(double)..];
            if pattern.iter().any(|glyph| glyph.is_active()) {
                return cut_at(value, symbol, pattern, double).map(str::to_owned);
            }
            let pattern = text_of(pattern);
            let cut =
                if symbol == b'#' { value.strip_prefix(&pattern) } else { value.strip_suffix(&pattern) };
            Some(cut.unwrap_or(value).to_owned())
        }
        b'/' => replaced(value, operand),
        // How other letters change depends on the language.
        _ if !value.is_ascii() => None,
        b'^' if is(operand, '^') => Some(value.to_ascii_uppercase()),
        b',' if is(operand, ',') => Some(value.to_ascii_lowercase()),
        b'@' if is(operand, 'L') => Some(value.to_ascii_lowercase()),
        b'@' if is(operand, 'U') => Some(value.to_ascii_uppercase()),
        _ => None,
    }
}

fn text_of(glyphs: &[Glyph]) -> String {
    glyphs.iter().map(|glyph| glyph.char).collect()
}

fn is(operand: &[Glyph], char: char) -> bool {
    matches!(operand, [glyph] if glyph.is_text(char))
}

/// Returns a part of a value: `${x:1}`, `${x:1:2}`. What a character is depends on the language.
fn substring(value: &str, operand: &str) -> Option<String> {
    // An empty number is 0: `${x::2}`.
    let number = |text: &str| if text.is_empty() { Some(0) } else { decimal(text) };
    let mut numbers = operand.split(':').map(number);
    let from = numbers.next()??;
    let length = numbers.next().unwrap_or(Some(usize::MAX))?;
    value.is_ascii().then(|| value.chars().skip(from).take(length).collect())
}

/// Returns a number that is neither octal nor an expression.
pub(super) fn decimal(text: &str) -> Option<usize> {
    let text = text.trim();
    let is_octal = text.len() > 1 && text.starts_with('0');
    (!is_octal && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// Returns a value with a text replaced: `${x/a/b}`, `${x//a/b}`.
fn replaced(value: &str, operand: &[Glyph]) -> Option<String> {
    let is_all = operand.first().is_some_and(|glyph| glyph.is_text('/'));
    let operand = &operand[usize::from(is_all)..];
    let slash = operand.iter().position(|glyph| glyph.is_text('/')).unwrap_or(operand.len());
    let (pattern, replacement) = operand.split_at(slash);
    let first = pattern.first()?.char;
    if matches!(first, '#' | '%') || pattern.iter().any(|glyph| glyph.is_active()) {
        return None;
    }
    let pattern = text_of(pattern);
    let replacement = text_of(replacement.get(1..).unwrap_or_default());
    // `&` stands for the match since bash 5.2, and `shopt -s nocasematch` makes more texts match.
    let found = places(value, &pattern);
    let others = places(&value.to_ascii_lowercase(), &pattern.to_ascii_lowercase());
    if replacement.contains(['&', '\\']) || others != found {
        return None;
    }
    let mut edited = String::new();
    let mut end = 0;
    for at in found.into_iter().take(if is_all { usize::MAX } else { 1 }) {
        edited.push_str(&value[end..at]);
        edited.push_str(&replacement);
        end = at + pattern.len();
    }
    edited.push_str(&value[end..]);
    Some(edited)
}

/// Returns the places of a text that do not overlap.
fn places(value: &str, text: &str) -> Vec<usize> {
    value.match_indices(text).map(|(at, _)| at).collect()
}

/// Returns a value without the end from a text on, or without the start up to it: `${x%/*}`, `${x##*/}`.
fn cut_at<'a>(value: &'a str, symbol: u8, pattern: &[Glyph], is_longest: bool) -> Option<&'a str> {
    let (star, text) = if symbol == b'%' { pattern.split_last()? } else { pattern.split_first()? };
    if !star.is_active() || star.char != '*' || text.is_empty() || text.iter().any(|glyph| glyph.is_active())
    {
        return None;
    }
    let text = text_of(text);
    let at = if (symbol == b'%') == is_longest { value.find(&text) } else { value.rfind(&text) };
    Some(match at {
        None => value,
        Some(at) if symbol == b'%' => &value[..at],
        Some(at) => &value[at + text.len()..],
    })
}
