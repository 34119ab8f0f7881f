//! Flags and names that mean the same, for rules and commands alike.

/// Flags of the same meaning, and the command that they hold for: all commands, a program, or a program with
/// its subcommand.
const FLAGS: [(&str, &str); 34] = [
    ("", "-r -R --recursive"),
    ("", "-f --force"),
    ("", "-n --dry-run"),
    ("", "-i --interactive"),
    ("", "-a --all"),
    ("", "-d --delete"),
    ("", "-g --global"),
    ("", "-v --verbose"),
    ("git add", "-A --all --no-ignore-removal"),
    ("git add", "-u --update"),
    ("git branch", "-m --move"),
    ("git branch", "-c --copy"),
    ("git commit", "-n --no-verify"),
    ("git merge", "-n --no-stat"),
    ("git commit", "-m --message"),
    ("git push", "-u --set-upstream"),
    ("git switch", "-c --create"),
    ("git switch", "-C --force-create"),
    ("git switch", "-f --force --discard-changes"),
    ("git stash", "-u --include-untracked"),
    ("git fetch", "-p --prune"),
    ("git remote", "-f --fetch"),
    ("git worktree", "-b"),
    ("npm", "-g --global --location=global"),
    ("npm", "-D --save-dev"),
    ("pip", "-r --requirement"),
    ("docker", "-v --volume"),
    ("docker", "-p --publish"),
    ("docker", "-e --env"),
    ("kubectl", "-A --all-namespaces"),
    ("kubectl", "-f --filename"),
    ("curl", "-o --output"),
    ("curl", "-X --request"),
    ("curl", "-k --insecure"),
];

/// Flags that stand for several: a command, the flag, and what it means.
const COMBINED: [(&str, &str, [&str; 2]); 4] = [
    ("git branch", "-D", ["-d", "-f"]),
    ("git branch", "-M", ["-m", "-f"]),
    ("git branch", "-C", ["-c", "-f"]),
    ("git checkout", "-B", ["-b", "-f"]),
];

/// Programs with two names.
const NAMES: [(&str, &str); 5] = [
    ("source", "."),
    ("test", "["),
    ("docker-compose", "docker compose"),
    ("egrep", "grep -E"),
    ("fgrep", "grep -F"),
];

/// Returns whether two flags of a command mean the same.
pub(super) fn is_same_flag(command: &str, one: &str, other: &str) -> bool {
    let holds = |context: &str| {
        context.is_empty()
            || command.strip_prefix(context).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let has = |flags: &str, flag: &str| flags.split(' ').any(|same| same == flag);
    one == other
        || FLAGS.iter().any(|(context, flags)| has(flags, one) && has(flags, other) && holds(context))
}

/// Returns the flags that one flag of a command stands for, with itself.
pub(super) fn parts_of<'a>(command: &str, flag: &'a str) -> Vec<&'a str> {
    let combined = COMBINED.iter().find(|(context, name, _)| *context == command && *name == flag);
    std::iter::once(flag).chain(combined.iter().flat_map(|(_, _, parts)| parts.iter().copied())).collect()
}

/// Returns the words that may stand for the first words of a command: `source` for `.`.
pub(super) fn other_name(words: &[&str]) -> Option<(usize, Vec<&'static str>)> {
    let other = |from: &str, to: &'static str| {
        let count = from.split(' ').count();
        let is_same = words.len() >= count && from.split(' ').eq(words[..count].iter().copied());
        is_same.then(|| (count, to.split(' ').collect()))
    };
    NAMES.iter().find_map(|(one, two)| other(one, two).or_else(|| other(two, one)))
}

/// Returns whether a program has another name.
pub(super) fn has_other_name(program: &str) -> bool {
    let is_first = |name: &str| name.split(' ').next() == Some(program);
    NAMES.iter().any(|(one, two)| is_first(one) || is_first(two))
}
