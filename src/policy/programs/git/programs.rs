//! Programs that git runs: by its settings, its aliases and the options of its subcommands.

use super::options::{CONFIG_QUERIES, GitOption, git_subcommand};
use super::settings::{is_harmless, runs_command};
use crate::policy::commands::{Field, Obstacle, OptionWord, StandardInput, UNKNOWN, valued_letter};

/// Options of `git filter-branch` that take a command line.
const FILTER_OPTIONS: [&str; 8] = [
    "--tree-filter", "--index-filter", "--env-filter", "--msg-filter", "--commit-filter",
    "--tag-name-filter", "--parent-filter", "--setup",
];

/// Returns what the arguments of git may run besides its subcommand.
pub(super) fn obstacle(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let at = git_subcommand(words).min(words.len());
    let rest = words.get(at + 1..).unwrap_or_default();
    of_settings(&words[1..at.max(1)]).or_else(|| match words.get(at) {
        Some(field) => match field.known() {
            Some(subcommand) => SubcommandArguments { subcommand, rest }.obstacle(),
            None => Some(argument()),
        },
        None => None,
    })
}

fn argument() -> Obstacle {
    Obstacle::Argument("git".to_owned())
}

fn code() -> Obstacle {
    Obstacle::UnknownCode("an argument of git")
}

/// Returns what the options before the subcommand may run.
fn of_settings(before: &[Field]) -> Option<Obstacle> {
    let mut found = None;
    for (at, field) in before.iter().enumerate() {
        let text = field.text.as_str();
        let is_value = at > 0 && before[at - 1].text == "-c";
        let setting = text.strip_prefix("-c").filter(|_| !is_value);
        if let Some(attached) = setting {
            let setting =
                if attached.is_empty() { before.get(at + 1).map_or("", |next| &next.text) } else { attached };
            let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
            if runs_command(name, value) || name.contains(UNKNOWN) {
                return Some(code());
            }
            if !is_harmless(name, value) {
                found = Some(argument());
            }
        } else if !is_value {
            found = match GitOption::at_start_of(text) {
                Some(GitOption::Setting) => Some(code()),
                Some(GitOption::Repository) => Some(argument()),
                _ => found,
            };
        }
    }
    found
}

struct SubcommandArguments<'a> {
    subcommand: &'a str,
    rest: &'a [Field],
}

