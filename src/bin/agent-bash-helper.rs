//! The helper program of agent-bash.
//!
//! The name under which it is started (`argv[0]`), or its first argument, selects the role.
//! [`agent_bash::helper`] has the roles, with what starts them.
//!
//! The program is linked statically and uses neither Node-API nor an asynchronous runtime, so it starts fast
//! and takes little memory.

#![cfg_attr(windows, allow(unused_variables, reason = "on Windows no name selects a role"))]

use std::env::args_os;
use std::io::{self, Write};
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::ExitCode;

#[cfg(unix)]
use agent_bash::helper::guardian;
#[cfg(target_os = "linux")]
use agent_bash::helper::keeper::{KeeperPlan, keep};
use agent_bash::process::helper_program as names;

fn main() -> ExitCode {
    let mut arguments = args_os();
    let name = arguments.next().unwrap_or_default();
    #[cfg(unix)]
    if name == names::GUARDIAN {
        guardian::watch();
        return ExitCode::SUCCESS;
    }
    #[cfg(darwin)]
    if name == names::EXEC {
        agent_bash::helper::exec::run();
        return ExitCode::FAILURE;
    }
    #[cfg(all(unix, not(darwin)))]
    if name == names::SANDBOX {
        agent_bash::helper::sandbox::run();
    }
    #[cfg(target_os = "linux")]
    if name == names::KEEPER {
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let environment: Vec<_> = std::env::vars_os().collect();
        return KeeperPlan::decode(arguments).map_or(2, |plan| keep(&plan, &environment)).into();
    }
    #[cfg(all(unix, not(darwin)))]
    if name == names::OVERLAY {
        agent_bash::helper::sandbox::overlay::run();
    }
    #[cfg(target_os = "linux")]
    if Path::new(&name).file_name().is_some_and(|name| name == names::ASKPASS) {
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let hint = std::env::var_os("SSH_ASKPASS_PROMPT");
        return agent_bash::helper::askpass::ask(&name, arguments.next().as_deref(), hint.as_deref()).into();
    }
    let role = arguments.next().unwrap_or_default();
    #[cfg(target_os = "linux")]
    if role == names::SUPERVISE {
        let nonce = arguments.next().unwrap_or_default();
        let cache = arguments.next().filter(|path| !path.is_empty());
        #[allow(clippy::disallowed_methods, reason = "this process has one thread")]
        let environment = std::env::vars_os().collect();
        return agent_bash::helper::supervisor::supervise(
            &nonce.to_string_lossy(),
            cache.as_deref().map(Path::new),
            environment,
        )
        .into();
    }
    #[cfg(target_os = "linux")]
    if role == names::DURABLE {
        let id = arguments.next().unwrap_or_default();
        return agent_bash::helper::durable::run(&id.to_string_lossy()).into();
    }
    #[cfg(target_os = "linux")]
    if role == names::FILES {
        return agent_bash::helper::files::serve();
    }
    if role == "--version" {
        let _ = io::stdout().write_all(names::greeting().as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ =
        io::stderr().write_all(b"agent-bash starts this program itself; it has no use on the command line\n");
    ExitCode::from(2)
}
