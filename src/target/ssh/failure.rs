//! The reasons for which ssh has not reached a shell: what ssh says about them, which it does not translate.
//!
//! Only a line's beginning tells what it is about: a server's banner and the start files of a shell write to
//! the same output.

use crate::target::error::{TargetError, quoted};

/// The peer in ssh's last message behind a jump host or a `ProxyCommand` that has ended, without an address.
const BEHIND_PROXY: &str = "UNKNOWN port 65535";

/// The beginnings of lines about a configuration that ssh can't use, or the middle of them.
const CONFIGURATION: [&str; 9] = [
    "Bad owner or permissions on ",
    "Can't open user config",
    "ControlPath too long",
    "ControlPath \"",
    "Bad port ",
    "Invalid ",
    "jumphost loop",
    "hostname contains invalid characters",
    "percent_expand: ",
];

/// The beginnings of lines about a connection that is refused, cut, or not answered.
const UNREACHABLE: [&str; 20] = [
    "ssh: connect to host ",
    "ssh: Could not resolve ",
    "kex_exchange_identification: ",
    "ssh_exchange_identification: ",
    "banner exchange: ",
    "ssh_dispatch_run_fatal: ",
    "Connection timed out",
    "Connection to ",
    "Connection closed by ",
    "Connection reset by ",
    "Received disconnect from ",
    "Disconnected from ",
    "Disconnecting ",
    "Timeout, server ",
    "client_loop: send disconnect: ",
    "stdio forwarding failed",
    "Bad packet length",
    "Corrupted MAC",
    "Bad remote protocol version",
    "bind ",
];

/// Returns the reason why ssh ended before the shell of the host `name` answered. `errors` is the end of its
/// error output, `early_output` that of the output.
pub(in crate::target) fn of_failed_ssh(name: &str, errors: &str, early_output: &str) -> TargetError {
    let said = if errors.trim().is_empty() { early_output } else { errors };
    let quote = quoted(said.trim().as_bytes());
    let said = ErrorLines(errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect());
    let is_behind_proxy = said.has(BEHIND_PROXY);
    let whose = if is_behind_proxy { format!("a host on the way to {name}") } else { name.to_owned() };
    if said.begins(&["Host key verification failed"]) {
        return said.about_host_key(&whose, is_behind_proxy);
    }
    if said.has("Too many authentication failures") {
        let reason = "it has tried too many keys. Name the right one by identity";
        return TargetError::new("TARGET_AUTH", format!("ssh can't log in to {whose}: {reason}: {quote}"));
    }
    if said.has(": Permission denied (") {
        let message = format!("ssh can't log in to {whose} without a password: {quote}");
        return TargetError::new("TARGET_AUTH", message);
    }
    if said.begins(&["Unable to negotiate with "]) {
        let message = format!("ssh here and {whose} have no common algorithm: {quote}");
        return TargetError::new("TARGET_UNREACHABLE", message);
    }
    if said.begins(&["No user exists for uid "]) {
        return TargetError::start("ssh", &quote);
    }
    let is_unreachable = said.begins(&UNREACHABLE);
    let is_configuration = said.begins(&CONFIGURATION) || said.0.iter().any(|line| is_about_a_line(line));
    // ssh only warns about some lines of its configuration.
    if is_configuration && (is_behind_proxy || !is_unreachable) {
        return TargetError::new("TARGET_CONFIG", format!("ssh refuses its configuration: {quote}"));
    }
    if is_unreachable {
        return TargetError::new("TARGET_UNREACHABLE", format!("{name} can't be reached: {quote}"));
    }
    TargetError::no_shell(name, &quote)
}

/// The lines of an error output.
struct ErrorLines<'a>(Vec<&'a str>);

impl ErrorLines<'_> {
    fn begins(&self, beginnings: &[&str]) -> bool {
        self.0.iter().any(|line| beginnings.iter().any(|beginning| line.starts_with(beginning)))
    }

    fn has(&self, part: &str) -> bool {
        self.0.iter().any(|line| line.contains(part))
    }

    /// Returns the text between two others, in the last line that has both.
    fn between(&self, start: &str, end: &str) -> Option<&str> {
        self.0.iter().rev().find_map(|line| Some(line.split_once(start)?.1.split_once(end)?.0.trim()))
    }

    /// ssh names the host in some texts. Of `whose` key these are is known otherwise.
    fn about_host_key(&self, whose: &str, is_behind_proxy: bool) -> TargetError {
        let owner = |host: Option<&str>| match host.filter(|_| is_behind_proxy) {
            Some(host) => format!("{}, {whose},", quoted(host.as_bytes())),
            None => whose.to_owned(),
        };
        let changed = self.between("Host key for ", " has changed and ");
        let message = if self.has("REVOKED HOST KEY") {
            format!("The host key of {whose} is revoked; nothing was sent.")
        } else if changed.is_some() || self.has("HOST IDENTIFICATION HAS CHANGED") {
            let whose = owner(changed);
            format!("The host key of {whose} has changed. Someone may be in between; nothing was sent.")
        } else {
            let whose = owner(self.between(" host key is known for ", " and you"));
            format!("The host key of {whose} is unknown: connect once by hand and check it.")
        };
        TargetError::new("TARGET_HOST_KEY", message)
    }
}

