//! Programs that run their arguments: [`table`] lists the plain ones, which [`prefix`] reads. Each other file
//! has one way in which a command is placed among the arguments.

mod container;
mod env;
mod for_each;
mod prefix;
mod separator;
mod table;

use crate::policy::commands::analysis::Input;
use crate::policy::commands::field::Field;

use super::model::Inner;
pub(in crate::policy::commands) use env::changed_directory;
use prefix::by_table;
use separator::{after_separator, at_each_start};

/// Returns the commands among the arguments of a wrapper.
pub(super) fn inner(name: &str, words: &[Field], input: &Input) -> Vec<Inner> {
    match name {
        "command" => prefix::command(words),
        "env" | "cross-env" => env::env(words),
        "xargs" => for_each::xargs(words, input),
        "find" | "gfind" => for_each::find(words),
        "fd" | "fdfind" => separator::fd(words),
        "mise" | "rtx" => after_separator(words, &["exec", "x"]),
        "dotenvx" => after_separator(words, &["run"]),
        "lerna" | "nx" | "gh" | "colima" | "lxc-attach" | "distrobox" | "npm" | "guix" | "coder"
        | "limactl"
            if words.iter().any(|field| field.text == "--") =>
        {
            let mut found = by_table(name, words);
            if found.is_empty() {
                found = after_separator(words, &["exec", "ssh", "enter", "shell", "-n", "--name", "explore"]);
            }
            found
        }
        "singularity" | "apptainer" | "toolbox" | "crictl" | "multipass" | "systemd-nspawn" => {
            at_each_start(words)
        }
        "start-stop-daemon" => separator::daemon(words),
        "oc" if words.iter().any(|field| field.text == "rsh") => by_table(name, words),
        "zellij" | "gnome-terminal" | "konsole" | "alacritty" | "kitty" | "ctr" => at_each_start(words),
        "kubectl" | "oc" => after_separator(words, &["exec", "run", "debug"]),
        "nix" => separator::nix(words),
        "just" => separator::behind(words, &["-c", "--command"]).unwrap_or_default(),
        "bwrap" | "perf" | "gdb" | "lldb" | "ip" | "cgroupexec" | "flatpak" | "snap" => at_each_start(words),
        "docker" | "podman" | "nerdctl" => container::container(name, words),
        "sudo" | "sudo-rs" | "doas" => {
            let mut found = by_table(name, words);
            let is_command = |inner: &Inner| !matches!(inner, Inner::Start(_));
            let is_shell = |field: &Field| matches!(field.text.as_str(), "-i" | "-s" | "--login" | "--shell");
            // Without a command, the shell reads its input.
            if !found.iter().any(is_command) && words.iter().any(is_shell) {
                found.extend(Inner::stdin(input, "the input of a shell"));
            }
            found
        }
        name => by_table(name, words),
    }
}

/// Returns the option by which a transparent wrapper does more than run a command.
pub(super) fn obstacle(name: &str, words: &[Field]) -> Option<String> {
    match name {
        "env" => {
            let end = env::env(words).iter().find_map(|inner| match inner {
                Inner::Words { at, .. } => Some(*at),
                _ => None,
            });
            changed_directory(name, words, end?).map(|_| "--chdir".to_owned())
        }
        "xargs" => {
            let option = "--process-slot-var";
            let sets = |field: &&Field| {
                let name = field.text.split('=').next().unwrap_or_default();
                name.len() > 2 && option.starts_with(name)
            };
            words.iter().skip(1).find(sets).map(|_| option.to_owned())
        }
        _ => None,
    }
}
