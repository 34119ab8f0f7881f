//! Decoding bytes to text.

use agent_bash::text::Utf8Decoder;
use criterion::{BatchSize, Criterion, Throughput};

use crate::samples::{self, READ};

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decoder");
    for (name, bytes) in
        [("ascii", samples::ascii()), ("wide", samples::wide()), ("broken", samples::broken())]
    {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || String::with_capacity(4 * READ),
                |text| {
                    let mut decoder = Utf8Decoder::default();
                    for read in bytes.chunks(READ) {
                        text.clear();
                        decoder.push(read, text);
                    }
                    decoder.finish(text);
                    text.len()
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}
