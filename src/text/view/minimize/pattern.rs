//! Patterns for whole lines: `[#/#] Building*`.
//!
//! A pattern can't be invalid, and a match takes time in proportion to the line for the patterns that rules
//! have. Regular expressions could do neither.

use std::fmt;

/// A pattern for a whole line without the blanks at its ends. `*` stands for any text, `#` for a number
/// (digits with `.` and `,` between them), a space for one or more blanks, `+` for more of the character
/// before it; `\` makes the next character literal.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LinePattern(Vec<PatternPart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternPart {
    Text(String),
    Any,
    Number,
    Blanks,
    /// One or more of a character.
    Run(char),
}

impl fmt::Debug for LinePattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Pattern").field(&self.0.len()).finish()
    }
}

impl LinePattern {
    pub(super) fn new(text: &str) -> Self {
        let mut parts: Vec<PatternPart> = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '*' => {
                    if parts.last() != Some(&PatternPart::Any) {
                        parts.push(PatternPart::Any);
                    }
                }
                '#' => parts.push(PatternPart::Number),
                ' ' => parts.push(PatternPart::Blanks),
                '+' => repeat_last(&mut parts),
                '\\' => push_literal(&mut parts, characters.next().unwrap_or('\\')),
                _ => push_literal(&mut parts, character),
            }
        }
        Self(parts)
    }

    pub(super) fn matches(&self, line: &str) -> bool {
        self.may_match(line) && self.matches_parts(line)
    }

    /// Returns whether the end of a line is that of the pattern.
    #[inline]
    fn may_match(&self, line: &str) -> bool {
        !matches!(self.0.last(), Some(PatternPart::Text(text)) if !line.ends_with(text.as_str()))
    }

    /// Returns whether a line that begins with a byte may match; `None` if any line may.
    fn may_begin(&self, byte: u8) -> Option<bool> {
        match self.0.first()? {
            PatternPart::Text(text) => Some(text.as_bytes().first() == Some(&byte)),
            PatternPart::Number => Some(byte.is_ascii_digit()),
            PatternPart::Blanks => Some(matches!(byte, b' ' | b'\t')),
            PatternPart::Run(character) => {
                let mut bytes = [0; 4];
                character.encode_utf8(&mut bytes);
                Some(bytes[0] == byte)
            }
            PatternPart::Any => None,
        }
    }

    fn matches_parts(&self, line: &str) -> bool {
        // As for globs, only the last `*` needs another try.
        let (mut index, mut rest) = (0, line);
        let mut retry: Option<(usize, &str)> = None;
        loop {
            let is_over = match self.0.get(index) {
                None if rest.is_empty() => return true,
                None => true,
                Some(PatternPart::Any) => {
                    index += 1;
                    if index == self.0.len() {
                        return true;
                    }
                    retry = Some((index, rest));
                    false
                }
                Some(part) => match part.strip(rest) {
                    Some(after) => {
                        (index, rest) = (index + 1, after);
                        false
                    }
                    None => true,
                },
            };
            if is_over {
                let Some((again, from)) = retry else { return false };
                let Some(from) = self.next_try(again, from) else { return false };
                (index, rest, retry) = (again, from, Some((again, from)));
            }
        }
    }

    /// Returns the next place at which the part `index`, which follows a `*`, may match.
    fn next_try<'a>(&self, index: usize, from: &'a str) -> Option<&'a str> {
        let next = from.chars().next()?;
        let from = &from[next.len_utf8()..];
        match self.0.get(index) {
            Some(PatternPart::Text(text)) => from.find(text.as_str()).map(|at| &from[at..]),
            Some(PatternPart::Blanks) => from.find([' ', '\t']).map(|at| &from[at..]),
            Some(PatternPart::Number) => from.find(|next: char| next.is_ascii_digit()).map(|at| &from[at..]),
            _ => Some(from),
        }
    }
}

/// Several patterns, of which a line has to match one. The first byte of a line decides for most of them: a
/// script has the signs of all programs to look for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Patterns {
    /// The patterns that begin with something else than `*`.
    fixed: Vec<LinePattern>,
    /// A bit for each byte with which a line begins that one of them may match.
    first: [u64; 4],
    /// The others.
    open: Vec<LinePattern>,
}

