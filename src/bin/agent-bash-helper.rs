//! The helper program of agent-bash.
//!
//! The name under which it is started (`argv[0]`), or its first argument, selects the role.
//! [`agent_bash::helper`] has the roles, with what starts them.
//!
//! The program is linked statically and uses neither Node-API nor an asynchronous runtime, so it starts fast
//! and takes little memory.

use std::env::args_os;
use std::io::{self, Write};
use std::process::ExitCode;

use agent_bash::helper::roles::{play_by_argument, play_by_name};
use agent_bash::process::helper_program::greeting;

fn main() -> ExitCode {
    let mut arguments = args_os();
    let name = arguments.next().unwrap_or_default();
    if let Some(end) = play_by_name(&name, &mut arguments) {
        return end;
    }
    let role = arguments.next().unwrap_or_default();
    if let Some(end) = play_by_argument(&role, &mut arguments) {
        return end;
    }
    if role == "--version" {
        let _ = io::stdout().write_all(greeting().as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ =
        io::stderr().write_all(b"agent-bash starts this program itself; it has no use on the command line\n");
    ExitCode::from(2)
}
