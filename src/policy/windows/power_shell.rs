//! The language of PowerShell, as text of a POSIX shell.

use std::iter::Peekable;
use std::str::Chars;

/// Commands and methods that fetch text from the network.
const FETCHES: [&str; 11] = [
    "downloadstring", "downloaddata", "downloadfile", "invoke-webrequest", "invoke-restmethod", "iwr ",
    "irm ", "curl ", "wget ", "start-bitstransfer", "net.webclient",
];

/// Commands and methods that run text.
const RUNS: [&str; 5] = ["iex", "invoke-expression", "[scriptblock]::create", ".invoke(", "invoke-command"];

/// Returns whether a text runs what it has fetched from the network.
pub(in crate::policy) fn runs_download(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    has(&FETCHES) && has(&RUNS)
}

/// Returns a text of PowerShell as a POSIX shell would have to read it for the same words, as far as there is
/// a counterpart: commands, pipelines, quotes, variables, groups, and blocks as arguments.
pub(in crate::policy) fn from_power_shell(text: &str) -> String {
    let mut translation = Translation { result: String::new(), chars: text.chars().peekable() };
    while let Some(char) = translation.chars.next() {
        translation.outside(char);
    }
    translation.result
}

struct Translation<'a> {
    result: String,
    chars: Peekable<Chars<'a>>,
}

impl Translation<'_> {
    fn outside(&mut self, char: char) {
        match char {
            '`' => {
                self.result.push('\\');
                self.result.extend(self.chars.next());
            }
            '\'' => self.single(),
            '"' => self.double(),
            '\\' => self.result.push_str("\\\\"),
            '$' => self.variable(true),
            ',' => self.result.push(' '),
            '@' if matches!(self.chars.peek(), Some('(' | '{')) => {}
            '(' | '{' => self.result.push_str(if self.begins_command() { "(" } else { "$(" }),
            '}' => self.result.push_str("; )"),
            '&' if self.begins_command() && self.chars.peek() != Some(&'&') => {}
            '!' | '[' | ']' => self.result.extend(['\\', char]),
            char => self.result.push(char),
        }
    }

    /// Returns whether the next word is the name of a command.
    fn begins_command(&self) -> bool {
        let before = self.result.trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', ';', '|', '(']) || before.ends_with("&&")
    }

    fn single(&mut self) {
        self.result.push('\'');
        while let Some(char) = self.chars.next() {
            match char {
                '\'' if self.chars.next_if_eq(&'\'').is_some() => self.result.push_str("'\\''"),
                '\'' => break,
                char => self.result.push(char),
            }
        }
        self.result.push('\'');
    }

    fn double(&mut self) {
        self.result.push('"');
        while let Some(char) = self.chars.next() {
            match char {
                '"' if self.chars.next_if_eq(&'"').is_some() => self.result.push_str("\\\""),
                '"' => break,
                '`' => {
                    if let Some(escaped) = self.chars.next() {
                        let is_special = matches!(escaped, '$' | '`' | '"' | '\\');
                        self.result.extend(is_special.then_some('\\'));
                        self.result.push(escaped);
                    }
                }
                '\\' => self.result.push_str("\\\\"),
                '$' => self.variable(false),
                char => self.result.push(char),
            }
        }
        self.result.push('"');
    }

    /// Translates a variable behind its `$`. That of the environment is `%NAME%`, which a path may have.
    fn variable(&mut self, may_assign: bool) {
        let begins = may_assign && self.begins_command();
        if self.chars.peek() == Some(&'(') {
            self.chars.next();
            return self.result.push_str("$(");
        }
        let is_braced = self.chars.next_if_eq(&'{').is_some();
        let is_part = |char: &char| char.is_ascii_alphanumeric() || *char == '_' || *char == ':';
        let mut name = String::new();
        while let Some(char) = self.chars.next_if(|char| is_part(char) || is_braced && *char != '}') {
            name.push(char);
        }
        if is_braced {
            self.chars.next();
        }
        let lower = name.to_ascii_lowercase();
        if let Some(variable) = lower.strip_prefix("env:") {
            return self.result.extend(["%", variable, "%"]);
        }
        match lower.as_str() {
            "null" => self.result.push_str("/dev/null"),
            "home" => self.result.push_str("%userprofile%"),
            "" => self.result.push_str("\\$"),
            name if name.contains(':') => self.result.push_str("$_unknown"),
            // Variables have no case.
            name => {
                let mut ahead = self.chars.clone();
                let skips_blanks = |chars: &mut Peekable<Chars>| while chars.next_if_eq(&' ').is_some() {};
                skips_blanks(&mut ahead);
                if begins && ahead.next() == Some('=') && ahead.peek() != Some(&'=') {
                    skips_blanks(&mut ahead);
                    self.chars = ahead;
                    self.result.extend(["_ps_", name, "="]);
                } else {
                    self.result.extend(["${_ps_", name, "}"]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{from_power_shell, runs_download};

    #[test]
    fn words_stay_the_same() {
        for (text, other) in [
            (r"Remove-Item -Recurse C:\Users", r"Remove-Item -Recurse C:\\Users"),
            (r#"rm "$env:USERPROFILE\.ssh", 'it''s'"#, r#"rm "%userprofile%\\.ssh"  'it'\''s'"#),
            ("iex (iwr x)", "iex $(iwr x)"),
            (r#"& "C:\a.exe" b"#, r#" "C:\\a.exe" b"#),
            ("ls | % { rm $_ }", "ls | % $( rm ${_ps__} ; )"),
            ("$X = 'a'; rm $x", "_ps_x='a'; rm ${_ps_x}"),
            ("a `\nb 2>$null", "a \\\nb 2>/dev/null"),
        ] {
            assert_eq!(from_power_shell(text), other, "{text}");
        }
    }

    #[test]
    fn a_download_that_runs_is_seen_in_methods_too() {
        assert!(runs_download("(New-Object Net.WebClient).DownloadString('http://x') | IEX"));
        assert!(!runs_download("Invoke-WebRequest x -OutFile y"));
    }
}
