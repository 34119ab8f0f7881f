//! Queries of git, and their arguments that only read.

use super::options::{CONFIG_QUERIES, GitOption};
use crate::policy::commands::OptionWord;
use crate::policy::programs::ReadsPath;

/// Options of queries that write, run a program or reach the network. Their abbreviations are refused too.
const HARMFUL: [&str; 32] = [
    "--output", "--ext-diff", "--textconv", "--open-files-in-pager", "--upload-pack", "--exec",
    "--receive-pack", "--config", "--template", "--edit", "--delete", "--move", "--copy", "--force",
    "--set-upstream-to", "--unset-upstream", "--edit-description", "--create-reflog", "--track", "--write",
    "--show-signature", "--no-index", "--contents", "--filters", "--ignore-revs-file", "--exclude-from",
    // These run merge drivers, programs in submodules, or a program of the repository that lends objects.
    "--remerge-diff", "--diff-merges", "--submodule", "--dirty", "--broken", "--alternate-refs",
];

/// Subcommands that only read with any arguments but the [`HARMFUL`] ones.
const QUERIES: [&str; 26] = [
    "log", "diff", "show", "blame", "annotate", "shortlog", "describe", "rev-list", "ls-files", "ls-tree",
    "name-rev", "merge-base", "grep", "diff-tree", "diff-index", "diff-files", "show-ref", "for-each-ref",
    "count-objects", "whatchanged", "cherry", "show-branch", "check-ignore", "check-attr", "version",
    "verify-pack",
];

/// Options with which the operands of `branch` and `tag` are patterns of names to list, and no new names.
const LIST_PATTERNS: [&str; 6] = ["--list", "-l", "--contains", "--points-at", "--merged", "--no-merged"];

/// Options of `config` beside its [`CONFIG_QUERIES`] with which it reads the usual files.
const CONFIG_FORMS: [&str; 17] = [
    "--local", "--global", "--system", "--worktree", "--show-origin", "--show-scope", "--name-only",
    "--null", "-z", "--type", "--bool", "--int", "--path", "--default", "--all", "--includes",
    "--no-includes",
];

/// Options of `branch` that list branches.
const BRANCH_LISTS: [&str; 17] = [
    "--list", "-l", "-a", "-r", "-v", "-vv", "--all", "--remotes", "--show-current", "--contains",
    "--merged", "--no-merged", "--points-at", "--verbose", "-av", "-avv", "-rv",
];

/// Returns why the arguments of git may make it do more than read.
pub(super) fn refusal(words: &[&str], reads_path: ReadsPath) -> Option<String> {
    let mut at = 0;
    while let Some(text) = words.get(at).filter(|text| text.starts_with('-')) {
        match GitOption::of(text) {
            Some(GitOption::Pager | GitOption::Reading) => at += 1,
            Some(GitOption::Directory) => {
                let Some(path) = words.get(at + 1) else { return Some("-C has no directory".to_owned()) };
                if !reads_path(path) {
                    return Some(format!("{path} is outside of the root"));
                }
                at += 2;
            }
            _ if matches!(*text, "--version" | "--help") && words.len() == at + 1 => {
                return (*text == "--help").then(|| "it may open a pager".to_owned());
            }
            _ => return Some(format!("its option {text} is not known to read")),
        }
    }
    let Some((subcommand, arguments)) = words.get(at..).and_then(<[&str]>::split_first) else {
        return Some("it has no subcommand".to_owned());
    };
    if arguments.contains(&"--help") {
        return Some("it may open a pager".to_owned());
    }
    if let Some(option) =
        arguments.iter().take_while(|text| **text != "--").find(|text| is_harmful(subcommand, text))
    {
        return Some(format!("its option {option} is not known to read"));
    }
    if arguments.iter().any(|text| asks_for_signature(text)) {
        return Some("it runs a program to check a signature".to_owned());
    }
    if !is_query(subcommand, arguments) {
        return Some(format!("`git {subcommand}` with these arguments is no known query"));
    }
    let is_path = |text: &&&str| {
        !text.starts_with('-')
            && (text.starts_with('/') || text.split('/').any(|part| part == ".."))
            && !(text.contains("..") && !text.contains('/'))
    };
    arguments
        .iter()
        .find(|text| is_path(text) && !reads_path(text))
        .map(|path| format!("{path} is outside of the root"))
}

