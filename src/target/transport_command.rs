//! The program of a transport and its arguments (words), for each kind of a target.

use super::container::options::{Container, RunningContainer};
use super::exec::Exec;
use super::options::TargetOptions;
use super::ssh;

/// The words that a transport executes on the target. Every login shell reads them in the same way, they need
/// no quoting, and the script, which is the first line of the stream, is in no list of processes.
pub(super) const SHELL: [&str; 3] = ["sh", "-c", r#"read -r x;eval "$x""#];

/// The same as one word, for a transport that hands a command line to a shell.
pub(super) const SHELL_LINE: &str = r#"sh -c 'read -r x;eval "$x"'"#;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    Container,
    Ssh,
    Exec,
}

impl TransportKind {
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
pub(super) struct TransportCommand {
    pub(super) kind: TransportKind,
    pub(super) argv: Vec<String>,
    /// The target as its errors name it.
    pub(super) name: String,
}

impl TransportCommand {
    /// Returns the words for options that were checked.
    pub(super) fn of(options: &TargetOptions) -> Self {
        if let Some(container) = &options.container {
            let name = match container {
                Container::Running(RunningContainer { name, .. }) => name.clone(),
                Container::Own(own) => own.image.clone(),
            };
            return Self { kind: TransportKind::Container, argv: Vec::new(), name };
        }
        if let Some(ssh) = &options.ssh {
            let argv = ssh::arguments::words(ssh, options.connect_timeout());
            return Self { kind: TransportKind::Ssh, argv, name: ssh.host.clone() };
        }
        let argv = options.exec.as_ref().map(Exec::words).unwrap_or_default();
        let given = options.exec.as_ref().and_then(Exec::given_name);
        let name = given.map(str::to_owned).or_else(|| argv.first().cloned()).unwrap_or_default();
        Self { kind: TransportKind::Exec, argv, name }
    }
}

#[cfg(test)]
mod tests {
    use super::{SHELL, SHELL_LINE, TargetOptions, TransportCommand, TransportKind};

    fn words(json: &str) -> TransportCommand {
        TransportCommand::of(&TargetOptions::parse(json).expect("options"))
    }

    #[test]
    fn a_program_gets_three_words_or_one() {
        let three = words(r#"{"exec":["kubectl","exec","-i","pod","--"]}"#);
        assert_eq!(three.argv[5..], SHELL);
        let one = words(r#"{"exec":{"argv":["ssh","host"],"join":true}}"#);
        assert_eq!(one.argv, ["ssh", "host", SHELL_LINE]);
        assert_eq!((one.kind, one.name.as_str()), (TransportKind::Exec, "ssh"));
    }

    #[test]
    fn a_program_may_have_another_name() {
        let named = words(r#"{"exec":{"argv":["sh","-c","x"],"join":false,"name":"pod 'web'"}}"#);
        assert_eq!(
            (named.argv[3..].as_ref(), named.name.as_str()),
            (SHELL.map(str::to_owned).as_ref(), "pod 'web'")
        );
    }

    #[test]
    fn a_container_is_named_by_its_name_or_its_image() {
        assert_eq!(words(r#"{"container":{"name":"box"}}"#).name, "box");
        let own = words(r#"{"container":{"image":"alpine"}}"#);
        assert_eq!((own.kind, own.name.as_str()), (TransportKind::Container, "alpine"));
    }
}
