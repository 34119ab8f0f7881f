//! The bytes of a command to the relay to an agent of ssh: no panic, messages of a bounded length, and only
//! three kinds of requests pass, in whatever pieces they arrive.

#![no_main]

use agent_bash::sandbox::ssh_agent::message::{MAX_MESSAGE, first_message, passes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some(length)) = first_message(rest) {
        let (message, next) = rest.split_at(length);
        assert!((5..=MAX_MESSAGE + 4).contains(&length));
        // A message is found as soon as all of it is there, and not before.
        assert_eq!(first_message(&message[..length - 1]), Ok(None));
        assert_eq!(first_message(message), Ok(Some(length)));
        if passes(&message[4..]) {
            assert!([11, 13, 27].contains(&message[4]));
            // Nothing may be left out or added.
            assert!(length == 5 || !passes(&message[4..length - 1]));
            assert!(!passes(&[&message[4..], b"x"].concat()));
        }
        rest = next;
    }
});
