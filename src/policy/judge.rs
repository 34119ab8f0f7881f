//! The verdict on each command of a line: by a rule, by an obstacle to rules, or by the mode.

use super::commands::{
    Analysis, ExpandedCommand, Field, Obstacle, Redirect, Trust, UNKNOWN, variants, written_files,
};
use super::decision::{Judged, RuleRef, Verdict};
use super::harmless::does_nothing;
use super::lists::{ListName, Mode, Policy};
use super::paths::PathStyle;
use super::programs::git::GitOption;
use super::read_only::is_query;
use super::request::PolicyRequest;
use super::rules::{self, Match, Rule};
use super::writes::write_is_covered;
use crate::syntax::tree::RedirectMode;

/// Judges a line without any command, which only rules about all commands match.
pub(super) fn nothing(policy: &Policy) -> Judged {
    let command = ExpandedCommand::default();
    let rule = policy.allow.iter().find(|(_, rule)| rule.is_about_all());
    let denied = policy.deny.iter().find(|(_, rule)| rule.is_about_all());
    let asked = policy.ask.iter().find(|(_, rule)| rule.is_about_all());
    match (denied, asked, rule) {
        (Some(rule), _, _) => by_rule(&command, Verdict::Deny, ListName::Deny, rule),
        (_, Some(rule), _) => by_rule(&command, asks(policy), ListName::Ask, rule),
        (_, _, Some(rule)) => by_rule(&command, Verdict::Allow, ListName::Allow, rule),
        _ => Judged::of(&command, by_mode(policy.mode), None, "no rule matches it".to_owned()),
    }
}

const fn by_mode(mode: Mode) -> Verdict {
    match mode {
        Mode::Default | Mode::AcceptEdits => Verdict::Ask,
        Mode::BypassPermissions => Verdict::Allow,
        Mode::DontAsk | Mode::Strict | Mode::ReadOnly => Verdict::Deny,
    }
}

/// Returns the verdict of an ask rule.
pub(super) fn asks(policy: &Policy) -> Verdict {
    if policy.mode == Mode::DontAsk { Verdict::Deny } else { Verdict::Ask }
}

/// Judges each command.
pub(super) fn judge(found: &Analysis, request: &PolicyRequest) -> Vec<Judged> {
    let mut grants: Vec<Option<Grant>> = Vec::with_capacity(found.commands.len());
    let mut all = Vec::with_capacity(found.commands.len());
    let mut has_inner = vec![false; found.commands.len()];
    for (parent, _) in found.commands.iter().filter_map(|command| command.parent) {
        has_inner[parent] = true;
    }
    for (command, has_inner) in found.commands.iter().zip(has_inner) {
        let grant = grant(command, &grants, request);
        let judge = Judge { command, grant: grant.as_ref(), has_inner, found, request };
        let wrappers = wrappers(command, found);
        all.push(Judged { wrappers, ..judge.judge() });
        grants.push(grant);
    }
    all
}

/// Returns the names of the commands that run a command, the outermost first.
fn wrappers(command: &ExpandedCommand, found: &Analysis) -> Vec<String> {
    let mut names = Vec::new();
    let mut parent = command.parent;
    while let Some(outer) = parent.and_then(|(parent, _)| found.commands.get(parent)) {
        names.push(outer.base_name().unwrap_or("…").to_owned());
        parent = outer.parent;
    }
    names.reverse();
    names
}

/// An allow rule that covers a command, and perhaps the commands that it runs.
#[derive(Clone, Debug)]
struct Grant {
    rule: (usize, Rule),
    /// Whether the rule covers every command that the command runs.
    covers_inner: bool,
    /// Whether the command exists to run any other command, so that the arguments of these don't matter.
    is_runner: bool,
    /// The number of words, from the name on, that the rule fixes. The rule also covers an inner command that
    /// begins within these words.
    words: usize,
}

/// Returns the allow rule that covers a command, by its own words or by those of the command that runs it.
fn grant(command: &ExpandedCommand, grants: &[Option<Grant>], request: &PolicyRequest) -> Option<Grant> {
    let inherited = command.parent.and_then(|(parent, index)| {
        let grant = grants.get(parent)?.as_ref()?;
        let reaches = grant.covers_inner || index.is_some_and(|index| grant.words > index);
        reaches.then(|| Grant {
            covers_inner: grant.covers_inner,
            words: grant.words.saturating_sub(index.unwrap_or(0)),
            ..grant.clone()
        })
    });
    if inherited.is_some() {
        return inherited;
    }
    let is_runner = command.trust == Some(Trust::Runner);
    let mut best: Option<Grant> = None;
    for rule in &request.policy.allow {
        if !covers(&rule.1, command, request) {
            continue;
        }
        let is_exact = rule.1.is_exact();
        let grant = Grant {
            rule: rule.clone(),
            covers_inner: is_runner || is_exact || rule.1.is_about_all(),
            is_runner,
            words: if is_exact { usize::MAX } else { rule.1.fixed_words() },
        };
        let is_wider = best
            .as_ref()
            .is_none_or(|best| grant.covers_inner && !best.covers_inner || grant.words > best.words);
        if is_wider {
            best = Some(grant);
        }
    }
    best
}

