//! The rules: which lines of which program have which reason. `rules.json` has those of the package; a caller
//! may add others.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer};

use super::Minimizer;
use super::pattern::{LinePattern, Patterns};
use super::reason::OmissionReason;

/// The rules of one program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RuleSet {
    name: String,
    /// The commands: a program and arguments that it must have, in any order (`python -m pytest`).
    commands: Vec<String>,
    /// Lines that only the program prints: it may run within a script or `npm test`.
    #[serde(default)]
    sign: Patterns,
    /// Lines of other programs that stay although a rule is for them.
    #[serde(default)]
    stay: Patterns,
    /// Whether the program runs others, whose rules hold from their sign on.
    #[serde(default, rename = "runs")]
    runs_others: bool,
    #[serde(default)]
    lines: Vec<LineRule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct LineRule {
    reason: OmissionReason,
    #[serde(default)]
    patterns: Patterns,
    /// Names of directories: the rule is for lines with a path below one of them, unless the command names
    /// the directory.
    #[serde(default)]
    below: Vec<String>,
    /// The first line of a section of a difference. The rule is for the lines of a section whose first line
    /// has a pattern.
    #[serde(default)]
    section: Option<LinePattern>,
}

impl<'de> Deserialize<'de> for LinePattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::new(&text))
    }
}

impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<LinePattern>::deserialize(deserializer).map(Self::new)
    }
}

/// A rule set that may apply to an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) set: Arc<RuleSet>,
    /// Whether the rules hold only after a line that only their program prints.
    pub(super) needs_sign: bool,
}

/// The choice of a caller among the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Choice {
    /// The names of the rule sets that apply; absent for all.
    #[serde(default)]
    only: Option<Vec<String>>,
    /// The names of those that do not apply.
    #[serde(default)]
    except: Vec<String>,
    /// Further rule sets.
    #[serde(default)]
    rules: Vec<RuleSet>,
}

#[derive(Debug, Default, Deserialize)]
struct Data {
    #[serde(deserialize_with = "shared")]
    sets: Vec<Arc<RuleSet>>,
    /// Programs that print what a reader asked for: nothing of it is left out.
    verbatim: Vec<String>,
    /// Programs that decide nothing, because they print little.
    neutral: Vec<String>,
}

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Arc<RuleSet>>, D::Error> {
    Vec::<RuleSet>::deserialize(deserializer).map(|sets| sets.into_iter().map(Arc::new).collect())
}

static DATA: LazyLock<Data> =
    LazyLock::new(|| serde_json::from_str(include_str!("rules.json")).unwrap_or_default());

/// The name by which a caller chooses the rule for lines that equal those around them.
pub(super) const REPEATED: &str = "repeated";

/// Returns the names of the rule sets of the package.
pub fn names() -> impl Iterator<Item = &'static str> {
    DATA.sets.iter().map(|set| set.name.as_str()).chain([REPEATED])
}

impl Choice {
    fn has(&self, name: &str) -> bool {
        let is_named = |names: &[String]| names.iter().any(|other| other == name);
        self.only.as_deref().is_none_or(is_named) && !is_named(&self.except)
    }
}

/// The meaning of a program for the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramKind {
    Neutral,
    Verbatim,
    /// The program has rules, or may run one that has.
    Other,
}

impl Minimizer {
    /// Returns the rules for the programs whose output is shown; `None` if there are none. A program is its
    /// words. Without programs, they are unknown.
    ///
    /// `has_source` tells whether the caller has the whole output, so that lines may be left out without a
    /// file.
    #[must_use]
    pub fn of(programs: &[Vec<String>], choice: &Choice, has_source: bool) -> Option<Self> {
        let deciding: Vec<_> =
            programs.iter().filter(|program| kind_of(program) != ProgramKind::Neutral).collect();
        let others: Vec<_> =
            deciding.iter().filter(|program| kind_of(program) == ProgramKind::Other).collect();
        if others.is_empty() && !deciding.is_empty() {
            return None;
        }
        let mut has_unknown = others.is_empty();
        let mut candidates: Vec<Candidate> = Vec::new();
        let all: Vec<_> =
            choice.rules.iter().cloned().map(Arc::new).chain(DATA.sets.iter().cloned()).collect();
        for program in others {
            let before = candidates.len();
            let own = all.iter().filter(|set| set.is_for(program)).cloned();
            candidates
                .extend(own.map(|set| Candidate { set: set.without_named(program), needs_sign: false }));
            let own = &candidates[before..];
            has_unknown |= own.is_empty() || own.iter().any(|candidate| candidate.set.runs_others);
        }
        if has_unknown {
            // The program may run any other one: the rules of each hold from its sign on.
            let with_sign = all.into_iter().filter(|set| !set.sign.is_empty());
            candidates.extend(with_sign.map(|set| Candidate { set, needs_sign: true }));
        }
        candidates.retain(|candidate| choice.has(&candidate.set.name));
        Some(Self { candidates: candidates.into(), folds_repeated: choice.has(REPEATED), has_source })
    }
}

impl RuleSet {
    /// Returns whether a program has these rules.
    fn is_for(&self, program: &[String]) -> bool {
        self.commands.iter().any(|command| is_command(command, program))
    }

