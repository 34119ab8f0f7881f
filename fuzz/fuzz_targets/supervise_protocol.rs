//! Any bytes: the reader of frames, messages and plans returns what is written as it was read, or an error.

#![no_main]

use agent_bash::helper::supervisor::protocol::frame::FrameReader;
use agent_bash::helper::supervisor::protocol::message::{ToClient, ToSupervisor};
use agent_bash::helper::supervisor::protocol::plan::RemotePlan;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut reader = FrameReader::default();
    // The stream comes in pieces of many sizes.
    for piece in bytes.chunks(1 + bytes.len() % 97) {
        reader.push(piece);
        while let Ok(Some(frame)) = reader.next_frame() {
            let mut written = Vec::new();
            if let Ok(message) = ToSupervisor::decode(frame) {
                message.put(frame.command, &mut written);
                assert_same(&written, |again| assert_eq!(ToSupervisor::decode(again), Ok(message)));
            }
            written.clear();
            if let Ok(message) = ToClient::decode(frame) {
                message.put(frame.command, &mut written);
                assert_same(&written, |again| assert_eq!(ToClient::decode(again), Ok(message.clone())));
            }
        }
    }
    if let Ok(plan) = RemotePlan::decode(bytes) {
        assert_eq!(RemotePlan::decode(&plan.encode()), Ok(plan));
    }
});

fn assert_same(bytes: &[u8], check: impl FnOnce(agent_bash::helper::supervisor::protocol::frame::Frame<'_>)) {
    let mut reader = FrameReader::default();
    reader.push(bytes);
    check(reader.next_frame().expect("a frame").expect("a whole one"));
}
