//! The helper program of agent-bash.
//!
//! The addon starts this program under the name of a role: `agent-bash-guardian` kills the processes that the
//! jobs of a dead host have left ([`agent_bash::process::guardian`]), `agent-bash-sandbox` runs a command in
//! a sandbox ([`agent_bash::sandbox`]). The program is linked statically and uses neither Node-API nor an
//! asynchronous runtime, so it starts fast and takes little memory.

use std::env::args_os;
use std::io::{self, Write};
use std::process::ExitCode;

use agent_bash::process::guardian;
use agent_bash::process::helper::{GUARDIAN, greeting};

fn main() -> ExitCode {
    let mut arguments = args_os();
    let name = arguments.next().unwrap_or_default();
    if name == GUARDIAN {
        guardian::watch();
        return ExitCode::SUCCESS;
    }
    #[cfg(target_os = "linux")]
    if name == agent_bash::sandbox::protocol::launch::SANDBOX {
        agent_bash::sandbox::helper::run();
    }
    if arguments.next().is_some_and(|argument| argument == "--version") {
        let _ = io::stdout().write_all(greeting().as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ =
        io::stderr().write_all(b"agent-bash starts this program itself; it has no use on the command line\n");
    ExitCode::from(2)
}
