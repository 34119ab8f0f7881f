//! Commands that surely parse, and look the same to the shell whether it got them as an argument or later.
//!
//! A warm shell runs its command by `eval`, which has its own words for a syntax error. So it gets only what is known to
//! have none: words, quotes, variables, command substitutions, pipes, lists and redirections to files. Everything else
//! (`if`, functions, here-documents, …) is left to a shell of its own, which is slower and always right. A command that is
//! refused here without need loses nothing but time.

use std::iter::Peekable;
use std::str::CharIndices;

use super::flavor::Flavor;

/// Longer ones are read a byte at a time, which takes too long (bytes).
const LONGEST: usize = 8 * 1024;

/// How deep command substitutions may go.
const DEEPEST: u32 = 8;

/// Words of the grammar, where a command begins.
const RESERVED: [&str; 28] = [
    "!",
    "[[",
    "]]",
    "{",
    "}",
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "end",
    "esac",
    "fi",
    "for",
    "foreach",
    "function",
    "if",
    "in",
    "nocorrect",
    "repeat",
    "select",
    "then",
    "time",
    "until",
    "while",
    "always",
    "noglob",
];

/// Words with which a command can see that it is evaluated, change how it is, or see that it does not replace its shell;
/// wherever they stand.
const TELLING: [&str; 24] = [
    "BASH_COMMAND",
    "PIPESTATUS",
    "SECONDS",
    "SHLVL",
    "ZSH_EVAL_CONTEXT",
    "caller",
    "compgen",
    "declare",
    "emulate",
    "env",
    "eval",
    "export",
    "funcstack",
    "options",
    "pipestatus",
    "printenv",
    "readonly",
    "set",
    "setopt",
    "shopt",
    "trap",
    "typeset",
    "unsetopt",
    "zsh_eval_context",
];

/// Whether a shell of this kind surely parses it, and runs it alike from `eval`.
#[must_use]
pub fn is_simple(command: &str, flavor: Flavor) -> bool {
    // zsh counts lines in `eval` from where it stands.
    let is_one_line = !command.trim_end_matches('\n').contains('\n');
    command.len() <= LONGEST
        && !has_telling_word(command)
        && (flavor == Flavor::Bash || is_one_line)
        && Reader::new(command, flavor).reads_all()
}

fn has_telling_word(command: &str) -> bool {
    let is_in_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    command.split(|character| !is_in_word(character)).any(|word| TELLING.contains(&word))
}

struct Reader<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
    depth: u32,
    flavor: Flavor,
}

/// The character after a command.
enum Next {
    /// Another one, or nothing.
    Any,
    /// Another one.
    Needed,
    /// The end of what is read here.
    End,
}

/// The reader can't tell.
struct Unsure;

impl<'a> Reader<'a> {
    fn new(text: &'a str, flavor: Flavor) -> Self {
        Self { text, rest: text.char_indices().peekable(), depth: 0, flavor }
    }

    fn reads_all(mut self) -> bool {
        self.list().is_ok() && self.rest.next().is_none()
    }

    /// Commands and what joins them, to the end or to a closing parenthesis, which is left.
    fn list(&mut self) -> Result<(), Unsure> {
        let mut is_needed = false;
        loop {
            self.skip(|character| matches!(character, ' ' | '\t' | '\n'));
            let is_there = self.command()?;
            if is_needed && !is_there {
                return Err(Unsure);
            }
            match self.separator(is_there)? {
                Next::Any => is_needed = false,
                Next::Needed => is_needed = true,
                Next::End => return Ok(()),
            }
        }
    }

    /// Words and redirections. Whether there were any. Redirections alone mean something else in each shell.
    fn command(&mut self) -> Result<bool, Unsure> {
        let mut is_there = false;
        let mut has_word = false;
        loop {
            self.skip(|character| matches!(character, ' ' | '\t'));
            match self.peek() {
                None | Some('\n' | ';' | '&' | '|' | ')') => {
                    return if is_there == has_word { Ok(is_there) } else { Err(Unsure) };
                }
                Some('<' | '>') => self.redirection()?,
                Some('#') => return Err(Unsure),
                Some(_) => {
                    let word = self.word()?;
                    // In zsh `=ls` is a path, `-` says something about the command behind it, and the lines of a script are
                    // counted from where `eval` stands.
                    if !self.is_bash() && (word.starts_with('=') || ["-", ".", "source"].contains(&word)) {
                        return Err(Unsure);
                    }
                    if TELLING.contains(&word) || ((!is_there || !self.is_bash()) && RESERVED.contains(&word))
                    {
                        return Err(Unsure);
                    }
                    let is_descriptor = self.is_descriptor(word);
                    has_word = has_word || !is_descriptor;
                }
            }
            is_there = true;
        }
    }

