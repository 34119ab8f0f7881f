//! The forms in which programs print a value.

use std::fmt::Write;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The bytes that `encodeURIComponent` leaves, besides letters and digits.
const COMPONENT: &[u8] = b"-_.!~*'()";
/// The bytes that RFC 3986 leaves unreserved.
const UNRESERVED: &[u8] = b"-_.~";
/// The bytes that `application/x-www-form-urlencoded` leaves, with `+` for a space.
const FORM: &[u8] = b"-_.*";
/// The bytes that a path of a URL leaves.
const PATH: &[u8] = b"-_.~!$&'()*+,;=:@/";

/// Returns the forms of a value, each once.
pub(super) fn forms_of(value: &str) -> Vec<Vec<u8>> {
    let bytes = value.as_bytes();
    let mut forms = vec![bytes.to_vec()];
    for alphabet in [STANDARD, URL_SAFE] {
        forms.extend((0..3).map(|before| base64_inside(bytes, before, alphabet)));
        forms.push(padded(base64(bytes, alphabet)));
        forms.push(base64(bytes, alphabet));
    }
    for kept in [COMPONENT, UNRESERVED, PATH] {
        forms.push(percent(bytes, kept, b"%20", true));
        forms.push(percent(bytes, kept, b"%20", false));
    }
    forms.push(percent(bytes, FORM, b"+", true));
    let escapes = [JsonEscapes::default(), JsonEscapes { slash: true, ..JsonEscapes::default() }];
    let ascii = JsonEscapes { non_ascii: true, ..JsonEscapes::default() };
    let html = JsonEscapes { html: true, ..JsonEscapes::default() };
    forms.extend(escapes.into_iter().chain([ascii, html]).map(|which| json(value, which).into_bytes()));
    forms.push(value.replace('\'', r"'\''").into_bytes());
    forms.push(value.replace('\'', r#"'"'"'"#).into_bytes());
    forms.push(escaped(bytes, |byte| matches!(byte, b'"' | b'\\' | b'$' | b'`')));
    forms.push(escaped(bytes, |byte| matches!(byte, b'\'' | b'\\')));
    forms.push(escaped(bytes, |byte| {
        byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"_-./:=@%+".contains(&byte)
    }));
    forms.push(escaped(bytes, |byte| {
        byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"_-./:@%+=,".contains(&byte)
    }));
    forms.push(hex(bytes, "0123456789abcdef"));
    forms.push(hex(bytes, "0123456789ABCDEF"));
    forms.push(value.chars().rev().collect::<String>().into_bytes());
    forms.push(value.encode_utf16().flat_map(u16::to_le_bytes).collect());
    forms.sort();
    forms.dedup();
    forms
}

/// Returns base64 with padding.
#[must_use]
pub fn base64_of(bytes: &[u8]) -> String {
    String::from_utf8(padded(base64(bytes, STANDARD))).unwrap_or_default()
}

fn padded(mut text: Vec<u8>) -> Vec<u8> {
    let padding = (4 - text.len() % 4) % 4;
    text.extend(std::iter::repeat_n(b'=', padding));
    text
}

/// Returns base64 without padding.
fn base64(bytes: &[u8], alphabet: &[u8; 64]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() * 4 / 3 + 2);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let sixes = [bits >> 18, bits >> 12 & 63, bits >> 6 & 63, bits & 63];
        text.extend(sixes.iter().take(group.len() + 1).map(|six| alphabet[*six as usize]));
    }
    text
}

/// Returns the part of base64 that depends on the value alone, after `before` other bytes in its first group.
fn base64_inside(bytes: &[u8], before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let shifted: Vec<u8> = std::iter::repeat_n(0, before).chain(bytes.iter().copied()).collect();
    let text = base64(&shifted, alphabet);
    text[(before * 8).div_ceil(6)..shifted.len() * 8 / 6].to_vec()
}

fn percent(bytes: &[u8], kept: &[u8], space: &[u8], is_upper: bool) -> Vec<u8> {
    let mut text = Vec::new();
    let digits = if is_upper { "0123456789ABCDEF" } else { "0123456789abcdef" };
    for byte in bytes {
        match byte {
            b' ' => text.extend(space),
            byte if byte.is_ascii_alphanumeric() || kept.contains(byte) => text.push(*byte),
            byte => {
                text.push(b'%');
                text.extend(hex(&[*byte], digits));
            }
        }
    }
    text
}

/// The bytes that some JSON encoders escape without need.
#[derive(Clone, Copy, Default)]
struct JsonEscapes {
    slash: bool,
    non_ascii: bool,
    /// `<`, `>` and `&`.
    html: bool,
}

fn json(value: &str, escapes: JsonEscapes) -> String {
    let mut text = String::new();
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '/' if escapes.slash => text.push_str("\\/"),
            '<' | '>' | '&' if escapes.html => unicode(character, &mut text),
            _ if character < ' ' || (escapes.non_ascii && !character.is_ascii()) => {
                unicode(character, &mut text);
            }
            _ => text.push(character),
        }
    }
    text
}

fn unicode(character: char, text: &mut String) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        // Writing to a string can't fail.
        let _ = write!(text, "\\u{unit:04x}");
    }
}

/// Returns the value with a backslash before some bytes.
fn escaped(bytes: &[u8], needs_backslash: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for byte in bytes {
        if needs_backslash(*byte) {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text
}

fn hex(bytes: &[u8], digits: &str) -> Vec<u8> {
    let digits = digits.as_bytes();
    bytes.iter().flat_map(|byte| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]).collect()
}

#[cfg(test)]
mod tests {
    use super::forms_of;

    fn has(value: &str, form: &str) {
        let forms = forms_of(value);
        assert!(forms.iter().any(|known| known == form.as_bytes()), "{value:?} as {form:?}");
    }

    #[test]
    fn a_value_has_the_forms_that_programs_print() {
        has("p@ss w/rd&1", "p%40ss%20w%2Frd%261");
        has("p@ss w/rd&1", "p%40ss%20w%2frd%261");
        has("p@ss w/rd&1", "p%40ss+w%2Frd%261");
        has("p@ss w/rd&1", "cEBzcyB3L3JkJjE=");
        has("p@ss w/rd&1", "1&dr/w ss@p");
        has("p@ss w/rd&1", "7040737320772f72642631");
        has("p@ss w/rd&1", r"p@ss w\/rd&1");
        has("p@ss w/rd&1", r"p@ss w/rd\u00261");
        has("p@ss w/rd&1", r"p@ss\ w/rd\&1");
        has("say \"hi\"\n", r#"say \"hi\"\n"#);
        has("it's $HOME", r"it'\''s $HOME");
        has("it's $HOME", r"it's \$HOME");
        has("it's $HOME", r"it\'s $HOME");
        has("geheim\u{e4}\u{1f600}", r"geheim\u00e4\ud83d\ude00");
        has("secret", "s\0e\0c\0r\0e\0t\0");
    }

    #[test]
    fn base64_is_known_at_each_alignment() {
        // "x" and "xy" before the value, and "z" behind it.
        has("hunter22", "aHVudGVyMj");
        has("hunter22", "h1bnRlcjIy");
        has("hunter22", "odW50ZXIyM");
    }
}
