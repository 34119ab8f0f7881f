//! The plan of a command for a supervisor.

use serde::{Deserialize, Serialize};

use crate::process::limits::Limits;
use crate::process::pty::WindowSize;
use crate::wire::{self, Malformed, raw};

/// The largest plan (bytes): the longest command of a session, 16 MiB, and the rest.
pub const MAX_PLAN: usize = 17 * 1024 * 1024;

/// A command, as its supervisor starts it. Its texts may be any bytes without NUL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent properties")]
pub struct RemotePlan {
    /// The words to execute. Each further list is tried if the program of the one before does not exist.
    #[serde(with = "raw")]
    pub words: Vec<Vec<Vec<u8>>>,
    /// The command line that follows the words, if these are shells.
    #[serde(with = "raw")]
    pub line: Option<Vec<u8>>,
    /// Variables (`NAME=value`) in addition to the supervisor's own, which they override.
    #[serde(with = "raw")]
    pub variables: Vec<Vec<u8>>,
    /// The names that are removed from the supervisor's own environment.
    #[serde(with = "raw")]
    pub unset: Vec<Vec<u8>>,
    /// Whether the environment has `variables` only.
    pub has_empty_environment: bool,
    /// The working directory; empty for the supervisor's own.
    pub directory: String,
    /// The directory that must contain the working directory, by real path.
    pub root: Option<String>,
    /// The size of the terminal in which the command runs, if it does.
    pub terminal: Option<WindowSize>,
    /// Whether the host sends input. Otherwise the input is empty.
    pub has_input: bool,
    /// Whether standard error goes to standard output.
    pub is_merged: bool,
    /// Whether the kernel kills the command before its supervisor when memory is short.
    pub is_expendable: bool,
    pub limits: Limits,
    /// The part of the plan in a session.
    pub role: Role,
}

/// The part of a plan in a session, whose commands run in one shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The plan is a command of its own, outside of sessions.
    #[default]
    Command,
    /// The plan is the shell. The supervisor makes a private directory for it, with a named pipe on which the
    /// shell reports.
    Shell,
    /// The plan is a command that the shell runs, and starts no process: the supervisor writes its files, and
    /// opens its streams.
    InShell(InShell),
    /// The plan is the helper program in its role for files.
    Files,
}

/// The part of a command that the supervisor has while a shell runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InShell {
    /// The id of the shell's plan.
    pub shell: u32,
    pub files: Vec<ShellFile>,
    /// Whether the command has streams. Otherwise the plan has the files only, and restores what is missing.
    pub has_streams: bool,
}

/// A file for the private directory of a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellFile {
    pub name: String,
    #[serde(with = "raw")]
    pub bytes: Vec<u8>,
    /// Whether the file is written only where it is missing.
    pub is_constant: bool,
}

impl RemotePlan {
    /// Returns the words of each alternative, with the command line behind them.
    #[must_use]
    pub fn whole_words(&self) -> Vec<Vec<Vec<u8>>> {
        self.words.iter().map(|words| words.iter().chain(&self.line).cloned().collect()).collect()
    }

    /// Returns the bytes of the plan, which the host sends in frames.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        wire::encode(self)
    }

    /// Reads a plan.
    ///
    /// # Errors
    ///
    /// When the bytes are none, are more than [`MAX_PLAN`], or name no program.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        if bytes.len() > MAX_PLAN {
            return Err(Malformed);
        }
        let plan: Self = wire::decode(bytes)?;
        if plan.fits_its_role() && !plan.has_nul() { Ok(plan) } else { Err(Malformed) }
    }

    /// Returns whether the plan has a program, or is a part of a shell's command, which has none.
    fn fits_its_role(&self) -> bool {
        match &self.role {
            Role::Command | Role::Shell | Role::Files => {
                !self.words.is_empty() && self.words.iter().all(|words| !words.is_empty())
            }
            Role::InShell(part) => {
                let has_files = part.files.iter().all(ShellFile::stays_in_directory);
                self.words.is_empty() && self.line.is_none() && part.shell != 0 && has_files
            }
        }
    }

    /// Returns whether a text has a NUL, which the kernel would take for its end.
    fn has_nul(&self) -> bool {
        let bytes = self.words.iter().flatten().chain(&self.line).chain(&self.variables).chain(&self.unset);
        let paths = [Some(&self.directory), self.root.as_ref()].into_iter().flatten();
        bytes.map(Vec::as_slice).chain(paths.map(String::as_bytes)).any(|text| text.contains(&0))
    }
}

