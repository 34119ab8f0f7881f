//! The inspections that ask the kernel of Windows, which shows no waits.

use tokio::time::Instant;

use crate::job::execution::{Execution, Step};
use crate::job::ports::find_ports;
use crate::process::identity::Pid;

impl Execution {
    /// Answers what is asked: on which ports the processes that `find` returns listen, and that the command
    /// does not wait.
    pub(crate) fn inspect_processes(&mut self, find: impl FnOnce() -> Vec<Pid>) -> Step {
        if self.inspections.are_ports_due() {
            let (ports, began) = (&self.inspections.ports, Instant::now());
            let found = find_ports(&find(), &ports.settled(), ports.asks_namespaces());
            self.record_ports(found, began);
        }
        if self.inspections.is_input_due() { self.report_wait(None) } else { Step::Wait }
    }
}
