//! The operators of `${…}` that edit a value.

use crate::policy::commands::field::UNKNOWN;

/// Returns a value after an operator that edits it; `None` where the result is not known.
pub(super) fn edit(value: &str, symbol: u8, operand: &str) -> Option<String> {
    if value.contains(UNKNOWN) || operand.contains(UNKNOWN) {
        return None;
    }
    let is_plain = |pattern: &str| !pattern.contains(['*', '?', '[', '\\']);
    match symbol {
        b':' => {
            let mut numbers = operand.split(':').map(|number| number.trim().parse::<i64>());
            let from = usize::try_from(numbers.next()?.ok()?).ok()?;
            let length = match numbers.next() {
                None => usize::MAX,
                Some(length) => usize::try_from(length.ok()?).ok()?,
            };
            Some(value.chars().skip(from).take(length).collect())
        }
        b'#' | b'%' => {
            let double = operand.strip_prefix(symbol as char);
            let pattern = double.unwrap_or(operand);
            if !is_plain(pattern) {
                return cut_at(value, symbol, pattern, double.is_some()).map(str::to_owned);
            }
            let cut = if symbol == b'#' { value.strip_prefix(pattern) } else { value.strip_suffix(pattern) };
            Some(cut.unwrap_or(value).to_owned())
        }
        b'/' => {
            let (is_all, rest) = operand.strip_prefix('/').map_or((false, operand), |rest| (true, rest));
            let (pattern, replacement) = rest.split_once('/').unwrap_or((rest, ""));
            if !is_plain(pattern) || pattern.is_empty() || pattern.starts_with(['#', '%']) {
                return None;
            }
            let edited = if is_all {
                value.replace(pattern, replacement)
            } else {
                value.replacen(pattern, replacement, 1)
            };
            Some(edited)
        }
        b'^' if operand == "^" => Some(value.to_uppercase()),
        b',' if operand == "," => Some(value.to_lowercase()),
        b'@' if operand == "L" => Some(value.to_lowercase()),
        b'@' if operand == "U" => Some(value.to_uppercase()),
        _ => None,
    }
}

/// Returns a value without the end from a text on, or without the start up to it: `${x%/*}`, `${x##*/}`.
fn cut_at<'a>(value: &'a str, symbol: u8, pattern: &str, is_longest: bool) -> Option<&'a str> {
    let text = if symbol == b'%' { pattern.strip_suffix('*') } else { pattern.strip_prefix('*') }?;
    if text.is_empty() || text.contains(['*', '?', '[', '\\']) {
        return None;
    }
    let at = if (symbol == b'%') == is_longest { value.find(text) } else { value.rfind(text) };
    Some(match at {
        None => value,
        Some(at) if symbol == b'%' => &value[..at],
        Some(at) => &value[at + text.len()..],
    })
}