    fn separator(&mut self, is_there: bool) -> Result<Next, Unsure> {
        let Some(character) = self.peek() else { return Ok(Next::End) };
        if character == ')' && self.depth > 0 {
            return Ok(Next::End);
        }
        self.rest.next();
        match (character, is_there) {
            ('\n', _) => Ok(Next::Any),
            ('&' | '|', true) if self.peek() == Some(character) => {
                self.rest.next();
                Ok(Next::Needed)
            }
            // `|&`, `&>` and `&|` differ between shells.
            ('|', true) if self.peek() != Some('&') => Ok(Next::Needed),
            // In zsh it can't follow what only assigns.
            ('&', true) if self.is_bash() && self.peek() != Some('>') => Ok(Next::Any),
            (';', true) if !matches!(self.peek(), Some(';' | '&' | '|')) => Ok(Next::Any),
            _ => Err(Unsure),
        }
    }

    /// `<`, `>`, `>>`, `>&`, `<&` and where to.
    fn redirection(&mut self) -> Result<(), Unsure> {
        let first = self.take()?;
        match self.peek() {
            Some('&') => drop(self.rest.next()),
            Some('>') if first == '>' => drop(self.rest.next()),
            _ => {}
        }
        self.skip(|character| matches!(character, ' ' | '\t'));
        match self.peek() {
            Some(character) if character.is_ascii_alphanumeric() || "/._-$\"'".contains(character) => {
                let target = self.word()?;
                if self.is_descriptor(target) { Err(Unsure) } else { Ok(()) }
            }
            _ => Err(Unsure),
        }
    }

    /// Whether the word that was just read belongs to the redirection that follows it.
    fn is_descriptor(&mut self, word: &str) -> bool {
        word.bytes().all(|byte| byte.is_ascii_digit()) && matches!(self.peek(), Some('<' | '>'))
    }

