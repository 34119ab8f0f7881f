//! A dialect with the host's settings, and what holds for the calls of all dialects.

use serde::Serialize;

use super::answer::control_characters::Filter;
use super::answer::{binary, elsewhere, session_end};
use super::call::action::Action;
use super::call::arguments::Arguments;
use super::dialect::{Answer, Dialect, JobEnd, StartingCall, Tool};
use super::dialects;
use super::interception::rules::Interceptors;
use super::interception::{blocked, interceptors};
use super::outcome::command::{CommandOutcome, CommandStatus};
use super::outcome::{CallOutcome, JobOutcome, Refusal};
use super::profile::DialectProfile;
use super::session::{SessionMode, tools_and_instructions};
use super::settings::ToolsetSettings;
use crate::text::binary::is_binary;

/// The end of the paragraph about a sandbox that a command may ask to leave.
const MAY_ASK: &str = " A command that needs more can ask for it by its arguments, and somebody decides.";

/// A dialect with the host's settings.
#[derive(Debug)]
pub struct ConfiguredDialect {
    profile: &'static DialectProfile,
    dialect: Box<dyn Dialect>,
    description: DialectDescription,
    interceptors: Interceptors,
    filter: Filter,
    describes_binary: bool,
    /// Whether answers have only the words of the dialect's original.
    is_original: bool,
    /// Whether commands run on a target.
    is_elsewhere: bool,
}

/// The facts about a dialect with the host's settings that `lib/tools/` needs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DialectDescription {
    tools: Vec<Tool>,
    instructions: String,
    session: SessionMode,
    directories: Option<Vec<String>>,
    updates_in_background: bool,
}

impl ConfiguredDialect {
    /// Creates the dialect of this name.
    ///
    /// # Errors
    ///
    /// The first rule of the interceptors that can't be read, or the name if there is no dialect of this
    /// name, as the message of an option's error.
    pub fn new(name: &str, settings: ToolsetSettings) -> Result<Self, String> {
        let profile = dialects::ALL.iter().find(|profile| profile.name == name);
        let profile = *profile.ok_or_else(|| format!("Invalid dialect: there is no '{name}'"))?;
        let interceptors = interceptors(settings.interceptors.as_ref(), &settings.tools)?;
        let (filter, describes_binary) = (Filter::new(&settings), !settings.has_compat("binary"));
        let session = (profile.session)(&settings);
        let may_ask = if settings.escalates { MAY_ASK } else { "" };
        let sandbox = settings.sandbox.as_ref().map(|paragraph| format!("{paragraph}{may_ask}"));
        let (place, shell) = (settings.place.clone(), settings.shell.clone());
        let (own_name, others) = (settings.name.clone(), settings.tools.clone());
        let (is_original, is_elsewhere) = (settings.is_original(), settings.place.is_some());
        let dialect = profile.dialect(settings);
        let (mut tools, mut instructions) = tools_and_instructions(&*dialect, profile.tells_session, session);
        let main = own_name.as_deref().or_else(|| tools.first().map(|main| main.name));
        let guidance = profile.guidance.paragraph(main.unwrap_or_default(), &others);
        for paragraph in [guidance, shell, sandbox, place].into_iter().flatten() {
            // Two vendors' tools have a description of their own, so the instructions say it too.
            instructions = format!("{instructions}\n\n{paragraph}");
            if let Some(main) = tools.first_mut() {
                main.description = format!("{}\n\n{paragraph}", main.description).into();
            }
        }
        let description = DialectDescription {
            tools,
            instructions,
            session,
            directories: dialect.directories(),
            updates_in_background: dialect.updates_in_background(),
        };
        Ok(Self {
            profile,
            dialect,
            description,
            interceptors,
            filter,
            describes_binary,
            is_original,
            is_elsewhere: is_elsewhere && !is_original,
        })
    }

    /// Returns the tools, their instructions, and what else depends on the settings.
    #[must_use]
    pub const fn description(&self) -> &DialectDescription {
        &self.description
    }

