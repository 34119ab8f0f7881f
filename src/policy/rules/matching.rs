//! Compares rules with commands.
//!
//! An allow rule must match beyond doubt, word by word. A deny or ask rule also matches equivalent commands:
//! a path to the program, options before the subcommand, flags in another order.

use super::rule::{Pattern, Rule};
use super::spelling::spellings;
use super::synonyms::{Subcommand, has_other_names, is_same_flag, parts_of};
use crate::policy::commands::{Field, UNKNOWN, base_name};
use crate::policy::globs::star_matches;
use crate::policy::paths::PathStyle;
use crate::policy::programs::Program;

/// The result of comparing a deny or ask rule with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    No,
    /// The rule matches for some values of the unknown words.
    Possible,
    Yes,
}

/// Returns whether an allow rule covers the words beyond doubt.
#[must_use]
pub fn covers(rule: &Rule, words: &[Field], style: PathStyle) -> bool {
    if rule.is_about_all() {
        return true;
    }
    // Most rules name other programs: comparing the names is enough for them.
    if let (Some(Pattern::Word(name)), Some(first)) = (rule.pattern.first(), words.first())
        && first.text != *name
    {
        return false;
    }
    let is_same = |pattern: &Pattern, field: &Field| match pattern {
        Pattern::Any => true,
        // A glob in the command is compared as text: a rule covers it only with the same glob.
        Pattern::Word(text) => field.is_literal && !field.is_many && field.text == *text,
        Pattern::Glob(glob) => {
            field.is_literal
                && !field.is_many
                && (field.text == *glob
                    || !field.has_glob
                        && !has_parent(&style.plain(&field.text, None))
                        && star_matches(glob, &field.text))
        }
    };
    sequence(&rule.pattern, words, &|pattern, field| {
        if is_same(pattern, field) { Match::Yes } else { Match::No }
    }) == Match::Yes
}

/// Returns whether a deny or ask rule matches the words.
#[must_use]
pub fn matches(rule: &Rule, words: &[Field]) -> Match {
    if rule.is_about_all() {
        return Match::Yes;
    }
    if words.is_empty() {
        return Match::No;
    }
    // Most rules name other programs: comparing the names is enough for them.
    if let (Some(Pattern::Word(name)), Some(program)) =
        (rule.pattern.first(), words[0].known().map(base_name))
        && program != base_name(name)
        && !has_other_names(program)
    {
        return Match::No;
    }
    let pattern = by_base_name(&rule.pattern);
    spellings(words).iter().map(|words| matches_spelling(&pattern, words)).max().unwrap_or(Match::No)
}

fn by_base_name(pattern: &[Pattern]) -> Vec<Pattern> {
    let mut pattern = pattern.to_vec();
    if let Some(Pattern::Word(name)) = pattern.first_mut() {
        *name = base_name(name).to_owned();
    }
    // A rule may name a subcommand by another name.
    if let [Pattern::Word(name), Pattern::Word(subcommand), ..] = pattern.as_mut_slice()
        && let Some(subcommands) = Program::of(name).and_then(|program| program.synonyms.subcommands)
        && let [meaning] = subcommands(subcommand)[..]
    {
        meaning.clone_into(subcommand);
    }
    pattern
}

fn matches_spelling(pattern: &[Pattern], words: &[Field]) -> Match {
    let direct = sequence(pattern, words, &compare);
    let [Pattern::Word(name), inner @ .., Pattern::Any] = pattern else { return direct };
    let is_simple = inner.iter().all(|pattern| *pattern != Pattern::Any);
    let fits = compare(&Pattern::Word(name.clone()), &words[0]);
    if direct == Match::Yes || !is_simple || fits == Match::No {
        return direct;
    }
    direct.max(loosely(name, inner, words).min(fits))
}

/// Compares a word of a deny rule with a word of the command.
fn compare(pattern: &Pattern, field: &Field) -> Match {
    let text = match pattern {
        Pattern::Any => return Match::Yes,
        Pattern::Word(text) | Pattern::Glob(text) => text,
    };
    let is_glob = matches!(pattern, Pattern::Glob(_));
    if field.known().is_none() {
        return if field.text == *text || could_be(&field.text, text, is_glob) {
            Match::Possible
        } else {
            Match::No
        };
    }
    let is_same = field.text == *text || is_glob && star_matches(text, &field.text);
    if is_same {
        Match::Yes
    } else if is_abbreviation(&field.text, text) {
        Match::Possible
    } else {
        Match::No
    }
}

/// Returns whether a text may abbreviate a long option, as GNU programs and git accept.
fn is_abbreviation(text: &str, option: &str) -> bool {
    text.len() > 3 && option.starts_with("--") && option.starts_with(text) && text != option
}

/// Returns whether a word with unknown parts could become `text`.
fn could_be(field: &str, text: &str, is_glob: bool) -> bool {
    if is_glob {
        return true;
    }
    let pattern: String =
        field.chars().map(|char| if matches!(char, UNKNOWN | '?' | '[') { '*' } else { char }).collect();
    star_matches(&pattern, text) || field.contains('[')
}

