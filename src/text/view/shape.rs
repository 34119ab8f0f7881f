//! Recognizes similar lines, by hashes of a line with its details masked.

/// The number of bytes of a line that are hashed: the rest hardly ever distinguishes two kinds of lines.
const HASHED_BYTES: usize = 512;

/// The fewest hexadecimal digits, one of them a decimal digit, that make a word a hash or an address.
const MIN_HEX_DIGITS: usize = 6;

/// Two hashes of a line with its details masked. Lines with the same hash are similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The hash with numbers masked. The number 0 is kept: `0 failed` is not similar to `3 failed`.
    pub template: u64,
    /// The hash with numbers and words masked; punctuation is kept.
    pub skeleton: u64,
}

impl Shape {
    /// Returns the shape of the line as a failure.
    ///
    /// The result differs from the shapes of other lines: `not ok 7 - name` has the skeleton of hundreds of
    /// `ok 8 - name`, and must not rank lower for that.
    #[must_use]
    pub const fn of_failure(self) -> Self {
        Self { skeleton: !self.skeleton, ..self }
    }
}

const SPACE: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 4;
const OTHER: u8 = 8;
const WORD: u8 = LETTER | DIGIT;

const KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        #[allow(clippy::cast_possible_truncation, reason = "it is below 256")]
        let character = byte as u8;
        kinds[byte] = match character {
            b' ' | b'\t' => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => LETTER,
            b'0'..=b'9' => DIGIT,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
}

#[must_use]
pub fn shape_of(line: &str) -> Shape {
    let bytes = &line.as_bytes()[..line.len().min(HASHED_BYTES)];
    let (mut template, mut skeleton) = (Hash::new(1), Hash::new(2));
    // The skeleton has consecutive words only once.
    let mut skeleton_last = 0_u8;
    let mut offset = 0;
    while offset < bytes.len() {
        let kind = KINDS[usize::from(bytes[offset])];
        let start = offset;
        match kind {
            SPACE => {
                while offset < bytes.len() && KINDS[usize::from(bytes[offset])] == SPACE {
                    offset += 1;
                }
                template.add(b' ');
                // Indentation distinguishes lines; the spaces between words do not.
                if start == 0 {
                    skeleton.add(b' ');
                    skeleton.add(u8::try_from(offset.min(12)).unwrap_or(12));
                }
            }
            OTHER => {
                template.add(bytes[offset]);
                offset += 1;
                // Rulers (`-----`) of any length have the same hash.
                while offset < bytes.len() && bytes[offset] == bytes[start] {
                    offset += 1;
                }
                skeleton.add(bytes[start]);
                skeleton_last = 0;
            }
            _ => {
                let mut seen = 0;
                for &byte in &bytes[start..] {
                    let kind = KINDS[usize::from(byte)];
                    if kind & WORD == 0 {
                        break;
                    }
                    seen |= kind;
                    offset += 1;
                }
                let (has_digits, has_letters) = (seen & DIGIT != 0, seen & LETTER != 0);
                let word = &bytes[start..offset];
                let masked = if !has_digits {
                    template.add_all(word);
                    b'a'
                } else if !has_letters {
                    template.add(masked_number(word, &bytes[..start]));
                    b'0'
                } else if word.len() >= MIN_HEX_DIGITS && word.iter().all(u8::is_ascii_hexdigit)
                    || word.starts_with(b"0x")
                {
                    template.add(b'#');
                    b'#'
                } else {
                    template.add_masked(word);
                    b'a'
                };
                if masked != b'a' || skeleton_last != b'a' {
                    skeleton.add(masked);
                }
                skeleton_last = masked;
            }
        }
    }
    Shape { template: template.finish(), skeleton: skeleton.finish() }
}

pub(super) fn hash_of(word: &[u8]) -> u64 {
    let mut hash = Hash::new(3);
    hash.add_all(word);
    hash.finish()
}

