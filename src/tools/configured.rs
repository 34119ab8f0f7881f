//! A dialect with the host's settings, and what holds for the calls of all dialects.

use serde::Serialize;

use super::action::Action;
use super::answer::binary::described;
use super::answer::control_characters::Filter;
use super::arguments::Arguments;
use super::dialect::{Answer, Dialect, Tool};
use super::dialects;
use super::interception::rules::Interceptors;
use super::interception::{blocked, interceptors};
use super::outcome::Outcome;
use super::profile::DialectProfile;
use super::session::{SessionMode, tools_and_instructions};
use super::settings::Settings;
use crate::text::binary::is_binary;

/// A dialect with the host's settings.
#[derive(Debug)]
pub struct ConfiguredDialect {
    profile: &'static DialectProfile,
    dialect: Box<dyn Dialect>,
    interceptors: Interceptors,
    filter: Filter,
    describes_binary: bool,
    session: SessionMode,
    update_interval_ms: f64,
}

/// What `lib/tools/` has to know of a dialect with the host's settings.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DialectDescription {
    tools: Vec<Tool>,
    instructions: String,
    session: SessionMode,
    directories: Option<Vec<String>>,
    update_interval_ms: f64,
}

impl ConfiguredDialect {
    /// Creates the dialect of this name.
    ///
    /// # Errors
    ///
    /// The first rule of the interceptors that can't be read, or the name if there is no dialect of this name, as the message
    /// of an option's error.
    pub fn new(name: &str, settings: Settings) -> Result<Self, String> {
        let profile = dialects::ALL.iter().find(|profile| profile.name == name);
        let profile = *profile.ok_or_else(|| format!("Invalid dialect: there is no '{name}'"))?;
        let interceptors = interceptors(settings.interceptors.as_ref(), &settings.tools)?;
        Ok(Self {
            profile,
            interceptors,
            filter: Filter::new(&settings),
            describes_binary: !settings.has_compat("binary"),
            session: (profile.session)(&settings),
            update_interval_ms: settings.update_interval_ms(),
            dialect: profile.dialect(settings),
        })
    }

    /// Returns the tools, their instructions, and what else depends on the settings.
    #[must_use]
    pub fn describe(&self) -> DialectDescription {
        let (tools, instructions) =
            tools_and_instructions(&*self.dialect, self.profile.tells_session, self.session);
        DialectDescription {
            tools,
            instructions,
            session: self.session,
            directories: self.dialect.directories(),
            update_interval_ms: self.update_interval_ms,
        }
    }

    /// Decides what a call does.
    ///
    /// # Errors
    ///
    /// The answer to invalid arguments, or to a command that an interceptor blocks.
    pub fn plan(&self, tool: &str, arguments: &Arguments) -> Result<Action, Answer> {
        let planned = self.dialect.plan(tool, arguments).and_then(|action| {
            match blocked(&self.interceptors, &action, arguments) {
                Some(outcome) => Err(self.dialect.answer(tool, arguments, &outcome)),
                None => Ok(action),
            }
        });
        planned.map_err(|answer| self.filter.answer(answer))
    }

    /// Returns the answer to a call.
    #[must_use]
    pub fn answer(&self, tool: &str, arguments: &Arguments, outcome: Outcome) -> Answer {
        // The notices of the originals describe another kind of cut, so they must not appear beside a view.
        let truncated = outcome.truncated && (self.profile.knows_views || !outcome.has_view);
        let outcome = Outcome { truncated, ..outcome };
        let outcome = self.filter.outcome(if self.describes_binary { described(outcome) } else { outcome });
        self.filter.answer(self.dialect.answer(tool, arguments, &outcome))
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

    /// Returns the text that tells a model of the end of a job; `None` for dialects without one.
    #[must_use]
    pub fn notice(&self, outcome: &Outcome, call_id: Option<&str>) -> Option<String> {
        self.dialect.notice(outcome, call_id).map(|text| self.filter.text(text))
    }
}
