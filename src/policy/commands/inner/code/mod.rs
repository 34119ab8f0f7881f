//! Programs that read text as code: [`shell`]s, [`builtin`]s such as `trap`, and others that take a
//! [`command_line`].

mod builtin;
mod command_line;
mod parallel;
mod remote;
pub(super) mod shell;

use crate::policy::commands::analysis::{Input, Trust};
use crate::policy::commands::field::Field;

use super::model::Inner;
use command_line::option_text;

/// Returns what a program runs that reads text as code; `None` for any other program.
pub(super) fn inner(name: &str, words: &[Field], input: &Input) -> Option<Vec<Inner>> {
    let found = match name {
        "eval" => {
            // `--` ends the options of `eval`, which has no options.
            let start = 1 + usize::from(words.get(1).is_some_and(|field| field.text == "--"));
            let words = words.get(start..).unwrap_or_default();
            let found =
                if words.is_empty() { Vec::new() } else { Inner::joined(words, "eval", Trust::Transparent) };
            found.into_iter().map(Inner::in_this_shell).collect()
        }
        "source" | "." => shell::sourced(words, input),
        "trap" => builtin::trap(words),
        "alias" => builtin::aliases(words),
        "mapfile" | "readarray" | "complete" | "compgen" | "bind" | "fc" => builtin::callback(name, words),
        "ssh" | "slogin" | "autossh" => remote::ssh(words, input),
        "parallel" => parallel::parallel(words),
        "watch" | "gwatch" => command_line::watch(words),
        "su" | "runuser" | "sg" => command_line::user_shell(words, input),
        "flock" => command_line::flock(words),
        "at" | "batch" | "crontab" => command_line::scheduled(name, words, input),
        "hyperfine" | "concurrently" | "nodemon" | "watchexec" | "cargo-watch" | "chokidar" | "onchange"
        | "screen" | "wsl" | "adb" | "vagrant" => command_line::texts(words),
        "tmux" => command_line::multiplexer(words),
        "cargo" if words.get(1).is_some_and(|field| field.text == "watch") => command_line::texts(words),
        "bun" if words.get(1).is_some_and(|field| field.text == "exec") => {
            Inner::joined(&words[2..], "bun", Trust::Separate)
        }
        "script" => command_line::script(words),
        "nix-shell" => {
            let named = ["run", "command"].map(|option| option_text(words, '\0', option, "nix-shell"));
            named.into_iter().flatten().collect()
        }
        "gcloud" => option_text(words, '\0', "command", "gcloud"),
        "fly" | "flyctl" => option_text(words, 'C', "command", "fly"),
        "et" => option_text(words, 'c', "command", "et"),
        "ansible" => option_text(words, 'a', "args", "ansible"),
        "pee" => words[1..].iter().map(|field| Inner::field(field, "pee", Trust::Separate)).collect(),
        "nc" | "ncat" | "netcat" => {
            let named = [option_text(words, 'e', "exec", "nc"), option_text(words, 'c', "sh-exec", "nc")];
            named.into_iter().flatten().collect()
        }
        "capsh" => match words.iter().position(|field| field.text == "--") {
            Some(at) => shell::posix_shell(&words[at..], input),
            None => Vec::new(),
        },
        name => return shell::inner(name, words, input),
    };
    Some(found)
}
