//! Commands for which an agent has a better tool: blocked by rules, with the name of that tool.
//!
//! A rule sees the whole command, and each part of it that begins a pipeline, with and without the
//! assignments before it. An interceptor is advice for a model, no protection: what it does not recognize
//! runs.

use regex_lite::{Regex, RegexBuilder};

use crate::syntax::tree::{Command, List, Pipeline, RedirectMode, Redirection, Simple, Word};
use crate::syntax::{Syntax, read};

/// A rule as a host writes it.
#[derive(Clone, Debug)]
pub struct RuleText {
    /// A regular expression of the `regex-lite` crate: without look-around, back-references and Unicode
    /// classes.
    pub pattern: String,
    /// Flags as in JavaScript: `i`, `m`, `s`, `u`.
    pub flags: String,
    /// The name of the better tool. The rule counts only if the agent has this tool.
    pub tool: String,
    /// The message for the model.
    pub message: String,
}

/// A rule that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFault {
    /// The index of the rule.
    pub index: usize,
    /// The field with the fault: `pattern` or `flags`.
    pub part: &'static str,
    /// The fault, as a sentence.
    pub fault: String,
}

/// Compiled rules.
#[derive(Clone, Debug, Default)]
pub struct Interceptors {
    rules: Vec<InterceptionRule>,
}

#[derive(Clone, Debug)]
struct InterceptionRule {
    matcher: Matcher,
    message: String,
}

#[derive(Clone, Debug)]
enum Matcher {
    Pattern(Regex),
    Words(fn(&FirstCommand) -> bool),
}

/// A default rule: the tool, the commands that it matches, the message for the model.
type DefaultRule = (&'static str, fn(&FirstCommand) -> bool, &'static str);

const DEFAULTS: [DefaultRule; 5] = [
    ("read", reads, "Use the `read` tool for the content of files: it numbers lines and limits its output."),
    (
        "search",
        searches,
        "Use the `search` tool to look for text: it leaves out ignored files and limits its output.",
    ),
    ("find", finds, "Use the `find` tool to look for files by name or type."),
    ("edit", edits, "Use the `edit` tool to change files: it shows what has changed."),
    ("write", writes, "Use the `write` tool to create files: nothing in their content needs to be quoted."),
];

impl Interceptors {
    /// Returns the default rules for the tools among `tools`.
    #[must_use]
    pub fn defaults(tools: &[String]) -> Self {
        let has = |tool: &str| tools.iter().any(|name| name == tool);
        let rules = DEFAULTS
            .iter()
            .filter(|(tool, ..)| has(tool))
            .map(|&(_, matches, message)| InterceptionRule {
                matcher: Matcher::Words(matches),
                message: message.to_owned(),
            })
            .collect();
        Self { rules }
    }

    /// Compiles rules, and keeps those whose tool is among `tools`.
    ///
    /// # Errors
    ///
    /// The first rule whose pattern or flags can't be read, also one whose tool is missing.
    pub fn new(rules: &[RuleText], tools: &[String]) -> Result<Self, RuleFault> {
        let mut read = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let matcher = pattern(rule).map_err(|(part, fault)| RuleFault { index, part, fault })?;
            if tools.contains(&rule.tool) {
                read.push(InterceptionRule { matcher, message: rule.message.clone() });
            }
        }
        Ok(Self { rules: read })
    }

    /// Returns the message of the first rule that matches a command.
    #[must_use]
    pub fn blocks(&self, command: &str) -> Option<&str> {
        if self.rules.is_empty() {
            return None;
        }
        let list = read(command, Syntax::Bash).unwrap_or_default();
        let parts = parts(&list, command);
        let matches = |rule: &&InterceptionRule| match &rule.matcher {
            Matcher::Pattern(pattern) => {
                pattern.is_match(command)
                    || parts.iter().any(|part| pattern.is_match(part.whole) || pattern.is_match(part.bare))
            }
            Matcher::Words(matches) => parts.iter().any(matches),
        };
        self.rules.iter().find(matches).map(|rule| rule.message.as_str())
    }
}

fn pattern(rule: &RuleText) -> Result<Matcher, (&'static str, String)> {
    let mut builder = RegexBuilder::new(&rule.pattern);
    for flag in rule.flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            's' => builder.dot_matches_new_line(true),
            // Patterns match Unicode text without this flag too.
            'u' => &mut builder,
            _ => return Err(("flags", format!("expected some of i, m, s and u, got '{flag}'"))),
        };
    }
    let regex = builder.build().map_err(|error| ("pattern", error.to_string()))?;
    Ok(Matcher::Pattern(regex))
}

