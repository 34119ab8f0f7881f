//! Programs that show the state of the machine, and those that stop or exhaust it or change its kernel.

use super::program::{harmful, hidden, hides, query, reads, separate};
use super::{InnerCommands, Operands, Program, Query, ReadsPath};
use crate::policy::commands::{ExpandedCommand, Field, Obstacle, StandardInput};
use crate::policy::danger::{ProtectedPaths, has_option, operands, texts};
use crate::policy::decision::{Danger, Effect};
use crate::syntax::tree::RedirectMode;
use Operands::{Nothing, Text};

pub(super) const PROGRAMS: &[Program] = &[
    reads(&["whoami"], query("", "", "help version", Nothing)),
    reads(&["id"], query("agGnruzZ", "", "group groups name real user help version zero", Text)),
    reads(&["groups"], query("", "", "help version", Text)),
    reads(
        &["uname"],
        query(
            "asnrvmpio",
            "",
            "all kernel-name nodename kernel-release kernel-version machine processor \
        hardware-platform operating-system help version",
            Nothing,
        ),
    ),
    reads(
        &["hostname"],
        Query { has_harmful_options: true, ..query("fsid", "", "fqdn short help version", Nothing) },
    ),
    Program {
        names: &["arch"],
        runs: InnerCommands::Wrapped(&[separate("de", &[], 0)]),
        query: Some(query("", "", "help version", Nothing)),
        ..Program::PLAIN
    },
    reads(&["nproc"], query("", "", "all ignore= help version", Nothing)),
    reads(&["uptime"], query("ps", "", "pretty since help version", Nothing)),
    reads(&["free"], query("bkmghltwv", "sc", "bytes kilo mega giga human wide total help version", Nothing)),
    Program {
        names: &["date"],
        hidden: hidden(&[], &["-s", "--set"]),
        query: Some(Query {
            has_harmful_options: true,
            check: Some(check_date),
            ..query(
                "uRI",
                "d",
                "date= utc universal iso-8601 iso-8601= rfc-email rfc-3339= help version",
                Text,
            )
        }),
        ..Program::PLAIN
    },
    reads(&["cal"], query("13jmsy", "", "", Text)),
    reads(
        &["ps"],
        query(
            "AadefFHjlLMmNPTuvVwwxXyZO-",
            "CGopqstUgk",
            "forest sort= no-headers headers help version pid= user= format= cols= ppid= \
        deselect",
            Text,
        ),
    ),
    reads(
        &["pgrep"],
        query(
            "aflLnovwxic",
            "GPgstuUFd",
            "list-name list-full full newest oldest count help version exact",
            Text,
        ),
    ),
    reads(&["lscpu"], query("abcJpxye", "", "all json help version extended", Nothing)),
    reads(&["sleep"], query("", "", "", Text)),
    harmful(&["shutdown", "reboot", "halt", "poweroff"], &[stops]),
    harmful(&["init", "telinit"], &[changes_level]),
    harmful(&["systemctl", "loginctl"], &[stops_by_verb]),
    harmful(&["dbus-send", "busctl", "gdbus", "qdbus"], &[stops_by_message]),
    harmful(&["swapoff"], &[takes_swap]),
    harmful(&["yes", "pv"], &[endless]),
    harmful(&["kill"], &[kills_all]),
    harmful(&["killall5"], &[kills_everything]),
    harmful(&["pkill", "killall"], &[kills_by_name]),
    harmful(&["insmod", "kexec", "kldload", "kextload"], &[loads_code]),
    harmful(&["modprobe"], &[loads_module]),
    harmful(&["bpftool"], &[loads_program]),
    harmful(&["rmmod"], &[unloads_code]),
    harmful(&["sysctl"], &[changes_kernel]),
    harmful(&["userdel", "deluser"], &[removes_home]),
    hides(&["tcpdump"], &["-z"], &[]),
    hides(&["dpkg"], &["--pre-invoke", "--post-invoke"], &[]),
    hides(&["rpm"], &["--eval", "-E", "--define", "-D", "--pipe"], &["--macros", "--rcfile", "--load"]),
    hides(&["rpmbuild"], &["--eval", "-E", "--define", "-D"], &["--macros", "--rcfile", "--load"]),
    Program {
        names: &["apt", "apt-get"],
        hidden: hidden(&[], &["-o", "--option", "-c", "--config-file"]),
        obstacle: Some(of_setting),
        ..Program::PLAIN
    },
];

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

fn stop_if(stops: bool) -> Option<Danger> {
    stops.then(|| Danger::new(Effect::Shutdown, "stop the machine"))
}

fn stops(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let asks = |text: &&str| matches!(*text, "--help" | "--version" | "-c" | "--show" | "-k");
    let texts = texts(&command.words);
    // `-w` writes the shutdown record, and stops nothing.
    stop_if(!texts.iter().any(asks) && !texts.contains(&"-w"))
}

fn changes_level(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    stop_if(matches!(texts(&command.words).first(), Some(&("0" | "1" | "6" | "s" | "S"))))
}

