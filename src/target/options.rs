//! The `target` option as JavaScript sends it.

use std::time::Duration;

use serde::Deserialize;

use super::container::options::{Container, OwnContainer};
use super::exec::Exec;
use super::ssh::options::Ssh;

/// The default of the longest time until the supervisor has answered (ms).
const CONNECT_TIMEOUT: u64 = 15_000;

/// The default of the time without a command after which the connection ends (ms).
const IDLE: u64 = 60_000;

/// The default interval of heartbeats, and the default silence after which the other side counts as lost
/// (ms).
const HEARTBEAT_INTERVAL: u64 = 3_000;
const HEARTBEAT_DEADLINE: u64 = 10_000;

/// The longest time that an option may have (ms): a day.
const MAX_TIME: u64 = 24 * 60 * 60 * 1000;

/// The options of a target. A missing option has its default.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct TargetOptions {
    /// The transport, as a program and its arguments.
    pub exec: Option<Exec>,
    pub ssh: Option<Ssh>,
    pub container: Option<Container>,
    /// The longest time until the supervisor has answered (ms).
    connect_timeout: Option<u64>,
    helper: Option<HelperUse>,
    /// The time without a command after which the connection ends (ms).
    idle: Option<u64>,
    heartbeat: Option<Heartbeat>,
}

/// Whether commands may run without the helper program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum HelperUse {
    /// A shell there runs them where no helper can.
    #[default]
    Auto,
    Require,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with interval and deadline")]
struct Heartbeat {
    interval: Option<u64>,
    deadline: Option<u64>,
}

/// An option that can't be used: its path below `target`, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongTarget(pub String);

impl From<String> for WrongTarget {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl TargetOptions {
    /// Parses and checks the options as JSON.
    ///
    /// # Errors
    ///
    /// The mistake in the options, as text for people.
    pub fn parse(json: &str) -> Result<Self, WrongTarget> {
        let json = &mut serde_json::Deserializer::from_str(json);
        let options: Self = serde_path_to_error::deserialize(json)
            .map_err(|error| WrongTarget(mistake(&error.path().to_string(), &error.inner().to_string())))?;
        options.check()?;
        Ok(options)
    }

    fn check(&self) -> Result<(), WrongTarget> {
        let kinds = [self.exec.is_some(), self.ssh.is_some(), self.container.is_some()];
        if kinds.into_iter().filter(|&is_given| is_given).count() != 1 {
            return wrong("expected exactly one of exec, ssh and container");
        }
        if let Some(exec) = &self.exec {
            exec.check()?;
        }
        if let Some(ssh) = &self.ssh {
            ssh.check()?;
        }
        let heartbeat = self.heartbeat.unwrap_or_default();
        for (name, time) in [
            ("connectTimeout", self.connect_timeout),
            ("idle", self.idle),
            ("heartbeat.interval", heartbeat.interval),
            ("heartbeat.deadline", heartbeat.deadline),
        ] {
            if time.is_some_and(|time| time == 0 || time > MAX_TIME) {
                return wrong(&format!("{name}: expected a number of milliseconds from 1 to {MAX_TIME}"));
            }
        }
        if self.heartbeat_interval() * 2 > self.heartbeat_deadline() {
            return wrong("heartbeat.deadline: expected at least twice the interval");
        }
        Ok(())
    }

    /// Returns the container that is made for the target, if it is one.
    pub(super) fn own_container(&self) -> Option<&OwnContainer> {
        match &self.container {
            Some(Container::Own(own)) => Some(own),
            _ => None,
        }
    }

    /// Returns whether no command may run without the helper program.
    pub(super) fn requires_helper(&self) -> bool {
        self.helper.unwrap_or_default() == HelperUse::Require
    }

    /// Returns the longest time until the supervisor has answered.
    #[must_use]
    pub fn connect_timeout(&self) -> Duration {
        Duration::from_millis(self.connect_timeout.unwrap_or(CONNECT_TIMEOUT))
    }

    /// Returns the time without a command after which the connection ends.
    #[must_use]
    pub fn idle(&self) -> Duration {
        Duration::from_millis(self.idle.unwrap_or(IDLE))
    }

    #[must_use]
    pub fn heartbeat_interval(&self) -> Duration {
        let interval = self.heartbeat.unwrap_or_default().interval;
        Duration::from_millis(interval.unwrap_or(HEARTBEAT_INTERVAL))
    }