/// A simple command that begins a pipeline at the top level.
struct FirstCommand<'a> {
    /// The text, from the end of the pipeline before it.
    whole: &'a str,
    /// The text without the assignments before the name.
    bare: &'a str,
    /// The words; `None` for each that is not known.
    words: Vec<Option<String>>,
    redirections: &'a [Redirection],
}

fn parts<'a>(list: &'a List, text: &'a str) -> Vec<FirstCommand<'a>> {
    let pipelines = list
        .items
        .iter()
        .flat_map(|item| std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline)));
    let mut end = 0;
    let mut parts = Vec::new();
    for Pipeline { stages } in pipelines {
        if let Some(Command::Simple(simple)) = stages.first() {
            parts.extend(part(simple, text, end));
        }
        if let Some(Command::Simple(last)) = stages.last() {
            end = end_of(last).unwrap_or(end);
        }
    }
    parts
}

/// Returns the part of `text` for a simple command. `before` is the end of the pipeline before it.
fn part<'a>(simple: &'a Simple, text: &'a str, before: usize) -> Option<FirstCommand<'a>> {
    let start = simple.words.first()?.span.start;
    let end = end_of(simple)?;
    let bare = text.get(start..end)?;
    let whole = text.get(before.min(start)..end)?.trim_start_matches([';', '&', '|', '!', ' ', '\t', '\n']);
    let words = simple.words.iter().map(Word::literal).collect();
    Some(FirstCommand { whole, bare, words, redirections: &simple.redirections })
}

fn end_of(simple: &Simple) -> Option<usize> {
    let targets = simple.redirections.iter().map(|redirection| redirection.target.span.end);
    simple.words.iter().map(|word| word.span.end).chain(targets).max()
}

impl FirstCommand<'_> {
    fn is_one_of(&self, names: &[&str]) -> bool {
        self.words.first().and_then(Option::as_deref).is_some_and(|name| names.contains(&name))
    }

    /// Returns the arguments; an empty text for each that is not known before the command runs.
    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(|word| word.as_deref().unwrap_or_default())
    }

    fn has_option(&self, names: &[&str]) -> bool {
        self.arguments().any(|argument| {
            names.iter().any(|name| {
                argument.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            })
        })
    }

    /// Returns whether a cluster of short options, such as `-pi`, contains `letter`.
    fn has_letter(&self, letter: char) -> bool {
        self.arguments().any(|argument| {
            let letters = argument.strip_prefix('-').unwrap_or_default();
            !letters.starts_with('-')
                && letters.chars().take_while(char::is_ascii_alphabetic).any(|other| other == letter)
        })
    }

    fn has_here_document(&self) -> bool {
        self.redirections.iter().any(|redirection| redirection.mode == RedirectMode::HereDocument)
    }
}

fn reads(part: &FirstCommand) -> bool {
    part.is_one_of(&["cat", "head", "tail", "less", "more"])
        && (part.arguments().next().is_some()
            || part.redirections.iter().any(|to| to.mode == RedirectMode::Read))
}

fn searches(part: &FirstCommand) -> bool {
    part.is_one_of(&["grep", "rg", "ripgrep", "ag", "ack"]) && part.arguments().next().is_some()
}

fn finds(part: &FirstCommand) -> bool {
    const NAMES: [&str; 10] =
        ["-name", "-iname", "-path", "-ipath", "-type", "--type", "-t", "-glob", "--glob", "-g"];
    part.is_one_of(&["find", "fd", "locate"]) && part.has_option(&NAMES)
}

fn edits(part: &FirstCommand) -> bool {
    if part.is_one_of(&["sed", "gsed"]) {
        return part.has_option(&["--in-place"]) || part.has_letter('i');
    }
    if part.is_one_of(&["perl"]) {
        return part.has_letter('i');
    }
    let arguments: Vec<_> = part.arguments().collect();
    part.is_one_of(&["awk", "gawk"])
        && (arguments.contains(&"-iinplace") || arguments.windows(2).any(|pair| pair == ["-i", "inplace"]))
}

fn writes(part: &FirstCommand) -> bool {
    let is_writer =
        part.is_one_of(&["echo", "printf"]) || (part.is_one_of(&["cat"]) && part.has_here_document());
    is_writer && part.redirections.iter().any(is_to_file)
}

