//! Which thread this is.

/// Whether this is the thread on which the process began.
#[cfg(target_os = "linux")]
#[must_use]
pub fn is_main_thread() -> bool {
    rustix::thread::gettid() == rustix::process::getpid()
}

/// Whether this is the thread on which the process began.
#[cfg(target_os = "macos")]
#[must_use]
pub fn is_main_thread() -> bool {
    // SAFETY: asks and changes nothing.
    unsafe { libc::pthread_main_np() == 1 }
}

#[cfg(test)]
mod tests {
    use super::is_main_thread;

    #[test]
    fn another_thread_is_not_the_main_one() {
        let there = std::thread::spawn(is_main_thread).join().expect("it ends");
        assert!(!there);
    }
}