impl ShellFile {
    fn stays_in_directory(&self) -> bool {
        !self.name.is_empty() && self.name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{InShell, Limits, Malformed, RemotePlan, Role, ShellFile, WindowSize};

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        vec(1_u8..=255, 0..40)
    }

    prop_compose! {
        fn files()(name in "[a-z0-9]{1,9}", bytes in vec(any::<u8>(), 0..20), is_constant: bool) -> ShellFile {
            ShellFile { name, bytes, is_constant }
        }
    }

    fn roles() -> impl Strategy<Value = Role> {
        let part = (1_u32.., vec(files(), 0..3), any::<bool>());
        prop_oneof![
            Just(Role::Command),
            Just(Role::Shell),
            Just(Role::Files),
            part.prop_map(|(shell, files, has_streams)| Role::InShell(InShell { shell, files, has_streams })),
        ]
    }

    prop_compose! {
        fn plans()(
            words in vec(vec(bytes(), 1..4), 1..3),
            line in proptest::option::of(bytes()),
            variables in vec(bytes(), 0..4),
            unset in vec(bytes(), 0..3),
            flags in any::<[bool; 4]>(),
            directory in "[a-z /]{0,20}",
            root in proptest::option::of("[a-z /]{0,20}"),
            size in proptest::option::of(any::<(u16, u16)>()),
            limits in any::<[Option<u64>; 5]>(),
            role in roles(),
        ) -> RemotePlan {
            let [has_empty_environment, has_input, is_merged, is_expendable] = flags;
            let [memory, processes, file_size, cpu, open_files] = limits;
            let is_in_shell = matches!(role, Role::InShell(_));
            let (words, line) = if is_in_shell { (Vec::new(), None) } else { (words, line) };
            RemotePlan {
                role, words, line, variables, unset, has_empty_environment, directory, root, has_input, is_merged,
                is_expendable, terminal: size.map(|(columns, rows)| WindowSize { columns, rows }),
                limits: Limits { memory, processes, file_size, cpu, open_files },
            }
        }
    }

    proptest! {
        #[test]
        fn a_plan_is_read_as_it_was_written(plan in plans()) {
            prop_assert_eq!(RemotePlan::decode(&plan.encode()), Ok(plan));
        }

        #[test]
        fn any_bytes_are_a_plan_or_malformed(bytes in vec(any::<u8>(), 0..400)) {
            if let Ok(plan) = RemotePlan::decode(&bytes) {
                prop_assert_eq!(RemotePlan::decode(&plan.encode()), Ok(plan));
            }
        }

        #[test]
        fn a_cut_plan_is_malformed(plan in plans(), cut: prop::sample::Index) {
            let bytes = plan.encode();
            prop_assert_eq!(RemotePlan::decode(&bytes[..cut.index(bytes.len())]), Err(Malformed));
        }
    }

    fn assert_malformed(plan: &RemotePlan) {
        assert_eq!(RemotePlan::decode(&plan.encode()), Err(Malformed), "{plan:?}");
    }

    #[test]
    fn a_plan_without_a_program_is_malformed() {
        assert_malformed(&RemotePlan::default());
        assert_malformed(&RemotePlan {
            words: vec![vec![b"a".to_vec()], Vec::new()],
            ..RemotePlan::default()
        });
    }

    #[test]
    fn a_nul_in_a_text_is_malformed() {
        let plan = RemotePlan { words: vec![vec![b"a".to_vec()]], ..RemotePlan::default() };
        assert_eq!(RemotePlan::decode(&plan.encode()), Ok(plan.clone()));
        assert_malformed(&RemotePlan { words: vec![vec![b"a\0b".to_vec()]], ..plan.clone() });
        assert_malformed(&RemotePlan { line: Some(b"a\0b".to_vec()), ..plan.clone() });
        assert_malformed(&RemotePlan { variables: vec![b"A=\0".to_vec()], ..plan.clone() });
        assert_malformed(&RemotePlan { root: Some("/a\0b".to_owned()), ..plan });
    }

    #[test]
    fn a_file_outside_of_the_directory_of_a_shell_is_malformed() {
        for name in ["", "../a", "a/b"] {
            let file = ShellFile { name: name.to_owned(), ..ShellFile::default() };
            let part = InShell { shell: 1, files: vec![file], has_streams: false };
            assert_malformed(&RemotePlan { role: Role::InShell(part), ..RemotePlan::default() });
        }
    }
}
