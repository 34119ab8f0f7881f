//! The plan of a command for a supervisor: entries of a tag (`u8`), a length (`u32`) and bytes.

use super::malformed::Malformed;
use crate::process::pty::WindowSize;
use crate::process::spawn::Limits;

/// The largest plan (bytes): the longest command of a session, 16 MiB, and the rest.
pub const MAX_PLAN: usize = 17 * 1024 * 1024;

const ARGUMENT: u8 = 1;
const VARIABLE: u8 = 2;
const DIRECTORY: u8 = 3;
const ROOT: u8 = 4;
const FLAGS: u8 = 5;
const SIZE: u8 = 6;
const LIMIT: u8 = 7;
const ALTERNATIVE: u8 = 8;
const UNSET: u8 = 9;
const SHELL: u8 = 10;
const FILE: u8 = 11;
const LINE: u8 = 12;

const HAS_TERMINAL: u32 = 1;
const HAS_INPUT: u32 = 2;
const HAS_EMPTY_ENVIRONMENT: u32 = 4;
const IS_MERGED: u32 = 8;
const IS_EXPENDABLE: u32 = 16;
const IS_SHELL: u32 = 32;
const HAS_STREAMS: u32 = 64;
const KNOWN_FLAGS: u32 =
    HAS_TERMINAL | HAS_INPUT | HAS_EMPTY_ENVIRONMENT | IS_MERGED | IS_EXPENDABLE | IS_SHELL | HAS_STREAMS;

/// A command, as its supervisor starts it. Its texts may be any bytes without NUL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent properties")]
pub struct RemotePlan {
    /// The words to execute. Each further list is tried if the program of the one before does not exist.
    pub words: Vec<Vec<Vec<u8>>>,
    /// The command line that follows the words, if these are shells.
    pub line: Option<Vec<u8>>,
    /// Variables (`NAME=value`) in addition to the supervisor's own, which they override.
    pub variables: Vec<Vec<u8>>,
    /// The names that are removed from the supervisor's own environment.
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
    /// What the plan has to do with a session.
    pub role: Role,
}

/// What a plan has to do with a session, whose commands run in one shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Nothing: the plan is a command of its own.
    #[default]
    Command,
    /// The plan is the shell. The supervisor makes a private directory for it, with a named pipe on which the
    /// shell reports.
    Shell,
    /// The plan is a command that the shell runs, and starts no process: the supervisor writes its files, and
    /// opens its streams.
    InShell(InShell),
}

/// The part of a command that the supervisor has while a shell runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InShell {
    /// The id of the shell's plan.
    pub shell: u32,
    pub files: Vec<ShellFile>,
    /// Whether the command has streams. Otherwise the plan has the files only, and restores what is missing.
    pub has_streams: bool,
}

