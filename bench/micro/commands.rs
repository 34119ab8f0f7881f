//! The checks that each command passes before it starts.

use std::hint::black_box;

use agent_bash::syntax::Syntax;
use agent_bash::syntax::simple::is_simple;
use agent_bash::tools::bash_function::tokenizer::split;
use criterion::{Criterion, Throughput};

const SHORT: &str = "git log -1 --format='%h %s' -- \"src/main.rs\"";

pub(crate) fn benches(criterion: &mut Criterion) {
    // About the longest command that may be simple.
    let long = format!("{SHORT}; ").repeat(170);
    let mut group = criterion.benchmark_group("commands");
    for (name, command) in [("short", SHORT), ("long", long.as_str())] {
        group.throughput(Throughput::Bytes(command.len() as u64));
        group.bench_function(format!("safe-mode-split-{name}"), |bencher| {
            bencher.iter(|| split(black_box(command)));
        });
        // A command that is refused at its first word would measure nothing.
        assert!(is_simple(command, Syntax::Bash), "{name}");
        group.bench_function(format!("is-simple-{name}"), |bencher| {
            bencher.iter(|| is_simple(black_box(command), Syntax::Bash));
        });
    }
    group.finish();
}
