//! The calls that start commands: `bash()`, `BashJob`, `run()` and jobs.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::job::Plan;
use crate::job::model::plan::{Form, Input, Leftovers};
use crate::node::binding::Binding;
use crate::node::error::NativeError;
use crate::node::spec::bash::BashSpec;
use crate::node::spec::pty::PtySpec;
use crate::node::spec::run::RunSpec;
use crate::node::spec::view::ViewSpec;
use crate::tools::bash_function;
use crate::tools::result::format::ResultFormat;

#[napi]
impl Binding {
    /// Runs `bash()`. The answer arrives as an event; a refusal is returned at once.
    #[napi(catch_unwind)]
    pub fn bash(&self, id: u32, call: BashSpec) -> Option<NativeError> {
        let plan = call.call().and_then(|call| Ok(bash_function::plan(call)?));
        plan.map(|plan| self.state.answer(id, plan)).err()
    }

    /// Starts a `BashJob`. Its output (if wanted) and its end arrive as events; a refusal is returned at
    /// once. While `is_wanted` is unknown, the first 1 MiB of output arrives for listeners that may be added
    /// later.
    #[napi(catch_unwind)]
    pub fn start(
        &self,
        id: u32,
        call: BashSpec,
        is_wanted: Option<bool>,
        view: Option<ViewSpec>,
    ) -> Option<NativeError> {
        let form = if call.bytes == Some(true) { Form::Bytes } else { Form::Text };
        let code_page = call.code_page.as_ref().map(|handle| handle.code_page());
        let terminal = call.pty.as_ref().map(PtySpec::terminal);
        let call = match call.call() {
            Ok(call) => call,
            Err(wrong) => return Some(wrong),
        };
        match bash_function::plan(call) {
            Ok(mut plan) => {
                plan.output.code_page = code_page;
                if terminal.is_some() {
                    plan.terminal = terminal;
                    plan.input = Input::Open;
                }
                let format = ResultFormat::bash(&plan);
                plan.output.form = form;
                plan.output.view = view.map(|view| view.options(Some(&plan.invocation), false));
                self.state.listen(id, Plan { leftovers: Some(Leftovers::Keep), ..plan }, format, is_wanted);
                None
            }
            Err(refusal) => Some(refusal.into()),
        }
    }

    /// Starts a command for `run()` or a table of jobs. Its output and result arrive as events; an invalid
    /// option is returned at once.
    #[napi(catch_unwind)]
    pub fn run(&self, id: u32, spec: RunSpec, is_wanted: Option<bool>) -> Option<NativeError> {
        match spec.plan() {
            Ok(plan) => {
                self.state.listen(id, plan, ResultFormat::Run, is_wanted);
                None
            }
            Err(wrong) => Some(wrong),
        }
    }
}