    /// Returns the silence after which the other side counts as lost.
    #[must_use]
    pub fn heartbeat_deadline(&self) -> Duration {
        let deadline = self.heartbeat.unwrap_or_default().deadline;
        Duration::from_millis(deadline.unwrap_or(HEARTBEAT_DEADLINE))
    }
}

/// The types of numbers and lists as errors name them.
const TYPES: [(&str, &str); 6] = [
    ("u64", "a whole number from 0"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u16", "a whole number from 1 to 65535"),
    ("f64", "a number"),
    ("a sequence", "a list"),
    ("a map", "an object"),
];

/// Returns the text for people of an error of serde at an option.
fn mistake(option: &str, error: &str) -> String {
    // The position is dropped: it refers to JSON that no person has written.
    let error = error.rsplit_once(" at line ").map_or(error, |(text, _)| text);
    let wrong = ["invalid type: ", "invalid value: "].iter().find_map(|start| error.strip_prefix(start));
    let text = match wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((given, expected)) => {
            let name = TYPES.iter().find(|(name, _)| *name == expected).map_or(expected, |(_, name)| name);
            format!("expected {name}, got {given}")
        }
        None => error.to_owned(),
    };
    // The checks of a container name the option themselves.
    if option == "." || text.starts_with(option) { text } else { format!("{option}: {text}") }
}

pub(super) fn check_name(option: &str, value: &str) -> Result<(), String> {
    if value.is_empty() || value.starts_with('-') || value.contains(|letter: char| letter.is_whitespace()) {
        return Err(format!("{option}: expected a name without blanks that does not begin with -"));
    }
    check_text(option, value)
}

pub(super) fn check_text(option: &str, value: &str) -> Result<(), String> {
    if value.is_empty() || value.contains(char::is_control) {
        return Err(format!("{option}: expected text without control characters"));
    }
    Ok(())
}

pub(super) fn wrong(message: &str) -> Result<(), WrongTarget> {
    Err(WrongTarget(message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{TargetOptions, WrongTarget};

    fn refusal(json: &str) -> String {
        TargetOptions::parse(json).map_or_else(|WrongTarget(message)| message, |_| String::new())
    }

    #[test]
    fn exactly_one_kind_is_accepted() {
        assert_eq!(refusal(r#"{"exec":["sh"]}"#), "");
        assert_eq!(refusal(r#"{"exec":{"argv":["ssh","h"],"join":true}}"#), "");
        for json in ["{}", r#"{"exec":["sh"],"ssh":{"host":"h"}}"#] {
            assert_eq!(refusal(json), "expected exactly one of exec, ssh and container");
        }
    }

    #[test]
    fn a_host_that_could_be_an_option_is_refused() {
        for host in ["-oProxyCommand=x", "", "a b", "a\\nb"] {
            let json = format!(r#"{{"ssh":{{"host":"{host}"}}}}"#);
            assert!(refusal(&json).starts_with("ssh.host: expected a name"), "{host}");
        }
        assert!(refusal(r#"{"container":{"name":"--rm"}}"#).starts_with("container.name: "));
    }

    #[test]
    fn an_option_of_ssh_that_is_set_already_is_refused() {
        let message = refusal(r#"{"ssh":{"host":"h","options":{"batchmode":"no"}}}"#);
        assert_eq!(message, "ssh.options.batchmode: agent-bash sets it itself");
    }

    #[test]
    fn an_option_of_ssh_that_decides_about_host_keys_is_refused() {
        let message = refusal(r#"{"ssh":{"host":"h","options":{"stricthostkeychecking":"no"}}}"#);
        let reason = "only a configuration file of ssh decides that";
        assert_eq!(message, format!("ssh.options.stricthostkeychecking: {reason}"));
    }

    #[test]
    fn a_port_of_0_is_refused() {
        let message = refusal(r#"{"ssh":{"host":"h","port":0}}"#);
        assert_eq!(message, "ssh.port: expected a number from 1 to 65535");
    }

    #[test]
    fn an_unknown_key_is_named() {
        assert!(refusal(r#"{"exec":["sh"],"colour":1}"#).contains("unknown field `colour`"));
    }

    #[test]
    fn a_value_of_a_wrong_type_is_refused_with_its_option_and_what_was_expected() {
        let exec = "exec: expected a list of a program and its arguments, or { argv, join }";
        for (json, expected) in [
            (r#"{"exec":"ssh x"}"#, exec),
            (r#"{"exec":[1]}"#, exec),
            (r#"{"exec":{"argv":["x"]}}"#, exec),
            (r#"{"exec":["x"],"helper":"no"}"#, "helper: unknown variant `no`, expected `auto` or `require`"),
            (
                r#"{"exec":["x"],"connectTimeout":"5"}"#,
                "connectTimeout: expected a whole number from 0, got string \"5\"",
            ),
            (r#"{"exec":["x"],"heartbeat":3}"#, "heartbeat: expected an object with interval and deadline"),
            (
                r#"{"exec":["x"],"heartbeat":{"interval":1.5}}"#,
                "heartbeat.interval: expected a whole number from 0, got floating point `1.5`",
            ),
            (r#"{"ssh":"h"}"#, "ssh: expected an object with a host, got string \"h\""),
            (r#"{"ssh":{}}"#, "ssh: missing field `host`"),
            (r#"{"ssh":{"host":"h","port":70000}}"#, "ssh.port: expected a whole number from 1 to 65535"),
            (r#"{"ssh":{"host":"h","options":{"a":1}}}"#, "ssh.options.a: expected a string, got integer"),
            (r#"{"container":"i"}"#, "container: expected an object with a name or an image"),
            (
                r#"{"container":{"image":"i","memory":"2g"}}"#,
                "container.memory: expected a whole number from 0",
            ),
            (r#"{"container":{"image":"i","protected":"m"}}"#, "container.protected: expected a list, got"),
            (r#"{"container":{"image":"i","engine":3}}"#, "container.engine: expected a program, or a list"),
            (r#"{"container":{"image":"i","mounts":["/x"]}}"#, "container.mounts[0]: expected an object"),
            (r#"{"container":{"image":"i","memory":0}}"#, "container.memory: expected a number above 0"),
        ] {
            let message = refusal(json);
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn a_deadline_needs_two_intervals() {
        let json = r#"{"exec":["sh"],"heartbeat":{"interval":6000}}"#;
        assert_eq!(refusal(json), "heartbeat.deadline: expected at least twice the interval");
    }
}
