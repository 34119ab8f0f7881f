//! The plan of a sandboxed command, which the engine writes and the helper reads before the command starts.

use std::ffi::CString;
use std::hint::black_box;
use std::path::PathBuf;

use agent_bash::sandbox::plan::{Level, Place, SandboxPlan, SandboxedCommand, Source, Stub, Tier};
use agent_bash::sandbox::protocol::plan::{decode, encode};
use criterion::{Criterion, Throughput};

/// Returns as much as a command in a usual workspace has.
fn usual() -> (SandboxPlan, SandboxedCommand) {
    let paths = |name: &str, count: usize| -> Vec<PathBuf> {
        (0..count).map(|number| format!("/home/user/workspace/{name}/{number}").into()).collect()
    };
    let words = |count: usize| -> Vec<CString> {
        (0..count)
            .filter_map(|number| CString::new(format!("NAME_{number}=/usr/lib/some/value")).ok())
            .collect()
    };
    let place = |path| Place { path, source: Source::Host };
    let stub = |path| Stub { path, content: Some(b"stub".to_vec()) };
    let plan = SandboxPlan {
        places: paths("place", 6).into_iter().map(place).collect(),
        protected: paths("protected", 20),
        stubs: paths("stub", 10).into_iter().map(stub).collect(),
        hidden: paths("hidden", 20),
        journal: Some("/var/tmp/agent-bash-stubs.1000".into()),
        ..SandboxPlan::of(Level::WorkspaceWrite, Tier::Namespaces)
    };
    let command = SandboxedCommand {
        candidates: words(1),
        arguments: words(3),
        environment: words(60),
        directory: "/home/user/workspace".into(),
        descriptors: Vec::new(),
        has_terminal: false,
        limits: Vec::new(),
        is_probe: false,
    };
    (plan, command)
}

pub(crate) fn benches(criterion: &mut Criterion) {
    let (plan, command) = usual();
    let bytes = encode(&plan, &command);
    let mut group = criterion.benchmark_group("wire");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("sandbox-plan-encode", |bencher| {
        bencher.iter(|| encode(black_box(&plan), black_box(&command)));
    });
    group.bench_function("sandbox-plan-decode", |bencher| bencher.iter(|| decode(black_box(&bytes))));
    group.finish();
}