    /// Decides what a call does.
    ///
    /// # Errors
    ///
    /// The answer to invalid arguments, or to a command that an interceptor blocks.
    pub fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let planned = self.dialect.plan(tool, arguments).and_then(|action| {
            match blocked(&self.interceptors, &action, arguments) {
                Some(refusal) => Err(self.dialect.answer(tool, arguments, &CallOutcome::Refused(refusal))),
                None => Ok(action),
            }
        });
        planned.map_err(|answer| self.filter.answer(answer))
    }

    /// Returns the answer to a call. The streams of its command may be apart from the outcome.
    #[must_use]
    pub fn answer(
        &self,
        tool: &str,
        arguments: &Arguments,
        outcome: CallOutcome,
        streams: Option<[String; 2]>,
    ) -> Answer {
        self.written(outcome, streams, |outcome| match outcome {
            CallOutcome::Refused(refusal) => self.refused(tool, arguments, refusal),
            outcome => self.answer_of(tool, arguments, outcome),
        })
    }

    /// Returns what tells of the end of a job. The streams of its command are apart from the outcome.
    #[must_use]
    pub fn ended(&self, call: &StartingCall<'_>, job: &JobOutcome, streams: [String; 2]) -> JobEnd {
        let mut notice = None;
        let answer = self.written(job.clone().into(), Some(streams), |outcome| {
            let command = outcome.command().into_owned();
            let end = self.dialect.ended(call, &JobOutcome { command, ..job.clone() });
            notice = end.notice.map(|text| self.filter.text(text));
            self.filter.answer(end.answer)
        });
        JobEnd { notice, answer }
    }

    /// Prepares an outcome for the dialect, and returns the answer that `write` makes of it.
    fn written(
        &self,
        mut outcome: CallOutcome,
        streams: Option<[String; 2]>,
        mut write: impl FnMut(&CallOutcome) -> Answer,
    ) -> Answer {
        if let Some(CommandOutcome { output, .. }) = outcome.command_mut() {
            if let Some([stdout, stderr]) = streams {
                (output.stdout, output.stderr) = (stdout, stderr);
            }
            // The notices of the originals describe another kind of cut, so they must not appear beside a
            // view.
            output.truncated &= !(output.has_view && self.profile.has_original());
            if self.is_elsewhere {
                elsewhere::remove_reader(output);
            }
        }
        if !self.is_original {
            outcome.runs_mut().iter_mut().for_each(session_end::add_note);
        }
        for command in outcome.commands_mut() {
            if self.describes_binary {
                binary::describe(command);
            }
            self.filter.clean(&mut command.output);
        }
        let mut answer = write(&outcome);
        let Some(command) = outcome.command_mut().filter(|_| self.is_elsewhere) else { return answer };
        let file = command.file.clone();
        if let Some(reason) = elsewhere::reason_with_output(command, &answer.text) {
            command.error = Some(reason);
            answer = write(&outcome);
        }
        elsewhere::with_place(answer, file.as_ref(), self.reader())
    }

    /// Returns the name of the tool that shows files with output.
    fn reader(&self) -> Option<&'static str> {
        self.description.tools.iter().map(|tool| tool.name).find(|name| *name == "bash_output")
    }

    /// Returns the answer to a call that did nothing.
    ///
    /// The answers of companions describe a job, and may report success for a call without one: the reason
    /// takes their place, and the structured form is that for an unknown job.
    fn refused(&self, tool: &str, arguments: &Arguments, refusal: &Refusal) -> Answer {
        let answer = |status| {
            let refusal = Refusal { status, ..refusal.clone() };
            self.answer_of(tool, arguments, &CallOutcome::Refused(refusal))
        };
        let own = answer(refusal.status);
        let has_reason = self.profile.has_original() && own.is_error && own.text.contains(&refusal.error);
        if has_reason || self.description.tools.first().is_some_and(|main| main.name == tool) {
            return own;
        }
        let (why, data) = match refusal.status {
            CommandStatus::Denied => ("not allowed: ", own.data),
            _ => ("", answer(CommandStatus::Unknown).data),
        };
        Answer::raw(self.clean(format!("Error: {why}{}", refusal.error)), true, data)
    }

    fn answer_of(&self, tool: &str, arguments: &Arguments, outcome: &CallOutcome) -> Answer {
        self.filter.answer(self.dialect.answer(tool, arguments, outcome))
    }

    /// Returns whether a text is that of binary output, which answers describe.
    #[must_use]
    pub fn is_binary(&self, text: &str) -> bool {
        self.describes_binary && is_binary(text)
    }

    /// Returns a text without the control characters that no answer has.
    #[must_use]
    pub fn clean(&self, text: String) -> String {
        self.filter.output(text)
    }
}