impl SubcommandArguments<'_> {
    fn obstacle(&self) -> Option<Obstacle> {
        let has_ext_address =
            || self.rest.iter().any(|field| field.text.trim_start_matches("--remote=").starts_with("ext::"));
        let is_code = match self.subcommand {
            "config" => return self.of_config(),
            "submodule" | "submodule--helper" => self.has_word("foreach") || has_ext_address(),
            "bisect" => self.has_word("run"),
            "merge-index" | "for-each-repo" => true,
            "rebase" => self.has(&["-x", "--exec"]),
            "difftool" | "mergetool" => self.has(&["-x", "--extcmd"]),
            "filter-branch" => self.has(&FILTER_OPTIONS),
            "grep" => self.has(&["-O", "--open-files-in-pager"]),
            "clone" => self.has(&["-c", "--config", "-u", "--upload-pack"]) || has_ext_address(),
            "fetch" | "pull" | "ls-remote" | "remote" | "push" | "archive" | "send-pack" | "fetch-pack" => {
                self.has(&["--upload-pack", "--receive-pack", "--exec"]) || has_ext_address()
            }
            _ => false,
        };
        let is_argument = match self.subcommand {
            "clone" | "init" => self.has(&["--template"]),
            "difftool" | "mergetool" | "filter-branch" | "send-email" | "instaweb" | "daemon"
            | "fast-import" | "remote-ext" | "web--browse" => true,
            "apply" => self.has(&["--unsafe-paths"]),
            "diff" | "log" | "show" | "stash" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files"
            | "format-patch" | "reflog" => self.has(&["--ext-diff"]),
            _ => false,
        };
        if is_code { Some(code()) } else { is_argument.then(argument) }
    }

    /// Returns what the setting runs that `git config` writes.
    fn of_config(&self) -> Option<Obstacle> {
        if self.has(&["--edit", "-e"]) || self.has_word("edit") {
            return Some(argument());
        }
        let valued = ["-f", "--file", "--type", "--comment", "--blob", "--default"];
        let is_value = |at: usize| at > 0 && valued.contains(&self.rest[at - 1].text.as_str());
        let mut operands =
            (0..self.rest.len()).filter(|&at| !self.rest[at].text.starts_with('-') && !is_value(at));
        let mut next = || operands.next().map(|at| self.rest[at].text.as_str());
        let mut name = next()?;
        if matches!(name, "set" | "get" | "list" | "unset") {
            name = next()?;
        }
        // With only a name, `git config` prints the setting.
        let value = next().filter(|_| !self.has(&CONFIG_QUERIES) && !self.has(&["--show-origin"]))?;
        if runs_command(name, value) || name.contains(UNKNOWN) {
            return Some(code());
        }
        (!is_harmless(name, value)).then(argument)
    }

    fn has_word(&self, word: &str) -> bool {
        self.rest.iter().any(|field| field.text == word)
    }

    /// Returns whether one of the options is among the arguments. Git accepts abbreviations of their names.
    fn has(&self, names: &[&str]) -> bool {
        self.rest.iter().any(|field| {
            let text = field.text.split('=').next().unwrap_or("");
            let is_abbreviation =
                |name: &&str| text.len() > 3 && text.starts_with("--") && name.starts_with(text);
            names.iter().any(|name| text == *name || is_abbreviation(name))
                || self.is_in_cluster(&field.text, names)
        })
    }

    /// Returns whether a cluster of letters has one of the options: `-ixmake` is `-i -x make`. A letter that
    /// takes a value ends the search.
    fn is_in_cluster(&self, text: &str, options: &[&str]) -> bool {
        let Some(OptionWord::Short(letters)) = OptionWord::of(text) else { return false };
        let valued = match self.subcommand {
            "config" => "f",
            "rebase" => "sXCS",
            "clone" => "bjo",
            "grep" => "ABCefm",
            "difftool" | "mergetool" => "t",
            _ => "",
        };
        let is_option =
            |letter: char| options.iter().any(|option| option.len() == 2 && option.ends_with(letter));
        valued_letter(letters, |letter| is_option(letter) || valued.contains(letter))
            .is_some_and(|(letter, _)| is_option(letter))
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, Obstacle, StandardInput, obstacle};

    fn of(text: &str) -> Option<Obstacle> {
        obstacle(&text.split(' ').map(Field::of).collect::<Vec<_>>(), &StandardInput::default())
    }

    #[test]
    fn settings_and_options_that_run_something_are_seen() {
        for text in [
            "git -c alias.x=!rm x",
            "git -c core.pager=rm log",
            "git -calias.x=y x",
            "git -c diff.x.textconv=rm diff",
            "git --config-env=core.pager=X log",
            "git config alias.x !rm",
            "git config --global core.editor rm",
            "git config set core.pager rm",
            "git submodule foreach rm",
            "git rebase -ixrm HEAD",
            "git rebase --ex rm HEAD",
            "git bisect run rm",
            "git grep -Orm x",
            "git clone -u rm x",
            "git ls-remote ext::rm",
            "git filter-branch --tree-filter rm",
        ] {
            assert!(matches!(of(text), Some(Obstacle::UnknownCode(_))), "{text}");
        }
    }

    #[test]
    fn usual_arguments_run_nothing() {
        for text in [
            "git status",
            "git -C x log -p",
            "git -c color.ui=never diff",
            "git -c core.pager=cat log",
            "git -c user.name=x commit -m y",
            "git config user.name x",
            "git config --get alias.x",
            "git config core.pager",
            "git rebase -i HEAD",
            "git clone -b x y",
            "git grep -e O x",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