fn covers(rule: &Rule, command: &ExpandedCommand, request: &PolicyRequest) -> bool {
    rule.is_about_all()
        || rules::covers(rule, &command.words, command.style)
        || without_git_options(command, request)
            .is_some_and(|words| rules::covers(rule, &words, command.style))
}

/// Returns the words of git without options that no rule depends on: `--no-pager`, and `-C` to a directory in
/// the root.
fn without_git_options(command: &ExpandedCommand, request: &PolicyRequest) -> Option<Vec<Field>> {
    let words = &command.words;
    words.first().filter(|field| field.literal() == Some("git"))?;
    let is_inside = |field: &Field| {
        let mut directories = command.directories.iter();
        field.known().is_some_and(|path| {
            directories.all(|directory| request.is_inside_root(path, directory.as_deref()))
        })
    };
    let mut at = 1;
    loop {
        let option = words.get(at).and_then(Field::literal).and_then(GitOption::of);
        at += match (option, words.get(at + 1)) {
            (Some(GitOption::Pager), _) => 1,
            (Some(GitOption::Directory), Some(path)) if is_inside(path) => 2,
            _ => break,
        };
    }
    (at > 1).then(|| [&words[..1], &words[at..]].concat())
}

/// A command with everything that decides on it.
struct Judge<'a> {
    command: &'a ExpandedCommand,
    grant: Option<&'a Grant>,
    has_inner: bool,
    found: &'a Analysis,
    request: &'a PolicyRequest<'a>,
}

impl Judge<'_> {
    fn judge(&self) -> Judged {
        let Self { command, request, .. } = self;
        let policy = request.policy;
        if let Some(rule) = policy.deny.iter().find(|(_, rule)| matches(rule, command) == Match::Yes) {
            return by_rule(command, Verdict::Deny, ListName::Deny, rule);
        }
        let asked = policy.ask.iter().find(|(_, rule)| matches(rule, command) == Match::Yes);
        if let Some(rule) = asked {
            return by_rule(command, asks(policy), ListName::Ask, rule);
        }
        let mut lists = [(ListName::Deny, &policy.deny), (ListName::Ask, &policy.ask)].into_iter();
        let possible = lists.find_map(|(list, rules)| {
            let rule = rules.iter().find(|(_, rule)| matches(rule, command) == Match::Possible)?;
            Some((list, rule))
        });
        if let Some((list, rule)) = possible {
            let why = "it depends on words that are not known whether this rule matches it".to_owned();
            return Judged { why, ..by_rule(command, unsure(policy), list, rule) };
        }
        if let Some(obstacle) = self.hidden() {
            return Judged::of(command, unsure(policy), None, obstacle);
        }
        if policy.mode == Mode::BypassPermissions {
            return Judged::of(command, Verdict::Allow, None, "the mode allows it".to_owned());
        }
        self.allowed()
    }

    /// Returns why rules about names can't be applied to a command, if the policy has such rules.
    ///
    /// A rule with exactly the words of the command also allows what these words run, but not against deny or
    /// ask rules.
    fn hidden(&self) -> Option<String> {
        let policy = self.request.policy;
        let is_allowed = self.is_exact() && !policy.restricts_by_name();
        if !policy.restricts_names() || is_allowed {
            return None;
        }
        self.command.obstacles.iter().find_map(|obstacle| match obstacle {
            Obstacle::UnknownName => Some("its name is not known before it runs".to_owned()),
            Obstacle::UnknownCode(what) => {
                Some(format!("it runs text that is not known before it runs ({what})"))
            }
            _ => None,
        })
    }

    fn is_exact(&self) -> bool {
        self.grant.is_some_and(|grant| grant.rule.1.is_exact())
    }

    /// Judges a command by the allow rules, and then by the mode.
    fn allowed(&self) -> Judged {
        let Self { command, request, .. } = self;
        let mode = request.policy.mode;
        if let Some(why) = self.uncovered() {
            return Judged::of(command, by_mode(mode), None, why);
        }
        if let Some(Grant { rule, .. }) = self.grant {
            return by_rule(command, Verdict::Allow, ListName::Allow, rule);
        }
        let allow = |why: &str| Judged::of(command, Verdict::Allow, None, why.to_owned());
        if command.words.is_empty() {
            return allow("it writes below the root only");
        }
        if command.is_function {
            return allow("it is a function whose commands are judged");
        }
        if does_nothing(command, request) {
            return allow("it does nothing by itself");
        }
        if self.has_inner && command.trust == Some(Trust::Transparent) {
            return allow("what it runs is judged");
        }
        // A command in a session, in a job's input, or on a target can't be hardened.
        let can_harden = request.directory.is_some() && request.environment.is_some();
        if request.policy.allows_queries && can_harden && is_query(command, self.found, request) {
            return allow("it only reads");
        }
        Judged::of(command, by_mode(mode), None, "no rule matches it".to_owned())
    }

    /// Returns why no allow rule covers a command.
    fn uncovered(&self) -> Option<String> {
        let Self { command, request, .. } = self;
        let is_exact = self.is_exact();
        let is_inner = command.parent.is_some() && self.grant.is_some_and(|grant| grant.is_runner);
        let obstacle = command.obstacles.iter().find_map(|obstacle| match obstacle {
            Obstacle::Variable(name) => Some(format!("the variable {name} can make programs run code")),
            Obstacle::Argument(argument) if !is_exact && !is_inner => {
                Some(format!("{argument} can make it run another program"))
            }
            _ => None,
        });
        obstacle.or_else(|| {
            let outputs = if is_exact { Vec::new() } else { self.outputs() };
            let mut files = command.redirections.iter().chain(&outputs);
            let redirect = files.find(|redirect| !write_is_covered(redirect, command, request))?;
            Some(format!(
                "it writes outside of the root or to a file that is not known ({})",
                redirect.target.shown()
            ))
        })
    }

    /// Returns the files that options make a query write, as redirections. After `xargs`, the options come
    /// from another command, which rules allow.
    fn outputs(&self) -> Vec<Redirect> {
        let command = self.command;
        let parent = command.parent.and_then(|(parent, _)| self.found.commands.get(parent));
        let is_behind_xargs = parent.and_then(ExpandedCommand::base_name) == Some("xargs");
        let name = command.base_name().unwrap_or_default();
        let mut files = written_files(name, &command.words);
        for words in variants(&command.words, |_| true) {
            files.extend(written_files(name, &words));
        }
        let files = files.into_iter();
        let files = files.filter(|file| !(is_behind_xargs && file.is_many && file.text.starts_with(UNKNOWN)));
        files.map(|target| Redirect { mode: RedirectMode::Write, target }).collect()
    }
}

