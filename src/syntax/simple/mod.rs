//! Recognizes commands that surely parse and end with their text, so that a line after them is a command of
//! its own.
//!
//! That line reports the statuses of a pipeline. It may not change what a command with a syntax error does.
//! So it follows only words, quotes, variables, command substitutions, pipes, lists and redirections to
//! files. Any other command (`if`, functions, here-documents, …) stays without it, so a command that is
//! refused without need lacks a detail of its result only.

use std::iter::Peekable;
use std::str::CharIndices;

use super::Syntax;

/// The longest command that is examined (bytes): longer ones are scripts, whose last pipeline tells little.
const MAX_LENGTH: usize = 8 * 1024;

/// The deepest nesting of command substitutions.
const MAX_DEPTH: u32 = 8;

/// Reserved words, which are special where a command begins.
const RESERVED_WORDS: [&str; 28] = [
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "end", "esac", "fi", "for",
    "foreach", "function", "if", "in", "nocorrect", "repeat", "select", "then", "time", "until", "while",
    "always", "noglob",
];

/// Words that read or change the state of the shell, on which the line after the command depends. Refused in
/// any position.
const STATEFUL_WORDS: [&str; 24] = [
    "BASH_COMMAND", "PIPESTATUS", "SECONDS", "SHLVL", "ZSH_EVAL_CONTEXT", "caller", "compgen", "declare",
    "emulate", "env", "eval", "export", "funcstack", "options", "pipestatus", "printenv", "readonly", "set",
    "setopt", "shopt", "trap", "typeset", "unsetopt", "zsh_eval_context",
];

/// Returns whether bash or zsh surely parses the command, and whether it ends with its text. Returns false
/// for other shells.
#[must_use]
pub fn is_simple(command: &str, syntax: Syntax) -> bool {
    let is_one_line = !command.trim_end_matches('\n').contains('\n');
    let is_known = match syntax {
        Syntax::Bash => true,
        Syntax::Zsh => is_one_line,
        Syntax::Posix => false,
    };
    is_known
        && command.len() <= MAX_LENGTH
        && !has_stateful_word(command)
        && SimpleReader::new(command, syntax).reads_all()
}

fn has_stateful_word(command: &str) -> bool {
    let is_in_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    command.split(|character| !is_in_word(character)).any(|word| STATEFUL_WORDS.contains(&word))
}

struct SimpleReader<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
    depth: u32,
    syntax: Syntax,
}

/// The expectation after a command.
enum Next {
    /// A further command, or the end.
    Any,
    /// A further command.
    Needed,
    /// The end of this list.
    End,
}

/// The error of a command whose parse is not certain.
struct Uncertain;

impl<'a> SimpleReader<'a> {
    fn new(text: &'a str, syntax: Syntax) -> Self {
        Self { text, rest: text.char_indices().peekable(), depth: 0, syntax }
    }

    fn reads_all(mut self) -> bool {
        self.list().is_ok() && self.rest.next().is_none()
    }

    /// Reads commands and their operators up to the end, or up to a closing parenthesis, which it leaves
    /// unread.
    fn list(&mut self) -> Result<(), Uncertain> {
        let mut is_needed = false;
        loop {
            self.skip(|character| matches!(character, ' ' | '\t' | '\n'));
            let is_there = self.command()?;
            if is_needed && !is_there {
                return Err(Uncertain);
            }
            match self.separator(is_there)? {
                Next::Any => is_needed = false,
                Next::Needed => is_needed = true,
                Next::End => return Ok(()),
            }
        }
    }

    /// Reads the words and redirections of a command. Returns whether it read any. Refuses redirections
    /// without a word, whose meaning differs between shells.
    fn command(&mut self) -> Result<bool, Uncertain> {
        let mut is_there = false;
        let mut has_word = false;
        loop {
            self.skip(|character| matches!(character, ' ' | '\t'));
            match self.peek() {
                None | Some('\n' | ';' | '&' | '|' | ')') => {
                    return if is_there == has_word { Ok(is_there) } else { Err(Uncertain) };
                }
                Some('<' | '>') => self.redirection()?,
                Some('#') => return Err(Uncertain),
                Some(_) => {
                    let word = self.word()?;
                    // In zsh `=ls` is a path, `-` is a modifier of the next command, and a sourced script may
                    // change the options of the shell.
                    if !self.is_bash() && (word.starts_with('=') || ["-", ".", "source"].contains(&word)) {
                        return Err(Uncertain);
                    }
                    if STATEFUL_WORDS.contains(&word)
                        || ((!is_there || !self.is_bash()) && RESERVED_WORDS.contains(&word))
                    {
                        return Err(Uncertain);
                    }
                    let is_descriptor = self.is_descriptor(word);
                    has_word = has_word || !is_descriptor;
                }
            }
            is_there = true;
        }
    }

