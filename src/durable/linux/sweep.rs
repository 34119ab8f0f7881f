//! Removes what ended jobs have left, and notes jobs whose supervisors are gone.

use std::os::fd::AsFd;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::helper::durable::directory::{DirectoryLock, JobDirectory, JobsDirectory, NEW, machine};
use crate::helper::durable::log::reader::LogReader;
use crate::helper::durable::record::end::{EndCause, JobEnd, KILLED, REBOOT};
use crate::helper::durable::record::facts::JobFacts;

/// The most ended jobs that stay, and the most space that they take together (bytes).
const MAX_ENDED: usize = 200;
const MAX_SIZE: u64 = 1024 * 1024 * 1024;

/// A job that was found in the directory.
#[derive(Debug)]
pub(in crate::durable) struct SweptJob {
    pub(in crate::durable) directory: JobDirectory,
    pub(in crate::durable) facts: JobFacts,
    pub(in crate::durable) end: Option<JobEnd>,
    pub(in crate::durable) is_elsewhere: bool,
}

/// Looks at all jobs, and removes those ended ones that are too old or too many. Returns the others, and how
/// many were removed.
pub(in crate::durable) fn sweep(
    jobs: &JobsDirectory,
    locked: &DirectoryLock,
) -> std::io::Result<(Vec<SweptJob>, usize)> {
    let here = machine();
    let (mut found, mut removed) = (Vec::new(), 0);
    for entry in jobs.entries()? {
        let Ok(directory) = jobs.job(&entry) else { continue };
        match directory.facts() {
            Some(facts) if !entry.starts_with(NEW) => {
                let is_elsewhere = facts.machine != here.0;
                let end = end_of(&directory, &facts, &here.1, is_elsewhere, locked);
                found.push(SweptJob { directory, facts, end, is_elsewhere });
            }
            // Nobody began this job, if its supervisor is gone.
            _ => {
                let is_left = matches!(directory.try_lock(locked), Ok(Some(_)));
                removed += usize::from(is_left && jobs.remove(&entry, locked).is_ok());
            }
        }
    }
    for id in surplus(&found, now()) {
        if jobs.remove(&id, locked).is_ok() {
            found.retain(|job| job.facts.id != id);
            removed += 1;
        }
    }
    Ok((found, removed))
}

/// Returns the end of a job. One without a supervisor is lost, which is stored.
pub(in crate::durable) fn end_of(
    directory: &JobDirectory,
    facts: &JobFacts,
    boot: &str,
    is_elsewhere: bool,
    locked: &DirectoryLock,
) -> Option<JobEnd> {
    if let Some(end) = directory.end() {
        return Some(end);
    }
    if is_elsewhere {
        return None;
    }
    let _lock = directory.try_lock(locked).ok().flatten()?;
    // The supervisor may have stored the end in the meantime.
    if let Some(end) = directory.end() {
        return Some(end);
    }
    let log = directory.as_fd().try_clone_to_owned().and_then(LogReader::measure);
    let (total, dropped) = log.unwrap_or_default();
    let end = JobEnd {
        cause: EndCause::Lost,
        exit: None,
        at: now(),
        total,
        dropped,
        usage: None,
        reason: Some(if facts.boot == boot { KILLED } else { REBOOT }.to_owned()),
    };
    let _ = directory.store_end(&end);
    Some(end)
}

/// Returns the ids of ended jobs that go: the old ones, and the oldest of too many.
fn surplus(found: &[SweptJob], now: u64) -> Vec<String> {
    let mut ended: Vec<(&SweptJob, u64)> = found
        .iter()
        .filter_map(|job| Some((job, job.end.as_ref()?.at)))
        .filter(|(job, _)| !job.is_elsewhere)
        .collect();
    ended.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    let (mut size, mut count) = (0, 0);
    let is_surplus = |(job, at): &(&SweptJob, u64)| {
        let is_old = now > at.saturating_add(job.facts.keep);
        if !is_old {
            count += 1;
            size += job.directory.size();
        }
        // The job that ended last stays, however large.
        is_old || count > MAX_ENDED || (size > MAX_SIZE && count > 1)
    };
    ended.into_iter().filter(is_surplus).map(|(job, _)| job.facts.id.clone()).collect()
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
