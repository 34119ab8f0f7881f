//! Commands that stop or exhaust the machine, or load code into its kernel.

use super::arguments::{operands, texts};
use crate::policy::commands::ExpandedCommand;
use crate::policy::decision::{Danger, Effect};
use crate::syntax::tree::RedirectMode;

/// Verbs of `systemctl` that stop the machine or most of its services.
const STOPPING_VERBS: [&str; 12] = [
    "poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "hybrid-sleep", "rescue", "emergency",
    "soft-reboot", "isolate", "exit",
];

/// Parts of the names of services on the system bus that stop the machine.
const BUS_MANAGERS: [&str; 4] = ["login1", "systemd1", "consolekit", "upower"];

/// Options of `modprobe` that load nothing.
const MODPROBE_QUERIES: [&str; 11] = [
    "-n", "--dry-run", "--show-depends", "-D", "-c", "--showconfig", "-V", "--version", "--help", "-R",
    "--resolve-alias",
];

/// Settings by which the kernel runs a program or stops the machine.
const KERNEL_SETTINGS: [&str; 4] =
    ["kernel.modprobe=", "kernel.core_pattern=", "kernel.sysrq=", "kernel.panic="];

pub(super) fn find(name: &str, command: &ExpandedCommand) -> Option<Danger> {
    let texts = texts(&command.words);
    if stops(name, command, &texts) {
        return Some(Danger::new(Effect::Shutdown, "stop the machine"));
    }
    if kills_all(name, command, &texts) {
        return Some(Danger::new(Effect::Shutdown, "kill all processes"));
    }
    match name {
        "swapoff" if texts.contains(&"-a") => Some(Danger::new(Effect::Shutdown, "take all swap space away")),
        "cat" | "yes" | "tr" | "base64" | "od" | "pv" | "openssl" => endless(name, command, &texts),
        name => kernel(name, &texts),
    }
}

fn stops(name: &str, command: &ExpandedCommand, texts: &[&str]) -> bool {
    match name {
        "shutdown" | "reboot" | "halt" | "poweroff" => {
            let asks =
                texts.iter().any(|text| matches!(*text, "--help" | "--version" | "-c" | "--show" | "-k"));
            // `-w` writes the shutdown record, and stops nothing.
            !asks && !texts.contains(&"-w")
        }
        "init" | "telinit" => matches!(texts.first(), Some(&("0" | "1" | "6" | "s" | "S"))),
        "systemctl" | "loginctl" => {
            let mut operands = operands(&command.words).map(|field| field.text.as_str());
            let verb = operands.next().unwrap_or_default();
            let is_stopping = |unit: &str| {
                unit.strip_suffix(".target")
                    .is_some_and(|name| STOPPING_VERBS.contains(&name) || name == "shutdown")
            };
            STOPPING_VERBS.contains(&verb) || matches!(verb, "start" | "restart") && operands.any(is_stopping)
        }
        "dbus-send" | "busctl" | "gdbus" | "qdbus" => stops_by_message(texts),
        _ => false,
    }
}

/// Returns whether a message on the system bus asks a manager to stop the machine.
///
/// The method follows the interface, or is a separate word.
fn stops_by_message(texts: &[&str]) -> bool {
    let names = |service: &str| texts.iter().any(|text| text.to_ascii_lowercase().contains(service));
    let is_console_kit = names("consolekit");
    BUS_MANAGERS.into_iter().any(names)
        && texts.iter().any(|text| {
            let method = text.rsplit('.').next().unwrap_or(text).to_ascii_lowercase();
            let name = method.strip_suffix("withflags").unwrap_or(&method);
            STOPPING_VERBS.contains(&name)
                || name == "hybridsleep"
                || name == "scheduleshutdown"
                || is_console_kit && matches!(name, "stop" | "restart")
        })
}

fn kills_all(name: &str, command: &ExpandedCommand, texts: &[&str]) -> bool {
    match name {
        "killall5" => true,
        "kill" => kill_hits_all(texts),
        "pkill" | "killall" => {
            operands(&command.words).any(|field| {
                matches!(field.text.as_str(), "" | "." | ".*" | "*" | "systemd" | "init" | "^" | ".+")
            }) || texts.windows(2).any(|pair| {
                matches!(pair[0], "-u" | "-U" | "--user" | "--euid" | "--uid")
                    && matches!(pair[1], "root" | "0")
            })
        }
        _ => false,
    }
}

/// Returns whether `kill` signals every process, or init. As the first argument, `-1` is a signal; after a
/// signal, it means every process.
fn kill_hits_all(texts: &[&str]) -> bool {
    let is_query = texts.first().is_some_and(|text| matches!(*text, "-l" | "-L" | "--list" | "-0"));
    let mut targets = texts;
    if targets.first().is_some_and(|text| matches!(*text, "-s" | "-n" | "--signal")) {
        targets = &targets[2.min(targets.len())..];
    } else if targets.len() > 1 && targets[0].starts_with('-') && targets[0] != "--" {
        targets = &targets[1..];
    }
    let is_alone = *texts == ["-1"];
    !is_query && !is_alone && targets.iter().any(|text| *text == "-1" || *text == "1")
}

fn kernel(name: &str, texts: &[&str]) -> Option<Danger> {
    let has = |names: &[&str]| texts.iter().any(|text| names.contains(text));
    let loads = match name {
        "insmod" | "kexec" | "kldload" | "kextload" => !has(&["--help", "--version"]),
        "modprobe" => !texts.is_empty() && !has(&MODPROBE_QUERIES),
        "bpftool" => has(&["load", "loadall"]),
        _ => false,
    };
    if loads {
        return Some(Danger::new(Effect::Kernel, "load code into the kernel"));
    }
    if name == "rmmod" {
        return Some(Danger::new(Effect::Kernel, "take code out of the kernel"));
    }
    let changes = name == "sysctl"
        && texts.iter().any(|text| KERNEL_SETTINGS.iter().any(|setting| text.contains(setting)));
    changes.then(|| Danger::new(Effect::Kernel, "change how the kernel runs programs"))
}

/// Returns the harm of endless text that a command writes to a file.
fn endless(name: &str, command: &ExpandedCommand, texts: &[&str]) -> Option<Danger> {
    let is_source = name == "yes"
        || texts.iter().any(|text| matches!(*text, "/dev/zero" | "/dev/urandom" | "/dev/random"))
        || command.redirections.iter().any(|redirect| {
            redirect.mode == RedirectMode::Read
                && matches!(redirect.target.text.as_str(), "/dev/zero" | "/dev/urandom" | "/dev/random")
        });
    let fills = is_source
        && command.redirections.iter().any(|redirect| {
            matches!(redirect.mode, RedirectMode::Write | RedirectMode::Append)
                && !redirect.target.text.starts_with("/dev/")
        });
    fills.then(|| Danger::new(Effect::Shutdown, "fill the disk"))
}
