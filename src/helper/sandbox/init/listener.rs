//! The listener for user notifications of seccomp: the kernel reports each call about which the init decides.
//!
//! Each thread waits for a notification and handles it. A call may block, so there is always one thread more
//! than calls in progress, up to [`MAX_THREADS`].

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Scope;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::caller::Caller;
use super::calls::{Broker, CallAnswer};
use super::renames;

/// The largest number of calls in progress. Further calls wait.
const MAX_THREADS: usize = 64;

/// The size of a thread's stack (bytes). It holds some buffers for addresses and paths.
const STACK: usize = 128 << 10;

const RECEIVE: u64 = 0xc050_2100;
const SEND: u64 = 0xc018_2101;
const IS_VALID: u64 = 0x4008_2102;
const SET_FLAGS: u64 = 0x4008_2104;
/// The kernel carries out the call for the caller.
const CONTINUE: u32 = 1;
/// The flag that wakes the caller on the processor of the response (Linux 6.6).
const SYNCHRONOUS: u64 = 1;

/// The threads of one listener.
struct Threads<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    listener: &'env OwnedFd,
    broker: &'env Broker<'env>,
    idle: &'env AtomicUsize,
    all: &'env AtomicUsize,
}

static IDLE: AtomicUsize = AtomicUsize::new(0);
static ALL: AtomicUsize = AtomicUsize::new(0);

/// Starts the first thread.
pub(super) fn serve<'scope, 'env: 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    listener: &'env OwnedFd,
    broker: &'env Broker<'env>,
) {
    // An older kernel refuses the flag, and wakes the caller as usual.
    let _ = control(listener, SET_FLAGS, SYNCHRONOUS as *mut libc::c_void);
    let threads = Threads { scope, listener, broker, idle: &IDLE, all: &ALL };
    if !threads.start() {
        super::exit(1);
    }
}

impl<'scope, 'env: 'scope> Threads<'scope, 'env> {
    fn start(&self) -> bool {
        if self.all.load(Ordering::Relaxed) >= MAX_THREADS {
            return false;
        }
        let Self { scope, listener, broker, idle, all } = *self;
        let thread = move || Self { scope, listener, broker, idle, all }.run();
        let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, thread);
        if started.is_ok() {
            self.all.fetch_add(1, Ordering::Relaxed);
        }
        started.is_ok()
    }

    fn run(&self) {
        loop {
            self.idle.fetch_add(1, Ordering::AcqRel);
            let question = receive(self.listener);
            let was_last = self.idle.fetch_sub(1, Ordering::AcqRel) == 1;
            let question = match question {
                Ok(question) => question,
                Err(libc::EINTR) => continue,
                // A caller was killed in the meantime.
                Err(libc::ENOENT) if !has_hung_up(self.listener.as_fd()) => continue,
                // No process with the filter is left.
                Err(_) => break,
            };
            if was_last {
                self.start();
            }
            self.decide(&question);
            // One waiting thread is enough.
            if self.idle.load(Ordering::Acquire) > 1 {
                break;
            }
        }
        self.all.fetch_sub(1, Ordering::Relaxed);
    }

    fn decide(&self, question: &libc::seccomp_notif) {
        let is_valid = || {
            let mut id = question.id;
            control(self.listener, IS_VALID, (&raw mut id).cast()).is_ok()
        };
        let answer = match Caller::of(question) {
            Ok(caller) => self.broker.decide(&question.data, &caller, is_valid),
            Err(_) if renames::CALLS.contains(&question.data.nr.into()) => CallAnswer::Continue,
            Err(errno) => CallAnswer::Fail(errno),
        };
        let (error, flags) = match answer {
            CallAnswer::Done => (0, 0),
            CallAnswer::Fail(errno) => (-errno, 0),
            CallAnswer::Continue => (0, CONTINUE),
        };
        let mut response = libc::seccomp_notif_resp { id: question.id, val: 0, error, flags };
        // A caller that was killed in the meantime needs no response.
        let _ = control(self.listener, SEND, (&raw mut response).cast());
    }
}

/// Returns whether no process with the filter is left. From then on, the kernel gives the same error for each
/// attempt to receive a notification as for that of a caller that was killed.
pub(super) fn has_hung_up(listener: BorrowedFd<'_>) -> bool {
    let mut waited = [PollFd::from_borrowed_fd(listener, PollFlags::empty())];
    let polled = poll(&mut waited, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    polled.is_ok() && waited[0].revents().contains(PollFlags::HUP)
}

fn receive(listener: &OwnedFd) -> Result<libc::seccomp_notif, i32> {
    // SAFETY: the structure is plain numbers, and the kernel wants it zeroed.
    let mut question: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    control(listener, RECEIVE, (&raw mut question).cast())?;
    Ok(question)
}

/// Calls `ioctl` with a pointer to the structure of the request, or with a number.
fn control(listener: &OwnedFd, request: u64, argument: *mut libc::c_void) -> Result<(), i32> {
    // SAFETY: each request above is used with its own structure, which is live.
    let result = unsafe { libc::ioctl(listener.as_raw_fd(), request as _, argument) };
    if result == -1 {
        Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
    } else {
        Ok(())
    }
}
