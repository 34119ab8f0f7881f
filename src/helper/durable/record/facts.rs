//! The facts about a durable job that are known at its start.

use serde::{Deserialize, Serialize};

use super::Lines;
use crate::process::pty::WindowSize;

/// The facts of a durable job that never change, for hosts that find it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFacts {
    pub id: String,
    /// The command, as it was given.
    pub command: String,
    /// The working directory, as it was given.
    pub cwd: String,
    pub name: Option<String>,
    /// The scope of the name: `find()` sees the jobs of the same owner and root.
    pub owner: String,
    pub root: String,
    /// The version of the package that started the job.
    pub version: String,
    /// The time of the start (ms since 1970).
    pub started_at: u64,
    /// The longest run, and the longest time without an attached host (ms).
    pub deadline: u64,
    pub unattended: u64,
    /// How long the files stay after the end (ms).
    pub keep: u64,
    /// Whether the command reads input of hosts.
    pub has_input: bool,
    pub terminal: Option<WindowSize>,
    pub is_merged: bool,
    /// Whether the job outlives the log-out of its user, and why or why not.
    pub survives_logout: bool,
    pub reason: String,
    /// The machine, and its boot.
    pub machine: String,
    pub boot: String,
    /// The pid of the supervisor, for people: another process may have it now.
    pub supervisor: u32,
}

impl JobFacts {
    /// Returns the content of the file `job`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut lines = Lines::default();
        lines.set_number("format", 1);
        lines.set("id", &self.id);
        lines.set("command", &self.command);
        lines.set("cwd", &self.cwd);
        if let Some(name) = &self.name {
            lines.set("name", name);
        }
        lines.set("owner", &self.owner);
        lines.set("root", &self.root);
        lines.set("version", &self.version);
        lines.set_number("started_at", self.started_at);
        lines.set_number("deadline", self.deadline);
        lines.set_number("unattended", self.unattended);
        lines.set_number("keep", self.keep);
        lines.set_number("input", u8::from(self.has_input));
        if let Some(WindowSize { columns, rows }) = self.terminal {
            lines.set_number("columns", columns);
            lines.set_number("rows", rows);
        }
        lines.set_number("merged", u8::from(self.is_merged));
        lines.set("survives", if self.survives_logout { "logout" } else { "process" });
        lines.set("reason", &self.reason);
        lines.set("machine", &self.machine);
        lines.set("boot", &self.boot);
        lines.set_number("supervisor", self.supervisor);
        lines.encode()
    }

    /// Reads the file. Returns `None` for one without an id, a command and a start.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let lines = Lines::decode(bytes);
        let text = |key| lines.get(key).unwrap_or_default().to_owned();
        let number = |key| lines.parsed(key).unwrap_or(0);
        let is = |key| lines.get(key) == Some("1");
        let size = || Some(WindowSize { columns: lines.parsed("columns")?, rows: lines.parsed("rows")? });
        Some(Self {
            id: lines.get("id")?.to_owned(),
            command: lines.get("command")?.to_owned(),
            cwd: text("cwd"),
            name: lines.get("name").map(str::to_owned),
            owner: text("owner"),
            root: text("root"),
            version: text("version"),
            started_at: lines.parsed("started_at")?,
            deadline: number("deadline"),
            unattended: number("unattended"),
            keep: number("keep"),
            has_input: is("input"),
            terminal: size(),
            is_merged: is("merged"),
            survives_logout: lines.get("survives") == Some("logout"),
            reason: text("reason"),
            machine: text("machine"),
            boot: text("boot"),
            supervisor: lines.parsed("supervisor").unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{JobFacts, WindowSize};

    proptest! {
        #[test]
        fn facts_are_read_as_they_were_written(
            texts in prop::array::uniform9("(?s).{0,30}"), numbers in any::<[u64; 4]>(), flags in any::<[bool; 3]>(),
            name in proptest::option::of("(?s).{0,30}"), size in proptest::option::of(any::<(u16, u16)>()),
            supervisor: u32,
        ) {
            let [id, command, cwd, owner, root, version, reason, machine, boot] = texts;
            let [started_at, deadline, unattended, keep] = numbers;
            let [has_input, is_merged, survives_logout] = flags;
            let facts = JobFacts {
                id, command, cwd, name, owner, root, version, started_at, deadline, unattended, keep, has_input,
                terminal: size.map(|(columns, rows)| WindowSize { columns, rows }),
                is_merged, survives_logout, reason, machine, boot, supervisor,
            };
            prop_assert_eq!(JobFacts::decode(&facts.encode()), Some(facts));
        }
    }

    #[test]
    fn a_key_of_a_later_version_is_ignored() {
        let facts = JobFacts { id: "d1".to_owned(), command: "a\nb=c".to_owned(), ..JobFacts::default() };
        let bytes = [facts.encode(), b"later=1\n".to_vec()].concat();
        assert_eq!(JobFacts::decode(&bytes), Some(facts));
    }

    #[test]
    fn a_file_without_a_job_is_none() {
        assert_eq!(JobFacts::decode(b""), None);
        assert_eq!(JobFacts::decode(b"id=d1\n"), None);
    }
}
