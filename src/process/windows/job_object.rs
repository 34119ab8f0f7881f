//! The job object of a command: every process of it, without a search.
//!
//! A process that a process of the job creates is in the job too, because no job here allows its processes to
//! leave. What a service starts on request (WMI, the task scheduler, COM) is not. When the last handle of a
//! job closes, the kernel ends its processes; the host has the only one, so any end of the host does that.

use std::io;
use std::mem::{offset_of, size_of};
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};
use std::time::Duration;

use windows_sys::Win32::Foundation::{ERROR_MORE_DATA, INVALID_HANDLE_VALUE, WAIT_TIMEOUT};
use windows_sys::Win32::System::IO::{CreateIoCompletionPort, GetQueuedCompletionStatus};
use windows_sys::Win32::System::JobObjects::{
    CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS, JOB_OBJECT_LIMIT_JOB_MEMORY,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOB_OBJECT_LIMIT_PROCESS_TIME,
    JOBOBJECT_ASSOCIATE_COMPLETION_PORT, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION,
    JOBOBJECT_BASIC_PROCESS_ID_LIST, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JOBOBJECTINFOCLASS,
    JobObjectAssociateCompletionPortInformation, JobObjectBasicAccountingInformation,
    JobObjectBasicProcessIdList, JobObjectExtendedLimitInformation, QueryInformationJobObject,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::SystemServices::{
    JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS, JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT,
    JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO, JOB_OBJECT_MSG_EXIT_PROCESS, JOB_OBJECT_MSG_JOB_MEMORY_LIMIT,
    JOB_OBJECT_MSG_NEW_PROCESS,
};

/// How many processes a first query of a job has room for.
const FEW_PROCESSES: usize = 16;

/// Limits of all processes of a job together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The most memory (bytes) that the processes commit.
    pub memory: Option<usize>,
    /// The most processes that run at once.
    pub processes: Option<u32>,
    /// The most memory (bytes) that each process commits.
    pub process_memory: Option<usize>,
    /// The most time (100 ns) that each process computes in user mode.
    pub process_time: Option<i64>,
    /// Whether the processes run on when the last handle of the job closes.
    pub outlives_host: bool,
}

/// What the kernel reports of a job. Except for limits, no report is guaranteed to arrive (Microsoft, on
/// `JOBOBJECT_ASSOCIATE_COMPLETION_PORT`), so a decision that is final asks [`JobObject::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    Started { pid: u32 },
    Exited { pid: u32 },
    Empty,
    ProcessLimit,
    MemoryLimit,
    Other(u32),
}

/// The queue of the reports of many jobs.
#[derive(Debug)]
pub struct ReportQueue {
    port: OwnedHandle,
}

impl ReportQueue {
    /// Creates a queue, which one thread reads.
    ///
    /// # Errors
    ///
    /// When the kernel has no memory for it.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no file and no port are passed. A handle that is returned is new, and owned from here on.
        let port = unsafe {
            let port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, null_mut(), 0, 1);
            if port.is_null() {
                return Err(io::Error::last_os_error());
            }
            OwnedHandle::from_raw_handle(port)
        };
        Ok(Self { port })
    }

    /// Waits for the next report, and returns it after the key of its job; `None` when the time is over.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub fn wait(&self, at_most: Duration) -> io::Result<Option<(usize, Report)>> {
        let (mut message, mut key, mut value) = (0, 0, null_mut());
        let milliseconds = u32::try_from(at_most.as_millis()).unwrap_or(u32::MAX - 1);
        // SAFETY: the port is open, and the three places live until the call returns. `value` is a pid here
        // and never dereferenced.
        let arrived = unsafe {
            GetQueuedCompletionStatus(
                self.port.as_raw_handle(),
                &raw mut message,
                &raw mut key,
                &raw mut value,
                milliseconds,
            )
        };
        if arrived == 0 {
            let error = io::Error::last_os_error();
            let is_over = error.raw_os_error() == Some(WAIT_TIMEOUT.cast_signed());
            return if is_over { Ok(None) } else { Err(error) };
        }
        let pid = u32::try_from(value.addr()).unwrap_or_default();
        let report = match message {
            JOB_OBJECT_MSG_NEW_PROCESS => Report::Started { pid },
            JOB_OBJECT_MSG_EXIT_PROCESS | JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS => Report::Exited { pid },
            JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO => Report::Empty,
            JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT => Report::ProcessLimit,
            JOB_OBJECT_MSG_JOB_MEMORY_LIMIT => Report::MemoryLimit,
            other => Report::Other(other),
        };
        Ok(Some((key, report)))
    }
}

/// A job object without a name, whose processes end when it is dropped.
#[derive(Debug)]
pub struct JobObject {
    job: OwnedHandle,
}

