//! No inspections: Windows shows no waits, and ports are not looked for.

use crate::job::execution::{Execution, Step};
use crate::job::ports::PortScan;

impl Execution {
    /// Answers what is asked: that the command does not wait, and listens nowhere.
    pub(crate) fn inspect_nothing(&mut self) -> Step {
        if self.inspections.are_ports_due() {
            self.record_ports(PortScan::default());
        }
        if self.inspections.is_input_due() { self.report_wait(None) } else { Step::Wait }
    }
}