impl Patterns {
    pub(super) fn new(patterns: impl IntoIterator<Item = LinePattern>) -> Self {
        let mut all = Self::default();
        for pattern in patterns {
            let bytes = || (0..=u8::MAX).filter(|byte| pattern.may_begin(*byte) == Some(true));
            bytes().for_each(|byte| all.first[usize::from(byte >> 6)] |= 1 << (byte & 63));
            if bytes().next().is_some() { all.fixed.push(pattern) } else { all.open.push(pattern) }
        }
        all
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.open.is_empty()
    }

    #[inline]
    pub(super) fn match_one(&self, line: &str) -> bool {
        let may_begin = |byte: &u8| self.first[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0;
        line.as_bytes().first().is_some_and(may_begin)
            && self.fixed.iter().any(|pattern| pattern.matches(line))
            || self.open.iter().any(|pattern| pattern.matches(line))
    }
}

impl PatternPart {
    /// Returns what follows this part at the beginning of a text.
    fn strip<'a>(&self, text: &'a str) -> Option<&'a str> {
        match self {
            Self::Text(literal) => text.strip_prefix(literal.as_str()),
            Self::Any => Some(text),
            Self::Number => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
                let mut end = text.bytes().take_while(is_part).count();
                end -= text[..end].bytes().rev().take_while(|byte| !byte.is_ascii_digit()).count();
                text.starts_with(|first: char| first.is_ascii_digit()).then(|| &text[end..])
            }
            Self::Blanks => {
                let rest = text.trim_start_matches([' ', '\t']);
                (rest.len() < text.len()).then_some(rest)
            }
            Self::Run(character) => {
                let rest = text.trim_start_matches(*character);
                (rest.len() < text.len()).then_some(rest)
            }
        }
    }
}

fn push_literal(parts: &mut Vec<PatternPart>, character: char) {
    match parts.last_mut() {
        Some(PatternPart::Text(text)) => text.push(character),
        _ => parts.push(PatternPart::Text(character.to_string())),
    }
}

fn repeat_last(parts: &mut Vec<PatternPart>) {
    let Some(PatternPart::Text(text)) = parts.last_mut() else { return push_literal(parts, '+') };
    let Some(last) = text.pop() else { return };
    if text.is_empty() {
        parts.pop();
    }
    parts.push(PatternPart::Run(last));
}

#[cfg(test)]
mod tests {
    use super::{LinePattern, Patterns};

    fn matches(pattern: &str, line: &str) -> bool {
        LinePattern::new(pattern).matches(line)
    }

    #[test]
    fn a_pattern_is_for_the_whole_line() {
        assert!(matches("[#/#] Building *", "[12/345] Building C object a.o"));
        assert!(!matches("[#/#] Building *", "x [12/345] Building C object a.o"));
        assert!(!matches("test * ... ok", "test a ... ok now"));
        assert!(matches("test * ... ok", "test a ... ok ... ok"));
    }

    #[test]
    fn a_number_has_digits_and_marks_between_them() {
        for (line, is_match) in [("1,234.5 MB", true), ("7 MB", true), (". MB", false), ("1. MB", false)] {
            assert_eq!(matches("# MB", line), is_match, "{line}");
        }
    }

    #[test]
    fn a_space_stands_for_any_blanks() {
        assert!(matches("CC *.o", "CC\t  build/unit0.o") && !matches("CC *.o", "CCLD a.o"));
    }

    #[test]
    fn a_character_can_be_repeated_or_literal() {
        assert!(matches(r"*.py .+ *[*#%]", "tests/a.py ......     [ 10%]"));
        assert!(!matches(r"*.py .+ *[*#%]", "tests/a.py ..F..     [ 10%]"));
        assert!(matches(r"\## [#/#] *", "#5 [2/3] RUN make"));
        assert!(matches("+1", "+1") && matches(r"a\*", "a*") && !matches(r"a\*", "ab"));
    }

    #[test]
    fn one_of_several_patterns_is_found_by_any_beginning() {
        let texts = ["Compiling *", "# files", "*: done", " x", "=+ end =+", "✓ *", ""];
        let patterns = Patterns::new(texts.map(LinePattern::new));
        for line in ["Compiling a", "12 files", "a: done", "\tx", "== end ==", "✓ a", ""] {
            assert!(patterns.match_one(line), "{line}");
        }
        for line in ["compiling a", "files", "done", "x", "= end", "✔ a"] {
            assert!(!patterns.match_one(line), "{line}");
        }
        assert!(Patterns::default().is_empty() && !Patterns::default().match_one(""));
    }

    #[test]
    fn an_empty_pattern_matches_an_empty_line() {
        assert!(matches("", "") && !matches("", "a") && matches("*", "") && matches("**", "é€"));
    }
}
