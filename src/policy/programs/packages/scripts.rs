//! The scripts of a package: `yarn deploy` runs the same as `yarn run deploy`, and `npm test` the same as
//! `npm run test`.

use super::npm;
use crate::policy::commands::Field;

/// Words by which a package manager runs a script.
const RUN: [&str; 4] = ["run", "run-script", "rum", "urn"];

/// The scripts that npm runs by their name alone.
const NPM_SCRIPTS: &str = "test start stop restart";

/// The words that are commands of yarn in one of its versions, so that no script runs by them.
const YARN_COMMANDS: &str = "add audit autoclean bin cache check config constraints create dedupe dlx exec explain \
generate-lock-entry global help import info init install licenses link list login logout node npm outdated owner pack \
patch patch-commit plugin policies publish rebuild remove run search set stage tag team unlink unplug up upgrade \
upgrade-interactive version versions why workspace workspaces";

/// The same for pnpm.
const PNPM_COMMANDS: &str = "add approve-builds audit bin c cache cat-file cat-index config create dedupe deploy dlx \
doctor env exec fetch find-hash get help i ignored-builds import init install install-test it la licenses link list ll \
ln ls m multi outdated pack patch patch-commit patch-remove prune publish rb rebuild recursive remove rm root run \
run-script self-update server set setup store un uninstall unlink up update upgrade why";

/// The same for bun.
const BUN_COMMANDS: &str = "a add audit build c completions create exec help i info init install link outdated patch \
patch-commit pm publish remove repl rm run test unlink update upgrade why x";

/// Returns other spellings of a command of a package manager: each name of its subcommand, with and without
/// `run`.
pub(super) fn spellings(words: &[Field]) -> Vec<Vec<Field>> {
    let program = words[0].text.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let mut named = npm::by_alias(words);
    let scripts: Vec<Vec<Field>> = named
        .iter()
        .map(Vec::as_slice)
        .chain([words])
        .flat_map(|words| with_scripts(program, words))
        .collect();
    named.extend(scripts);
    named
}

/// Returns a command of a package manager with `run` before the script where it lacks that, and without where
/// it has it.
fn with_scripts(program: &str, words: &[Field]) -> Vec<Vec<Field>> {
    let mut found = Vec::new();
    for at in places(words) {
        let word = words[at].text.as_str();
        if RUN.contains(&word) {
            let name = words[at + 1..].iter().find(|field| !field.text.starts_with('-'));
            if name.is_some_and(|name| is_script(program, name)) {
                found.push([&words[..at], &words[at + 1..]].concat());
            }
        } else if program == "yarn" && word == "workspace" && words.len() > at + 2 {
            let inner = [&words[..at], &words[at + 2..]].concat();
            found.extend(with_scripts(program, &inner));
            found.push(inner);
        } else if is_script(program, &words[at]) {
            found.push([&words[..at], &[Field::of("run")], &words[at..]].concat());
        }
    }
    found
}

/// Returns where the subcommand may stand: behind options, each of which may have a value.
fn places(words: &[Field]) -> Vec<usize> {
    let is_option = |at: usize| words[at].text.starts_with('-');
    let mut places = Vec::new();
    for at in 1..words.len() {
        if is_option(at) {
            continue;
        }
        places.push(at);
        if at == 1 || !is_option(at - 1) {
            break;
        }
    }
    places
}

/// Returns whether a package manager may run a script by this word alone.
fn is_script(program: &str, field: &Field) -> bool {
    let Some(word) = field.known() else { return true };
    let is_in = |list: &str| list.split(' ').any(|name| name == word);
    match program {
        "npm" => is_in(NPM_SCRIPTS),
        "yarn" => !is_in(YARN_COMMANDS),
        "pnpm" => !is_in(PNPM_COMMANDS),
        "bun" => !is_in(BUN_COMMANDS),
        _ => false,
    }
}
