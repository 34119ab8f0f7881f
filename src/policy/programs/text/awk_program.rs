//! The language of awk, as far as it shows which programs run and which files are written.

use std::iter::Peekable;
use std::str::Chars;

use crate::policy::commands::{ANY_TEXT, Field};

/// The effects of a program besides printing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AwkEffects {
    /// Whether the program may run commands.
    pub(super) runs: bool,
    /// The files of `print … >`; unknown for targets that are no plain string.
    pub(super) files: Vec<Field>,
}

/// Reads a program. If it is unclear what is a string and what is code, the whole text counts as code.
pub(super) fn effects(program: &str) -> AwkEffects {
    let mut reader = AwkReader {
        chars: program.chars().peekable(),
        effects: AwkEffects::default(),
        before: Before::Operator,
        brackets: Vec::new(),
        word: String::new(),
        printed_at: None,
        is_unsure: false,
    };
    while let Some(char) = reader.chars.next() {
        reader.token(char);
    }
    let mut effects = reader.effects;
    if reader.is_unsure {
        effects.runs |= program.contains("system") || program.contains(['|', '@']);
        effects.files.extend(program.contains('>').then(unknown));
    }
    effects
}

/// The token before a slash: a slash divides after a value, and begins a regular expression elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Value,
    Operator,
    Unsure,
}

struct AwkReader<'a> {
    chars: Peekable<Chars<'a>>,
    effects: AwkEffects,
    before: Before,
    /// The open parentheses and brackets, and whether each encloses the condition of a statement.
    brackets: Vec<bool>,
    /// The word right before the current position.
    word: String,
    /// The number of open brackets at the `print` of the current statement.
    printed_at: Option<usize>,
    is_unsure: bool,
}

impl AwkReader<'_> {
    fn token(&mut self, char: char) {
        if char.is_alphanumeric() || char == '_' {
            return self.name(char);
        }
        let word = match char {
            ' ' | '\t' | '\r' => return,
            '\\' if self.chars.next_if(|char| matches!(char, '\n' | '\r')).is_some() => return,
            _ => std::mem::take(&mut self.word),
        };
        let mut before = Before::Operator;
        match char {
            '#' => {
                while self.chars.next_if(|char| *char != '\n').is_some() {}
                (before, self.word) = (self.before, word);
            }
            '"' => {
                self.string();
                before = Before::Value;
            }
            '/' if self.before == Before::Operator => {
                self.regex();
                before = Before::Value;
            }
            '/' => self.is_unsure |= self.before == Before::Unsure,
            // After these, a statement goes on in the next line.
            '\n' if matches!(word.as_str(), "," | "?" | ":" | "&&" | "||") => self.word = word,
            ';' | '\n' | '{' | '}' => self.printed_at = None,
            '(' | '[' => {
                let is_condition = matches!(word.as_str(), "if" | "while" | "for" | "switch");
                self.brackets.push(is_condition && char == '(');
            }
            ')' | ']' if !self.brackets.pop().unwrap_or_default() => before = Before::Value,
            '+' | '-' if self.chars.next_if_eq(&char).is_some() => before = Before::Value,
            '|' | '&' if self.chars.next_if_eq(&char).is_some() => self.word = format!("{char}{char}"),
            ',' | '?' | ':' => self.word.push(char),
            '|' | '@' => self.effects.runs = true,
            '>' if self.printed_at == Some(self.brackets.len()) => {
                while self.chars.next_if(|char| matches!(char, '>' | ' ' | '\t')).is_some() {}
                let file = self.target();
                self.effects.files.push(file);
                self.printed_at = None;
            }
            '$' => before = Before::Unsure,
            // An unknown part of the program counts as a value.
            '\0' => before = Before::Value,
            _ => {}
        }
        self.before = before;
    }

    fn name(&mut self, first: char) {
        self.word = first.to_string();
        while let Some(char) = self.chars.next_if(|char| char.is_alphanumeric() || *char == '_') {
            self.word.push(char);
        }
        self.before = match self.word.as_str() {
            "print" | "printf" => {
                self.printed_at = Some(self.brackets.len());
                Before::Operator
            }
            "return" | "else" | "do" | "exit" | "case" => Before::Operator,
            "getline" | "length" | "in" => Before::Unsure,
            "system" => {
                self.effects.runs = true;
                Before::Value
            }
            _ => Before::Value,
        };
    }

    fn string(&mut self) {
        while let Some(char) = self.chars.next() {
            match char {
                '\\' => drop(self.chars.next()),
                '"' => return,
                _ => {}
            }
        }
    }

    /// Skips a regular expression. Some versions of awk end it at a slash in brackets, and others do not.
    fn regex(&mut self) {
        let mut is_in_brackets = false;
        while let Some(char) = self.chars.next() {
            match char {
                '\\' => drop(self.chars.next()),
                '[' => is_in_brackets = true,
                ']' => is_in_brackets = false,
                '/' if is_in_brackets => self.is_unsure = true,
                '/' => return,
                _ => {}
            }
        }
    }

    /// Reads the string after `>`, if it is the whole target.
    fn target(&mut self) -> Field {
        if self.chars.next_if_eq(&'"').is_none() {
            return unknown();
        }
        let mut text = String::new();
        while let Some(char) = self.chars.next_if(|char| *char != '"') {
            text.push(char);
        }
        self.chars.next();
        while self.chars.next_if(|char| matches!(char, ' ' | '\t')).is_some() {}
        let ends = self.chars.peek().is_none_or(|char| matches!(char, ';' | '\n' | '}' | '#'));
        if ends && !text.contains('\\') { Field::of(&text) } else { unknown() }
    }
}

