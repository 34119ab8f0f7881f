//! Commands on a target where no helper can run: another system or processor, or no directory that can hold
//! and execute it. Each command has a transport of its own, and a script for the shell there in place of a
//! reaper.
//!
//! Read in this order: `script` has the script for the shell on the target, and its reports; `sieve` takes
//! the reports out of the outputs; `passage` copies an output to the job. `transported_command` is the task
//! of one command, `refusal` refuses the options that need the helper, and `report` lists the missing
//! features.

mod passage;
mod refusal;
mod report;
mod script;
mod sieve;
mod transported_command;

use std::sync::{Arc, Weak};

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::connection::WithoutHelper;
use super::error::TargetError;
use super::{SharedTarget, TargetRequest};
use crate::engine::Engine;
use crate::process::registry::Owner;

/// The most commands that connect at a time: from 10 connections on that have not logged in yet, sshd drops
/// further ones (`MaxStartups`).
const MAX_CONNECTING: usize = 8;

/// The state that the commands of a degraded target share.
#[derive(Clone)]
struct DegradedTarget {
    engine: &'static Engine,
    owner: Owner,
    target: Weak<SharedTarget>,
    /// The reason why no helper runs there.
    why: TargetError,
    slots: Arc<Semaphore>,
    disposed: watch::Receiver<bool>,
}

/// Runs the commands of a target, up to the end of the target: it remembers that no helper runs there.
pub(super) async fn serve(
    engine: &'static Engine,
    owner: Owner,
    target: Weak<SharedTarget>,
    rest: WithoutHelper,
) {
    let WithoutHelper { why, mut waiting, mut inbox } = rest;
    let (dispose, disposed) = watch::channel(false);
    let slots = Arc::new(Semaphore::new(MAX_CONNECTING));
    let place = DegradedTarget { engine, owner, target, why, slots, disposed };
    let mut commands = JoinSet::new();
    loop {
        let request = if let Some(request) = waiting.pop_front() {
            Some(request)
        } else {
            tokio::select! {
                request = inbox.recv() => request,
                Some(_) = commands.join_next() => continue,
            }
        };
        match request {
            Some(TargetRequest::Start(start)) => {
                drop(commands.spawn(transported_command::run(place.clone(), *start)));
            }
            Some(TargetRequest::Dispose) => {
                dispose.send_replace(true);
                while commands.join_next().await.is_some() {}
                break;
            }
            Some(TargetRequest::Ports(answer)) => {
                let _ = answer.send(Err(TargetError::without_ports(&place.why)));
            }
            // A command has its own channel.
            Some(TargetRequest::Command(..) | TargetRequest::PortGone(_)) => {}
            None => break,
        }
    }
    // The jobs of the commands may outlive the target.
    commands.detach_all();
}
