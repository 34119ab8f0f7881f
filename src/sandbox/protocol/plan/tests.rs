//! Plans as bytes.

use std::path::PathBuf;

use proptest::prelude::{any, prop, prop_assert_eq, proptest};

use super::{MAGIC, decode, encode};
use crate::sandbox::network::allow::AllowedDestination;
use crate::sandbox::plan::sockets::{PlannedSocket, SocketKind};
use crate::sandbox::plan::{
    AttachedFile, Level, NetworkMode, OverlayMount, Place, SandboxPlan, SandboxedCommand, Source, Stub, Tier,
};
use crate::wire::Malformed;

fn values() -> (SandboxPlan, SandboxedCommand) {
    let place = |source| Place { path: "/p".into(), source };
    let plan = SandboxPlan {
        level: Level::Isolated,
        tier: Tier::SharedProcesses,
        needs_landlock: true,
        readable: Some(vec!["/usr".into()]),
        places: vec![
            place(Source::Host),
            place(Source::Directory("/d".into())),
            place(Source::Memory(7)),
            place(Source::Overlay { upper: "/u".into(), work: "/w".into() }),
        ],
        protected: vec!["/p/a".into()],
        stubs: vec![Stub { path: "/p/b".into(), content: Some(b".".to_vec()) }],
        hidden: vec![PathBuf::new()],
        shown: vec!["/h/.ssh/config".into()],
        network: NetworkMode::Allow,
        allowed: vec![AllowedDestination { host: "*.a.b".to_owned(), port: 443 }],
        asks: true,
        sockets: vec![PlannedSocket {
            kind: SocketKind::GpgAgent,
            path: "/h/S.gpg-agent".into(),
            source: "/h/S.gpg-agent.extra".into(),
            identity: (7, u64::MAX),
        }],
        attached: vec![AttachedFile { source: "/s".into(), path: "/dev/a".into() }],
        journal: Some("/j".into()),
        overlay: Some(OverlayMount {
            root: "/p".into(),
            upper: "/u".into(),
            work: "/w".into(),
            is_alone: false,
            is_volatile: true,
        }),
    };
    let command = SandboxedCommand {
        candidates: vec![c"/bin/sh".to_owned()],
        arguments: vec![c"sh".to_owned(), c"".to_owned()],
        environment: vec![c"A=B".to_owned()],
        directory: "/p".into(),
        descriptors: vec![3, 9],
        has_terminal: true,
        limits: vec![(7, (1, u64::MAX))],
        is_probe: false,
    };
    (plan, command)
}

#[test]
fn what_is_written_is_read() {
    let (plan, command) = values();
    assert_eq!(decode(&encode(&plan, &command)), Ok((plan, command)));
}

#[test]
fn a_plan_that_is_cut_off_or_goes_on_is_refused() {
    let (plan, command) = values();
    let bytes = encode(&plan, &command);
    for length in 0..bytes.len() {
        assert_eq!(decode(&bytes[..length]), Err(Malformed));
    }
    assert_eq!(decode(&[bytes.as_slice(), b"x"].concat()), Err(Malformed));
}

#[test]
fn a_plan_of_another_version_is_refused() {
    let (plan, command) = values();
    let mut bytes = encode(&plan, &command);
    bytes[MAGIC.len() - 2] ^= 1;
    assert_eq!(decode(&bytes), Err(Malformed));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(change in any::<u8>(), at in any::<prop::sample::Index>()) {
        let (plan, command) = values();
        let mut bytes = encode(&plan, &command);
        let at = at.index(bytes.len());
        bytes[at] = change;
        if let Ok((plan, command)) = decode(&bytes) {
            prop_assert_eq!(decode(&encode(&plan, &command)), Ok((plan, command)));
        }
    }
}
