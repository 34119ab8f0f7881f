//! The beginning of a command: its files and its streams.

use std::borrow::Cow;
use std::io;
use std::os::fd::OwnedFd;

use crate::job::io::observer::StreamName;
use crate::job::io::output::OutputStream;
use crate::job::model::plan::{self, Input};
use crate::process::pipe::PipeReader;
use crate::session::session_command::SessionCommand;
use crate::session::shell::LiveShell;
use crate::session::shell::files::{COMMAND, INPUT, INPUT_PIPE, STATUSES, STDERR, STDOUT};
use crate::session::shell::lines::command_line::CommandInput;
use crate::session::shell::place::{LocalShell, ShellPlace, TargetShell};
use crate::syntax::pipeline::has_sure_pipe;
use crate::target::remote_command::RemoteCommand;
use crate::target::shell::{StreamsInShell, WantedInShell};

/// The input and the streams of a command that is about to run.
#[derive(Debug)]
pub(super) struct PreparedStreams {
    pub(super) input: CommandInput,
    /// The writing end of the input, where it is open already.
    pub(super) stdin: Option<OwnedFd>,
    pub(super) outputs: [OutputStream; 2],
    /// Drops the output on a target that is left after the command.
    pub(super) hold: Option<RemoteCommand>,
}

/// Writes the files of a command, and opens its streams.
pub(super) async fn prepare(
    shell: &mut LiveShell,
    command: &SessionCommand,
    token: &str,
) -> io::Result<PreparedStreams> {
    let text = text_of_file(shell, command, token);
    let text = text.as_deref().map(str::as_bytes);
    let here = match &mut shell.place {
        ShellPlace::Local(here) => here,
        ShellPlace::Target(there) => return prepare_there(there, command, text).await,
    };
    if here.directory.is_intact()
        && let Ok(prepared) = prepare_here(here, command, text)
    {
        return Ok(prepared);
    }
    // A command may have removed a file within the same tick of the file system's clock, which leaves the
    // directory's time unchanged.
    shell.repair().await?;
    let ShellPlace::Local(here) = &mut shell.place else { return Err(io::ErrorKind::NotConnected.into()) };
    prepare_here(here, command, text)
}

/// Returns the text for the file of a command, unless it runs from its line.
fn text_of_file<'a>(shell: &LiveShell, command: &'a SessionCommand, token: &str) -> Option<Cow<'a, str>> {
    let text = command.text();
    let statuses = if command.asks_pipe_status && has_sure_pipe(text, shell.flavor.syntax()) {
        let script = format!("{}/{STATUSES}", shell.directory());
        shell.flavor.statuses_line(&script, &format!("{token} p"))
    } else {
        None
    };
    match statuses {
        Some(line) => Some(Cow::Owned(text.to_owned() + &line)),
        None if is_quoted(command, shell) => None,
        None => Some(Cow::Borrowed(text)),
    }
}

fn prepare_here(
    here: &mut LocalShell,
    command: &SessionCommand,
    text: Option<&[u8]>,
) -> io::Result<PreparedStreams> {
    let directory = &mut here.directory;
    if let Some(text) = text {
        directory.write(COMMAND, text)?;
    }
    let input = match (&command.bytes, &command.plan.input) {
        (Some(bytes), _) => {
            directory.write_for_once(INPUT, bytes)?;
            CommandInput::Named(INPUT)
        }
        (None, Input::Open) => {
            directory.renew_pipe(INPUT_PIPE)?;
            CommandInput::Named(INPUT_PIPE)
        }
        (None, _) => CommandInput::Empty,
    };
    let stdout = directory.open_reader(STDOUT)?;
    let stderr = if command.plan.output.is_merged { None } else { Some(directory.open_reader(STDERR)?) };
    let outputs = outputs_of(&command.plan.output, Some(stdout), stderr);
    Ok(PreparedStreams { input, stdin: None, outputs, hold: None })
}

async fn prepare_there(
    there: &TargetShell,
    command: &SessionCommand,
    text: Option<&[u8]>,
) -> io::Result<PreparedStreams> {
    let output = &command.plan.output;
    let has_input = command.plan.input == Input::Open;
    let wanted = WantedInShell { has_input, is_merged: output.is_merged };
    let streams = there.prepare(text.map(|text| (COMMAND, text)), wanted).await?;
    let StreamsInShell { stdin, stdout, stderr, hold } = streams;
    let input = if has_input { CommandInput::Named(INPUT_PIPE) } else { CommandInput::Empty };
    Ok(PreparedStreams { input, stdin, outputs: outputs_of(output, stdout, stderr), hold: Some(hold) })
}

fn outputs_of(plan: &plan::Output, stdout: Option<OwnedFd>, stderr: Option<OwnedFd>) -> [OutputStream; 2] {
    [(StreamName::Stdout, stdout), (StreamName::Stderr, stderr)]
        .map(|(name, pipe)| OutputStream::of_pipe(name, pipe.map(PipeReader::deregistered), plan))
}

/// Returns whether a command runs from its line, and not from its file.
pub(super) fn is_quoted(command: &SessionCommand, shell: &LiveShell) -> bool {
    // The line that reports the statuses of a pipeline is in the file.
    !command.asks_pipe_status && !shell.tracing.is_on() && shell.flavor.quotes(command.text())
}
