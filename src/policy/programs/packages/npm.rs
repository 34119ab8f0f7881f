//! The names and abbreviations of the subcommands of npm.

use crate::policy::commands::Field;

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
pub(super) fn by_alias(words: &[Field]) -> Vec<Vec<Field>> {
    let Some(at) = words.iter().skip(1).position(|field| !field.text.starts_with('-')) else {
        return Vec::new();
    };
    let spelled = |name: &str| {
        let mut other = words.to_vec();
        name.clone_into(&mut other[at + 1].text);
        other
    };
    subcommands(&words[at + 1].text).into_iter().map(spelled).collect()
}

/// Returns the subcommands of npm that a word may stand for. An abbreviation stands for those that it begins.
pub(super) fn subcommands(word: &str) -> Vec<&'static str> {
    let find = |is_name: &dyn Fn(&str) -> bool| -> Vec<&'static str> {
        let lines = NPM_SUBCOMMANDS.lines().filter(|line| line.split(' ').any(is_name));
        lines.filter_map(|line| line.split(' ').next()).collect()
    };
    let exact = find(&|name| name == word);
    if exact.is_empty() { find(&|name| name.starts_with(word)) } else { exact }
}
