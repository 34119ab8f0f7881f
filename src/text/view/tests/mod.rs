//! The guarantees of a view, for any input. `properties` checks random outputs, `failures` which failures are
//! shown, `lines` which other lines are, and `bounds` outputs that are larger than the store.

mod bounds;
mod failures;
mod lines;
mod properties;

use proptest::prelude::*;

use super::minimize::Ranges;
use super::plain::plain_line;
use super::shape::shape_of;
use super::{ExitKind, Source, View, ViewBuilder, ViewOptions, view};

/// Returns the plain forms of the lines of a short stream.
fn plain_lines(bytes: &[u8]) -> Vec<String> {
    let mut lines: Vec<String> =
        bytes.split(|&byte| byte == b'\n').map(|line| plain_line(line).into_owned()).collect();
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        lines.pop();
    }
    lines
}

/// Returns the offsets at which lines begin, and the end of the last one.
fn starts(bytes: &[u8]) -> Vec<u64> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', bytes).map(|offset| offset as u64 + 1));
    if !bytes.ends_with(b"\n") {
        starts.push(bytes.len() as u64);
    }
    starts
}

/// Returns whether a line of the view is a line of the output, or parts of it in order with counts of the
/// rest.
fn is_of(shown: &str, line: &str) -> bool {
    if shown == line {
        return true;
    }
    let mut rest = line;
    let mut parts = shown.split("[… ");
    let Some(head) = parts.next() else { return false };
    let Some(after) = rest.strip_prefix(head) else { return false };
    rest = after;
    for part in parts {
        let Some((count, text)) = part.split_once(" …]") else { return false };
        let digits: String = count.chars().filter(char::is_ascii_digit).collect();
        let Ok(count) = digits.parse::<usize>() else { return false };
        let Some(after) = rest.get(count..).and_then(|rest| rest.strip_prefix(text)) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// Returns the selected view. A defect of the selection shows here, without the plain view that replaces it.
fn selected(bytes: &[u8], options: &ViewOptions, ending: ExitKind, source: &Source<'_>) -> View {
    let mut builder = ViewBuilder::new(options);
    builder.push(bytes, None);
    let splitter = match builder.splitter.take() {
        Some(splitter) => *splitter,
        None => builder.split_short(),
    };
    super::select::view(&splitter.finished().store, options, ending, source, Ranges::default())
}

fn check(bytes: &[u8], options: &ViewOptions, view: &View) {
    let lines = plain_lines(bytes);
    let plain_len: usize = lines.iter().map(|line| line.len() + 1).sum::<usize>()
        - usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"));
    assert!(view.text.len() <= options.max_bytes, "{} of {}", view.text.len(), options.max_bytes);
    assert_eq!((view.lines, view.bytes), (lines.len() as u64, bytes.len() as u64));
    assert_eq!(view.complete, plain_len <= options.max_bytes);
    if view.complete {
        let whole = lines.join("\n") + if bytes.ends_with(b"\n") { "\n" } else { "" };
        assert_eq!(view.text, whole);
        return;
    }
    account(bytes, &lines, view, options);
    let shows = |number: usize| view.shown.iter().any(|(from, to)| (*from..=*to).contains(&(number as u64)));
    assert!(shows(1), "the first line");
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    assert!(last.is_none_or(|last| shows(last + 1)), "the last line that is not blank");
}

/// Walks through the view: each line is shown, or lies in one marker whose counts are exact.
fn account(bytes: &[u8], lines: &[String], view: &View, options: &ViewOptions) {
    let line_of = |number: u64| &lines[usize::try_from(number).expect("small") - 1];
    let starts = starts(bytes);
    let mut text = view.text.split('\n');
    let mut shown = view.shown.iter().peekable();
    let mut left_out = view.left_out.iter().peekable();
    let mut number = 1;
    while number <= lines.len() as u64 {
        let line = text.next().expect("a line for each range");
        if let Some(gap) = left_out.next_if(|gap| gap.from == number) {
            assert_eq!(line, gap.marker());
            let size = starts[usize::try_from(gap.to).expect("small")]
                - starts[usize::try_from(number).expect("small") - 1];
            assert_eq!(gap.bytes, size);
            if let Some(like) = gap.like {
                let template = |number| shape_of(line_of(number)).template;
                assert!((gap.from..=gap.to).all(|number| template(number) == template(like)), "{line}");
            }
            number = gap.to + 1;
            continue;
        }
        let (from, to) = *shown.peek().expect("a line is shown or left out");
        assert!((*from..=*to).contains(&number), "{number} is in {from}-{to}");
        let is_escaped = options.escape && (line.starts_with(" [line") || line.starts_with(" [output"));
        let is_line = is_of(line, line_of(number)) || is_escaped && is_of(&line[1..], line_of(number));
        assert!(is_line, "{number}: {line:?}");
        assert!(!options.escape || !line.starts_with("[line") && !line.starts_with("[output"), "{line}");
        if number == *to {
            shown.next();
        }
        number += 1;
    }
    assert!(shown.next().is_none() && left_out.next().is_none());
    if options.footer
        && let Some(footer) = text.next()
    {
        assert!(footer.starts_with("[output: ") && footer.ends_with(']'), "{footer}");
    }
    assert_eq!(text.next(), None);
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z]{2,8} [0-9]{1,3} (ok|done|of) [a-z]{0,9}".prop_map(String::into_bytes),
        2 => "(error|warning|FAILED|note): [a-z ]{0,40}".prop_map(String::into_bytes),
        2 => prop::collection::vec(any::<u8>(), 0..60)
            .prop_map(|bytes| bytes.into_iter().filter(|&byte| byte != b'\n').collect()),
        1 => Just(Vec::new()),
        1 => "[ -~]{0,900}".prop_map(String::into_bytes),
        1 => "(\\[line [0-9]|\\[output: |[é€🦀\\t]{1,30})[a-z]{0,5}".prop_map(String::into_bytes),
        1 => "[0-9]{1,3}%\r[0-9]{1,3}%\r\u{1b}\\[Kdone".prop_map(String::into_bytes),
        1 => (1..3000_usize)
            .prop_map(|length| b"{\"a\":1,\"b\":[2,3],".iter().copied().cycle().take(length).collect()),
    ]
}

fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec((any_line(), 1..40_usize), 0..24), any::<bool>()).prop_map(|(lines, ends)| {
        let mut stream = Vec::new();
        for (line, times) in lines {
            for _ in 0..times {
                stream.extend_from_slice(&line);
                stream.push(b'\n');
            }
        }
        if !ends {
            stream.pop();
        }
        stream
    })
}

fn any_options() -> impl Strategy<Value = ViewOptions> {
    (200..6_000_usize, any::<[bool; 3]>(), 0..=50_usize, 0..=90_usize, prop::bool::weighted(0.2)).prop_map(
        |(max_bytes, [fold, footer, escape], head, tail, important)| ViewOptions {
            fold,
            footer,
            escape,
            head: max_bytes * head / 100,
            tail: max_bytes * tail / 100,
            important: if important { vec!["done".to_owned()] } else { Vec::new() },
            ..ViewOptions::new(max_bytes)
        },
    )
}

/// Returns 20,000 lines of two kinds: more than the store keeps.
fn filler() -> String {
    (0..20_000).map(|number| format!("{} {number}\n", ["get, then", "put: all"][number % 2])).collect()
}

fn shows(view: &View, number: u64) -> bool {
    view.shown.iter().any(|(from, to)| (*from..=*to).contains(&number))
}

fn failed(bytes: &[u8], max_bytes: usize) -> View {
    let options = ViewOptions::new(max_bytes);
    let view = view(bytes, &options, ExitKind::Failed, &Source::NotKept);
    assert!(view.text.len() <= max_bytes);
    view
}