/// Returns the byte that replaces a number in a template.
///
/// A few numbers carry the meaning of a line and stay distinct: 0, the status of an HTTP answer, and the
/// levels in JSON logs.
fn masked_number(number: &[u8], before: &[u8]) -> u8 {
    match number {
        b"0" => b'z',
        b"50" | b"60" if before.ends_with(b"\":") => b'e',
        [first, _, _] if before.ends_with(b"\" ") => *first,
        [first @ (b'4' | b'5'), _, _] if precedes_status(before) => *first,
        _ => b'0',
    }
}

/// Returns whether a text precedes an HTTP status: `GET /path 500`, `GET 500`, `"status":500`.
fn precedes_status(before: &[u8]) -> bool {
    const METHODS: [&[u8]; 5] = [b"GET", b"POST", b"PUT", b"PATCH", b"DELETE"];
    let Some(last) = before.iter().rposition(|byte| !b" \":=".contains(byte)) else { return false };
    if last + 1 == before.len() {
        return false;
    }
    let start = before[..last].iter().rposition(|byte| b" \t\",{".contains(byte)).map_or(0, |at| at + 1);
    let word = &before[start..=last];
    word[0] == b'/' || word.ends_with(b"tatus") || METHODS.contains(&word)
}

/// A hash function with the same results on every machine and in every run.
struct Hash(u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hash {
    const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(MULTIPLIER))
    }

    const fn add(&mut self, byte: u8) {
        self.word(byte as u64 + 1);
    }

    const fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER);
    }

    fn add_all(&mut self, word: &[u8]) {
        let (chunks, rest) = word.as_chunks::<8>();
        for chunk in chunks {
            self.word(u64::from_le_bytes(*chunk));
        }
        // The loop is faster than a copy, which would be a call for so few bytes.
        let last = rest.iter().rev().fold(0, |last, &byte| last << 8 | u64::from(byte));
        self.word(last ^ 0xa5);
    }

    /// Adds a word, in which each run of digits counts as one digit.
    fn add_masked(&mut self, word: &[u8]) {
        let mut was_digit = false;
        for &byte in word {
            let is_digit = byte.is_ascii_digit();
            if !(is_digit && was_digit) {
                self.add(if is_digit { b'0' } else { byte });
            }
            was_digit = is_digit;
        }
    }

    const fn finish(&self) -> u64 {
        let mixed = self.0 ^ (self.0 >> 32);
        let mixed = mixed.wrapping_mul(MULTIPLIER);
        mixed ^ (mixed >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::shape_of;

    fn alike(one: &str, other: &str) -> (bool, bool) {
        let (one, other) = (shape_of(one), shape_of(other));
        (one.template == other.template, one.skeleton == other.skeleton)
    }

    #[test]
    fn numbers_and_hashes_are_masked() {
        assert_eq!(alike("copied 12 of 900 files", "copied 899 of 900 files"), (true, true));
        assert_eq!(alike("commit 0a1b2c3d4e", "commit ffee99ddaa"), (true, true));
        assert_eq!(alike("part17.o", "part2.o"), (true, true));
    }

    #[test]
    fn words_are_masked_in_the_skeleton_only() {
        assert_eq!(alike("Compiling serde v1.2", "Compiling tokio v3.4"), (false, true));
    }

    #[test]
    fn none_is_not_like_some() {
        assert!(!alike("0 failed", "3 failed").0);
        assert_eq!(alike("4 failed", "3 failed"), (true, true));
    }

    #[test]
    fn the_status_of_a_failed_request_is_not_masked() {
        let lines =
            ["GET /cart/1 200 2 ms", "npm http fetch GET 200 http://a/b", r#"{"url":"/a","status":200}"#];
        for line in lines {
            assert!(!alike(line, &line.replace("200", "503")).0, "{line}");
            assert!(alike(line, &line.replace("200", "304")).0, "{line}");
        }
        assert!(alike("copied 200 of 900 files", "copied 503 of 900 files").0);
    }

    #[test]
    fn punctuation_and_indentation_distinguish_lines() {
        assert!(!alike("a: b", "a b").1);
        assert!(!alike("    a b", "a b").1);
    }
}
