//! Making the view of an output: log text, and the inputs that cost the most per byte.

use std::fmt::Write as _;

use agent_bash::text::view::{ExitKind, Source, View, ViewBuilder, ViewOptions};
use criterion::{Criterion, Throughput};

use crate::samples::{self, READ, SIZE};

/// The size of a sample (bytes): the tables of counts (1 MiB) are filled first, and must not dominate.
const VIEW_SIZE: usize = 8 * SIZE;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("view");
    group.sample_size(20);
    for (name, bytes) in all() {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| view_of(&bytes));
        });
    }
    group.finish();
}

/// Returns all samples.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("log", log()),
        ("compiler", repeated(&samples::ascii())),
        ("new words", new_words()),
        ("failures", failures()),
        ("coloured", repeated(&samples::coloured())),
        ("colours by line", colours_by_line()),
        ("binary", binary()),
        ("one-character lines", repeated(b"y\n")),
        ("distinct one-character lines", distinct_characters()),
        ("distinct words", distinct_words()),
        ("control characters", control_characters()),
        ("blank lines", repeated(b"\n")),
        ("carriage returns", repeated(b" 42%\r")),
        ("one JSON line", json()),
    ]
}

/// Makes the view of 16,000 bytes from pieces of the size of a read.
pub(crate) fn view_of(bytes: &[u8]) -> View {
    let mut builder = ViewBuilder::new(&ViewOptions::default());
    for piece in bytes.chunks(READ) {
        builder.push(piece, None);
    }
    builder.view(ExitKind::Failed, &Source::NotKept)
}

/// Returns a log of six kinds of lines, with numbers that differ.
fn log() -> Vec<u8> {
    lines(|number, text| {
        let second = number / 40 % 60;
        let _ = match number % 6 {
            0 => writeln!(
                text,
                "2026-03-14T09:26:{second:02}.{:03}Z INFO http GET /api/items/{number} 200 in {} ms",
                number % 1000,
                number % 97
            ),
            1 => writeln!(
                text,
                "2026-03-14T09:26:{second:02}.{:03}Z DEBUG pool connection {} returned, {} idle",
                number % 1000,
                number % 32,
                number % 16
            ),
            2 => writeln!(
                text,
                "2026-03-14T09:26:{second:02}.{:03}Z INFO cache hit for key user:{number}:profile",
                number % 1000
            ),
            3 => writeln!(
                text,
                "[{number}/90000] Building CXX object src/parser/CMakeFiles/parser.dir/unit_{number}.cc.o"
            ),
            4 => writeln!(text, "test parser::tests::case_{number} ... ok"),
            _ => writeln!(
                text,
                "2026-03-14T09:26:{second:02}.{:03}Z TRACE worker-{} job {number} done, queue has {} more",
                number % 1000,
                number % 8,
                number % 512
            ),
        };
    })
}

/// Returns lines of which each has words that no other has, so that each is classed anew.
fn new_words() -> Vec<u8> {
    lines(|number, text| {
        let word = |seed: u64| -> String {
            let mut rest = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
            (0..7)
                .map(|_| {
                    let letter = char::from(b'a' + (rest % 26) as u8);
                    rest /= 26;
                    letter
                })
                .collect()
        };
        let _ = writeln!(
            text,
            "copied {} to {}/{}: kept its times",
            word(number),
            word(number + 1),
            word(number * 3)
        );
    })
}

/// Returns lines of which each looks like a failure of its own kind.
fn failures() -> Vec<u8> {
    lines(|number, text| {
        let word: String =
            format!("{number:o}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        let _ = writeln!(
            text,
            "src/{word}.c:{}:{}: error: '{word}' undeclared (first use in this function)",
            number % 900,
            number % 70
        );
    })
}

/// Returns short coloured lines.
fn colours_by_line() -> Vec<u8> {
    lines(|number, text| {
        let _ = writeln!(
            text,
            "\x1b[32m✓\x1b[39m \x1b[2mtests/case_{number}.test.ts\x1b[22m \x1b[33m{}ms\x1b[39m",
            number % 90
        );
    })
}

/// Returns lines of one character each, of which no two neighbours are equal.
fn distinct_characters() -> Vec<u8> {
    lines(|number, text| {
        text.push(char::from(b'!' + (number * 7 % 90) as u8));
        text.push('\n');
    })
}

/// Returns lines of four letters, each of which comes back only after many others.
fn distinct_words() -> Vec<u8> {
    lines(|number, text| {
        let hash = number.wrapping_mul(0x9e37_79b1);
        for shift in [0, 5, 10, 15] {
            text.push(char::from(b'a' + ((hash >> shift) % 26) as u8));
        }
        text.push('\n');
    })
}

/// Returns short lines with a character that is not text.
fn control_characters() -> Vec<u8> {
    lines(|number, text| {
        text.push(char::from((number % 8) as u8));
        text.push('\n');
    })
}

/// Returns one line of JSON.
fn json() -> Vec<u8> {
    lines(|number, text| {
        let _ = write!(
            text,
            "{{\"id\":{number},\"name\":\"item {number}\",\"error\":null,\"size\":{}}},",
            number % 977
        );
    })
}

/// Returns bytes without any order, the same in every run.
fn binary() -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..VIEW_SIZE)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect()
}

fn lines(write: impl Fn(u64, &mut String)) -> Vec<u8> {
    let mut text = String::with_capacity(VIEW_SIZE + 256);
    let mut number = 0;
    while text.len() < VIEW_SIZE {
        write(number, &mut text);
        number += 1;
    }
    text.into_bytes()
}

fn repeated(part: &[u8]) -> Vec<u8> {
    part.iter().copied().cycle().take(VIEW_SIZE).collect()
}
