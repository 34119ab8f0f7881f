//! Rules of hosts on a system that does not support them, and in the helper program, which serves no network.

pub mod link {
    //! As on Linux.

    use std::sync::{Arc, Mutex};

    use tokio::net::TcpStream;

    use crate::sandbox::network::destination::Destination;
    use crate::sandbox::outcome::Refusals;

    /// No sandbox has one.
    #[derive(Debug)]
    pub enum ScopeLink {}

    impl ScopeLink {
        /// As on Linux.
        #[must_use]
        pub const fn has_rules(&self, _host: &Destination, _port: u16) -> bool {
            match *self {}
        }

        /// As on Linux.
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
    //! As on Linux.

    /// As on Linux.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct NeededValue {
        /// As on Linux.
        pub request: u64,
        /// As on Linux.
        pub secret: u32,
        pub is_renewal: bool,
    }
}

pub mod scope {
    //! As on Linux.

    /// A scope can't be made on this system.
    #[derive(Debug)]
    pub enum SecretScope {}
}
