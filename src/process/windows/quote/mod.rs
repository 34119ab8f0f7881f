//! The command line of a new process, which is one string on Windows.
//!
//! A program takes its arguments apart by itself, nearly always by the rules of `CommandLineToArgvW`, for
//! which every argument can be quoted. A batch file (`.cmd`, `.bat`) is run by `cmd.exe`, which expands `%`
//! even between quotes and has no way to write a quote that each later reading takes in the same way. An
//! argument that a batch file could get changed, or that could become a command, is an error. [`msys`] has
//! the rules of programs that MSYS2 or Cygwin runs.

pub mod msys;

/// The most UTF-16 units of a command line: 32,767 with the NUL at its end (`CreateProcessW`).
pub const LINE_MAX: usize = 32_766;

/// The most UTF-16 units of a command line that `cmd.exe` reads.
pub const BATCH_LINE_MAX: usize = 8_191;

/// Why there is no command line for these arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    #[error("the path of a program has no quote and no NUL: {0:?}")]
    Program(String),
    #[error("an argument has no NUL: {0:?}")]
    Nul(String),
    #[error(
        "an argument of a batch file has no quote, \"%\", line break or NUL, and no \"\\\" at its end if it has \
         to be quoted, because cmd.exe would change it: {0:?}. Run the program that the batch file starts"
    )]
    Batch(String),
    #[error(
        "a command for cmd.exe has one line, because cmd.exe would not run the others: join them by \"&\" or \
         \"&&\", put them into a batch file, or use another shell"
    )]
    Lines,
    #[error("a command line has at most {most} UTF-16 units, and this one {length}")]
    Long { length: usize, most: usize },
}

/// Returns the command line that starts `program` with these arguments.
///
/// # Errors
///
/// A NUL, a quote in the path of the program, or more than [`LINE_MAX`].
pub fn line(program: &str, arguments: &[&str]) -> Result<String, QuoteError> {
    let mut line = quoted_program(program)?;
    for argument in arguments {
        line.push(' ');
        push_argument(&mut line, argument)?;
    }
    short_enough(line, LINE_MAX)
}

/// Returns the command line by which `cmd`, the path of `cmd.exe`, runs the batch file `script`.
///
/// # Errors
///
/// [`QuoteError::Batch`] for an argument or a path that would not arrive as it is, or more than
/// [`BATCH_LINE_MAX`].
pub fn batch_line(cmd: &str, script: &str, arguments: &[&str]) -> Result<String, QuoteError> {
    // Without AutoRun (/d), with extensions, without `!variables!` (/v:off). With /s, the outer quotes are
    // removed, whatever is between them.
    let mut line = quoted_program(cmd)? + " /d /e:on /v:off /s /c \"";
    push_quoted_for_batch(&mut line, script)?;
    for argument in arguments {
        line.push(' ');
        if is_plain_for_batch(argument) {
            line.push_str(argument);
        } else {
            push_quoted_for_batch(&mut line, argument)?;
        }
    }
    line.push('"');
    short_enough(line, BATCH_LINE_MAX)
}

/// Returns the command line by which `cmd`, the path of `cmd.exe`, runs a command, which it reads as it is,
/// without line breaks at its end.
///
/// # Errors
///
/// A quote in the path, more than one line, or more than [`BATCH_LINE_MAX`].
pub fn cmd_line(cmd: &str, flags: &[&str], command: &str) -> Result<String, QuoteError> {
    let command = command.trim_end_matches(['\r', '\n']);
    if command.contains('\n') {
        return Err(QuoteError::Lines);
    }
    let line = format!("{} {} \"{command}\"", quoted_program(cmd)?, flags.join(" "));
    short_enough(line, BATCH_LINE_MAX)
}

/// Returns the path of a program in quotes: of an unquoted one, a blank would end the program's name.
fn quoted_program(program: &str) -> Result<String, QuoteError> {
    if program.contains(['"', '\0']) {
        return Err(QuoteError::Program(program.to_owned()));
    }
    Ok(format!("\"{program}\""))
}

fn short_enough(line: String, most: usize) -> Result<String, QuoteError> {
    match line.encode_utf16().count() {
        length if length > most => Err(QuoteError::Long { length, most }),
        _ => Ok(line),
    }
}

/// Appends an argument by the rules of `CommandLineToArgvW`: only before a quote, `\` has to be doubled.
fn push_argument(line: &mut String, argument: &str) -> Result<(), QuoteError> {
    if argument.contains('\0') {
        return Err(QuoteError::Nul(argument.to_owned()));
    }
    // Programs of mingw-w64, and those with Microsoft's setargv.obj, expand wildcards outside of quotes.
    if !argument.is_empty() && !argument.contains([' ', '\t', '\n', '\u{b}', '"', '*', '?', '[']) {
        line.push_str(argument);
        return Ok(());
    }
    line.push('"');
    let mut backslashes = 0;
    for character in argument.chars() {
        match character {
            '\\' => backslashes += 1,
            '"' => {
                line.extend(std::iter::repeat_n('\\', backslashes + 1));
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
        line.push(character);
    }
    line.extend(std::iter::repeat_n('\\', backslashes));
    line.push('"');
    Ok(())
}

/// Whether an argument means itself to `cmd.exe` without quotes, and is no separator of arguments.
fn is_plain_for_batch(argument: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"#$+-./:@\\_".contains(&byte);
    !argument.is_empty() && argument.bytes().all(is_plain)
}

fn push_quoted_for_batch(line: &mut String, argument: &str) -> Result<(), QuoteError> {
    // A `\` before the closing quote would be read as a part of the argument by cmd.exe, and as an escape of
    // the quote by a program that the batch file passes its arguments to.
    if argument.contains(['"', '%', '\r', '\n', '\0']) || argument.ends_with('\\') {
        return Err(QuoteError::Batch(argument.to_owned()));
    }
    line.push('"');
    line.push_str(argument);
    line.push('"');
    Ok(())
}

#[cfg(test)]
mod tests;