/// A file for the private directory of a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellFile {
    pub name: String,
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
        let mut out = Vec::new();
        for (index, words) in self.words.iter().enumerate() {
            if index > 0 {
                put(&mut out, ALTERNATIVE, &[]);
            }
            for word in words {
                put(&mut out, ARGUMENT, word);
            }
        }
        if let Some(line) = &self.line {
            put(&mut out, LINE, line);
        }
        self.variables.iter().for_each(|variable| put(&mut out, VARIABLE, variable));
        self.unset.iter().for_each(|name| put(&mut out, UNSET, name));
        if !self.directory.is_empty() {
            put(&mut out, DIRECTORY, self.directory.as_bytes());
        }
        if let Some(root) = &self.root {
            put(&mut out, ROOT, root.as_bytes());
        }
        if let Role::InShell(InShell { shell, files, .. }) = &self.role {
            put(&mut out, SHELL, &shell.to_le_bytes());
            for ShellFile { name, bytes, is_constant } in files {
                let head = [u8::from(*is_constant), u8::try_from(name.len()).unwrap_or(u8::MAX)];
                put(&mut out, FILE, &[&head[..], name.as_bytes(), bytes].concat());
            }
        }
        let flags = [
            (self.terminal.is_some(), HAS_TERMINAL),
            (self.has_input, HAS_INPUT),
            (self.has_empty_environment, HAS_EMPTY_ENVIRONMENT),
            (self.is_merged, IS_MERGED),
            (self.is_expendable, IS_EXPENDABLE),
            (self.role == Role::Shell, IS_SHELL),
            (matches!(&self.role, Role::InShell(part) if part.has_streams), HAS_STREAMS),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).fold(0, |set, (_, flag)| set | flag);
        put(&mut out, FLAGS, &u32::to_le_bytes(flags));
        if let Some(size) = self.terminal {
            put(&mut out, SIZE, &encode_size(size));
        }
        for (number, limit) in (0_u32..).zip(in_order(&mut self.limits.clone())) {
            if let Some(limit) = *limit {
                put(&mut out, LIMIT, &[&number.to_le_bytes()[..], &limit.to_le_bytes()].concat());
            }
        }
        out
    }

    /// Reads a plan.
    ///
    /// # Errors
    ///
    /// When the bytes are none, are more than [`MAX_PLAN`], or name no program.
    pub fn decode(mut bytes: &[u8]) -> Result<Self, Malformed> {
        if bytes.len() > MAX_PLAN {
            return Err(Malformed);
        }
        let mut plan = Self { words: vec![Vec::new()], ..Self::default() };
        let (mut has_terminal, mut size) = (false, None);
        let mut part = InShell::default();
        while let Some((&tag, rest)) = bytes.split_first() {
            let (length, rest) = rest.split_first_chunk().ok_or(Malformed)?;
            let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| Malformed)?;
            let (value, rest) = rest.split_at_checked(length).ok_or(Malformed)?;
            if value.contains(&0) && !matches!(tag, FLAGS | SIZE | LIMIT | SHELL | FILE) {
                return Err(Malformed);
            }
            match tag {
                ARGUMENT => plan.words.last_mut().ok_or(Malformed)?.push(value.to_vec()),
                ALTERNATIVE => plan.words.push(Vec::new()),
                LINE => plan.line = Some(value.to_vec()),
                VARIABLE => plan.variables.push(value.to_vec()),
                UNSET => plan.unset.push(value.to_vec()),
                DIRECTORY => plan.directory = text(value)?,
                ROOT => plan.root = Some(text(value)?),
                FLAGS => {
                    let flags = u32::from_le_bytes(value.try_into().map_err(|_| Malformed)?);
                    if flags & !KNOWN_FLAGS != 0 {
                        return Err(Malformed);
                    }
                    has_terminal = flags & HAS_TERMINAL != 0;
                    plan.has_input = flags & HAS_INPUT != 0;
                    plan.has_empty_environment = flags & HAS_EMPTY_ENVIRONMENT != 0;
                    plan.is_merged = flags & IS_MERGED != 0;
                    plan.is_expendable = flags & IS_EXPENDABLE != 0;
                    part.has_streams = flags & HAS_STREAMS != 0;
                    if flags & IS_SHELL != 0 {
                        plan.role = Role::Shell;
                    }
                }
                SHELL => part.shell = u32::from_le_bytes(value.try_into().map_err(|_| Malformed)?),
                FILE => part.files.push(decode_file(value)?),
                SIZE => size = Some(decode_size(value)?),
                LIMIT => {
                    let (number, value) = value.split_first_chunk().ok_or(Malformed)?;
                    let number = usize::try_from(u32::from_le_bytes(*number)).map_err(|_| Malformed)?;
                    let value = u64::from_le_bytes(value.try_into().map_err(|_| Malformed)?);
                    **in_order(&mut plan.limits).get_mut(number).ok_or(Malformed)? = Some(value);
                }
                _ => return Err(Malformed),
            }
            bytes = rest;
        }
        plan.terminal = size;
        let has_words = plan.words.iter().all(|words| !words.is_empty());
        let is_in_shell = part.shell != 0;
        let is_whole = has_terminal == size.is_some()
            && has_words != is_in_shell
            && (is_in_shell || part == InShell::default())
            && !(is_in_shell && plan.role == Role::Shell)
            && !(is_in_shell && plan.line.is_some());
        if is_in_shell {
            plan.words.clear();
            plan.role = Role::InShell(part);
        }
        if is_whole { Ok(plan) } else { Err(Malformed) }
    }
}

/// Returns the limits in the order of their numbers in a plan.
fn in_order(limits: &mut Limits) -> [&mut Option<u64>; 5] {
    let Limits { memory, processes, file_size, cpu, open_files } = limits;
    [memory, processes, file_size, cpu, open_files]
}

fn put(out: &mut Vec<u8>, tag: u8, value: &[u8]) {
    out.push(tag);
    out.extend(u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(value);
}

fn text(bytes: &[u8]) -> Result<String, Malformed> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Malformed)
}

/// Reads a file of a shell. Its name stays within the directory.
fn decode_file(value: &[u8]) -> Result<ShellFile, Malformed> {
    let (&[is_constant, length], rest) = value.split_first_chunk().ok_or(Malformed)?;
    let (name, bytes) = rest.split_at_checked(length.into()).ok_or(Malformed)?;
    let name = text(name)?;
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain && is_constant <= 1 {
        Ok(ShellFile { name, bytes: bytes.to_vec(), is_constant: is_constant == 1 })
    } else {
        Err(Malformed)
    }
}

/// Returns the bytes of a terminal's size: columns and rows, and twice 0 for the size in pixels.
pub(super) fn encode_size(size: WindowSize) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..2].copy_from_slice(&size.columns.to_le_bytes());
    bytes[2..4].copy_from_slice(&size.rows.to_le_bytes());
    bytes
}

pub(super) fn decode_size(bytes: &[u8]) -> Result<WindowSize, Malformed> {
    let &[c0, c1, r0, r1, _, _, _, _] = bytes else { return Err(Malformed) };
    Ok(WindowSize { columns: u16::from_le_bytes([c0, c1]), rows: u16::from_le_bytes([r0, r1]) })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{ARGUMENT, InShell, Limits, Malformed, RemotePlan, Role, ShellFile, WindowSize, put};

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
        fn a_cut_plan_is_malformed_or_a_plan_without_its_last_entries(plan in plans(), cut: prop::sample::Index) {
            let bytes = plan.encode();
            let _ = RemotePlan::decode(&bytes[..cut.index(bytes.len())]);
        }
    }

    #[test]
    fn a_plan_without_a_program_is_malformed() {
        assert_eq!(RemotePlan::decode(&[]), Err(Malformed));
    }

    #[test]
    fn a_nul_in_an_argument_is_malformed() {
        let mut bytes = Vec::new();
        put(&mut bytes, ARGUMENT, b"a\0b");
        assert_eq!(RemotePlan::decode(&bytes), Err(Malformed));
    }
}
