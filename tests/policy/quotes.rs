//! Compares how the policy and bash read random quoted words.

use std::process::Command;

use super::{Mode, decide, policy};

/// Escapes, whole and broken, and text that may follow them.
const ESCAPES: [&str; 43] = [
    r"\x", r"\x{", r"\u", r"\U", r"\c", r"\0", r"\1", r"\7", r"\8", r"\a", r"\b", r"\e", r"\E", r"\f", r"\n",
    r"\r", r"\t", r"\v", r"\\", r"\'", "\\\"", r"\?", r"\z", r"\é", "\\\n", "{", "}", "0", "1", "4", "7",
    "9", "a", "f", "Z", "é", "\u{1f600}", "?", "$", "`", "~", "*", " ",
];

/// Quotes of each kind, backslashes, and characters that mean something only outside of quotes.
const QUOTED: [&str; 22] = [
    r"\\", r"\'", "\\\"", r"\$", r"\`", "\\\n", r"\ ", r"\n", r"\é", "''", "'a b'", r"'\'", "\"\"",
    "\"a  b\"", r#""\"\\\n""#, "\"'\"", "'\"'", r"$'\n'", "\"*~{a,b}\"", "'#$x`'", "a", "é",
];

const WORDS: usize = 4_000;

/// A generator with a fixed seed: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % limit
    }

    fn pieces(&mut self, choices: &[&str]) -> String {
        (0..=self.below(7)).map(|_| choices[self.below(choices.len())]).collect()
    }
}

/// Returns the words as bash reads them.
fn of_bash(words: &[String]) -> Vec<String> {
    let script = format!("printf '%s\\0' {}", words.join(" "));
    let output = Command::new("bash").args(["-c", &script]).env("LC_ALL", "C.UTF-8").output().expect("bash");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut values: Vec<String> = output
        .stdout
        .split(|byte| *byte == 0)
        .map(|value| String::from_utf8_lossy(value).into_owned())
        .collect();
    assert_eq!(values.pop().as_deref(), Some(""), "each value ends with a NUL");
    values
}

/// Fails with a list of the words that the policy reads in another way than bash.
fn compare(words: &[String]) {
    let policy = policy(Mode::BypassPermissions, &[], &[], &[]);
    let mut wrong = Vec::new();
    for words in words.chunks(100) {
        for (word, bash) in words.iter().zip(of_bash(words)) {
            let decision = decide(&format!("echo {word}"), &policy);
            let ours = decision.commands.first().and_then(|command| command.argv.get(1)).cloned().flatten();
            if ours.as_deref() != Some(bash.as_str()) {
                wrong.push(format!("{word:?} is {bash:?} in bash, {ours:?} here ({})", decision.reason));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), words.len(), wrong.join("\n"));
}

#[test]
fn escapes_in_quotes_are_those_of_bash() {
    let mut random = Random(0x5eed);
    compare(&(0..WORDS).map(|_| format!("$'{}'", random.pieces(&ESCAPES))).collect::<Vec<_>>());
}

#[test]
fn quotes_and_backslashes_end_where_they_end_in_bash() {
    let mut random = Random(0x5eed);
    // The letter keeps the word from being empty, because no command line has an empty name.
    compare(&(0..WORDS).map(|_| format!("a{}", random.pieces(&QUOTED))).collect::<Vec<_>>());
}
