//! Turning output for a terminal into plain text (`stripAnsi`).

use agent_bash::text::PlainText;
use criterion::{Criterion, Throughput};

use crate::samples::{self, SIZE};

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plain");
    for (name, bytes) in
        [("ascii", samples::ascii()), ("wide", samples::wide()), ("coloured", samples::coloured())]
    {
        let text = String::from_utf8_lossy(&bytes);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut plain = PlainText::default();
                let mut out = String::with_capacity(SIZE);
                plain.push(&text, &mut out);
                plain.finish(&mut out);
                out
            });
        });
    }
    group.finish();
}
