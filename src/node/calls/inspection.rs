//! The calls that ask what a job waits for and where it listens.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]

use napi_derive::napi;

use crate::job::Request;
use crate::node::host::Host;
use crate::process::blocked;

#[napi]
impl Host {
    /// Whether this system shows what programs wait for, and where they listen.
    #[napi(catch_unwind)]
    pub fn can_inspect(&self) -> bool {
        blocked::IS_SHOWN
    }

    /// Tells when a job begins to wait for input (event `waiting`), or no more.
    #[napi(catch_unwind)]
    pub fn follow_waits(&self, id: u32, is_followed: bool) {
        self.request(id, Request::FollowWaits(is_followed));
    }

    /// Asks whether a job waits for input: the answer is an event `looked`. False for a job that is over.
    #[napi(catch_unwind)]
    pub fn check_input(&self, id: u32) -> bool {
        self.request(id, Request::CheckInput)
    }

    /// Tells which ports a job listens on, whenever they change (event `ports`), or no more.
    #[napi(catch_unwind)]
    pub fn follow_ports(&self, id: u32, is_followed: bool) {
        self.request(id, Request::FollowPorts(is_followed));
    }

    /// Whether the job was still there.
    fn request(&self, id: u32, request: Request) -> bool {
        self.state.job(id).is_some_and(|job| job.ask(request))
    }
}
