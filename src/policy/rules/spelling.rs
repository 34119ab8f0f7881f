//! Other words for the same command: `git-push`, `npm i`, `python -m pip`. Deny and ask rules match each of
//! them.

use super::scripts::script_spellings;
use super::synonyms::{has_other_name, other_name};
use crate::policy::commands::{Field, base_name};

/// Returns whether a program may be another name of a program.
pub(super) fn has_other_names(program: &str) -> bool {
    program.starts_with("git-")
        || program.starts_with("pip")
        || program.starts_with("python")
        || has_other_name(program)
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
        "npm" | "pnpm" | "yarn" | "bun" => {
            let named = [by_alias(&plain), vec![plain]].concat();
            let scripts = named.iter().flat_map(|words| script_spellings(unversioned, words)).collect();
            return [named, scripts].concat();
        }
        "pip" if name != "pip" => Some([&[Field::of("pip")], &plain[1..]].concat()),
        "python" => module(&plain),
        "git" => with_refspec_flags(&plain),
        "docker" | "podman" => without(&plain, |text| text == "container"),
        "cargo" => without(&plain, |text| text.starts_with('+')),
        _ => None,
    };
    let renamed = renamed(&plain);
    [Some(plain), other, renamed].into_iter().flatten().collect()
}

/// Returns a command by its other name.
fn renamed(words: &[Field]) -> Option<Vec<Field>> {
    let first: Vec<&str> = words.iter().take(2).map(|field| field.text.as_str()).collect();
    let (count, names) = other_name(&first)?;
    Some(names.into_iter().map(Field::of).chain(words[count..].iter().cloned()).collect())
}

/// The subcommands of npm, each on a line with its other names.
const NPM_SUBCOMMANDS: &str = "\
install i in ins inst insta instal isnt isnta isntal isntall add
uninstall un unlink remove rm r
run run-script rum urn
ci clean-install ic install-clean isntall-clean
install-test it
install-ci-test cit clean-install-test sit
test tst t
exec x
update up upgrade udpate
publish
unpublish
config c
create init innit
dist-tag dist-tags
adduser add-user
login
logout
owner author
view v info show
version verison
link ln
list ls la ll
search find s se
rebuild rb
dedupe ddp
explain why
org ogr
bugs issues
docs home
help hlep
access
audit
cache
completion
deprecate
diff
edit
explore
fund
get
hook
outdated
pack
ping
pkg
prefix
profile
prune
query
repo
restart
root
sbom
set
shrinkwrap
star
start
stop
team
token
trust
undeprecate
unstar
whoami";

/// Returns a command of npm with each subcommand that its other name or abbreviation may stand for.
fn by_alias(words: &[Field]) -> Vec<Vec<Field>> {
    let Some(at) = words.iter().skip(1).position(|field| !field.text.starts_with('-')) else {
        return Vec::new();
    };
    let spelled = |name: &str| {
        let mut other = words.to_vec();
        name.clone_into(&mut other[at + 1].text);
        other
    };
    npm_subcommands(&words[at + 1].text).into_iter().map(spelled).collect()
}

/// Returns the subcommands of npm that a word may stand for. An abbreviation stands for those that it begins.
pub(super) fn npm_subcommands(word: &str) -> Vec<&'static str> {
    let find = |is_name: &dyn Fn(&str) -> bool| -> Vec<&'static str> {
        let lines = NPM_SUBCOMMANDS.lines().filter(|line| line.split(' ').any(is_name));
        lines.filter_map(|line| line.split(' ').next()).collect()
    };
    let exact = find(&|name| name == word);
    if exact.is_empty() { find(&|name| name.starts_with(word)) } else { exact }
}

/// Returns the program of `python -m program`.
fn module(words: &[Field]) -> Option<Vec<Field>> {
    let at = words.iter().position(|field| field.text == "-m")?;
    let is_first = words[1..at].iter().all(|field| field.text.starts_with('-'));
    (is_first && at + 1 < words.len()).then(|| words[at + 1..].to_vec())
}

/// Returns `git push` with the option that an operand amounts to: `origin +main` forces, and `origin :main`
/// deletes.
fn with_refspec_flags(words: &[Field]) -> Option<Vec<Field>> {
    let has = |test: &dyn Fn(&str) -> bool| words.iter().skip(1).any(|field| test(&field.text));
    let option = match () {
        () if !has(&|text| text == "push") => return None,
        () if has(&|text| text.starts_with('+')) => "--force",
        () if has(&|text| text.starts_with(':') && text.len() > 1) => "--delete",
        () => return None,
    };
    Some([words, &[Field::of(option)]].concat())
}

/// Returns a command without its first argument, if that is optional.
fn without(words: &[Field], is_optional: impl Fn(&str) -> bool) -> Option<Vec<Field>> {
    let first = words.get(1).filter(|field| is_optional(&field.text))?;
    Some(words.iter().filter(|field| !std::ptr::eq(*field, first)).cloned().collect())
}
