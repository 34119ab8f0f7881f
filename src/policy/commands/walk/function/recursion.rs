//! Recursion: functions that call themselves beside other processes, without end or several times.

use crate::policy::commands::walk::walker::Walker;

/// A function whose body is visited, with the circumstances of its call.
#[derive(Debug)]
pub(in crate::policy::commands::walk) struct Call {
    pub(super) name: String,
    /// The command that runs the call, as in `Found::parent`.
    parent: Option<(usize, Option<usize>)>,
    /// The numbers of pipelines, background jobs and conditions around the call.
    pipelines: usize,
    background_jobs: usize,
    conditions: usize,
    /// The number of calls of the function in its body.
    recursive_calls: usize,
    /// Whether one of them runs beside other processes.
    is_concurrent: bool,
}

impl Walker {
    pub(in crate::policy::commands::walk) fn enter_call(&mut self, name: &str) {
        self.calls.push(Call {
            name: name.to_owned(),
            parent: self.parent(),
            pipelines: self.pipelines,
            background_jobs: self.background_jobs,
            conditions: self.scope.conditions,
            recursive_calls: 0,
            is_concurrent: false,
        });
    }

    pub(in crate::policy::commands::walk) fn leave_call(&mut self) {
        if let Some(call) = self.calls.pop() {
            // A `return` ends no function around this one.
            self.scope.conditions = call.conditions;
        }
    }

    /// Checks whether a command calls a function around it so that processes multiply.
    ///
    /// In the foreground, each call waits for the next one. In a pipeline or in the background, a call without a condition never
    /// ends. A call under a condition ends at some time, but two of them double the processes until then.
    pub(in crate::policy::commands::walk) fn check_recursion(&mut self, name: &str) {
        let parent = self.parent();
        let Some(call) = self.calls.iter_mut().rfind(|call| call.name == name) else { return };
        // A wrapper such as `command` runs the program of this name. Code can call the function.
        if parent != call.parent && parent.is_some_and(|(_, word)| word.is_some()) {
            return;
        }
        let is_in_background = self.background_jobs > call.background_jobs;
        let is_concurrent = is_in_background || self.pipelines > call.pipelines;
        // The rounds of a loop wait for each other, except for background jobs.
        if self.guess_of.is_none() && (is_in_background || !self.is_repeated) {
            call.recursive_calls += 1;
        }
        call.is_concurrent |= is_concurrent;
        let is_endless = is_concurrent && self.scope.conditions == call.conditions;
        self.findings.has_fork_bomb |= is_endless || call.is_concurrent && call.recursive_calls > 1;
    }
}
