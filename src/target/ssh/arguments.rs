//! The arguments of `ssh` for a target.

use std::time::Duration;

use super::options::Ssh;
use crate::target::transport_command::SHELL_LINE;

/// The options of ssh that agent-bash sets. The user's configuration can't override them.
const OPTIONS: [(&str, &str); 21] = [
    // These three exist from OpenSSH 8.7 on.
    ("IgnoreUnknown", "ForkAfterAuthentication,StdinNull,SessionType"),
    ("ForkAfterAuthentication", "no"),
    ("StdinNull", "no"),
    ("SessionType", "default"),
    // A terminal would translate bytes and merge the streams, and a command of the configuration would
    // replace this one.
    ("RequestTTY", "no"),
    ("RemoteCommand", "none"),
    ("ClearAllForwardings", "yes"),
    ("PermitLocalCommand", "no"),
    // ssh must not ask: no person is there to answer.
    ("BatchMode", "yes"),
    ("ConnectionAttempts", "1"),
    // Ends on a network that no longer answers; the heartbeat is usually first.
    ("ServerAliveInterval", "5"),
    ("ServerAliveCountMax", "2"),
    // Every byte must pass, and ssh must report the reasons of failures: without INFO, it says nothing where
    // the algorithms differ or the server closes the connection.
    ("EscapeChar", "none"),
    ("LogLevel", "INFO"),
    // No agent and no display is forwarded to the host.
    ("ForwardAgent", "no"),
    ("ForwardX11", "no"),
    ("Compression", "no"),
    // A running master of the user is used, but none is started.
    ("ControlMaster", "no"),
    ("ControlPersist", "no"),
    ("ConnectTimeout", ""),
    ("IdentitiesOnly", ""),
];

/// The time that is left of `connectTimeout` when ssh gives up: to start, log in, and report the reason.
const MARGIN: Duration = Duration::from_secs(1);

/// Returns whether a target sets this option of ssh itself. ssh ignores the case.
pub(super) fn is_set(option: &str) -> bool {
    OPTIONS.iter().any(|(name, _)| name.eq_ignore_ascii_case(option))
}

/// The options of ssh that decide which host keys are accepted.
const HOST_KEY_OPTIONS: [&str; 6] = [
    "StrictHostKeyChecking",
    "UserKnownHostsFile",
    "GlobalKnownHostsFile",
    "KnownHostsCommand",
    "NoHostAuthenticationForLocalhost",
    "VerifyHostKeyDNS",
];

/// Returns whether this option of ssh is about the check of host keys, which the user's configuration decides
/// alone.
pub(super) fn is_about_host_keys(option: &str) -> bool {
    HOST_KEY_OPTIONS.iter().any(|name| name.eq_ignore_ascii_case(option))
}

/// Returns the program and its arguments. ssh gives up before `limit`, because it knows whether the host has
/// answered.
pub(in crate::target) fn words(ssh: &Ssh, limit: Duration) -> Vec<String> {
    let connect_timeout = limit.saturating_sub(MARGIN).as_secs().max(1);
    let mut words = vec!["ssh".to_owned(), "-T".to_owned()];
    let mut add = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
    if let Some(config) = &ssh.config {
        add("-F", config.clone());
    }
    for (name, value) in OPTIONS.iter().filter(|(_, value)| !value.is_empty()) {
        add("-o", format!("{name}={value}"));
    }
    add("-o", format!("ConnectTimeout={connect_timeout}"));
    if let Some(identity) = &ssh.identity {
        add("-o", "IdentitiesOnly=yes".to_owned());
        add("-i", identity.clone());
    }
    if let Some(port) = ssh.port {
        add("-p", port.to_string());
    }
    if let Some(user) = &ssh.user {
        add("-l", user.clone());
    }
    for (name, value) in &ssh.options {
        add("-o", format!("{name}={value}"));
    }
    words.extend(["--".to_owned(), ssh.host.clone(), SHELL_LINE.to_owned()]);
    words
}

#[cfg(test)]
mod tests {
    use crate::target::options::TargetOptions;
    use crate::target::transport_command::{SHELL_LINE, TransportCommand};

    #[test]
    fn ssh_asks_nothing_and_its_host_is_no_option() {
        let json = r#"{"ssh":{"host":"h","user":"u","port":2222,"identity":"/k","config":"/c","options":{"ProxyJump":"j"}},"connectTimeout":4000}"#;
        let argv = TransportCommand::of(&TargetOptions::parse(json).expect("options")).argv;
        let text = argv.join(" ");
        for part in
            ["-F /c", "-o BatchMode=yes", "-o ConnectTimeout=3", "-i /k", "-p 2222", "-l u", "-o ProxyJump=j"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(argv[argv.len() - 3..], ["--", "h", SHELL_LINE]);
        assert!(!text.contains("StrictHostKeyChecking"));
    }
}
