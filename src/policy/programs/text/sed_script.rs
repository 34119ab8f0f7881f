//! The language of sed, as far as it shows which programs run (GNU's `e`) and which files are written.

use std::iter::Peekable;
use std::str::Chars;

use crate::policy::commands::UNKNOWN;

/// The effects of a script besides editing text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SedEffects {
    /// Whether the script runs programs, or can't be read.
    pub(super) runs: bool,
    /// The files that `w` and `W` write.
    pub(super) writes: Vec<String>,
}

/// Reads a script. A script that can't be read counts as one that runs programs.
pub(super) fn effects(script: &str) -> SedEffects {
    let mut reader = SedReader { chars: script.chars().peekable(), effects: SedEffects::default() };
    while let Some(is_read) = reader.command() {
        if !is_read {
            reader.effects.runs = true;
            break;
        }
    }
    reader.effects
}

struct SedReader<'a> {
    chars: Peekable<Chars<'a>>,
    effects: SedEffects,
}

impl SedReader<'_> {
    /// Reads a command, and returns whether it is known; `None` at the end.
    fn command(&mut self) -> Option<bool> {
        self.skip(|char| char.is_whitespace() || char == ';');
        self.chars.peek()?;
        if !self.address() {
            return Some(false);
        }
        self.skip(|char| char == ' ' || char == '\t');
        if self.chars.next_if_eq(&',').is_some() {
            self.skip(|char| char == ' ' || char == '\t' || char == '+' || char == '~');
            if !self.address() {
                return Some(false);
            }
        }
        self.skip(|char| char == ' ' || char == '\t' || char == '!');
        let Some(command) = self.chars.next() else { return Some(false) };
        Some(self.arguments(command))
    }

    /// Skips a line number, `$`, `/regex/` or `\cregexc` with its flags.
    fn address(&mut self) -> bool {
        match self.chars.peek() {
            Some('/') => {
                self.chars.next();
                if self.section('/').is_none() {
                    return false;
                }
                self.skip(|char| char == 'I' || char == 'M');
            }
            Some('\\') => {
                self.chars.next();
                let Some(delimiter) = self.chars.next() else { return false };
                if self.section(delimiter).is_none() {
                    return false;
                }
                self.skip(|char| char == 'I' || char == 'M');
            }
            Some('$') => {
                self.chars.next();
            }
            // An unknown part that is not from outside is a number.
            _ => self.skip(|char| char.is_ascii_digit() || char == '~' || char == UNKNOWN),
        }
        true
    }

    fn arguments(&mut self, command: char) -> bool {
        match command {
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                true
            }
            'l' | 'L' | 'q' | 'Q' => {
                self.skip(|char| char == ' ' || char.is_ascii_digit());
                true
            }
            '#' => {
                self.line();
                true
            }
            'a' | 'i' | 'c' => {
                self.text();
                true
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.skip(|char| !matches!(char, ';' | '\n' | '}'));
                true
            }
            'r' | 'R' => {
                self.line();
                true
            }
            'w' | 'W' => {
                let file = self.line();
                self.effects.writes.push(file);
                true
            }
            'e' => {
                self.effects.runs = true;
                self.line();
                true
            }
            's' => self.substitution(),
            'y' => match self.chars.next() {
                Some(delimiter) => self.section(delimiter).is_some() && self.section(delimiter).is_some(),
                None => false,
            },
            _ => false,
        }
    }

    fn substitution(&mut self) -> bool {
        let Some(delimiter) = self.chars.next() else { return false };
        if self.section(delimiter).is_none() || self.section(delimiter).is_none() {
            return false;
        }
        while let Some(&flag) = self.chars.peek() {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
                'e' => self.effects.runs = true,
                'w' => {
                    self.chars.next();
                    let file = self.line();
                    self.effects.writes.push(file);
                    return true;
                }
                UNKNOWN => return false,
                _ => return true,
            }
            self.chars.next();
        }
        true
    }

    /// Skips to the position after a delimiter; `None` if there is none. A backslash quotes the next
    /// character.
    fn section(&mut self, delimiter: char) -> Option<()> {
        while let Some(char) = self.chars.next() {
            if char == delimiter {
                return Some(());
            }
            if char == '\\' {
                self.chars.next()?;
            }
        }
        None
    }

    /// Reads the rest of a line, without blanks around it.
    fn line(&mut self) -> String {
        let mut line = String::new();
        while let Some(char) = self.chars.next_if(|char| *char != '\n') {
            line.push(char);
        }
        line.trim().to_owned()
    }

    /// Skips lines of text. A backslash at the end of a line continues it.
    fn text(&mut self) {
        while let Some(char) = self.chars.next() {
            match char {
                '\\' => {
                    self.chars.next();
                }
                '\n' => break,
                _ => {}
            }
        }
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.chars.next_if(|char| is_skipped(*char)).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::effects;

    #[test]
    fn scripts_that_edit_run_nothing() {
        for script in [
            "s/a/b/g",
            "s/e/w/",
            "s|a;e b|e|",
            "1,5p",
            "$d",
            "/start/,/end/{ s/a/b/; p }",
            "0~3p",
            "\\,e,d",
            "/a\\/e/p",
            "y/abc/xyz/",
            ":a;N;$!ba;s/\\n/ /g",
            "5i\\\nemail",
            "a echo",
            "2q",
            "# e comment\np",
            "r file",
        ] {
            assert!(!effects(script).runs, "{script}");
            assert!(effects(script).writes.is_empty(), "{script}");
        }
    }

    #[test]
    fn the_command_and_the_flag_e_run_programs() {
        for script in [
            "e", "1e id", "s/a/b/e", "s/a;b/id/e", "s|x|id|ge", "\\,x,e id", "/a\\/b/e id", "1,/a;b/e",
            "p;e id", "{e id\n}", "/x/I e", "$!e", "s/a/b/\0", "\0",
        ] {
            assert!(effects(script).runs, "{script:?}");
        }
    }

    #[test]
    fn files_that_are_written_are_named() {
        assert_eq!(effects("w /etc/x").writes, ["/etc/x"]);
        assert_eq!(effects("s/a/b/gw out").writes, ["out"]);
    }
}
