//! A rule: the tool's name, and a pattern of words in parentheses.

use crate::policy::windows::program_name;

/// A rule that holds for the tool `Bash`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub source: String,
    /// The words of the pattern; empty for a rule about all commands.
    pub pattern: Vec<Pattern>,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Word(String),
    /// A word in which each `*` stands for any text.
    Glob(String),
    /// Any words, or none.
    Any,
}

/// A fault in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// `Bash(git`
    #[error("missing closing parenthesis")]
    MissingClosing,
    /// `(git)`
    #[error("tool name is empty")]
    EmptyTool,
    /// `Bash()`
    #[error("pattern inside parentheses is empty")]
    EmptyPattern,
    /// `bash(git)`
    #[error("the tool's name is written 'Bash'")]
    Spelling,
    /// `Bash(a && b)`
    #[error(
        "a pattern names one command: it holds no operator, line break or substitution \
         (quote the character if it is meant)"
    )]
    Operator,
    /// `Bash(git 'x)`
    #[error("a quote is not closed")]
    OpenQuote,
    /// `Ba sh`
    #[error("a tool's name has letters, digits, _ and - only")]
    ToolName,
}

impl Rule {
    /// Reads a rule; returns `None` for a rule about another tool.
    ///
    /// # Errors
    ///
    /// The fault in the rule.
    pub fn parse(source: &str) -> Result<Option<Self>, Fault> {
        let text = source.trim();
        let (tool, inside) = match text.split_once('(') {
            None if text.ends_with(')') => return Err(Fault::ToolName),
            None => (text, None),
            Some((tool, rest)) => (tool.trim(), Some(rest.strip_suffix(')').ok_or(Fault::MissingClosing)?)),
        };
        if tool.is_empty() {
            return Err(Fault::EmptyTool);
        }
        if !tool.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '-') {
            return Err(Fault::ToolName);
        }
        let inside = inside.map(str::trim);
        if inside == Some("") {
            return Err(Fault::EmptyPattern);
        }
        if tool != "Bash" {
            return if tool.eq_ignore_ascii_case("bash") { Err(Fault::Spelling) } else { Ok(None) };
        }
        let pattern = match inside {
            None | Some("*" | ":*") => Vec::new(),
            Some(inside) => patterns(inside)?,
        };
        Ok(Some(Self { source: text.to_owned(), pattern }))
    }

    /// Returns whether the rule is about all commands.
    #[must_use]
    pub fn is_about_all(&self) -> bool {
        self.pattern.is_empty()
    }

    /// Returns whether a word behind the name is one of a kind.
    pub(in crate::policy) fn has_argument(&self, is_kind: &dyn Fn(&str) -> bool) -> bool {
        let is_one = |pattern: &Pattern| match pattern {
            Pattern::Word(text) | Pattern::Glob(text) => is_kind(text),
            Pattern::Any => false,
        };
        self.pattern.iter().skip(1).any(is_one)
    }

    /// Returns the rule with each word but the name in another spelling.
    pub(in crate::policy) fn with_paths(&self, spelled: &dyn Fn(&str) -> String) -> Self {
        let word = |(at, pattern): (usize, &Pattern)| match pattern {
            Pattern::Word(text) if at > 0 => Pattern::Word(spelled(text)),
            Pattern::Glob(text) if at > 0 => Pattern::Glob(spelled(text)),
            pattern => pattern.clone(),
        };
        Self { source: self.source.clone(), pattern: self.pattern.iter().enumerate().map(word).collect() }
    }

    /// Returns the rule about the same program by the name that a command of Windows has in the tables.
    pub(in crate::policy) fn on_windows(&self) -> Self {
        let mut rule = self.clone();
        if let Some(Pattern::Word(name) | Pattern::Glob(name)) = rule.pattern.first_mut() {
            *name = program_name(name);
        }
        rule
    }

    /// Returns the number of words before the first `*` that matches any words.
    #[must_use]
    pub fn fixed_words(&self) -> usize {
        self.pattern.iter().position(|pattern| *pattern == Pattern::Any).unwrap_or(self.pattern.len())
    }

    /// Returns whether the rule names every word of a command as it is.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.pattern.is_empty() && self.pattern.iter().all(|pattern| matches!(pattern, Pattern::Word(_)))
    }
}

fn patterns(inside: &str) -> Result<Vec<Pattern>, Fault> {
    let (text, is_prefix) = inside.strip_suffix(":*").map_or((inside, false), |text| (text, true));
    // `git:push*` is `git push*`: a colon in the first word separates the name from the rest.
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    let divided = match first.split_once(':') {
        Some((name, subcommand)) if !name.is_empty() && !subcommand.starts_with('/') => {
            format!("{name} {subcommand}{rest}")
        }
        _ => text.to_owned(),
    };
    let mut patterns = Vec::new();
    for word in words(&divided)? {
        word.into_patterns(&mut patterns);
    }
    if patterns.is_empty() {
        return Err(Fault::EmptyPattern);
    }
    if is_prefix && patterns.last() != Some(&Pattern::Any) {
        patterns.push(Pattern::Any);
    }
    Ok(patterns)
}

/// A word of a pattern, with a mark for each quoted character.
#[derive(Default)]
struct Word {
    chars: Vec<(char, bool)>,
    is_begun: bool,
}

impl Word {
    fn into_patterns(self, patterns: &mut Vec<Pattern>) {
        let stars: Vec<usize> =
            (0..self.chars.len()).filter(|&index| self.chars[index] == ('*', false)).collect();
        let text: String = self.chars.iter().map(|(char, _)| char).collect();
        let last = self.chars.len().wrapping_sub(1);
        match stars.as_slice() {
            [] => patterns.push(Pattern::Word(text)),
            [0] if last == 0 => patterns.push(Pattern::Any),
            // `push*` is `push` with any words after it, and does not match `pushd`.
            [star] if *star == last && self.chars[last - 1].0.is_alphanumeric() => {
                patterns.push(Pattern::Word(text[..text.len() - 1].to_owned()));
                patterns.push(Pattern::Any);
            }
            _ => patterns.push(Pattern::Glob(text)),
        }
    }
}

/// Splits a pattern at blanks, as a shell does.
fn words(text: &str) -> Result<Vec<Word>, Fault> {
    let mut words = Vec::new();
    let mut word = Word::default();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' => {
                if word.is_begun {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            '\'' => loop {
                match chars.next().ok_or(Fault::OpenQuote)? {
                    '\'' => break,
                    char => word.chars.push((char, true)),
                }
            },
            '"' => loop {
                match chars.next().ok_or(Fault::OpenQuote)? {
                    '"' => break,
                    '\\' if matches!(chars.peek(), Some('"' | '\\' | '$' | '`')) => {
                        word.chars.extend(chars.next().map(|char| (char, true)));
                    }
                    char => word.chars.push((char, true)),
                }
            },
            '\\' => match chars.next() {
                Some(char) => word.chars.push((char, true)),
                None => return Err(Fault::OpenQuote),
            },
            ';' | '&' | '|' | '<' | '>' | '\n' | '\r' | '`' => return Err(Fault::Operator),
            '$' if chars.peek() == Some(&'(') => return Err(Fault::Operator),
            char => word.chars.push((char, false)),
        }
        word.is_begun = true;
    }
    if word.is_begun {
        words.push(word);
    }
    Ok(words)
}
