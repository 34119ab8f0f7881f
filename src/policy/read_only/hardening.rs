//! Protection of queries against programs that the repository or the environment names.
//!
//! A `.git/config` can name programs for nearly every query: `core.fsmonitor`, `diff.external`, `textconv`, pagers, hooks.
//! The plan overrides each setting by the environment, and gives the subcommands that show changes the options that turn
//! external programs off.

use crate::policy::syntax::tree::{Command, Compound, Item, Kind, List, Part, Word};

/// The changes to a command line that only reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hardening {
    /// The command line, with options put behind subcommands of git.
    pub command: String,
    /// Variables to set.
    pub set: Vec<(String, String)>,
}

impl Hardening {
    /// Returns an environment (`NAME=value` with a NUL behind each) without variables that can run programs, and with
    /// [`Self::set`].
    #[must_use]
    pub fn environment(&self, environment: &str) -> String {
        let kept = environment.split_terminator('\0').filter(|line| {
            let name = line.split('=').next().unwrap_or(line);
            !is_dropped(name) && !self.set.iter().any(|(set, _)| set == name)
        });
        let set = self.set.iter().map(|(name, value)| format!("{name}={value}"));
        kept.map(str::to_owned).chain(set).map(|line| line + "\0").collect()
    }
}

/// Settings of git that run programs, with values that run none.
const SETTINGS: [(&str, &str); 14] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "true"),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("core.attributesFile", "/dev/null"),
    ("diff.external", ""),
    ("interactive.diffFilter", ""),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("submodule.recurse", "false"),
];

/// Returns whether a variable is removed: it can make a query run a program.
#[must_use]
pub fn is_dropped(name: &str) -> bool {
    name.starts_with("GIT_")
        || name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || name.starts_with("LESS")
        || name.starts_with("BASH_FUNC_")
        || matches!(
            name,
            "RIPGREP_CONFIG_PATH"
                | "BASH_ENV"
                | "ENV"
                | "PAGER"
                | "EDITOR"
                | "VISUAL"
                | "GREP_OPTIONS"
                | "SHELLOPTS"
                | "BASHOPTS"
                | "PS4"
                | "PROMPT_COMMAND"
                | "CDPATH"
        )
}

/// Makes a plan for a command line that was found to read only. `filters` are the names of the filter drivers that the
/// settings of the repositories define: git runs their programs where it compares files.
#[must_use]
pub fn harden(text: &str, list: &List, filters: &[String]) -> Hardening {
    let mut offsets = Vec::new();
    in_list(list, &mut offsets);
    offsets.sort_unstable();
    offsets.dedup();
    let mut command = text.to_owned();
    for offset in offsets.into_iter().rev() {
        command.insert_str(offset, " --no-ext-diff --no-textconv");
    }
    let mut set = vec![
        ("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()),
        ("GIT_PAGER".to_owned(), "cat".to_owned()),
        ("PAGER".to_owned(), "cat".to_owned()),
        ("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned()),
        ("GIT_NO_LAZY_FETCH".to_owned(), "1".to_owned()),
    ];
    let of_filter = |name: &String| {
        [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
            .map(|(key, value)| (format!("filter.{name}.{key}"), value))
    };
    let settings = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), *value));
    let settings: Vec<(String, &str)> = settings.chain(filters.iter().flat_map(of_filter)).collect();
    set.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (number, (name, value)) in settings.into_iter().enumerate() {
        set.push((format!("GIT_CONFIG_KEY_{number}"), name));
        set.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
    }
    Hardening { command, set }
}

fn in_list(list: &List, offsets: &mut Vec<usize>) {
    for Item { first, rest, .. } in &list.items {
        for stage in first.stages.iter().chain(rest.iter().flat_map(|(_, pipeline)| &pipeline.stages)) {
            in_command(stage, offsets);
        }
    }
}

fn in_command(command: &Command, offsets: &mut Vec<usize>) {
    match command {
        Command::Simple(simple) => {
            for word in &simple.words {
                in_word(word, offsets);
            }
            // Git may stand behind a wrapper: `timeout 5 git diff`.
            let literal: Vec<Option<String>> = simple.words.iter().map(Word::literal).collect();
            let Some(git) = literal.iter().position(|word| word.as_deref() == Some("git")) else { return };
            offsets.extend(shown_at(&literal[git..]).map(|at| simple.words[git + at].span.end));
        }
        Command::Compound(compound) | Command::Function { body: compound, .. } => {
            in_compound(compound, offsets);
        }
    }
}

/// Returns the index of the word behind which git takes options for a display of changes.
fn shown_at(words: &[Option<String>]) -> Option<usize> {
    let shows = |word: &Option<String>| {
        matches!(
            word.as_deref(),
            Some(
                "diff"
                    | "log"
                    | "show"
                    | "diff-tree"
                    | "diff-index"
                    | "diff-files"
                    | "whatchanged"
                    | "blame"
                    | "annotate"
                    | "reflog"
                    | "stash"
            )
        )
    };
    let at = words.iter().position(shows)?;
    let next = words.get(at + 1).and_then(Option::as_deref);
    match (words[at].as_deref(), next) {
        (Some("reflog"), Some("show")) | (Some("stash"), Some("list" | "show")) => Some(at + 1),
        (Some("stash"), _) => None,
        _ => Some(at),
    }
}

fn in_compound(Compound { kind, .. }: &Compound, offsets: &mut Vec<usize>) {
    match kind {
        Kind::Subshell(list) | Kind::Group(list) | Kind::For(_, _, list) | Kind::ArithmeticFor(_, list) => {
            in_list(list, offsets);
        }
        Kind::If(arms, otherwise) => {
            for (condition, body) in arms {
                in_list(condition, offsets);
                in_list(body, offsets);
            }
            if let Some(list) = otherwise {
                in_list(list, offsets);
            }
        }
        Kind::Loop(condition, body) => {
            in_list(condition, offsets);
            in_list(body, offsets);
        }
        Kind::Case(_, arms) => {
            for (_, body) in arms {
                in_list(body, offsets);
            }
        }
        Kind::Coprocess(command) => in_command(command, offsets),
        Kind::Arithmetic(_) | Kind::Test(_) => {}
    }
}

fn in_word(word: &Word, offsets: &mut Vec<usize>) {
    for piece in &word.pieces {
        if let Part::Substitution(list) | Part::Process(list) = &piece.part {
            in_list(list, offsets);
        }
    }
}