/// Returns the verdict if unknown words decide whether a rule matches.
fn unsure(policy: &Policy) -> Verdict {
    if matches!(policy.mode, Mode::DontAsk | Mode::Strict) { Verdict::Deny } else { Verdict::Ask }
}

fn matches(rule: &Rule, command: &ExpandedCommand) -> Match {
    if command.words.is_empty() {
        return if rule.is_about_all() { Match::Yes } else { Match::No };
    }
    if command.obstacles.contains(&Obstacle::UnknownName) && !rule.is_about_all() {
        // `hidden` gives the reason for an unknown name, once for all rules.
        return Match::No;
    }
    let mut direct = rules::matches(rule, &command.words);
    if command.style == PathStyle::Windows && direct != Match::Yes {
        direct = direct.max(matches_by_path(rule, command));
    }
    // Unknown options may decide where the inner command begins.
    let starts = command.other_starts.iter().map(|&at| rules::matches(rule, &command.words[at..]));
    starts.map(|fits| fits.min(Match::Possible)).fold(direct, Match::max)
}

/// Compares a rule with a command of Windows by the one form of each path that they have.
fn matches_by_path(rule: &Rule, command: &ExpandedCommand) -> Match {
    let is_path = |text: &str| text.contains(['/', '\\']);
    if !rule.has_argument(&is_path) {
        return Match::No;
    }
    let directory = command.likely_directory();
    let form = |text: &str| {
        let path = if is_path(text) { PathStyle::Windows.resolve(directory, text) } else { None };
        path.unwrap_or_else(|| text.to_owned())
    };
    let words = command.words.iter().enumerate().map(|(at, field)| match (at, field.known()) {
        (1.., Some(text)) => field.with_text(&form(text)),
        _ => field.clone(),
    });
    rules::matches(&rule.with_paths(&form), &words.collect::<Vec<_>>())
}

fn by_rule(
    command: &ExpandedCommand,
    verdict: Verdict,
    list: ListName,
    (index, rule): &(usize, Rule),
) -> Judged {
    let rule = RuleRef { list, index: *index, rule: rule.source.clone() };
    let why = format!("{}[{}] is {}", list.name(), rule.index, rule.rule);
    Judged::of(command, verdict, Some(rule), why)
}