    /// Returns whether a line is one that only this program prints, or a command that a script has printed
    /// before it runs it, as [`printed_command`] gives it.
    pub(super) fn has_sign(&self, line: &str, command: Option<&[String]>) -> bool {
        self.sign.match_one(line)
            || command.is_some_and(|words| (0..words.len()).any(|start| self.is_for(&words[start..])))
    }

    pub(super) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Returns the reason to leave a line out. `written` has the blanks at its ends. `sections` has, for each
    /// rule, whether the line is in a section that the rule is for.
    pub(super) fn reason(&self, written: &str, line: &str, sections: &mut [bool]) -> Option<OmissionReason> {
        let mut found = None;
        for (rule, is_in_section) in self.lines.iter().zip(sections) {
            if let Some(section) = &rule.section {
                if section.matches(line) {
                    *is_in_section = rule.patterns.match_one(line);
                } else if *is_in_section {
                    *is_in_section = is_of_difference(written);
                    found = found.or(is_in_section.then_some(rule.reason));
                }
            } else if rule.patterns.match_one(line) || rule.is_below(line) {
                found = found.or(Some(rule.reason));
            }
        }
        found.filter(|_| !self.stay.match_one(line))
    }

    /// Returns the rules without the directories that a command names.
    fn without_named(self: Arc<Self>, program: &[String]) -> Arc<Self> {
        let is_named = |name: &String| program.iter().skip(1).any(|word| word.contains(name.as_str()));
        if !self.lines.iter().any(|rule| rule.below.iter().any(is_named)) {
            return self;
        }
        let mut set = (*self).clone();
        for rule in &mut set.lines {
            rule.below.retain(|name| !is_named(name));
        }
        Arc::new(set)
    }
}

impl LineRule {
    /// Returns whether a line begins with a path below one of the directories, maybe after a size.
    fn is_below(&self, line: &str) -> bool {
        if self.below.is_empty() {
            return false;
        }
        let has = |path: &str| self.below.iter().any(|name| has_component(path, name));
        let mut words = line.split_ascii_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        has(first) || words.next().is_none() && second.is_some_and(has)
    }
}

/// Returns the words of a command that a script has printed before it runs it: `> jest --verbose`.
pub(super) fn printed_command(line: &str) -> Option<Vec<String>> {
    let command = line.strip_prefix("> ").or_else(|| line.strip_prefix("$ "))?;
    Some(command.split_ascii_whitespace().map(str::to_owned).collect())
}

fn kind_of(program: &[String]) -> ProgramKind {
    let is_one_of = |commands: &[String]| commands.iter().any(|command| is_command(command, program));
    if is_one_of(&DATA.neutral) {
        ProgramKind::Neutral
    } else if is_one_of(&DATA.verbatim) || prints_data(program) {
        ProgramKind::Verbatim
    } else {
        ProgramKind::Other
    }
}

/// Returns whether words begin a program and have arguments: `python -m pytest`, of
/// `python3.12 -m pytest -q`.
fn is_command(command: &str, program: &[String]) -> bool {
    let mut words = command.split(' ');
    let Some((path, arguments)) = program.split_first() else { return false };
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_version = |character: char| character.is_ascii_digit() || character == '.';
    let wanted = words.next();
    (wanted == Some(path) || wanted == Some(name) || wanted == Some(name.trim_end_matches(is_version)))
        && words.all(|word| arguments.iter().any(|argument| argument == word))
}

/// Returns whether arguments ask for output that a program reads.
fn prints_data(program: &[String]) -> bool {
    const FORMATS: [&str; 6] = ["json", "yaml", "jsonpath", "xml", "csv", "ndjson"];
    let mut before = "";
    program.iter().skip(1).any(|word| {
        let is_format = |text: &str| FORMATS.iter().any(|format| text.starts_with(format));
        let is_value = (matches!(before, "-o" | "-f" | "--output" | "--reporter")
            || before.ends_with("format"))
            && is_format(word);
        before = word;
        let flag = word.strip_prefix('-').map(|flag| flag.trim_start_matches('-'));
        is_value
            || matches!(word.as_str(), "-z" | "-0" | "-print0" | "--null")
            || flag.is_some_and(|flag| {
                let value = flag.split_once('=').map_or(flag, |(_, value)| value);
                flag.starts_with("porcelain") || is_format(value)
            })
    })
}

/// Returns whether a line belongs to the difference of a file.
fn is_of_difference(line: &str) -> bool {
    const HEADS: [&str; 7] =
        ["index ", "new file ", "deleted ", "old mode ", "new mode ", "similarity ", "rename "];
    line.is_empty()
        || line.starts_with(['+', '-', ' ', '@', '\\'])
        || HEADS.iter().any(|head| line.starts_with(head))
}

/// Returns whether a path goes through a directory of this name.
fn has_component(path: &str, name: &str) -> bool {
    path.match_indices(name).any(|(at, _)| {
        let before = path[..at].chars().next_back();
        path[at + name.len()..].starts_with('/')
            && before.is_none_or(|before| matches!(before, '/' | '"' | '\'' | ':' | '('))
    })
}
