//! The comparison of rules with commands.
//!
//! An allow rule must match beyond doubt, word by word. A deny or ask rule also matches what amounts to the same: a path
//! to the program, options before the subcommand, flags in another order.

use super::rule::{Pattern, Rule};
use super::spelling::{has_other_names, npm_subcommands, spellings};
use crate::policy::commands::{Field, UNKNOWN, base_name};

/// The result of the comparison of a deny or ask rule with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The rule is about another command.
    No,
    /// The rule matches for some values of the words that are not known.
    Possible,
    /// The rule is about this command.
    Yes,
}

/// Returns whether an allow rule covers the words beyond doubt.
#[must_use]
pub fn covers(rule: &Rule, words: &[Field]) -> bool {
    if rule.is_about_all() {
        return true;
    }
    // Most rules are about other programs: a comparison of the names is enough for them.
    if let (Some(Pattern::Word(name)), Some(first)) = (rule.pattern.first(), words.first())
        && first.text != *name
    {
        return false;
    }
    let is_same = |pattern: &Pattern, field: &Field| match pattern {
        Pattern::Any => true,
        // A glob in the command is compared as text: a rule covers it only if it has the same glob.
        Pattern::Word(text) => field.is_literal && !field.is_many && field.text == *text,
        Pattern::Glob(glob) => {
            field.is_literal
                && !field.is_many
                && (field.text == *glob
                    || !field.has_glob && !has_parent(&field.text) && glob_matches(glob, &field.text))
        }
    };
    sequence(&rule.pattern, words, &|pattern, field| {
        if is_same(pattern, field) { Match::Yes } else { Match::No }
    }) == Match::Yes
}

/// Returns whether a deny or ask rule is about the words.
#[must_use]
pub fn matches(rule: &Rule, words: &[Field]) -> Match {
    if rule.is_about_all() {
        return Match::Yes;
    }
    if words.is_empty() {
        return Match::No;
    }
    // Most rules are about other programs: a comparison of the names is enough for them.
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
    // A rule may name a subcommand of npm by another name.
    if let [Pattern::Word(name), Pattern::Word(subcommand), ..] = pattern.as_mut_slice()
        && name == "npm"
        && let [meaning] = npm_subcommands(subcommand)[..]
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
    direct.max(loosely(inner, words).min(fits))
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
    let is_same = field.text == *text || is_glob && glob_matches(text, &field.text);
    if is_same {
        Match::Yes
    } else if is_abbreviation(&field.text, text) {
        Match::Possible
    } else {
        Match::No
    }
}

/// Returns whether a text may be an abbreviation of a long option, as GNU programs and git take it.
fn is_abbreviation(text: &str, option: &str) -> bool {
    text.len() > 3 && option.starts_with("--") && option.starts_with(text)
}

/// Returns whether a word with unknown parts could become `text`.
fn could_be(field: &str, text: &str, is_glob: bool) -> bool {
    if is_glob {
        return true;
    }
    let pattern: String =
        field.chars().map(|char| if matches!(char, UNKNOWN | '?' | '[') { '*' } else { char }).collect();
    glob_matches(&pattern, text) || field.contains('[')
}

/// Compares patterns with words in order. `Any` takes any number of words, and so may a word that may be many.
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
        // A word that may become none can be left out.
        for index in 1..=words.len() {
            if words[index - 1].is_many && *pattern != Pattern::Any {
                next[index] = next[index].max(next[index - 1].min(Match::Possible));
            }
        }
        reached = next;
    }
    reached[words.len()]
}

/// Compares the words behind the name in any order of flags, with options before the subcommand.
fn loosely(patterns: &[Pattern], words: &[Field]) -> Match {
    let text_of = |pattern: &Pattern| match pattern {
        Pattern::Word(text) | Pattern::Glob(text) => text.clone(),
        Pattern::Any => String::new(),
    };
    let is_flag = |pattern: &&Pattern| text_of(pattern).starts_with('-');
    let (flags, operands): (Vec<&Pattern>, Vec<&Pattern>) = patterns.iter().partition(is_flag);
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
        // A word that may be many may hold the missing operands.
        if !arguments.iter().any(|field| field.is_many) {
            return Match::No;
        }
        result = Match::Possible;
    }
    for flag in flags {
        let has = has_flag(&text_of(flag), arguments);
        if has == Match::No {
            return Match::No;
        }
        result = result.min(has);
    }
    result
}

/// Returns whether all letters of a flag, or its long form, are among the arguments.
fn has_flag(flag: &str, arguments: &[Field]) -> Match {
    let options = || arguments.iter().take_while(|field| field.text != "--");
    let mut result = Match::Yes;
    let parts: Vec<String> = if flag.starts_with("--") || flag.len() == 1 {
        vec![flag.to_owned()]
    } else {
        flag[1..].chars().map(|letter| format!("-{letter}")).collect()
    };
    let whole = options().any(|field| field.text == flag);
    for part in parts.iter().filter(|_| !whole) {
        let found = options().map(|field| flag_is(part, &field.text)).max().unwrap_or(Match::No);
        let unknown = options().any(|field| field.is_many || field.text.starts_with(UNKNOWN));
        result = result.min(if unknown { found.max(Match::Possible) } else { found });
    }
    result
}

/// Short flags and their long forms.
const LONG: [(&str, &[&str]); 10] = [
    ("-r", &["--recursive", "-R"]),
    ("-R", &["--recursive", "-r"]),
    ("-f", &["--force"]),
    ("-n", &["--dry-run"]),
    ("-n", &["--no-verify"]),
    ("-i", &["--interactive"]),
    ("-a", &["--all"]),
    ("-d", &["--delete"]),
    ("-g", &["--global"]),
    ("-v", &["--verbose"]),
];

fn flag_is(flag: &str, text: &str) -> Match {
    let name = text.split('=').next().unwrap_or(text);
    let forms = LONG.iter().filter(|(short, long)| *short == flag || long.contains(&flag));
    let mut names: Vec<&str> =
        forms.flat_map(|(short, long)| [*short].into_iter().chain(long.iter().copied())).collect();
    names.push(flag);
    let mut result = Match::No;
    for form in names {
        let is_same = if let Some(letter) = form.strip_prefix('-').filter(|letter| letter.len() == 1) {
            text.starts_with('-') && !text.starts_with("--") && text[1..].contains(letter)
        } else {
            name == form
        };
        if is_same {
            return Match::Yes;
        }
        if is_abbreviation(name, form) {
            result = Match::Possible;
        }
    }
    result
}

fn has_parent(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// Returns whether a text matches a pattern in which each `*` stands for any text.
fn glob_matches(glob: &str, text: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(index) => rest = &rest[index + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