impl JobObject {
    /// Creates a job without processes, whose reports go to `queue` under `key`.
    ///
    /// # Errors
    ///
    /// When the kernel has no memory for it or does not know a limit.
    pub fn new(limits: Limits, queue: &ReportQueue, key: usize) -> io::Result<Self> {
        // SAFETY: without attributes and a name. A handle that is returned is new, can't be inherited, and is
        // owned from here on.
        let job = unsafe {
            let job = CreateJobObjectW(null(), null());
            if job.is_null() {
                return Err(io::Error::last_os_error());
            }
            Self { job: OwnedHandle::from_raw_handle(job) }
        };
        let mut information = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let flags = &mut information.BasicLimitInformation.LimitFlags;
        if !limits.outlives_host {
            *flags |= JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        }
        if let Some(memory) = limits.memory {
            *flags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
            information.JobMemoryLimit = memory;
        }
        if let Some(processes) = limits.processes {
            *flags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
            information.BasicLimitInformation.ActiveProcessLimit = processes;
        }
        if let Some(memory) = limits.process_memory {
            information.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
            information.ProcessMemoryLimit = memory;
        }
        if let Some(time) = limits.process_time {
            information.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
            information.BasicLimitInformation.PerProcessUserTimeLimit = time;
        }
        job.set(JobObjectExtendedLimitInformation, &information)?;
        let association = JOBOBJECT_ASSOCIATE_COMPLETION_PORT {
            CompletionKey: std::ptr::without_provenance_mut(key),
            CompletionPort: queue.port.as_raw_handle(),
        };
        job.set(JobObjectAssociateCompletionPortInformation, &association)?;
        Ok(job)
    }

    /// Ends all processes of the job at once, each with this exit code. Idempotent.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub fn terminate(&self, exit_code: u32) -> io::Result<()> {
        // SAFETY: the job is open.
        succeeded(unsafe { TerminateJobObject(self.job.as_raw_handle(), exit_code) })
    }

    /// Returns the pids of all processes of the job at this moment.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub fn processes(&self) -> io::Result<Vec<u32>> {
        // The numbers before the list are as long as this many of its entries.
        const HEADER: usize = offset_of!(JOBOBJECT_BASIC_PROCESS_ID_LIST, ProcessIdList) / size_of::<usize>();
        let mut room = FEW_PROCESSES;
        loop {
            let mut answer = vec![0_usize; HEADER + room];
            let bytes = u32::try_from(size_of_val(&answer[..])).unwrap_or(u32::MAX);
            // SAFETY: the job is open, and the kernel writes at most `bytes` into the answer, which is as
            // aligned as the structure.
            let queried = succeeded(unsafe {
                QueryInformationJobObject(
                    self.job.as_raw_handle(),
                    JobObjectBasicProcessIdList,
                    answer.as_mut_ptr().cast(),
                    bytes,
                    null_mut(),
                )
            });
            match queried {
                Err(error) if error.raw_os_error() == Some(ERROR_MORE_DATA.cast_signed()) => room *= 4,
                Err(error) => return Err(error),
                Ok(()) => {
                    // SAFETY: the answer is longer than the structure, as aligned, and any bits are one.
                    let header = unsafe { *answer.as_ptr().cast::<JOBOBJECT_BASIC_PROCESS_ID_LIST>() };
                    if header.NumberOfAssignedProcesses > header.NumberOfProcessIdsInList {
                        room *= 4;
                        continue;
                    }
                    let count = usize::try_from(header.NumberOfProcessIdsInList).unwrap_or(room);
                    let listed = answer[HEADER..].iter().take(count);
                    return Ok(listed.filter_map(|&pid| u32::try_from(pid).ok()).collect());
                }
            }
        }
    }

    /// Returns the time that all processes of the job have computed so far, in user mode and in the kernel,
    /// and the most memory (bytes) that they have committed at once.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub fn usage(&self) -> io::Result<(Duration, Duration, u64)> {
        let mut times = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        self.query(JobObjectBasicAccountingInformation, &mut times)?;
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        self.query(JobObjectExtendedLimitInformation, &mut limits)?;
        let time = |ticks: i64| Duration::from_micros(ticks.unsigned_abs() / 10);
        let peak = u64::try_from(limits.PeakJobMemoryUsed).unwrap_or(u64::MAX);
        Ok((time(times.TotalUserTime), time(times.TotalKernelTime), peak))
    }

    fn query<T>(&self, class: JOBOBJECTINFOCLASS, information: &mut T) -> io::Result<()> {
        let bytes = u32::try_from(size_of::<T>()).unwrap_or(u32::MAX);
        let information: *mut T = information;
        // SAFETY: the job is open, and the structure is that of the class, whose size the call gets.
        succeeded(unsafe {
            QueryInformationJobObject(self.job.as_raw_handle(), class, information.cast(), bytes, null_mut())
        })
    }

    fn set<T>(&self, class: JOBOBJECTINFOCLASS, information: &T) -> io::Result<()> {
        let bytes = u32::try_from(size_of::<T>()).unwrap_or(u32::MAX);
        // SAFETY: the job is open, and the structure is that of the class and lives until the call returns.
        succeeded(unsafe {
            let information: *const T = information;
            SetInformationJobObject(self.job.as_raw_handle(), class, information.cast(), bytes)
        })
    }
}

impl AsHandle for JobObject {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.job.as_handle()
    }
}

/// Converts the answer of a system call.
pub(in crate::process) fn succeeded(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
