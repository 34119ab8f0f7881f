//! Compares a pattern, as in a rule `Bash(…)`, with a whole command line, for tests of programs that run
//! commands.

use super::commands::{self, ExpandedCommand, WalkSurroundings};
use super::paths::PathStyle;
use super::rules::{Fault, Rule, covers};
use crate::syntax::{self, Syntax};

/// The part of a command line that a pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineMatch {
    None,
    /// Some simple command.
    Some,
    /// Each command of the line, or what the command runs: `timeout 5 npm test`.
    Whole,
}

/// Compares a pattern with a command line. `None` stands for a command line that can't be read.
///
/// # Errors
///
/// The fault in the pattern.
pub fn line_match(pattern: &str, text: &str, language: Syntax) -> Result<Option<LineMatch>, Fault> {
    let Some(rule) = Rule::parse(&format!("Bash({pattern})"))? else { return Ok(None) };
    let nothing_known = WalkSurroundings::default();
    let read = syntax::read(text, language);
    let Ok(found) = read.and_then(|list| commands::find(&list, language, nothing_known)) else {
        return Ok(None);
    };
    let all = found.commands;
    let is_matched = |command: &ExpandedCommand| covers(&rule, &command.words, PathStyle::Unix);
    let matched: Vec<usize> = (0..all.len()).filter(|&index| is_matched(&all[index])).collect();
    let has_match_below = |index: usize| matched.iter().any(|&found| lies_below(&all, found, index));
    let mut roots = (0..all.len()).filter(|&index| all[index].parent.is_none());
    Ok(Some(match matched.is_empty() {
        true => LineMatch::None,
        false if roots.all(has_match_below) => LineMatch::Whole,
        false => LineMatch::Some,
    }))
}

/// Returns whether a command is `ancestor`, or is run by it.
fn lies_below(all: &[ExpandedCommand], mut index: usize, ancestor: usize) -> bool {
    while index != ancestor {
        match all[index].parent {
            Some((parent, _)) if parent < index => index = parent,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{LineMatch, line_match};
    use crate::syntax::Syntax;

    fn of(pattern: &str, text: &str) -> Option<LineMatch> {
        line_match(pattern, text, Syntax::Bash).expect("a pattern")
    }

    #[test]
    fn a_pattern_matches_words_as_a_rule_of_a_policy_does() {
        assert_eq!(of("git describe *", "git describe --tags"), Some(LineMatch::Whole));
        assert_eq!(of("git describe *", "git  'describe'"), Some(LineMatch::Whole));
        assert_eq!(of("git describe", "git describe --tags"), Some(LineMatch::None));
        assert_eq!(of("*", "anything at all"), Some(LineMatch::Whole));
    }

    #[test]
    fn a_line_is_matched_as_a_whole_or_in_part() {
        assert_eq!(of("npm test", "npx fix src && npm test"), Some(LineMatch::Some));
        assert_eq!(of("npm test", "timeout 5 npm test"), Some(LineMatch::Whole));
        assert_eq!(of("npm *", "npm ci && npm test"), Some(LineMatch::Whole));
        assert_eq!(of("npm test", "echo 'open"), None);
    }
}
