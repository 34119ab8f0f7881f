//! Turns the options of a target into the program of its transport and the arguments (words).

use std::time::Duration;

use super::container::options::{Container, Running};
use super::options::{Exec, Joining, Ssh, TargetOptions};

/// The words that a transport executes on the target. Every login shell reads them in the same way, they need
/// no quoting, and the script, which is the first line of the stream, is in no list of processes.
pub(super) const SHELL: [&str; 3] = ["sh", "-c", r#"read -r x;eval "$x""#];

/// The same as one word, for a transport that hands a command line to a shell.
const SHELL_LINE: &str = r#"sh -c 'read -r x;eval "$x"'"#;

/// The options of ssh that agent-bash sets. The user's configuration can't override them.
const SSH_OPTIONS: [(&str, &str); 21] = [
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
const SSH_MARGIN: Duration = Duration::from_secs(1);

/// Returns whether a target sets this option of ssh itself. ssh ignores the case.
pub(super) fn is_set(option: &str) -> bool {
    SSH_OPTIONS.iter().any(|(name, _)| name.eq_ignore_ascii_case(option))
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

/// The kind of a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Container,
    Ssh,
    Exec,
}

impl Kind {
    /// Returns the name of the option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::Ssh => "ssh",
            Self::Exec => "exec",
        }
    }
}

/// The program of a transport and its arguments. Those of a container depend on its engine, which is known
/// only at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) kind: Kind,
    pub(super) argv: Vec<String>,
    /// The target as its errors name it.
    pub(super) name: String,
}

impl Words {
    /// Returns the words for options that were checked.
    pub(super) fn of(options: &TargetOptions) -> Self {
        if let Some(container) = &options.container {
            let name = match container {
                Container::Running(Running { name, .. }) => name.clone(),
                Container::Own(own) => own.image.clone(),
            };
            return Self { kind: Kind::Container, argv: Vec::new(), name };
        }
        if let Some(ssh) = &options.ssh {
            // ssh gives up first, because it knows whether the host has answered.
            let limit = options.connect_timeout().saturating_sub(SSH_MARGIN).as_secs().max(1);
            let argv = ssh_words(ssh, limit);
            return Self { kind: Kind::Ssh, argv, name: ssh.host.clone() };
        }
        let (mut argv, joins) = match &options.exec {
            Some(Exec::Words(words)) => (words.clone(), false),
            Some(Exec::Joining(Joining { argv, join })) => (argv.clone(), *join),
            None => (Vec::new(), false),
        };
        let name = argv.first().cloned().unwrap_or_default();
        if joins {
            argv.push(SHELL_LINE.to_owned());
        } else {
            argv.extend(SHELL.map(str::to_owned));
        }
        Self { kind: Kind::Exec, argv, name }
    }
}

fn ssh_words(ssh: &Ssh, connect_timeout: u64) -> Vec<String> {
    let mut words = vec!["ssh".to_owned(), "-T".to_owned()];
    let mut add = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
    if let Some(config) = &ssh.config {
        add("-F", config.clone());
    }
    for (name, value) in SSH_OPTIONS.iter().filter(|(_, value)| !value.is_empty()) {
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
    use super::{Kind, SHELL, SHELL_LINE, TargetOptions, Words};

    fn words(json: &str) -> Words {
        Words::of(&TargetOptions::parse(json).expect("options"))
    }

    #[test]
    fn a_program_gets_three_words_or_one() {
        let three = words(r#"{"exec":["kubectl","exec","-i","pod","--"]}"#);
        assert_eq!(three.argv[5..], SHELL);
        let one = words(r#"{"exec":{"argv":["ssh","host"],"join":true}}"#);
        assert_eq!(one.argv, ["ssh", "host", SHELL_LINE]);
        assert_eq!((one.kind, one.name.as_str()), (Kind::Exec, "ssh"));
    }

    #[test]
    fn a_container_is_named_by_its_name_or_its_image() {
        assert_eq!(words(r#"{"container":{"name":"box"}}"#).name, "box");
        let own = words(r#"{"container":{"image":"alpine"}}"#);
        assert_eq!((own.kind, own.name.as_str()), (Kind::Container, "alpine"));
    }

    #[test]
    fn ssh_asks_nothing_and_its_host_is_no_option() {
        let json = r#"{"ssh":{"host":"h","user":"u","port":2222,"identity":"/k","config":"/c","options":{"ProxyJump":"j"}},"connectTimeout":4000}"#;
        let argv = words(json).argv;
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
