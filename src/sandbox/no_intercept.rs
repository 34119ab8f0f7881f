//! Rules of hosts on a system that does not support them, and in the helper program, which serves no network.

pub mod link {
    //! The link between a sandbox and its scope, which no sandbox has here.

    use std::sync::{Arc, Mutex};

    use tokio::net::TcpStream;

    use crate::sandbox::network::destination::Destination;
    use crate::sandbox::outcome::Refusals;

    /// The link of a sandbox to its scope: without a value.
    #[derive(Debug)]
    pub enum ScopeLink {}

    impl ScopeLink {
        /// Returns whether a host has rules.
        #[must_use]
        pub const fn has_rules(&self, _host: &Destination, _port: u16) -> bool {
            match *self {}
        }

        /// Passes a connection to the interceptor.
        #[allow(clippy::unused_async, reason = "as on Linux")]
        pub async fn pass(
            &self,
            _destination: (&Destination, u16),
            _streams: (TcpStream, TcpStream),
            _first: Vec<u8>,
            _notes: Arc<Mutex<Refusals>>,
        ) {
            match *self {}
        }
    }
}

pub mod process {
    //! The questions of the interceptor, which does not run here.

    /// A question for a value that a function gives.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct NeededValue {
        /// The number of the question, for the answer.
        pub request: u64,
        /// The position of the secret in its scope.
        pub secret: u32,
        pub is_renewal: bool,
    }
}

pub mod scope {
    //! The scope of secrets, which is never made here.

    /// A scope of secrets: without a value.
    #[derive(Debug)]
    pub enum SecretScope {}
}
