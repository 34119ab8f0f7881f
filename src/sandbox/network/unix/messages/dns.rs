//! Messages of the name server: one question, and an answer with at most one address. Pure.
//!
//! A message of a resolver has no compressed names and one question, so a parser of the whole protocol would
//! be more code than this.

use std::net::Ipv4Addr;

/// The largest message that is read (bytes): no query is longer.
pub const MAX_MESSAGE: usize = 512;

const HEADER: usize = 12;
const ADDRESS: u16 = 1;
const INTERNET: u16 = 1;

/// The time to live of an answer (seconds). Addresses are valid for the life of a sandbox.
const TIME_TO_LIVE: u32 = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsQuestion {
    id: [u8; 2],
    wants_recursion: bool,
    /// The name in lower case, without a dot at the end. Unusual bytes are replaced, so that no listed name
    /// has them.
    pub name: String,
    /// Whether the question is for an IPv4 address.
    pub is_for_address: bool,
    /// The bytes of the question: name, type, class.
    asked: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DnsAnswer {
    Address(Ipv4Addr),
    /// The name exists, without such an entry.
    Nothing,
    /// The name does not exist (NXDOMAIN).
    NoSuchName,
    /// A temporary failure (SERVFAIL).
    Failure,
}

impl DnsQuestion {
    /// Parses a question; `None` for any other message, which gets no answer.
    #[must_use]
    pub fn parse(message: &[u8]) -> Option<Self> {
        let (header, rest) = message.split_at_checked(HEADER)?;
        let &[id_high, id_low, flags, _, count_high, count_low, ..] = header else { return None };
        // A response, an operation other than a query, or not exactly one question.
        if flags & 0b1111_1000 != 0 || [count_high, count_low] != [0, 1] || message.len() > MAX_MESSAGE {
            return None;
        }
        let mut labels = Vec::new();
        let mut at = 0;
        loop {
            let length = usize::from(*rest.get(at)?);
            at += 1;
            match length {
                0 => break,
                1..=63 => labels.push(text(rest.get(at..at + length)?)),
                _ => return None,
            }
            at += length;
        }
        let &[kind_high, kind_low, class_high, class_low] = rest.get(at..at + 4)? else { return None };
        let kind = u16::from_be_bytes([kind_high, kind_low]);
        let class = u16::from_be_bytes([class_high, class_low]);
        Some(Self {
            id: [id_high, id_low],
            wants_recursion: flags & 1 != 0,
            name: labels.join("."),
            is_for_address: kind == ADDRESS && class == INTERNET,
            asked: rest.get(..at + 4)?.to_vec(),
        })
    }

    /// Returns the message with an answer.
    #[must_use]
    pub fn answer(&self, answer: DnsAnswer) -> Vec<u8> {
        let code = match answer {
            DnsAnswer::Address(_) | DnsAnswer::Nothing => 0,
            DnsAnswer::Failure => 2,
            DnsAnswer::NoSuchName => 3,
        };
        let answers = u8::from(matches!(answer, DnsAnswer::Address(_)));
        // A response with authority; recursion is available.
        let flags = [0b1000_0100 | u8::from(self.wants_recursion), 0b1000_0000 | code];
        let mut message = [&self.id[..], &flags, &[0, 1, 0, answers, 0, 0, 0, 0], &self.asked].concat();
        if let DnsAnswer::Address(address) = answer {
            // The name is that of the question, which begins after the header.
            message.extend([0xc0, 12]);
            message.extend(ADDRESS.to_be_bytes());
            message.extend(INTERNET.to_be_bytes());
            message.extend(TIME_TO_LIVE.to_be_bytes());
            message.extend([0, 4]);
            message.extend(address.octets());
        }
        message
    }
}

fn text(label: &[u8]) -> String {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    label.iter().map(|&byte| if is_usual(byte) { byte.to_ascii_lowercase().into() } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

    use super::{DnsAnswer, DnsQuestion, MAX_MESSAGE};

    fn question(name: &str, kind: u16) -> Vec<u8> {
        let mut message = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name.split('.') {
            message.push(u8::try_from(label.len()).expect("a short label"));
            message.extend(label.bytes());
        }
        message.push(0);
        message.extend(kind.to_be_bytes());
        message.extend([0, 1]);
        message
    }

    #[test]
    fn a_question_has_a_name_and_a_type() {
        let parsed = DnsQuestion::parse(&question("Registry.Example", 1)).expect("a question");
        assert_eq!((parsed.name.as_str(), parsed.is_for_address), ("registry.example", true));
        assert!(!DnsQuestion::parse(&question("a.b", 28)).expect("a question").is_for_address);
        // Further records, such as that of EDNS, are ignored.
        let more = [question("a.b", 1), vec![0, 0, 41, 16, 0]].concat();
        assert_eq!(DnsQuestion::parse(&more).expect("a question").name, "a.b");
    }

    #[test]
    fn unusual_bytes_make_no_listed_name() {
        assert_eq!(DnsQuestion::parse(&question("a b\0.c", 1)).expect("a question").name, "a?b?.c");
        let mut with_dot = question("a_b", 1);
        with_dot[14] = b'.';
        assert_eq!(DnsQuestion::parse(&with_dot).expect("a question").name, "a?b");
    }

    #[test]
    fn an_answer_repeats_the_question() {
        let asked = question("Registry.Example", 1);
        let parsed = DnsQuestion::parse(&asked).expect("a question");
        let answer = parsed.answer(DnsAnswer::Address(Ipv4Addr::new(198, 18, 0, 2)));
        assert_eq!(answer[..12], [0xab, 0xcd, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(answer[12..asked.len()], asked[12..]);
        assert_eq!(answer[asked.len()..], [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 18, 0, 2]);
        assert_eq!(parsed.answer(DnsAnswer::NoSuchName)[3], 0x83);
        assert_eq!(parsed.answer(DnsAnswer::Nothing).len(), asked.len());
    }

    #[test]
    fn anything_else_gets_no_answer() {
        let usual = question("a.b", 1);
        for (at, value) in [(2, 0x80), (2, 0x10), (5, 0), (5, 2), (12, 0xc0)] {
            let mut other = usual.clone();
            other[at] = value;
            assert_eq!(DnsQuestion::parse(&other), None, "{at}");
        }
        for length in 0..usual.len() {
            assert_eq!(DnsQuestion::parse(&usual[..length]), None);
        }
        assert_eq!(DnsQuestion::parse(&[usual, vec![0; MAX_MESSAGE]].concat()), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_question_or_none(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            if let Some(question) = DnsQuestion::parse(&bytes) {
                prop_assert!(question.answer(DnsAnswer::Failure).len() <= bytes.len());
            }
        }

        #[test]
        fn a_name_is_read_in_lower_case(name in "[A-Za-z0-9_-]{1,20}(\\.[a-z]{1,10}){0,3}") {
            let parsed = DnsQuestion::parse(&question(&name, 1)).expect("a question");
            prop_assert_eq!(parsed.name, name.to_lowercase());
        }
    }
}