    /// A word, with all its quotes. What is quoted is no word of the grammar, and is given back with its quotes.
    fn word(&mut self) -> Result<&'a str, Unsure> {
        let begin = self.place();
        while let Some(character) = self.peek() {
            match character {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' => break,
                '(' | '`' => return Err(Unsure),
                // `name[` may begin an assignment, which ends at its bracket only.
                '[' if self.place() > begin => return Err(Unsure),
                // zsh ends a group at a brace in a word too.
                '{' | '}' if !self.is_bash() => return Err(Unsure),
                '\'' => {
                    self.rest.next();
                    while self.take()? != '\'' {}
                }
                '"' => self.double_quotes()?,
                '\\' => self.escape()?,
                '$' => self.expansion()?,
                _ => drop(self.take()?),
            }
        }
        Ok(&self.text[begin..self.place()])
    }

    fn double_quotes(&mut self) -> Result<(), Unsure> {
        self.rest.next();
        loop {
            match self.peek() {
                Some('"') => {
                    self.rest.next();
                    return Ok(());
                }
                Some('\\') => self.escape()?,
                Some('$') => self.expansion()?,
                Some('`') | None => return Err(Unsure),
                Some(_) => drop(self.take()?),
            }
        }
    }

    /// A backslash and what it quotes. A line break is dropped, and words would be other ones than they seem.
    fn escape(&mut self) -> Result<(), Unsure> {
        self.rest.next();
        if self.take()? == '\n' { Err(Unsure) } else { Ok(()) }
    }

    /// `$NAME`, `${NAME}`, `$?` and the like, `$(…)`.
    fn expansion(&mut self) -> Result<(), Unsure> {
        self.rest.next();
        match self.peek() {
            Some('(') => self.substitution(),
            Some('{') => {
                self.rest.next();
                self.name()?;
                if self.take()? == '}' { Ok(()) } else { Err(Unsure) }
            }
            Some('?' | '#' | '@' | '*' | '!' | '$' | '0'..='9') => self.take().map(drop),
            _ => self.name(),
        }
    }

    fn name(&mut self) -> Result<(), Unsure> {
        let begin = self.place();
        self.skip(|character| character.is_ascii_alphanumeric() || character == '_');
        let name = &self.text[begin..self.place()];
        // `$_` is the last word of the command before, which is another one here.
        let is_usual =
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && name != "_";
        if is_usual { Ok(()) } else { Err(Unsure) }
    }

    fn substitution(&mut self) -> Result<(), Unsure> {
        self.rest.next();
        if self.depth == DEEPEST || self.peek() == Some('(') {
            return Err(Unsure);
        }
        self.depth += 1;
        self.list()?;
        self.depth -= 1;
        if self.take()? == ')' { Ok(()) } else { Err(Unsure) }
    }

    fn is_bash(&self) -> bool {
        self.flavor == Flavor::Bash
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|&(_, character)| character)
    }

    /// The next one, if it is an ordinary one.
    fn take(&mut self) -> Result<char, Unsure> {
        let (_, character) = self.rest.next().ok_or(Unsure)?;
        if character.is_control() && !matches!(character, '\n' | '\t') { Err(Unsure) } else { Ok(character) }
    }

    fn skip(&mut self, is_wanted: impl Fn(char) -> bool) {
        while self.rest.next_if(|&(_, character)| is_wanted(character)).is_some() {}
    }

    fn place(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |&(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::{Flavor, is_simple};

    fn in_bash(command: &str) -> bool {
        is_simple(command, Flavor::Bash)
    }

    #[test]
    fn what_agents_run_most_is_simple() {
        for command in [
            "true",
            "git status --short && npm test 2>&1 | tail -20",
            "cd src; ls -la *.rs | wc -l",
            "grep -rn \"some $WORD\" 'in here' --include=*.ts || echo none",
            "echo $(git rev-parse HEAD) ${HOME} $? > /tmp/x 2>/dev/null",
            "FOO=1 BAR=\"2 3\" make | sort >> out.txt",
            "sleep 1 & wait",
            "a\nb\n\nc &&\n d",
            "echo \"nested $(echo \"deep $(echo x)\")\"",
            "find . -name '*.js' -exec grep -l foo {} \\;",
            "echo {a,b} [x] ~ ! a=b",
            "[ -f x ] && . ./x",
            "> file echo",
            "",
            " \n",
        ] {
            assert!(in_bash(command), "{command}");
        }
    }

    #[test]
    fn what_may_not_parse_is_left_alone() {
        for command in [
            "if true; then echo; fi",
            "for x in a; do echo $x; done",
            "cat <<E\nE",
            "f() { :; }",
            "(cd x)",
            "{ a; }",
            "[[ a ]]",
            "echo $((1+1))",
            "echo `a`",
            "echo ${x:-y}",
            "a &&",
            "> file",
            "a | | b",
            "; a",
            "a ;; b",
            "a & & b",
            "'open",
            "\"open",
            "a >",
            "a > > b",
            "a |& b",
            "a &> b",
            "a <(b)",
            "# comment",
            "a )",
            "$(a",
            "trailing\\",
            "echo $'x'",
            "a\rb",
            "d\\\no",
            "se\\\nt -x",
        ] {
            assert!(!in_bash(command), "{command}");
        }
    }

    #[test]
    fn what_sees_that_it_is_evaluated_is_left_alone() {
        for command in [
            "set -x; a",
            "echo $_",
            "'eval' a",
            "a; caller",
            "\\shopt -s x",
            "echo ${zsh_eval_context}",
            "printenv SHLVL",
        ] {
            assert!(!in_bash(command), "{command}");
        }
    }

    #[test]
    fn zsh_gets_one_line() {
        assert!(is_simple("a; b\n", Flavor::Zsh));
        assert!(!is_simple("a\nb", Flavor::Zsh));
    }

    #[test]
    fn zsh_gets_no_script_to_source_and_nothing_for_the_background() {
        for command in [". ./x", "source x", "a & b", "a {b}", "=a"] {
            assert!(!is_simple(command, Flavor::Zsh), "{command}");
        }
    }

    #[test]
    fn a_long_command_is_left_alone() {
        assert!(!in_bash(&"x".repeat(super::LONGEST + 1)));
    }

    /// zsh looks for more than syntax errors.
    fn parses(shell: &str, command: &str) -> bool {
        // Not a flag, whatever it begins with.
        let command = format!(" {command}");
        let output =
            Command::new(shell).args(["-n", "-c", &command]).stdin(Stdio::null()).output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        !said.contains("syntax error") && !said.contains("parse error") && !said.contains("unexpected EOF")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn what_is_simple_parses(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "b1", "if", "done", "in", "!", "{", "}", "[[", "=", "x=1", " ", " ", " ", "\n", ";", ";", "&",
                    "&&", "||", "|", "<", ">", ">>", "2>&1", ">&-", "(", ")", "$(", "$x", "${y}", "$", "\"", "\"", "'", "'",
                    "\\", "#", "`", "*", "~", "é", "-", "/", "time", "coproc", "case",
                ]),
                0..12,
            )
        ) {
            let command = pieces.concat();
            if in_bash(&command) {
                prop_assert!(parses("bash", &command), "{command}");
            }
            if is_simple(&command, Flavor::Zsh) && std::path::Path::new("/bin/zsh").exists() {
                prop_assert!(parses("/bin/zsh", &command), "{command}");
            }
        }
    }
}
