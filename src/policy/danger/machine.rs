//! The machine: stopped, exhausted, opened to everybody, or with new code in its kernel.

use super::places::Places;
use super::{danger, has_option, operands, texts};
use crate::policy::commands::Found;
use crate::policy::decision::{Danger, Effect};
use crate::policy::syntax::tree::Mode;

pub(super) fn find(name: &str, command: &Found, places: &Places) -> Option<Danger> {
    let words = &command.words;
    let texts = texts(words);
    let stops = || Some(danger(Effect::Shutdown, "stop the machine"));
    match name {
        "shutdown" | "reboot" | "halt" | "poweroff" => {
            let asks =
                texts.iter().any(|text| matches!(*text, "--help" | "--version" | "-c" | "--show" | "-k"));
            if asks || texts.contains(&"-w") { None } else { stops() }
        }
        "init" | "telinit" if matches!(texts.first(), Some(&("0" | "1" | "6" | "s" | "S"))) => stops(),
        "systemctl" | "loginctl" => {
            let verbs = [
                "poweroff",
                "reboot",
                "halt",
                "kexec",
                "suspend",
                "hibernate",
                "hybrid-sleep",
                "rescue",
                "emergency",
                "soft-reboot",
                "isolate",
                "exit",
            ];
            let verb = operands(words).next().map_or("", |field| field.text.as_str());
            if verbs.contains(&verb) { stops() } else { None }
        }
        "kill" => {
            let is_query = texts.first().is_some_and(|text| matches!(*text, "-l" | "-L" | "--list" | "-0"));
            let is_signal = |text: &str| text.starts_with('-');
            // `-1` is a signal in the first place, and everybody behind it; 1 is init.
            let mut targets: Vec<&str> = texts.clone();
            if targets.first().is_some_and(|text| matches!(*text, "-s" | "-n" | "--signal")) {
                targets.drain(..2.min(targets.len()));
            } else if targets.len() > 1
                && targets.first().is_some_and(|text| is_signal(text) && *text != "--")
            {
                targets.remove(0);
            }
            let is_alone = texts.len() == 1 && texts[0] == "-1";
            let hits_all = !is_query && !is_alone && targets.iter().any(|text| *text == "-1" || *text == "1");
            if hits_all { Some(danger(Effect::Shutdown, "kill all processes")) } else { None }
        }
        "killall5" => Some(danger(Effect::Shutdown, "kill all processes")),
        "pkill" | "killall" => {
            let hits_all = operands(words).any(|field| {
                matches!(field.text.as_str(), "." | ".*" | "*" | "systemd" | "init" | "^" | ".+")
            }) || texts.windows(2).any(|pair| {
                matches!(pair[0], "-u" | "-U" | "--user" | "--euid" | "--uid")
                    && matches!(pair[1], "root" | "0")
            });
            if hits_all { Some(danger(Effect::Shutdown, "kill all processes")) } else { None }
        }
        "insmod" | "kexec" | "kldload" | "kextload" => {
            let asks = texts.iter().any(|text| matches!(*text, "--help" | "--version"));
            if asks { None } else { Some(danger(Effect::Kernel, "load code into the kernel")) }
        }
        "modprobe" => {
            let asks = texts.iter().any(|text| {
                matches!(
                    *text,
                    "-n" | "--dry-run"
                        | "--show-depends"
                        | "-D"
                        | "-c"
                        | "--showconfig"
                        | "-V"
                        | "--version"
                        | "--help"
                        | "-R"
                        | "--resolve-alias"
                )
            });
            if asks || texts.is_empty() {
                None
            } else {
                Some(danger(Effect::Kernel, "load code into the kernel"))
            }
        }
        "rmmod" => Some(danger(Effect::Kernel, "take code out of the kernel")),
        "bpftool" if texts.contains(&"load") || texts.contains(&"loadall") => {
            Some(danger(Effect::Kernel, "load code into the kernel"))
        }
        "sysctl"
            if texts.iter().any(|text| {
                text.contains("kernel.modprobe=")
                    || text.contains("kernel.core_pattern=")
                    || text.contains("kernel.sysrq=")
                    || text.contains("kernel.panic=")
            }) =>
        {
            Some(danger(Effect::Kernel, "change how the kernel runs programs"))
        }
        "chmod" | "chown" | "chgrp" | "setfacl" | "gchmod" | "gchown" => permissions(name, command, places),
        "cat" | "yes" | "tr" | "base64" | "od" | "pv" | "openssl" => endless(name, command, &texts),
        "swapoff" if texts.contains(&"-a") => Some(danger(Effect::Shutdown, "take all swap space away")),
        _ => None,
    }
}

fn permissions(name: &str, command: &Found, places: &Places) -> Option<Danger> {
    let words = &command.words;
    let is_recursive = has_option(words, 'R', "recursive");
    let mut rest = operands(words);
    let mode = rest.next()?.text.clone();
    let targets: Vec<_> = rest.collect();
    let opens = name.ends_with("chmod") && opens_to_all(&mode);
    if let Some(field) = targets.iter().find(|field| {
        let path = field.text.as_str();
        // A program of root's for everybody.
        let is_set_user = mode.contains("u+s")
            || mode.contains("+s")
            || mode.len() == 4
                && mode.starts_with(['4', '6', '2'])
                && mode.bytes().all(|byte| byte.is_ascii_digit());
        name.ends_with("chmod")
            && is_set_user
            && ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"]
                .iter()
                .any(|directory| path.starts_with(directory))
    }) {
        return Some(danger(
            Effect::Permissions,
            &format!("run {} with its owner's rights for everybody", field.text),
        ));
    }
    if opens
        && let Some(field) = targets.iter().find(|field| {
            matches!(
                places.file(&field.text, command).as_deref(),
                Some("/etc/shadow" | "/etc/passwd" | "/etc/sudoers" | "/etc/gshadow")
            )
        })
    {
        return Some(danger(Effect::Permissions, &format!("open {} to everybody", field.text)));
    }
    if !is_recursive && !opens {
        return None;
    }
    targets.iter().find_map(|field| {
        let place = places.protected(field, command)?;
        // The project is the owner's own: its permissions are easy to mend.
        let is_project = place.ends_with("the root of the project");
        (!is_project).then(|| danger(Effect::Permissions, &format!("change the permissions of {place}")))
    })
}

/// Whether a mode lets everybody write.
fn opens_to_all(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) && !mode.is_empty() {
        return mode.ends_with(['2', '3', '6', '7']);
    }
    mode.split(',').any(|part| {
        let who = part.split(['+', '=']).next().unwrap_or("");
        (part.contains('+') || part.contains('='))
            && part.contains('w')
            && (who.is_empty() || who.contains('a') || who.contains('o'))
    })
}

/// Text without end into a file.
fn endless(name: &str, command: &Found, texts: &[&str]) -> Option<Danger> {
    let is_source = name == "yes"
        || texts.iter().any(|text| matches!(*text, "/dev/zero" | "/dev/urandom" | "/dev/random"))
        || command.redirections.iter().any(|redirect| {
            redirect.mode == Mode::Read
                && matches!(redirect.target.text.as_str(), "/dev/zero" | "/dev/urandom" | "/dev/random")
        });
    let fills = is_source
        && command.redirections.iter().any(|redirect| {
            matches!(redirect.mode, Mode::Write | Mode::Append) && !redirect.target.text.starts_with("/dev/")
        });
    fills.then(|| danger(Effect::Shutdown, "fill the disk"))
}