/// Returns whether a format has a placeholder for a signature: `%G?`, `%+GS`, `%(signature)`.
fn asks_for_signature(text: &str) -> bool {
    text.contains("%(signature")
        || text.split('%').skip(1).any(|part| part.trim_start_matches(['+', '-', ' ']).starts_with('G'))
}

fn is_harmful(subcommand: &str, text: &str) -> bool {
    if let Some(OptionWord::Long(name, _)) = OptionWord::of(text) {
        // Git accepts abbreviations: `--outp`, `--open`.
        let ambiguous = ["--o", "--t", "--e", "--no", "--c", "--f", "--tr"];
        let whole = format!("--{name}");
        if ambiguous.contains(&whole.as_str()) {
            return true;
        }
        // These two are whole options, which only read.
        let is_harmless = matches!(name, "exclude" | "text");
        return !is_harmless && HARMFUL.iter().any(|harmful| harmful.starts_with(&whole));
    }
    let is_cluster = text.len() > 1 && text.starts_with('-');
    match subcommand {
        "grep" => is_cluster && (text.starts_with("-O") || text.starts_with("-f")),
        "branch" => is_cluster && text[1..].contains(['d', 'D', 'm', 'M', 'c', 'C', 'f', 'u', 't']),
        "tag" => is_cluster && text[1..].contains(['d', 'a', 's', 'u', 'm', 'F', 'f', 'e', 'v']),
        // `-X` reads a file of patterns.
        "ls-files" => text.starts_with("-X"),
        "ls-tree" | "rev-parse" | "describe" | "cat-file" => false,
        "diff" | "show" | "log" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files" | "stash"
        | "reflog" => text.starts_with("-o") || text.starts_with("-O"),
        // With `-v`, `status` shows changes, and no option keeps it from running external programs.
        "status" => is_cluster && text.contains('v'),
        "blame" => is_cluster && text.starts_with("-S"),
        _ => false,
    }
}

fn is_query(subcommand: &str, arguments: &[&str]) -> bool {
    let operands: Vec<&str> = arguments.iter().copied().filter(|text| !text.starts_with('-')).collect();
    let has = |names: &[&str]| arguments.iter().any(|text| names.contains(text));
    match subcommand {
        "status" => !arguments.iter().any(|text| text.starts_with("--verb")),
        "rev-parse" => !has(&["--parseopt"]),
        "cat-file" => !has(&["--batch-command"]),
        "var" => operands.is_empty() || arguments.len() <= 1,
        "branch" => {
            operands.is_empty() && (!has(&["--edit-description"]) || has(&BRANCH_LISTS))
                || has(&LIST_PATTERNS)
        }
        "tag" => operands.is_empty() || has(&LIST_PATTERNS),
        "remote" => match operands.as_slice() {
            [] => true,
            ["get-url", _] => true,
            ["show", _] => has(&["-n"]),
            _ => false,
        },
        "stash" | "notes" => matches!(operands.first(), Some(&("list" | "show"))),
        "worktree" => operands.as_slice() == ["list"],
        "config" => reads_settings(arguments, &operands),
        "reflog" => operands.first().is_none_or(|word| *word == "show") || operands.first() == Some(&"HEAD"),
        "symbolic-ref" => operands.len() == 1 && !has(&["-d", "--delete", "-m"]),
        "hash-object" => !has(&["-w", "--stdin-paths"]),
        "bisect" => matches!(operands.first(), Some(&"log")),
        subcommand => QUERIES.contains(&subcommand),
    }
}

/// Returns whether `git config` only reads, and only the usual files.
fn reads_settings(arguments: &[&str], operands: &[&str]) -> bool {
    let is_known = |text: &&str| {
        let name = text.split('=').next().unwrap_or(text);
        !text.starts_with('-') || CONFIG_QUERIES.contains(&name) || CONFIG_FORMS.contains(&name)
    };
    // A single name is a query too.
    let is_query = arguments.iter().any(|text| CONFIG_QUERIES.contains(text))
        || matches!(operands.first(), Some(&("get" | "list")))
        || operands.len() == 1 && operands[0].contains('.');
    is_query && arguments.iter().all(is_known)
}
