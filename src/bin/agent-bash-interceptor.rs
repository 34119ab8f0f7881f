//! The interceptor program of agent-bash, which `src/intercept/` is about. Linux only.
//!
//! The host starts it with its end of a socket as the standard input.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

fn main() -> ExitCode {
    let input = io::stdin();
    if rustix::net::sockopt::socket_domain(&input).is_err() {
        let text = b"agent-bash starts this program itself; it has no use on the command line\n";
        let _ = io::stderr().write_all(text);
        return ExitCode::from(2);
    }
    let ended = input.as_fd().try_clone_to_owned().and_then(agent_bash::intercept::program::run);
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "agent-bash-interceptor: {error}");
            ExitCode::FAILURE
        }
    }
}