fn is_to_file(redirection: &Redirection) -> bool {
    let target = redirection.target.literal().unwrap_or_default();
    let is_device = target.starts_with("/dev/");
    match redirection.mode {
        RedirectMode::Write | RedirectMode::Append | RedirectMode::ReadWrite => !is_device,
        RedirectMode::DuplicateOutput => {
            !is_device && target != "-" && !target.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{DEFAULTS, Interceptors, RuleText};

    fn default_for(command: &str) -> Option<&'static str> {
        DEFAULTS
            .iter()
            .map(|(tool, ..)| *tool)
            .find(|tool| Interceptors::defaults(&[(*tool).to_owned()]).blocks(command).is_some())
    }

    fn rule(pattern: &str, flags: &str) -> RuleText {
        let [pattern, flags, tool, message] = [pattern, flags, "make", "Use make."].map(str::to_owned);
        RuleText { pattern, flags, tool, message }
    }

    fn blocks(pattern: &str, flags: &str, command: &str) -> bool {
        let rules = Interceptors::new(&[rule(pattern, flags)], &["make".to_owned()]);
        rules.is_ok_and(|rules| rules.blocks(command).is_some())
    }

    #[test]
    fn default_rules_name_their_tools() {
        for (command, tool) in [
            ("cat file", "read"),
            ("cd x && tail -n 5 log | wc -l", "read"),
            ("LC_ALL=C head file", "read"),
            ("less < file", "read"),
            ("true; rg TODO src", "search"),
            ("'grep' x y", "search"),
            ("find . -name '*.rs'", "find"),
            ("fd --type=f", "find"),
            ("sed -i s/a/b/ file", "edit"),
            ("sed -Ei.bak s/a/b/ file", "edit"),
            ("sed --in-place=.bak s/a/b/ file", "edit"),
            ("perl -pi -e s/a/b/ file", "edit"),
            ("awk -i inplace 1 file", "edit"),
            ("echo hi > file", "write"),
            ("printf x >>file", "write"),
            ("echo hi >& file", "write"),
            ("cat <<E > file\nhi\nE\n", "write"),
        ] {
            assert_eq!(default_for(command), Some(tool), "{command}");
        }
    }

    #[test]
    fn default_rules_leave_the_rest_alone() {
        for command in [
            "ps | grep node",
            "cat",
            "cat <<E\nhi\nE\n",
            "find . -delete",
            "sed s/a/b/ file",
            "sed -n -e /i/p file",
            "perl -e 'print 1'",
            "echo '> file'",
            "echo \"cat file\"",
            "echo hi > /dev/null 2>&1",
            "echo hi >&2",
            "catalog file",
            "git grep x",
            "echo 'unterminated",
        ] {
            assert_eq!(default_for(command), None, "{command}");
        }
    }

    #[test]
    fn a_pattern_sees_the_whole_command_and_each_part() {
        assert!(blocks("^cc ", "", "cc main.c"));
        assert!(blocks("^cc ", "", "cd x; cc main.c"));
        assert!(blocks("^cc ", "", "true && CFLAGS=-g cc main.c | tee log"));
        assert!(blocks("^CFLAGS", "", "true && CFLAGS=-g cc main.c"));
        assert!(blocks("a.*b", "", "echo a; echo b"));
        assert!(!blocks("^cc ", "", "echo x | cc -"));
        assert!(blocks("^cc ", "", "cc 'unterminated"));
    }

    #[test]
    fn flags_are_those_of_javascript() {
        assert!(blocks("^CC ", "iu", "cc main.c"));
        assert!(blocks("a.b", "s", "echo 'a\nb'"));
        assert!(!blocks("a.b", "", "echo 'a\nb'"));
        assert!(!blocks("^CC ", "", "cc main.c"));
    }

    #[test]
    fn a_rule_counts_only_with_its_tool() {
        let rules = Interceptors::new(&[rule("^cc ", "")], &["other".to_owned()]);
        assert_eq!(rules.ok().and_then(|rules| rules.blocks("cc x").map(str::to_owned)), None);
        assert_eq!(Interceptors::defaults(&[]).blocks("cat file"), None);
    }

    #[test]
    fn a_wrong_rule_is_named() {
        let fault = |rules: &[RuleText]| Interceptors::new(rules, &[]).err();
        let wrong = fault(&[rule("fine", ""), rule("(?!x)", "")]);
        assert!(wrong.is_some_and(|wrong| (wrong.index, wrong.part) == (1, "pattern")));
        let wrong = fault(&[rule("fine", "g")]);
        assert!(wrong.is_some_and(|wrong| wrong.fault == "expected some of i, m, s and u, got 'g'"));
    }
}
