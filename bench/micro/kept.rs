//! Keeping a part of the output: its beginning, as `bash()` does, or both of its ends, as `run()` does.

use agent_bash::text::{Capture, Excerpt, Keep};
use criterion::{Criterion, Throughput};

use crate::samples::{self, READ};

/// The limit (bytes): less than the samples have, so that something is left out.
const LIMIT: usize = 100 * 1024;

pub(crate) fn benches(criterion: &mut Criterion) {
    let bytes = samples::ascii();
    let mut group = criterion.benchmark_group("kept");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("capture", |bencher| {
        bencher.iter(|| {
            let mut capture = Capture::new(LIMIT);
            for read in bytes.chunks(READ) {
                capture.push(read);
            }
            capture.text()
        });
    });
    for (name, keep) in [("head", Keep::Head), ("tail", Keep::Tail), ("both", Keep::Both)] {
        group.bench_function(format!("excerpt-{name}"), |bencher| {
            bencher.iter(|| {
                let mut excerpt = Excerpt::new(LIMIT, keep);
                for read in bytes.chunks(READ) {
                    excerpt.push(read);
                }
                excerpt.finish().text
            });
        });
    }
    group.finish();
}
