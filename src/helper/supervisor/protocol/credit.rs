//! Credit: the bytes of a stream that may be in flight. The receiver grants credit, so a slow reader slows
//! the writer down, and neither side has to buffer more than a window.

/// The credit of a stream at its beginning (bytes).
pub const FIRST_WINDOW: usize = 256 * 1024;

/// The largest credit of a stream (bytes).
pub const MAX_WINDOW: usize = 2 * 1024 * 1024;

/// The data were more than the receiver had granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more data than were granted")]
pub struct Overrun;

/// The sender's side: how much it may still send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance(usize);

impl Default for Allowance {
    fn default() -> Self {
        Self(FIRST_WINDOW)
    }
}

impl Allowance {
    /// Returns the credit of a stream with another window at its beginning.
    #[must_use]
    pub const fn of(window: usize) -> Self {
        Self(window)
    }

    /// Returns the number of bytes that may be sent.
    #[must_use]
    pub const fn left(self) -> usize {
        self.0
    }

    /// Notes bytes that were sent.
    pub const fn spend(&mut self, count: usize) {
        self.0 = self.0.saturating_sub(count);
    }

    /// Notes what the receiver has granted.
    pub fn add(&mut self, count: u32) {
        self.0 = self.0.saturating_add(count as usize);
    }
}

/// The receiver's side: what it has granted, and what it may grant next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grants {
    /// The bytes that may still arrive.
    granted: usize,
    /// The bytes that were passed on since the last grant.
    passed: usize,
    /// The most bytes under way.
    window: usize,
    /// The bytes that have arrived since the window was enlarged.
    received: usize,
}

impl Default for Grants {
    fn default() -> Self {
        Self::of(FIRST_WINDOW)
    }
}

impl Grants {
    /// Returns what a stream with another window at its beginning has granted.
    #[must_use]
    pub const fn of(window: usize) -> Self {
        Self { granted: window, passed: 0, window, received: 0 }
    }

    /// Returns the most bytes under way.
    #[must_use]
    pub const fn window(&self) -> usize {
        self.window
    }

    /// Notes bytes that have arrived.
    ///
    /// # Errors
    ///
    /// [`Overrun`] when the sender has sent more than it may.
    pub fn receive(&mut self, count: usize) -> Result<(), Overrun> {
        self.granted = self.granted.checked_sub(count).ok_or(Overrun)?;
        self.received = self.received.saturating_add(count);
        Ok(())
    }

    /// Notes bytes that were passed on. Returns the credit to grant, from half a window on: fewer frames, and
    /// the sender never waits for the last byte.
    pub fn pass(&mut self, count: usize) -> Option<u32> {
        self.passed += count;
        if self.passed < self.window / 2 {
            return None;
        }
        let grant = std::mem::take(&mut self.passed);
        self.granted += grant;
        u32::try_from(grant).ok()
    }

    /// Returns whether the window was enlarged.
    #[must_use]
    pub const fn is_enlarged(&self) -> bool {
        self.window > FIRST_WINDOW
    }

    /// Doubles the window if a whole one has arrived since the last time. Returns the credit to grant.
    ///
    /// A receiver that passes everything on at once calls this: the sender may be waiting for the grants,
    /// which take a round trip.
    pub fn grow(&mut self) -> Option<u32> {
        self.grow_by(2, MAX_WINDOW)
    }

    /// Multiplies the window by `factor`, up to `most`, in the same case.
    pub fn grow_by(&mut self, factor: usize, most: usize) -> Option<u32> {
        if self.received < self.window {
            return None;
        }
        self.enlarge((self.window * factor).min(most))
    }

    /// Enlarges the window, for a connection with a long round trip. Returns the credit to grant.
    pub fn enlarge(&mut self, window: usize) -> Option<u32> {
        let more = window.checked_sub(self.window).filter(|&more| more > 0)?;
        self.window = window;
        self.received = 0;
        self.granted += more;
        u32::try_from(more).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{Allowance, FIRST_WINDOW, Grants, MAX_WINDOW, Overrun};

    proptest! {
        #[test]
        fn never_more_than_a_window_is_under_way(steps in vec((0_usize..100_000, 0_usize..100_000), 1..200)) {
            let (mut sender, mut receiver) = (Allowance::default(), Grants::default());
            let mut held = 0;
            for (send, pass) in steps {
                let sent = send.min(sender.left());
                sender.spend(sent);
                receiver.receive(sent).expect("it was granted");
                held += sent;
                prop_assert!(held <= FIRST_WINDOW);
                let passed = pass.min(held);
                held -= passed;
                if let Some(grant) = receiver.pass(passed) {
                    sender.add(grant);
                }
            }
            // When all held bytes were passed on, the sender may go on.
            if let Some(grant) = receiver.pass(held) {
                sender.add(grant);
            }
            prop_assert!(sender.left() > FIRST_WINDOW / 2);
        }
    }

    #[test]
    fn data_beyond_the_credit_is_an_error() {
        let mut grants = Grants::default();
        assert_eq!(grants.receive(FIRST_WINDOW), Ok(()));
        assert_eq!(grants.receive(1), Err(Overrun));
    }

    #[test]
    fn a_larger_window_is_granted_at_once_and_never_becomes_smaller() {
        let mut grants = Grants::default();
        assert_eq!(grants.enlarge(FIRST_WINDOW * 2), Some(256 * 1024));
        assert_eq!(grants.enlarge(FIRST_WINDOW), None);
        assert_eq!(grants.receive(FIRST_WINDOW * 2), Ok(()));
    }

    #[test]
    fn a_window_that_is_used_grows_to_its_maximum() {
        let mut grants = Grants::default();
        assert_eq!(grants.grow(), None);
        let mut window = FIRST_WINDOW;
        while window < MAX_WINDOW {
            assert_eq!(grants.receive(window - 1), Ok(()));
            assert_eq!(grants.grow(), None);
            assert_eq!(grants.receive(1), Ok(()));
            grants.pass(window);
            assert_eq!(grants.grow(), u32::try_from(window).ok());
            window *= 2;
        }
        assert_eq!(grants.receive(window), Ok(()));
        assert_eq!(grants.grow(), None);
    }
}
