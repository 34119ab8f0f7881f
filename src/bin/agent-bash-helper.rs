//! The helper program of agent-bash.
//!
//! The addon starts this program under the name of a role (`argv[0]`):
//!
//! * `agent-bash-guardian` kills the processes that the jobs of a dead host have left
//!   ([`agent_bash::process::guardian`]).
//! * `agent-bash-sandbox` runs a command in a sandbox, and `agent-bash-overlay` mounts the layer of an
//!   overlay ([`agent_bash::sandbox`], on Linux).
//! * `agent-bash-keeper` runs the client of a container engine ([`agent_bash::process::keeper`], on Linux).
//! * `agent-bash-exec` gives a command its terminal and its limits ([`agent_bash::process::spawn`], on
//!   macOS).
//!
//! On another machine or in a container, a shell starts the program with the argument `supervise`: there it
//! runs the host's commands ([`agent_bash::process::supervise`]).
//!
//! The program is linked statically and uses neither Node-API nor an asynchronous runtime, so it starts fast
//! and takes little memory.

use std::env::args_os;
use std::io::{self, Write};
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::ExitCode;

use agent_bash::process::guardian;
#[cfg(target_os = "linux")]
use agent_bash::process::helper::KEEPER;
use agent_bash::process::helper::{GUARDIAN, greeting};
#[cfg(target_os = "linux")]
use agent_bash::process::keeper::{KeeperPlan, keep};
#[cfg(target_os = "linux")]
use agent_bash::process::supervise;

fn main() -> ExitCode {
    let mut arguments = args_os();
    let name = arguments.next().unwrap_or_default();
    if name == GUARDIAN {
        guardian::watch();
        return ExitCode::SUCCESS;
    }
    #[cfg(darwin)]
    if name == agent_bash::process::spawn::exec::EXEC {
        agent_bash::process::spawn::exec::run();
        return ExitCode::FAILURE;
    }
    #[cfg(not(darwin))]
    if name == agent_bash::sandbox::protocol::launch::SANDBOX {
        agent_bash::sandbox::helper::run();
    }
    #[cfg(target_os = "linux")]
    if name == KEEPER {
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let environment: Vec<_> = std::env::vars_os().collect();
        return KeeperPlan::decode(arguments).map_or(2, |plan| keep(&plan, &environment)).into();
    }
    #[cfg(not(darwin))]
    if name == agent_bash::sandbox::protocol::launch::OVERLAY {
        agent_bash::sandbox::helper::overlay::run();
    }
    let role = arguments.next().unwrap_or_default();
    #[cfg(target_os = "linux")]
    if role == supervise::SUPERVISE {
        let nonce = arguments.next().unwrap_or_default();
        let cache = arguments.next().filter(|path| !path.is_empty());
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let environment = std::env::vars_os().collect();
        return supervise::supervise(&nonce.to_string_lossy(), cache.as_deref().map(Path::new), environment)
            .into();
    }
    if role == "--version" {
        let _ = io::stdout().write_all(greeting().as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ =
        io::stderr().write_all(b"agent-bash starts this program itself; it has no use on the command line\n");
    ExitCode::from(2)
}