fn unknown() -> Field {
    Field { text: ANY_TEXT.to_owned(), ..Field::default() }
}

#[cfg(test)]
mod tests {
    use super::effects;

    #[test]
    fn programs_that_print_run_nothing() {
        for program in [
            "{print $1}",
            "/foo|bar/ {print}",
            "$1 ~ /a|b/ || $2 > 3 {n++} END {print n/2, \"a | b\"}",
            "{ gsub(/system\\(x\\)|y/, \"\"); print }",
            "# a | b\n{print}",
            "{ print $3/$4 }",
            "BEGIN { FS=\"|\" } { print $2 }",
            "{ file_system = 1 }",
            "{ x++ / 2; print \"a|b\"; y / 1 }",
            "{ if (x) /a|b/; print (x + y) / 2, \"|\" }",
            "NR==1\n/a|b/",
            "/[|]/ { print }",
        ] {
            assert!(!effects(program).runs, "{program}");
        }
    }

    #[test]
    fn programs_that_run_commands_are_seen() {
        for program in [
            "BEGIN{system(\"id\")}",
            "BEGIN { system  (\"id\") }",
            "{print | \"sh\"}",
            "{print \"\" | c}",
            "{\"id\" | getline}",
            "{c|getline x}",
            "{ print |& c }",
            "BEGIN{f=\"system\"; @f(\"id\")}",
            "@load \"x\"",
            "{ x = 4 / 2; print | \"a/b\" }",
            "{ x++ / 2; system(\"id\"); y / 1 }",
            "{ return /x\"/; system(\"id\"); /\"/ }",
            "{ if (x) /\"/; system(\"id\"); /\"/ }",
            "x\n/\"/ { system(\"id\") } /\"/",
            "/[/\"]/ { system(\"id\") } /[\"]/",
            "{ print length /\"/; system(\"id\"); x /\"/ }",
        ] {
            assert!(effects(program).runs, "{program}");
        }
    }

    #[test]
    fn files_behind_print_are_named() {
        for program in [
            "{print > \"x\"}",
            "{print $1, (2 > 1) >> \"x\"}",
            "{print a[1 > 0] > \"x\"}",
            "{print /;/ > \"x\"}",
            "{print /}/ > \"x\"}",
            "{print \\\n$1 > \"x\"}",
            "{print $1, # c\n$2 > \"x\"}",
            "{print $1 ?\n2 :\n3 > \"x\"}",
        ] {
            let texts: Vec<String> = effects(program).files.into_iter().map(|field| field.text).collect();
            assert_eq!(texts, ["x"], "{program}");
        }
        assert!(effects("{print ($1 > 5)} $1 > 5 {n++}").files.is_empty());
        assert_eq!(effects("{print > \"a\" b; print > c}").files.len(), 2);
    }
}
