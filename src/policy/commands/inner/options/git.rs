//! Programs that git runs: by its settings, its aliases and the options of its subcommands.

use crate::policy::commands::arguments::{quoted, skip_options};
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::Trust;
use crate::policy::commands::inner::model::Inner;

use super::git_settings::{aliased, is_harmless_setting, setting_code};

/// Options of `git filter-branch` that take a command line.
const FILTERS: [&str; 8] = [
    "--tree-filter",
    "--index-filter",
    "--env-filter",
    "--msg-filter",
    "--commit-filter",
    "--tag-name-filter",
    "--parent-filter",
    "--setup",
];

/// Options of `git config` that only read.
const CONFIG_QUERIES: [&str; 7] =
    ["--get", "--get-all", "--list", "-l", "--get-regexp", "--show-origin", "--get-urlmatch"];

/// Returns the index of the subcommand of git, behind the options before it.
pub(crate) fn git_subcommand(words: &[Field]) -> usize {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Field::known) {
        let takes_value = matches!(
            text,
            "-C" | "-c"
                | "--git-dir"
                | "--work-tree"
                | "--namespace"
                | "--config-env"
                | "--super-prefix"
                | "--attr-source"
        );
        if takes_value {
            at += 2;
        } else if text.starts_with('-') {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// Returns what git runs by its settings and by the options of its subcommand.
pub(super) fn inner(words: &[Field]) -> Vec<Inner> {
    let at = git_subcommand(words);
    let mut found = settings(&words[..at.min(words.len())]);
    if let Some(subcommand) = words.get(at).and_then(Field::known) {
        found.extend(by_subcommand(subcommand, words.get(at + 1..).unwrap_or_default()));
    }
    found
}

fn code(text: Option<String>) -> Inner {
    Inner::code(text, "git", Trust::Separate, false)
}

/// Returns the command lines in `-c name=value`: of an alias, and of any setting that may run its value.
fn settings(words: &[Field]) -> Vec<Inner> {
    let mut found = Vec::new();
    for pair in words.windows(2) {
        if pair[0].text != "-c" {
            continue;
        }
        let Some((name, value)) = pair[1].text.split_once('=') else { continue };
        if is_harmless_setting(name, value) {
            continue;
        }
        let is_alias = name.to_lowercase().starts_with("alias.");
        let command = if is_alias || value.starts_with('!') { aliased(value) } else { value.to_owned() };
        found.push(code(Some(command).filter(|text| !text.contains(UNKNOWN))));
    }
    found
}

fn by_subcommand(subcommand: &str, rest: &[Field]) -> Vec<Inner> {
    match subcommand {
        "submodule" => command_behind("foreach", rest).into_iter().collect(),
        "submodule--helper" => command_behind("foreach", rest).into_iter().collect(),
        "bisect" => command_behind("run", rest).into_iter().collect(),
        // `git merge-index -o cmd -a` runs `cmd` for each file.
        "merge-index" => {
            let at = skip_options(rest, 0, "", &[]);
            rest.get(at).map(|program| Inner::Made(vec![program.clone()])).into_iter().collect()
        }
        "for-each-repo" => {
            let at = skip_options(rest, 0, "", &["config"]);
            let git =
                [Field::of("git")].into_iter().chain(rest.get(at..).unwrap_or_default().iter().cloned());
            vec![Inner::Made(git.collect())]
        }
        "config" => setting_code(rest).map(Some).map(code).into_iter().collect(),
        "rebase" => option_values(subcommand, &["-x", "--exec"], rest),
        "difftool" | "mergetool" => option_values(subcommand, &["-x", "--extcmd"], rest),
        "filter-branch" => option_values(subcommand, &FILTERS, rest),
        "grep" => pagers(rest),
        "clone" | "fetch" | "pull" | "ls-remote" | "push" | "archive" | "fetch-pack" | "send-pack" => {
            let mut found = option_values(subcommand, &["--upload-pack", "--receive-pack", "--exec"], rest);
            if subcommand == "clone" {
                found.extend(option_values(subcommand, &["-u"], rest));
            }
            // `ext::sh -c rm% x` runs a command, in which `% ` is a blank.
            let addresses = rest.iter().filter_map(|field| field.text.strip_prefix("ext::"));
            found.extend(addresses.map(|text| code(Some(text.replace("% ", " ")))));
            found
        }
        _ => Vec::new(),
    }
}

/// Returns the words behind `word` as code, as in `git bisect run make`.
fn command_behind(word: &str, rest: &[Field]) -> Option<Inner> {
    let at = rest.iter().position(|field| field.text == word)?;
    let words: Vec<&str> = rest[at + 1..]
        .iter()
        .map(|field| field.text.as_str())
        .filter(|text| !matches!(*text, "--recursive" | "--quiet"))
        .collect();
    // Several words are arguments as they are.
    let text = match words.as_slice() {
        [code] => (*code).to_owned(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    };
    Some(code((!text.contains(UNKNOWN)).then_some(text)))
}

/// Returns the values of options as code. Git takes abbreviations of their names.
fn option_values(subcommand: &str, names: &[&str], rest: &[Field]) -> Vec<Inner> {
    let known = |field: &Field| field.known().map(str::to_owned);
    rest.iter()
        .enumerate()
        .filter_map(|(at, field)| {
            if let Some(value) = cluster_value(subcommand, &field.text, names) {
                let attached = (!value.is_empty()).then(|| value.to_owned());
                return Some(attached.or_else(|| rest.get(at + 1).and_then(known)));
            }
            let (name, value) = field
                .text
                .split_once('=')
                .map_or((field.text.as_str(), None), |(name, value)| (name, Some(value)));
            let is_named = names.iter().any(|option| {
                *option == name || name.len() > 3 && name.starts_with("--") && option.starts_with(name)
            });
            is_named.then(|| value.map(str::to_owned).or_else(|| rest.get(at + 1).and_then(known)))
        })
        .map(code)
        .collect()
}

/// Returns what stands behind the letter of one of the options in a cluster: `-ixmake` is `-i -x make`. A letter that takes a
/// value ends the search.
fn cluster_value<'a>(subcommand: &str, text: &'a str, options: &[&str]) -> Option<&'a str> {
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let valued = match subcommand {
        "config" => "f",
        "rebase" => "sXCS",
        "clone" => "bcjo",
        "grep" => "ABCefm",
        "difftool" | "mergetool" => "t",
        _ => "",
    };
    for (offset, letter) in letters.char_indices() {
        if options.iter().any(|option| option.len() == 2 && option.ends_with(letter)) {
            return Some(&letters[offset + letter.len_utf8()..]);
        }
        if valued.contains(letter) {
            return None;
        }
    }
    None
}

/// Returns the pagers of `git grep -O` and `--open-files-in-pager`.
fn pagers(rest: &[Field]) -> Vec<Inner> {
    let opens = |field: &&Field| {
        cluster_value("grep", &field.text, &["-O"]).is_some()
            || field.text.len() > 4
                && "--open-files-in-pager".starts_with(field.text.split('=').next().unwrap_or(""))
    };
    let pager = |field: &Field| {
        let value = field.text.split_once('=').map(|(_, value)| value);
        let value = value.or_else(|| cluster_value("grep", &field.text, &["-O"]));
        code(value.filter(|value| !value.is_empty()).map(str::to_owned))
    };
    rest.iter().filter(opens).map(pager).collect()
}

/// Returns whether arguments of git may run something that its name alone doesn't say.
pub(super) fn is_obstacle(words: &[Field]) -> bool {
    let at = git_subcommand(words);
    if has_setting(&words[1..at.clamp(1, words.len())]) {
        return true;
    }
    match words.get(at).and_then(Field::known) {
        Some(subcommand) => is_subcommand_obstacle(subcommand, words.get(at + 1..).unwrap_or_default()),
        None => words.len() > at,
    }
}

/// Returns whether the options before the subcommand may change a setting that runs something.
fn has_setting(before: &[Field]) -> bool {
    before.iter().enumerate().any(|(at, field)| {
        let text = field.text.as_str();
        if text.starts_with("-c") && text != "-c" {
            return true;
        }
        if text == "-c" {
            let setting = before.get(at + 1).map_or("", |field| field.text.as_str());
            let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
            return !is_harmless_setting(name, value);
        }
        ["--exec-path=", "--config-env", "--git-dir", "--work-tree", "--attr-source"]
            .iter()
            .any(|option| text.starts_with(option))
            || text.contains(UNKNOWN)
    })
}

fn is_subcommand_obstacle(subcommand: &str, rest: &[Field]) -> bool {
    let has = |names: &[&str]| {
        rest.iter().any(|field| {
            let text = field.text.split('=').next().unwrap_or("");
            let is_abbreviation =
                |name: &&str| text.len() > 3 && text.starts_with("--") && name.starts_with(text);
            names.iter().any(|name| text == *name || is_abbreviation(name))
                || cluster_value(subcommand, &field.text, names).is_some()
        })
    };
    let has_ext_address =
        || rest.iter().any(|field| field.text.trim_start_matches("--remote=").starts_with("ext::"));
    match subcommand {
        "config" => {
            let mut operands = rest.iter().filter(|field| !field.text.starts_with('-'));
            let name = operands.next().map_or("", |field| field.text.as_str());
            // With a name alone, `git config` prints the setting.
            let value = operands.next().map(|field| field.text.as_str());
            let writes =
                !has(&CONFIG_QUERIES) && value.is_some_and(|value| !is_harmless_setting(name, value));
            writes || has(&["--edit", "-e"]) || name == "edit"
        }
        "clone" => has(&["-c", "--config", "--template", "--upload-pack", "-u"]) || has_ext_address(),
        "fetch" | "pull" | "ls-remote" | "remote" => has(&["--upload-pack", "--exec"]) || has_ext_address(),
        "push" | "archive" | "send-pack" | "fetch-pack" => {
            has(&["--receive-pack", "--upload-pack", "--exec"]) || has_ext_address()
        }
        "init" => has(&["--template"]),
        "grep" => has(&["-O", "--open-files-in-pager"]),
        "difftool" | "mergetool" | "filter-branch" | "send-email" | "instaweb" | "daemon" | "fast-import"
        | "remote-ext" | "web--browse" | "merge-index" | "for-each-repo" => true,
        "rebase" => has(&["-x", "--exec"]),
        "bisect" => has(&["run"]),
        "apply" => has(&["--unsafe-paths"]),
        "submodule" | "submodule--helper" => has(&["foreach"]) || has_ext_address(),
        "diff" | "log" | "show" | "stash" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files"
        | "format-patch" | "reflog" => has(&["--ext-diff"]),
        _ => false,
    }
}