fn stops_by_verb(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let mut operands = operands(&command.words).map(|field| field.text.as_str());
    let verb = operands.next().unwrap_or_default();
    let is_stopping = |unit: &str| {
        unit.strip_suffix(".target").is_some_and(|name| STOPPING_VERBS.contains(&name) || name == "shutdown")
    };
    stop_if(
        STOPPING_VERBS.contains(&verb) || matches!(verb, "start" | "restart") && operands.any(is_stopping),
    )
}

/// Returns whether a message on the system bus asks a manager to stop the machine.
///
/// The method follows the interface, or is a separate word.
fn stops_by_message(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let texts = texts(&command.words);
    let names = |service: &str| texts.iter().any(|text| text.to_ascii_lowercase().contains(service));
    let is_console_kit = names("consolekit");
    let stops = BUS_MANAGERS.into_iter().any(names)
        && texts.iter().any(|text| {
            let method = text.rsplit('.').next().unwrap_or(text).to_ascii_lowercase();
            let name = method.strip_suffix("withflags").unwrap_or(&method);
            STOPPING_VERBS.contains(&name)
                || name == "hybridsleep"
                || name == "scheduleshutdown"
                || is_console_kit && matches!(name, "stop" | "restart")
        });
    stop_if(stops)
}

fn takes_swap(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let takes = texts(&command.words).contains(&"-a");
    takes.then(|| Danger::new(Effect::Shutdown, "take all swap space away"))
}

fn kill_if(kills: bool) -> Option<Danger> {
    kills.then(|| Danger::new(Effect::Shutdown, "kill all processes"))
}

fn kills_everything(_: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    kill_if(true)
}

fn kills_by_name(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_all = |text: &str| matches!(text, "" | "." | ".*" | "*" | "systemd" | "init" | "^" | ".+");
    let is_root = |pair: &[&str]| {
        matches!(pair[0], "-u" | "-U" | "--user" | "--euid" | "--uid") && matches!(pair[1], "root" | "0")
    };
    let hits_all = operands(&command.words).any(|field| is_all(&field.text));
    kill_if(hits_all || texts(&command.words).windows(2).any(is_root))
}

fn kills_all(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    kill_if(kill_hits_all(&texts(&command.words)))
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

fn load_if(loads: bool) -> Option<Danger> {
    loads.then(|| Danger::new(Effect::Kernel, "load code into the kernel"))
}

fn loads_code(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    load_if(!texts(&command.words).iter().any(|text| matches!(*text, "--help" | "--version")))
}

fn loads_module(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let texts = texts(&command.words);
    load_if(!texts.is_empty() && !texts.iter().any(|text| MODPROBE_QUERIES.contains(text)))
}

fn loads_program(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    load_if(texts(&command.words).iter().any(|text| matches!(*text, "load" | "loadall")))
}

fn unloads_code(_: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    Some(Danger::new(Effect::Kernel, "take code out of the kernel"))
}

fn changes_kernel(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_setting = |text: &&str| KERNEL_SETTINGS.iter().any(|setting| text.contains(setting));
    let changes = texts(&command.words).iter().any(is_setting);
    changes.then(|| Danger::new(Effect::Kernel, "change how the kernel runs programs"))
}

/// Returns the harm of endless text that a command writes to a file.
pub(super) fn endless(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_endless = |text: &str| matches!(text, "/dev/zero" | "/dev/urandom" | "/dev/random");
    let is_source = command.base_name() == Some("yes")
        || texts(&command.words).into_iter().any(is_endless)
        || command
            .redirections
            .iter()
            .any(|redirect| redirect.mode == RedirectMode::Read && is_endless(&redirect.target.text));
    let fills = is_source
        && command.redirections.iter().any(|redirect| {
            matches!(redirect.mode, RedirectMode::Write | RedirectMode::Append)
                && !redirect.target.text.starts_with("/dev/")
        });
    fills.then(|| Danger::new(Effect::Shutdown, "fill the disk"))
}

fn removes_home(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let words = &command.words;
    let removes = has_option(words, 'r', "remove-home") || has_option(words, '\0', "remove-all-files");
    let is_root = operands(words).any(|field| field.text == "root");
    (removes && is_root).then(|| Danger::new(Effect::Removal, "remove the home of root"))
}

fn check_date(arguments: &[&str], _: ReadsPath) -> Option<String> {
    let sets = arguments.iter().enumerate().any(|(at, text)| {
        let is_value = at > 0 && matches!(arguments[at - 1], "-d" | "--date");
        !text.starts_with(['+', '-']) && !is_value
    });
    sets.then(|| "it may set the clock".to_owned())
}

/// Returns the setting by which a package manager runs a program.
pub(super) fn of_setting(words: &[Field], _: &StandardInput) -> Option<Obstacle> {
    let runs = words.iter().skip(1).any(|field| is_run_setting(&field.text));
    runs.then_some(Obstacle::UnknownCode("a setting"))
}

/// Returns whether a setting names a command: `wget -e use_askpass=prog`, `apt-get -o
/// DPkg::Pre-Invoke::=prog`.
fn is_run_setting(text: &str) -> bool {
    let name = text.rsplit_once('=').map_or("", |(name, _)| name).to_ascii_lowercase().replace('-', "_");
    ["invoke", "askpass"].iter().any(|setting| name.contains(setting))
}
