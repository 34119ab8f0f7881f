//! The first frames of the two sides.

use super::VERSION;
use crate::wire::Malformed;

/// Bytes that a transport must not change: they reveal one that translates line ends or stops at a NUL.
pub const CHECK: &[u8; 16] = b"agent-bash\r\n\0\xff\x1a\n";

/// The longest hello of a supervisor (bytes).
pub const MAX_HELLO: usize = 4096;

/// The length of a SHA-256 (bytes).
pub const HASH: usize = 32;

/// The hello of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientHello {
    /// The version of the protocol, and the lowest one that the host speaks.
    pub version: u16,
    pub lowest: u16,
    /// The time without any frame after which the supervisor ends everything (ms).
    pub deadline: u32,
}

impl ClientHello {
    /// Returns the hello of this version.
    #[must_use]
    pub const fn new(deadline: u32) -> Self {
        Self { version: VERSION, lowest: VERSION, deadline }
    }

    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        let mut bytes = [self.version.to_le_bytes(), self.lowest.to_le_bytes()].concat();
        bytes.extend(self.deadline.to_le_bytes());
        bytes
    }

    /// Reads a hello.
    ///
    /// # Errors
    ///
    /// When the payload has another length.
    pub fn decode(payload: &[u8]) -> Result<Self, Malformed> {
        let &[v0, v1, l0, l1, d0, d1, d2, d3] = payload else { return Err(Malformed) };
        Ok(Self {
            version: u16::from_le_bytes([v0, v1]),
            lowest: u16::from_le_bytes([l0, l1]),
            deadline: u32::from_le_bytes([d0, d1, d2, d3]),
        })
    }

    /// Returns whether both sides speak a version in common.
    #[must_use]
    pub const fn is_understood(self) -> bool {
        self.version >= VERSION && self.lowest <= VERSION
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SupervisorHello {
    /// The version of the protocol, and the lowest one that the supervisor speaks.
    pub version: u16,
    pub lowest: u16,
    pub pid: u32,
    /// The SHA-256 of the supervisor's own program.
    pub hash: [u8; HASH],
    /// The time there (ms since 1970).
    pub time: u64,
    /// The facts about the target: names and values, without line breaks.
    pub facts: Vec<(String, String)>,
}

impl SupervisorHello {
    /// Returns the value of a fact; an empty one for an unknown name.
    #[must_use]
    pub fn fact(&self, name: &str) -> &str {
        self.facts.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Returns the payload, without facts that would make it longer than [`MAX_HELLO`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = CHECK.to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(self.lowest.to_le_bytes());
        bytes.extend(self.pid.to_le_bytes());
        bytes.extend(self.hash);
        bytes.extend(self.time.to_le_bytes());
        for (name, value) in &self.facts {
            let line = format!("{name}={}\n", value.replace('\n', "?"));
            if bytes.len() + line.len() <= MAX_HELLO {
                bytes.extend(line.into_bytes());
            }
        }
        bytes
    }

    /// Reads a hello.
    ///
    /// # Errors
    ///
    /// When the transport has changed the check bytes, or the rest is no hello.
    pub fn decode(payload: &[u8]) -> Result<Self, Malformed> {
        let rest = payload.strip_prefix(CHECK).ok_or(Malformed)?;
        if payload.len() > MAX_HELLO {
            return Err(Malformed);
        }
        let (version, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let (lowest, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let (pid, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let (hash, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let (time, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let text = String::from_utf8_lossy(rest);
        let facts = text.lines().map(|line| {
            let (name, value) = line.split_once('=').ok_or(Malformed)?;
            Ok((name.to_owned(), value.to_owned()))
        });
        Ok(Self {
            version: u16::from_le_bytes(*version),
            lowest: u16::from_le_bytes(*lowest),
            pid: u32::from_le_bytes(*pid),
            hash: *hash,
            time: u64::from_le_bytes(*time),
            facts: facts.collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECK, ClientHello, Malformed, SupervisorHello, VERSION};

    fn hello() -> SupervisorHello {
        SupervisorHello {
            version: VERSION,
            lowest: VERSION,
            pid: 7,
            hash: [9; 32],
            time: 12,
            facts: vec![("home".to_owned(), "/root".to_owned()), ("cwd".to_owned(), "/a=b".to_owned())],
        }
    }

    #[test]
    fn a_hello_is_read_as_it_was_written() {
        assert_eq!(SupervisorHello::decode(&hello().encode()), Ok(hello()));
        assert_eq!(hello().fact("cwd"), "/a=b");
        let client = ClientHello::new(10_000);
        assert_eq!(ClientHello::decode(&client.encode()), Ok(client));
    }

    #[test]
    fn a_transport_that_translates_line_ends_is_found_out() {
        let bytes = hello().encode();
        let translated: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != b'\r').collect();
        assert_eq!(SupervisorHello::decode(&translated), Err(Malformed));
    }

    #[test]
    fn half_a_hello_is_malformed() {
        let bytes = hello().encode();
        for length in 0..CHECK.len() + 48 {
            assert_eq!(SupervisorHello::decode(&bytes[..length]), Err(Malformed), "{length}");
        }
    }

    #[test]
    fn a_fact_that_has_no_room_is_left_out() {
        let mut long = hello();
        long.facts.insert(0, ("long".to_owned(), "x".repeat(5000)));
        assert_eq!(SupervisorHello::decode(&long.encode()), Ok(hello()));
    }

    #[test]
    fn a_host_that_speaks_only_other_versions_is_not_understood() {
        let newer = ClientHello { version: VERSION + 1, lowest: VERSION + 1, deadline: 1 };
        let older = ClientHello { version: VERSION - 1, lowest: VERSION - 1, deadline: 1 };
        assert!(!newer.is_understood() && !older.is_understood());
        assert!(ClientHello { version: VERSION + 1, lowest: VERSION, deadline: 1 }.is_understood());
    }
}
