//! Other words that amount to the same command: `git-push`, `npm i`, `python -m pip`. Deny and ask rules match each of them.

use crate::policy::commands::{Field, base_name};

/// Returns whether a program may stand for one of another name.
pub(super) fn has_other_names(program: &str) -> bool {
    program.starts_with("git-") || program.starts_with("pip") || program.starts_with("python")
}

/// Returns the words with the name without its path, and again in each other spelling.
pub(super) fn spellings(words: &[Field]) -> Vec<Vec<Field>> {
    let mut plain = words.to_vec();
    let Some(name) = plain[0].known().map(|name| base_name(name).to_owned()) else { return vec![plain] };
    if let Some(subcommand) = name.strip_prefix("git-").filter(|subcommand| !subcommand.is_empty()) {
        let mut git = plain.clone();
        git.splice(0..1, [Field::of("git"), Field::of(subcommand)]);
        return vec![plain, git];
    }
    plain[0].text.clone_from(&name);
    let unversioned = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let other = match unversioned {
        "npm" | "pnpm" | "yarn" | "bun" => by_alias(&plain),
        "pip" if name != "pip" => Some([&[Field::of("pip")], &plain[1..]].concat()),
        "python" => module(&plain),
        "git" => in_short(&plain),
        "docker" | "podman" => without(&plain, |text| text == "container"),
        "cargo" => without(&plain, |text| text.starts_with('+')),
        _ => None,
    };
    [Some(plain), other].into_iter().flatten().collect()
}

/// Returns a command of npm with the subcommand that its alias stands for.
fn by_alias(words: &[Field]) -> Option<Vec<Field>> {
    let at = words.iter().skip(1).position(|field| !field.text.starts_with('-'))? + 1;
    let mut other = words.to_vec();
    meaning_of(&words[at].text)?.clone_into(&mut other[at].text);
    Some(other)
}

/// Returns the subcommand of npm for an alias.
fn meaning_of(alias: &str) -> Option<&'static str> {
    Some(match alias {
        "i" | "in" | "add" | "isntall" => "install",
        "rm" | "r" | "un" | "remove" | "unlink" => "uninstall",
        "run-script" | "rum" | "urn" => "run",
        "t" | "tst" => "test",
        "x" => "exec",
        "up" | "upgrade" => "update",
        _ => return None,
    })
}

/// Returns the program of `python -m program`.
fn module(words: &[Field]) -> Option<Vec<Field>> {
    let at = words.iter().position(|field| field.text == "-m")?;
    let is_first = words[1..at].iter().all(|field| field.text.starts_with('-'));
    (is_first && at + 1 < words.len()).then(|| words[at + 1..].to_vec())
}

/// Returns a command of git with the option that its other arguments amount to: `push origin +main` forces, and so does
/// `branch -d -f` like `-D`.
fn in_short(words: &[Field]) -> Option<Vec<Field>> {
    let has = |test: &dyn Fn(&str) -> bool| words.iter().skip(1).any(|field| test(&field.text));
    let has_flag = |letter: char, long: &str| {
        has(&|text| text == long || !text.starts_with("--") && text.starts_with('-') && text.contains(letter))
    };
    let forces_push = has(&|text| text == "push") && has(&|text| text.starts_with('+'));
    let forces_delete =
        has(&|text| text == "branch") && has_flag('d', "--delete") && has_flag('f', "--force");
    let option = if forces_push { "--force" } else { "-D" };
    (forces_push || forces_delete).then(|| [words, &[Field::of(option)]].concat())
}

/// Returns a command without its first argument, if that is optional.
fn without(words: &[Field], is_optional: impl Fn(&str) -> bool) -> Option<Vec<Field>> {
    let first = words.get(1).filter(|field| is_optional(&field.text))?;
    Some(words.iter().filter(|field| !std::ptr::eq(*field, first)).cloned().collect())
}
