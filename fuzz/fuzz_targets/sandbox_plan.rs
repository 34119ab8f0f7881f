//! Any bytes: the helper's parser returns a plan that is read again as it was, or an error.

#![no_main]

use agent_bash::sandbox::protocol::plan::{MAGIC, decode, encode};
use agent_bash::sandbox::protocol::report::HelperReport;
use agent_bash::wire;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = [MAGIC, bytes].concat();
    if let Ok((plan, command)) = decode(&whole) {
        assert_eq!(decode(&encode(&plan, &command)), Ok((plan, command)));
    }
    assert!(decode(bytes).is_err() || bytes.starts_with(MAGIC));
    if let Ok(report) = wire::decode::<HelperReport>(bytes) {
        assert_eq!(wire::decode(&wire::encode(&report)), Ok(report));
    }
});