    fn separator(&mut self, is_there: bool) -> Result<Next, Uncertain> {
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
            // In zsh `&` can't follow a command of assignments only.
            ('&', true) if self.is_bash() && self.peek() != Some('>') => Ok(Next::Any),
            (';', true) if !matches!(self.peek(), Some(';' | '&' | '|')) => Ok(Next::Any),
            _ => Err(Uncertain),
        }
    }

    /// Reads `<`, `>`, `>>`, `>&` or `<&`, and its target.
    fn redirection(&mut self) -> Result<(), Uncertain> {
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
                if self.is_descriptor(target) { Err(Uncertain) } else { Ok(()) }
            }
            _ => Err(Uncertain),
        }
    }

    /// Returns whether the word that was just read is the descriptor of the redirection that follows.
    fn is_descriptor(&mut self, word: &str) -> bool {
        word.bytes().all(|byte| byte.is_ascii_digit()) && matches!(self.peek(), Some('<' | '>'))
    }

    /// Reads a word, and returns it with its quotes: a quoted word is no reserved word.
    fn word(&mut self) -> Result<&'a str, Uncertain> {
        let begin = self.offset();
        while let Some(character) = self.peek() {
            match character {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' => break,
                '(' | '`' => return Err(Uncertain),
                // `name[` may begin an assignment to an array element, which ends only at its bracket.
                '[' if self.offset() > begin => return Err(Uncertain),
                // zsh ends a group at a brace in a word too.
                '{' | '}' if !self.is_bash() => return Err(Uncertain),
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
        Ok(&self.text[begin..self.offset()])
    }

    fn double_quotes(&mut self) -> Result<(), Uncertain> {
        self.rest.next();
        loop {
            match self.peek() {
                Some('"') => {
                    self.rest.next();
                    return Ok(());
                }
                Some('\\') => self.escape()?,
                Some('$') => self.expansion()?,
                Some('`') | None => return Err(Uncertain),
                Some(_) => drop(self.take()?),
            }
        }
    }

    /// Reads a backslash and the character that it quotes. Refuses an escaped line break: the shell drops it,
    /// so it does not end a word.
    fn escape(&mut self) -> Result<(), Uncertain> {
        self.rest.next();
        if self.take()? == '\n' { Err(Uncertain) } else { Ok(()) }
    }

    /// Reads `$NAME`, `${NAME}`, `$?` and the like, or `$(…)`.
    fn expansion(&mut self) -> Result<(), Uncertain> {
        self.rest.next();
        match self.peek() {
            Some('(') => self.substitution(),
            Some('{') => {
                self.rest.next();
                self.name()?;
                if self.take()? == '}' { Ok(()) } else { Err(Uncertain) }
            }
            Some('?' | '#' | '@' | '*' | '!' | '$' | '0'..='9') => self.take().map(drop),
            _ => self.name(),
        }
    }

    fn name(&mut self) -> Result<(), Uncertain> {
        let begin = self.offset();
        self.skip(|character| character.is_ascii_alphanumeric() || character == '_');
        let name = &self.text[begin..self.offset()];
        // `$_` is the last word of the previous command, which is state of the shell.
        let is_usual =
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && name != "_";
        if is_usual { Ok(()) } else { Err(Uncertain) }
    }

    fn substitution(&mut self) -> Result<(), Uncertain> {
        self.rest.next();
        if self.depth == MAX_DEPTH || self.peek() == Some('(') {
            return Err(Uncertain);
        }
        self.depth += 1;
        self.list()?;
        self.depth -= 1;
        if self.take()? == ')' { Ok(()) } else { Err(Uncertain) }
    }

    fn is_bash(&self) -> bool {
        self.syntax == Syntax::Bash
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|&(_, character)| character)
    }

    /// Takes the next character. Refuses the end, and control characters apart from line breaks and tabs.
    fn take(&mut self) -> Result<char, Uncertain> {
        let (_, character) = self.rest.next().ok_or(Uncertain)?;
        if character.is_control() && !matches!(character, '\n' | '\t') {
            Err(Uncertain)
        } else {
            Ok(character)
        }
    }

    fn skip(&mut self, is_wanted: impl Fn(char) -> bool) {
        while self.rest.next_if(|&(_, character)| is_wanted(character)).is_some() {}
    }

    fn offset(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |&(offset, _)| offset)
    }
}

#[cfg(test)]
mod tests;
