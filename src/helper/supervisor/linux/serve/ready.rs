//! Waits until a descriptor of the supervisor is ready.

use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::stdio::{stdin, stdout};

use super::Supervisor;
use crate::helper::polled::ready;
use crate::helper::supervisor::protocol::enums::OutputPipe;

/// A descriptor that the supervisor polls, with the id of its command.
#[derive(Clone, Copy)]
pub(super) enum PollSource {
    StreamIn,
    StreamOut,
    Signals,
    Reaper(u32),
    Input(u32),
    /// The command's input, which is watched for its closing.
    IdleInput(u32),
    Output(u32, OutputPipe),
    /// Sockets of ports, to be read.
    PortsIn,
    /// Sockets of ports, to be written.
    PortsOut,
}

impl Supervisor {
    /// Waits until something is ready, and returns it.
    pub(super) fn poll(&self, limit: Duration) -> Vec<PollSource> {
        let is_idle = !self.outbox.has_unsent();
        let mut wanted = vec![(PollSource::Signals, self.signals.as_fd(), PollFlags::IN)];
        if !self.outbox.is_full() {
            wanted.push((PollSource::StreamIn, stdin(), PollFlags::IN));
        }
        wanted.push((PollSource::PortsOut, self.ports.to_write(), PollFlags::IN));
        if is_idle {
            wanted.push((PollSource::PortsIn, self.ports.to_read(), PollFlags::IN));
        } else {
            wanted.push((PollSource::StreamOut, stdout(), PollFlags::OUT));
        }
        for (&id, command) in &self.commands {
            if let Some(reaper) = &command.reaper {
                wanted.push((PollSource::Reaper(id), reaper.socket.as_fd(), PollFlags::IN));
            }
            match command.input() {
                Some(Ok(stdin)) => wanted.push((PollSource::Input(id), stdin, PollFlags::OUT)),
                Some(Err(stdin)) => wanted.push((PollSource::IdleInput(id), stdin, PollFlags::empty())),
                None => {}
            }
            for output in [OutputPipe::Stdout, OutputPipe::Stderr, OutputPipe::Control] {
                if is_idle && let Some(pipe) = command.readable(output) {
                    wanted.push((PollSource::Output(id, output), pipe, PollFlags::IN));
                }
            }
        }
        ready(&wanted, limit)
    }
}
