//! The sandbox: builds a sandbox, runs one command in it, and ends as the command did.
//!
//! * Started by: a spawner thread, as the leader of a sandboxed job (`job/sandbox/`).
//! * May: create namespaces and mounts, give up rights, decide about the system calls of the command that the
//!   plan names, and remove stubs. No rights that the host does not have.
//! * Ends: as the command did. The sandbox init ends with the last process of the sandbox, or with the host.
//!
//! Read [`run`] first. The process that the spawner started is the *monitor* of the sandbox. It creates the
//! `namespaces` and the `mounts`, and forks two children: the sandbox `init`, which
//! is the first process in the sandbox, and the `confined_command`, which confines itself further (`confine`)
//! before it executes its program. `stub_remover` outlives them to remove stubs. [`overlay`] is a role of its
//! own: it creates the mount that the commands of an overlay or a home share. `kept_home` copies the mount of
//! a home into the sandbox. `input` receives the plan and sends reports, `streams` takes the command's
//! standard streams, `network` sets up the private network, and `failure` adds the failed step to an error.
//!
//! If a step before the execution of the command fails, the helper reports the step and exits; nothing has
//! run.

pub mod confine;
mod confined_command;
mod failure;
mod init;
mod input;
mod kept_home;
mod monitor;
mod mounts;
mod namespaces;
mod network;
pub mod overlay;
mod process;
mod streams;
mod stub_remover;

use std::convert::Infallible;
use std::os::fd::{AsFd, OwnedFd};

use crate::sandbox::plan::{NetworkMode, Tier};
use crate::sandbox::protocol::report::{HelperReport, Running, SandboxFailure, SandboxStep};
use confine::capabilities::kept_in_namespaces;
use failure::FailureContext;
use input::PlanMessage;
use kept_home::HomeCopy;
use process::{WatchedProcesses, life_pipe, pin_host};
use stub_remover::StartingRemover;

/// The exit code of a helper that could not start the command. The host reads the report instead.
const EXIT_FAILED: i32 = 125;

/// Runs the role; never returns.
pub fn run() -> ! {
    let control = input::control_socket();
    let Err(failure) = build_and_run(&control);
    input::send(control.as_fd(), &HelperReport::Failed(failure));
    process::exit(EXIT_FAILED)
}

/// Builds the sandbox, runs the command and ends as it did. Returns only before the command was executed.
fn build_and_run(control: &OwnedFd) -> Result<Infallible, SandboxFailure> {
    let PlanMessage { mut plan, command, descriptors, kept } = input::receive(control.as_fd())?;
    if plan.tier == Tier::Landlock {
        return confined_command::restrict_and_execute(&plan, &command, &descriptors, control.as_fd());
    }
    let life = WatchedProcesses { monitor: life_pipe()?, host: pin_host(control.as_fd())? };
    let joined = kept.users.as_ref().map(namespaces::join_users).transpose().at(SandboxStep::Namespaces)?;
    let home = kept.home.as_ref().map(kept_home::start).transpose()?;
    if let Some((_, mounts)) = &kept.overlay {
        // Before the stubs, which are created in the overlay.
        namespaces::join_mounts(mounts).at(SandboxStep::Overlay)?;
    }
    let starting = stub_remover::start(&mut plan)?;
    let ids = namespaces::enter(&plan, joined)?;
    if plan.network.is_private() {
        network::start_loopback()?;
    }
    let has_counters = plan.network == NetworkMode::Off;
    let counters = if has_counters { network::open_counters() } else { Vec::new() };
    if plan.network == NetworkMode::Allow {
        let listeners = network::open_listeners(plan.listened_ports().len())?;
        input::send_listeners(control.as_fd(), &listeners)?;
    }
    let lock = kept.overlay.map(|(lock, _)| lock);
    let home = home.map(HomeCopy::finish).transpose()?;
    let remover = starting.map(StartingRemover::finish).transpose()?;
    let view = mounts::build(&plan, command.has_terminal, mounts::EngineMounts { lock, home })?;
    let init = init::start(&plan, &view, control, &life, remover.as_ref())?;
    let child = confined_command::start(&plan, &command, &descriptors, &init, kept_in_namespaces(ids))?;
    let init_pid = Some(init.pid.as_raw_nonzero().get());
    let running = Running {
        init: init_pid,
        command: Some(child.pid.as_raw_nonzero().get()),
        remover: remover.as_ref().map(|remover| remover.pid),
        landlock: confine::landlock::version(),
    };
    let guard = monitor::Guard { plan: &plan, view: &view };
    monitor::finish(control, (running, counters), child, &init, &life.monitor, remover, &guard)
}
