//! Any bytes: the helper's parser returns a plan that is written as it was read, or an error.

#![no_main]

use agent_bash::sandbox::protocol::report::Report;
use agent_bash::sandbox::protocol::plan::{MAGIC, decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = [MAGIC, bytes].concat();
    if let Ok((plan, command)) = decode(&whole) {
        assert_eq!(encode(&plan, &command), whole);
    }
    assert!(decode(bytes).is_err() || bytes.starts_with(MAGIC));
    if let Ok(report) = Report::decode(bytes) {
        assert_eq!(Report::decode(&report.encode()), Ok(report));
    }
});
