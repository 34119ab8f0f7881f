//! The calls about the waits of a job for input, the ports that it listens on, and its processes.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]

use napi_derive::napi;

use crate::job::JobRequest;
use crate::node::binding::Binding;
use crate::process::blocked;
use crate::sandbox::protocol::report::RefusalReason;

#[napi]
impl Binding {
    /// Returns whether this system shows what programs wait for.
    #[napi(catch_unwind)]
    pub fn shows_waits(&self) -> bool {
        blocked::IS_SHOWN
    }

    /// Starts or stops the events `waiting`, which report that a job has begun to wait for input.
    #[napi(catch_unwind)]
    pub fn follow_waits(&self, id: u32, is_followed: bool) {
        self.request(id, JobRequest::FollowWaits(is_followed));
    }

    /// Asks whether a job waits for input: the answer is an event `inputchecked`. Returns false for a job
    /// that is over.
    #[napi(catch_unwind)]
    pub fn check_input(&self, id: u32) -> bool {
        self.request(id, JobRequest::CheckInput)
    }

    /// Starts or stops the events `ports`, which report the ports of a job whenever they change.
    #[napi(catch_unwind)]
    pub fn follow_ports(&self, id: u32, is_followed: bool) {
        self.request(id, JobRequest::FollowPorts(is_followed));
    }

    /// Asks for the processes of a job: the answer is an event `state`. Returns false for a job that is over.
    #[napi(catch_unwind)]
    pub fn report_state(&self, id: u32) -> bool {
        self.request(id, JobRequest::ReportState)
    }

    /// Answers a question about a connection of a job: yes, no, or that nobody could be asked (null).
    #[napi(catch_unwind)]
    pub fn answer_connect(&self, id: u32, number: u32, is_allowed: Option<bool>) {
        let verdict = match is_allowed {
            Some(true) => Ok(()),
            Some(false) => Err(RefusalReason::Declined),
            None => Err(RefusalReason::NotAllowed),
        };
        if let Some(sandbox) = self.state.job(id).as_ref().and_then(|job| job.sandbox()) {
            sandbox.answer(number, verdict);
        }
    }

    /// Stops the timeouts of a job while a person is asked, or lets them go on.
    #[napi(catch_unwind)]
    pub fn hold_time(&self, id: u32, is_held: bool) {
        self.request(id, JobRequest::HoldTime(is_held));
    }

    /// Sends a request to a job. Returns whether the job was live.
    fn request(&self, id: u32, request: JobRequest) -> bool {
        self.state.job(id).is_some_and(|job| job.ask(request))
    }
}
