//! The role for files: carries out requests about files on a target, one after the other.
//!
//! * Started by: the supervisor there, as a command of its host, so its streams have the flow control of a
//!   command, and a file system that hangs stops no command.
//! * May: what the account on the target may.
//! * Ends: with its input, or by the supervisor as any command.
//!
//! The requests and what carries them out are in [`crate::process::files`], since both sides of a copy use
//! them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use crate::process::files::message::{MessageReader, put};
use crate::process::files::perform_with;
use crate::process::files::request::{Request, Response};

/// The size of one read of requests (bytes).
const CHUNK: usize = 256 * 1024;

/// Answers the requests on standard input, up to its end.
#[must_use]
pub fn serve() -> ExitCode {
    // Not the buffers of `io::stdin()` and `io::stdout()`, which are for text.
    let streams = (io::stdin().as_fd().try_clone_to_owned(), io::stdout().as_fd().try_clone_to_owned());
    let (Ok(input), Ok(output)) = streams else { return ExitCode::FAILURE };
    let (mut input, mut output) = (File::from(input), File::from(output));
    let (mut reader, mut chunk, mut out) = (MessageReader::default(), vec![0; CHUNK], Vec::new());
    let mut buffer = Vec::new();
    loop {
        let count = match input.read(&mut chunk) {
            Ok(0) => return ExitCode::SUCCESS,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return ExitCode::FAILURE,
        };
        reader.push(&chunk[..count]);
        loop {
            match reader.next_message::<Request>() {
                Ok(Some(request)) => {
                    let response = perform_with(&request, &mut buffer);
                    put(&response, &mut out);
                    if let Response::Data { bytes, .. } = response {
                        buffer = bytes;
                    }
                }
                Ok(None) => break,
                Err(_) => return ExitCode::FAILURE,
            }
            if output.write_all(&out).is_err() {
                return ExitCode::FAILURE;
            }
            out.clear();
        }
    }
}
