//! The beginning of a command: its files and its streams.

use std::io;

use crate::job::io::observer::StreamName;
use crate::job::io::output::OutputStream;
use crate::job::model::plan::{self, Input};
use crate::job::warm::flavor::WarmFlavor;
use crate::job::warm::simple::is_simple;
use crate::process::pipe::PipeReader;
use crate::session::command::SessionCommand;
use crate::session::shell::Shell;
use crate::session::shell::command_line::CommandInput;
use crate::session::shell::files::{COMMAND, INPUT, INPUT_PIPE, STDERR, STDOUT};
use crate::session::shell::flavor::SessionFlavor;

/// Writes the files of a command, and opens its streams.
pub(super) fn prepare(
    shell: &mut Shell,
    command: &SessionCommand,
    token: &str,
) -> io::Result<(CommandInput, [OutputStream; 2])> {
    if !shell.directory.is_intact() {
        shell.repair()?;
    }
    prepare_once(shell, command, token).or_else(|_| {
        // A command may have removed a file within the same tick of the file system's clock, which leaves the
        // directory's time unchanged.
        shell.repair()?;
        prepare_once(shell, command, token)
    })
}

fn prepare_once(
    shell: &mut Shell,
    command: &SessionCommand,
    token: &str,
) -> io::Result<(CommandInput, [OutputStream; 2])> {
    let is_quoted = is_quoted(command, shell);
    let directory = &mut shell.directory;
    let statuses = if command.asks_pipe_status && has_sure_pipe(command.text(), shell.flavor) {
        shell.flavor.statuses_line(directory.text(), token)
    } else {
        None
    };
    match statuses {
        Some(line) => {
            directory.write(COMMAND, (command.text().to_owned() + &line).as_bytes())?;
        }
        None if is_quoted => {}
        None => directory.write(COMMAND, command.text().as_bytes())?,
    }
    let source = match (&command.bytes, &command.plan.input) {
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
    let plan = &command.plan.output;
    let open = |name, file| -> io::Result<OutputStream> {
        let pipe = PipeReader::deregistered(directory.open_reader(file)?);
        Ok(OutputStream::of_pipe(name, Some(pipe), &plan.keeping, plan.form))
    };
    let stdout = open(StreamName::Stdout, STDOUT)?;
    let stderr = if plan.is_merged { ended_stream(plan) } else { open(StreamName::Stderr, STDERR)? };
    Ok((source, [stdout, stderr]))
}

/// Returns whether a command runs from its line, and not from its file.
pub(super) fn is_quoted(command: &SessionCommand, shell: &Shell) -> bool {
    // The line that reports the statuses of a pipeline is in the file.
    !command.asks_pipe_status && !shell.tracing.is_on() && shell.flavor.quotes(command.text())
}

fn ended_stream(plan: &plan::Output) -> OutputStream {
    OutputStream::of_pipe(StreamName::Stderr, None, &plan.keeping, plan.form)
}

/// Returns whether a command has a pipe and surely ends with its text, so that the shell reads a line after
/// it as the next command.
#[must_use]
pub fn has_sure_pipe(command: &str, flavor: SessionFlavor) -> bool {
    let warm = match flavor {
        SessionFlavor::Bash => WarmFlavor::Bash,
        SessionFlavor::Zsh => WarmFlavor::Zsh,
        SessionFlavor::Posix => return false,
    };
    command.contains('|') && is_simple(command, warm)
}
