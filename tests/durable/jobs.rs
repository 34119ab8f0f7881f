//! A directory of durable jobs for a test, and the jobs in it.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agent_bash::durable::find;
use agent_bash::durable::info::DurableInfo;
use agent_bash::durable::options::{DurableOptions, DurableRole, JobFilter, StartOptions, new_id};
use agent_bash::job::model::plan::{Input, Leftovers};
use tempfile::TempDir;

use crate::support::{Command, Job, NEVER, Tag, eventually, until};

/// A directory of durable jobs. Dropping it kills its jobs.
pub(crate) struct Jobs {
    pub(crate) place: TempDir,
    pub(crate) tag: Tag,
}

impl Jobs {
    pub(crate) fn new() -> Self {
        Self { place: TempDir::new().expect("a directory"), tag: Tag::new() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.place.path().join("jobs")
    }

    /// Returns the path of a file in the directory of a job.
    pub(crate) fn file(&self, id: &str, name: &str) -> PathBuf {
        self.path().join(id).join(name)
    }

    /// Returns the usual options of a start.
    pub(crate) fn options(&self) -> StartOptions {
        StartOptions {
            cache: Some(self.place.path().join("cache")),
            deadline: NEVER,
            unattended: NEVER,
            ..StartOptions::default()
        }
    }

    /// Starts a job, and waits until it runs.
    pub(crate) fn start(&self, script: &str) -> (Job, String) {
        self.start_with(script, self.options(), |command| command)
    }

    pub(crate) fn start_with(
        &self,
        script: &str,
        options: StartOptions,
        change: impl FnOnce(Command) -> Command,
    ) -> (Job, String) {
        let id = new_id();
        let job = self.begin(&id, script, options, change);
        until("the job runs", || job.handle.durable().is_some() || job.is_over());
        (job, id)
    }

    /// Starts a job without waiting for it.
    pub(crate) fn begin(
        &self,
        id: &str,
        script: &str,
        options: StartOptions,
        change: impl FnOnce(Command) -> Command,
    ) -> Job {
        start_in(&self.path(), id, script, options, &self.tag, change)
    }

    /// Attaches to a job. Output begins at this cursor.
    pub(crate) fn attach(&self, id: &str, since: Option<u64>) -> Job {
        self.attach_with(id, since, |command| command)
    }

    pub(crate) fn attach_with(
        &self,
        id: &str,
        since: Option<u64>,
        change: impl FnOnce(Command) -> Command,
    ) -> Job {
        let mut command = Command::script("").tagged(Tag::of(self.tag.variable())).keep(64 << 20);
        command.plan.leftovers = Some(Leftovers::Adopt);
        command = change(command);
        command.plan.input = Input::Open;
        let options =
            DurableOptions { directory: self.path(), id: id.to_owned(), role: DurableRole::Attach { since } };
        command.plan = command.plan.durable(options);
        command.start()
    }

    pub(crate) fn find(&self, filter: &JobFilter) -> Vec<DurableInfo> {
        find::find(&self.path(), filter).expect("they are listed")
    }

    pub(crate) fn info(&self, id: &str) -> Option<DurableInfo> {
        self.find(&JobFilter { id: Some(id.to_owned()), ..JobFilter::default() }).pop()
    }

    /// Waits until a job has ended, and returns what is known of it.
    pub(crate) fn ended(&self, id: &str) -> DurableInfo {
        eventually("the job has ended", || self.info(id).filter(|info| info.end.is_some()))
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        for info in find::find(&self.path(), &JobFilter::default()).unwrap_or_default() {
            let _ = find::stop(&self.path(), &info.facts.id, libc::SIGKILL, Some(Duration::ZERO));
        }
    }
}

/// Returns a line of the name and the number for each number.
pub(crate) fn lines(name: &str, numbers: RangeInclusive<u32>) -> String {
    numbers.fold(String::new(), |lines, number| lines + name + &number.to_string() + "\n")
}

/// Starts a job in a directory.
pub(crate) fn start_in(
    directory: &Path,
    id: &str,
    script: &str,
    options: StartOptions,
    tag: &Tag,
    change: impl FnOnce(Command) -> Command,
) -> Job {
    let mut command = change(Command::script(script).tagged(Tag::of(tag.variable())).keep(64 << 20));
    command.plan = command.plan.durable(DurableOptions {
        directory: directory.to_owned(),
        id: id.to_owned(),
        role: DurableRole::Start(Box::new(options)),
    });
    command.start()
}
