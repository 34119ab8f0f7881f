//! Any bytes: the small files of a durable job, its log and its messages are read, or refused.

#![no_main]

use agent_bash::helper::durable::log::format::{LogRecord, MAX_PAYLOAD, ParsedRecord, incomplete_end, parse};
use agent_bash::helper::durable::protocol::{HostRequest, JobEvent};
use agent_bash::helper::durable::record::Lines;
use agent_bash::helper::durable::record::end::JobEnd;
use agent_bash::helper::durable::record::facts::JobFacts;
use agent_bash::helper::supervisor::protocol::frame::FrameReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(facts) = JobFacts::decode(bytes) {
        assert_eq!(JobFacts::decode(&facts.encode()), Some(facts));
    }
    if let Some(end) = JobEnd::decode(bytes).or_else(|| JobEnd::of_lines(&Lines::decode(bytes))) {
        assert_eq!(JobEnd::decode(&end.encode()).map(|end| end.total), Some(end.total));
    }
    let mut rest = bytes;
    while let ParsedRecord::Record(record, length) = parse(rest) {
        if let LogRecord::Output(_, output) = record {
            assert!(output.len() <= MAX_PAYLOAD && incomplete_end(output) <= output.len().min(3));
        }
        rest = &rest[length..];
    }
    let mut reader = FrameReader::default();
    reader.push(bytes);
    while let Ok(Some(frame)) = reader.next_frame() {
        let mut written = Vec::new();
        if let Some(request) = HostRequest::decode(frame) {
            request.put(&mut written);
        }
        if let Some(event) = JobEvent::decode(frame) {
            event.put(&mut written);
        }
    }
});