/// Returns whether ssh names a line of its configuration: `FILE line 3: …`, or `FILE: line 3: Bad
/// configuration option: …`. A shell writes `FILE: line 3: …` about its start files.
fn is_about_a_line(line: &str) -> bool {
    if line.contains(": Bad configuration option: ") {
        return true;
    }
    let Some((file, rest)) = line.split_once(" line ") else { return false };
    let number = rest.split_once(": ").map_or("", |(number, _)| number);
    !file.ends_with(':') && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::of_failed_ssh;

    const CLOSED: &str = "kex_exchange_identification: Connection closed by remote host\n\
                          Connection closed by UNKNOWN port 65535";

    #[test]
    fn the_failures_of_ssh_are_told_apart() {
        for (errors, code, text) in [
            (
                "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.",
                "TARGET_HOST_KEY",
                "The host key of h has changed",
            ),
            ("Host key verification failed.", "TARGET_HOST_KEY", "The host key of h is unknown"),
            ("u@h: Permission denied (publickey).", "TARGET_AUTH", "log in to h without"),
            (
                "Received disconnect from ::1 port 22:2: Too many authentication failures\nDisconnected from ::1",
                "TARGET_AUTH",
                "too many keys",
            ),
            ("ssh: connect to host h port 1: Connection refused", "TARGET_UNREACHABLE", "refused"),
            ("ssh: connect to host h port 1: Network is unreachable", "TARGET_UNREACHABLE", "unreachable"),
            ("ssh: connect to host h port 1: Permission denied", "TARGET_UNREACHABLE", "denied"),
            (
                "ssh: Could not resolve hostname h: Name or service not known",
                "TARGET_UNREACHABLE",
                "not known",
            ),
            ("Connection closed by 10.0.0.1 port 22", "TARGET_UNREACHABLE", "closed"),
            ("Connection to 10.0.0.1 port 22 timed out", "TARGET_UNREACHABLE", "timed out"),
            (
                "Unable to negotiate with ::1 port 22: no matching cipher found. Their offer: x",
                "TARGET_UNREACHABLE",
                "no common algorithm",
            ),
            ("/c: line 1: Bad configuration option: x", "TARGET_CONFIG", "line 1"),
            ("command-line line 0: Bad port '99999'.", "TARGET_CONFIG", "99999"),
            ("/c line 3: Bad yes/no argument: x", "TARGET_CONFIG", "line 3"),
            ("Bad owner or permissions on /root/.ssh/config", "TARGET_CONFIG", "permissions"),
            ("ControlPath too long ('/x' >= 108 bytes)", "TARGET_CONFIG", "108"),
            ("Can't open user config file /c: No such file or directory", "TARGET_CONFIG", "open"),
            ("No user exists for uid 12345", "TARGET_START", "uid 12345"),
            ("channel 0: open failed: administratively prohibited", "TARGET_SHELL", "prohibited"),
            ("/root/.bashrc: line 3: x: command not found", "TARGET_SHELL", "line 3"),
            ("curl: (7) Connection refused", "TARGET_SHELL", "curl"),
            ("", "TARGET_SHELL", "nothing"),
        ] {
            let error = of_failed_ssh("h", errors, "");
            assert_eq!(error.code, code, "{errors}");
            assert!(error.message.contains(text), "{error}");
        }
    }

    #[test]
    fn a_jump_host_is_not_taken_for_the_last_host() {
        for (errors, code, text) in [
            (
                "Host key verification failed.",
                "TARGET_HOST_KEY",
                "The host key of a host on the way to h is unknown",
            ),
            (
                "No ED25519 host key is known for j and you have requested strict checking.\n\
                 Host key verification failed.",
                "TARGET_HOST_KEY",
                "The host key of j, a host on the way to h, is unknown",
            ),
            (
                "Host key for [j]:2 has changed and you have requested strict checking.\n\
                 Host key verification failed.",
                "TARGET_HOST_KEY",
                "The host key of [j]:2, a host on the way to h, has changed",
            ),
            ("u@j: Permission denied (publickey).", "TARGET_AUTH", "log in to a host on the way to h"),
            ("ssh: connect to host j port 1: Connection refused", "TARGET_UNREACHABLE", "host j port 1"),
            ("/c line 3: Bad port 'x'", "TARGET_CONFIG", "line 3"),
            ("stdio forwarding failed", "TARGET_UNREACHABLE", "stdio forwarding"),
        ] {
            let error = of_failed_ssh("h", &format!("{errors}\n{CLOSED}"), "");
            assert_eq!(error.code, code, "{errors}");
            assert!(error.message.contains(text), "{error}");
        }
    }
}