/// Compares patterns with words in order. `Any` matches any number of words, and a word that may be many
/// matches any number of patterns.
fn sequence(patterns: &[Pattern], words: &[Field], compare: &dyn Fn(&Pattern, &Field) -> Match) -> Match {
    // reached[n]: how well the patterns so far match the first n words.
    let mut reached = vec![Match::No; words.len() + 1];
    reached[0] = Match::Yes;
    for pattern in patterns {
        let mut next = vec![Match::No; words.len() + 1];
        for index in 0..=words.len() {
            if *pattern == Pattern::Any {
                let before = if index > 0 { next[index - 1] } else { Match::No };
                next[index] = reached[index].max(before);
            } else if index > 0 {
                let word = &words[index - 1];
                let fits = compare(pattern, word);
                next[index] = reached[index - 1].min(fits);
                // The word may become several words, or none.
                if word.is_many && fits != Match::No {
                    let many = reached[index].max(next[index - 1]).min(Match::Possible);
                    next[index] = next[index].max(many);
                }
            }
        }
        // A word that may become none can be skipped.
        for index in 1..=words.len() {
            if words[index - 1].is_many && *pattern != Pattern::Any {
                next[index] = next[index].max(next[index - 1].min(Match::Possible));
            }
        }
        reached = next;
    }
    reached[words.len()]
}

/// Compares the words after the name: flags in any order, with options before the subcommand.
fn loosely(name: &str, patterns: &[Pattern], words: &[Field]) -> Match {
    let text_of = |pattern: &Pattern| match pattern {
        Pattern::Word(text) | Pattern::Glob(text) => text.clone(),
        Pattern::Any => String::new(),
    };
    let is_flag = |pattern: &&Pattern| text_of(pattern).starts_with('-');
    let (flags, operands): (Vec<&Pattern>, Vec<&Pattern>) = patterns.iter().partition(is_flag);
    let command =
        Subcommand::new(name, operands.first().map_or_else(String::new, |pattern| text_of(pattern)));
    let arguments = &words[1..];
    let mut result = Match::Yes;
    let mut next = operands.into_iter().peekable();
    let mut is_behind_option = false;
    for field in arguments {
        let Some(pattern) = next.peek() else { break };
        if field.text.starts_with('-') {
            is_behind_option = !field.text.contains('=');
            continue;
        }
        let fits = compare(pattern, field);
        if fits == Match::No && !is_behind_option && !field.is_many {
            return Match::No;
        }
        if fits != Match::No {
            result = result.min(fits);
            next.next();
        }
        is_behind_option = false;
    }
    if next.peek().is_some() {
        // A word that may be many may contain the missing operands.
        if !arguments.iter().any(|field| field.is_many) {
            return Match::No;
        }
        result = Match::Possible;
    }
    for flag in flags {
        let has = has_flag(&command, &text_of(flag), arguments);
        if has == Match::No {
            return Match::No;
        }
        result = result.min(has);
    }
    result
}

/// Returns whether all letters of a flag, or equivalent flags, are among the arguments of a command.
fn has_flag(command: &Subcommand, flag: &str, arguments: &[Field]) -> Match {
    let options = || arguments.iter().take_while(|field| field.text != "--");
    if options().any(|field| field.text == flag) {
        return Match::Yes;
    }
    let given: Vec<String> = options().flat_map(|field| flags_of(&field.text)).collect();
    let given: Vec<&str> = given.iter().flat_map(|flag| parts_of(command, flag)).collect();
    let is_given = |part: &str| given.iter().any(|other| is_same_flag(command, part, other));
    let may_be_given = |part: &str| {
        given.iter().any(|other| is_abbreviation(other, part))
            || options().any(|field| field.is_many || field.text.starts_with(UNKNOWN))
    };
    let fits = |part: &str| match (is_given(part), may_be_given(part)) {
        (true, _) => Match::Yes,
        (false, true) => Match::Possible,
        (false, false) => Match::No,
    };
    let wanted = flags_of(flag);
    let all = wanted.iter().map(|part| {
        // Flags that together mean the same count too: `-d -f` for `-D`.
        let combined = parts_of(command, part)[1..].iter().map(|part| fits(part)).min().unwrap_or(Match::No);
        fits(part).max(combined)
    });
    all.min().unwrap_or(Match::Yes)
}

/// Returns the flags in a word: the letters of a cluster, or a long flag without its value.
fn flags_of(text: &str) -> Vec<String> {
    match text.strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') && !letters.is_empty() => {
            letters.chars().map(|letter| format!("-{letter}")).collect()
        }
        Some(_) if text.contains('=') => {
            vec![text.split('=').next().unwrap_or(text).to_owned(), text.to_owned()]
        }
        Some(_) => vec![text.to_owned()],
        None => Vec::new(),
    }
}

fn has_parent(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}
