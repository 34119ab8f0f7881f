//! The facts about a durable job that are known at its start.

use serde::{Deserialize, Serialize};

use super::Lines;
use super::refused::RefusedRecord;
use crate::process::pty::WindowSize;
use crate::sandbox::outcome::{SandboxReport, SocketReport};
use crate::sandbox::plan::sockets::MAX_SOCKETS;
use crate::sandbox::plan::{Level, Part, Tier};

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
    pub sandbox: Option<SandboxFacts>,
}

/// The sandbox of a job. Its parts are names, with spaces between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxFacts {
    /// The option `sandbox`, as JSON.
    pub options: String,
    pub level: String,
    pub mechanism: String,
    pub applied: String,
    pub missing: String,
    /// The service behind each UNIX socket of the host, and the path of the socket.
    pub sockets: Vec<(String, String)>,
}

impl SandboxFacts {
    /// Returns the report of a result; `None` if a later version has given the sandbox a level that this one
    /// does not know.
    #[must_use]
    pub fn report(&self, refused: RefusedRecord) -> Option<SandboxReport> {
        let level = Level::ALL.into_iter().find(|level| level.name() == self.level)?;
        let tiers = [Tier::Namespaces, Tier::Landlock];
        let mechanism = tiers.into_iter().map(Tier::mechanism).find(|name| *name == self.mechanism)?;
        let parts = |names: &str| {
            let named = |name: &str| Part::ALL.into_iter().find(|part| part.name() == name);
            names.split_whitespace().filter_map(named).collect()
        };
        let RefusedRecord { listed, more, created } = refused;
        Some(SandboxReport {
            level: level.name(),
            mechanism,
            applied: parts(&self.applied),
            missing: parts(&self.missing),
            sockets: self
                .sockets
                .iter()
                .filter_map(|(gives, path)| SocketReport::named(gives, path))
                .collect(),
            used: Vec::new(),
            refused: listed,
            more_refused: more,
            created,
        })
    }
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
        if let Some(sandbox) = &self.sandbox {
            lines.set("sandbox", &sandbox.options);
            lines.set("sandbox_level", &sandbox.level);
            lines.set("sandbox_mechanism", &sandbox.mechanism);
            lines.set("sandbox_applied", &sandbox.applied);
            lines.set("sandbox_missing", &sandbox.missing);
            for (at, (gives, path)) in sandbox.sockets.iter().enumerate() {
                lines.set(&format!("sandbox_gives.{at}"), gives);
                lines.set(&format!("sandbox_socket.{at}"), path);
            }
        }
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
            sandbox: lines.get("sandbox").map(|options| SandboxFacts {
                options: options.to_owned(),
                level: text("sandbox_level"),
                mechanism: text("sandbox_mechanism"),
                applied: text("sandbox_applied"),
                missing: text("sandbox_missing"),
                sockets: (0..MAX_SOCKETS)
                    .map_while(|at| {
                        let of = |key: &str| lines.get(&format!("{key}.{at}")).map(str::to_owned);
                        of("sandbox_gives").zip(of("sandbox_socket"))
                    })
                    .collect(),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{JobFacts, SandboxFacts, WindowSize};

    proptest! {
        #[test]
        fn facts_are_read_as_they_were_written(
            texts in prop::array::uniform9("(?s).{0,30}"), numbers in any::<[u64; 4]>(), flags in any::<[bool; 3]>(),
            name in proptest::option::of("(?s).{0,30}"), size in proptest::option::of(any::<(u16, u16)>()),
            supervisor: u32, sandbox in proptest::option::of(prop::array::uniform5("(?s).{0,30}")),
        ) {
            let [id, command, cwd, owner, root, version, reason, machine, boot] = texts;
            let [started_at, deadline, unattended, keep] = numbers;
            let [has_input, is_merged, survives_logout] = flags;
            let facts = JobFacts {
                id, command, cwd, name, owner, root, version, started_at, deadline, unattended, keep, has_input,
                terminal: size.map(|(columns, rows)| WindowSize { columns, rows }),
                is_merged, survives_logout, machine, boot, supervisor,
                sandbox: sandbox.map(|[options, level, mechanism, applied, missing]| SandboxFacts {
                    options, level, mechanism, missing,
                    sockets: vec![(applied.clone(), reason.clone())],
                    applied,
                }),
                reason,
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
