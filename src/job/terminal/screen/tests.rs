use std::sync::Arc;
use std::time::Duration;

use super::{LiveScreen, MAX_PLAIN_WAITING, MAX_WAITING, OutputKind, ScreenRevision, WindowSize};
use crate::job::io::input::JobInput;
use crate::job::model::plan;

fn screen() -> Arc<LiveScreen> {
    let input = Arc::new(JobInput::new(&mut plan::Input::Open, true));
    let size = WindowSize { columns: 20, rows: 3 };
    Arc::new(LiveScreen::new(plan::Terminal { size, scrollback: 100, answers_queries: true }, &input))
}

#[test]
fn a_snapshot_has_all_output_that_was_queued() {
    let screen = screen();
    assert_eq!(screen.snapshot(0).screen.lines, ["", "", ""]);
    for number in 0..2_000 {
        screen.push(format!("{number}\r\n").as_bytes());
    }
    assert_eq!(screen.snapshot(1).screen.lines, ["1998", "1999", ""]);
    assert_eq!(screen.snapshot(1).screen.scrollback, ["1997"]);
}

#[test]
fn after_the_end_the_text_stays_as_it_was() {
    let screen = screen();
    screen.push(b"one\r\ntwo\r\nthree\r\nfour");
    let before = screen.snapshot(10);
    screen.end();
    assert!(screen.memory() > 0, "the text is counted");
    screen.resize(WindowSize { columns: 80, rows: 24 });
    assert_eq!(screen.snapshot(10), before);
}

#[test]
fn a_query_is_answered_without_a_snapshot_and_other_text_waits() {
    let screen = screen();
    screen.push(b"text");
    assert!(!super::lock(&screen.queue).is_scheduled, "no caller has asked");
    screen.push(b"\x1b[");
    screen.push(b"6n");
    let begun_at = std::time::Instant::now();
    while super::lock(&screen.queue).length > 0 {
        assert!(begun_at.elapsed() < Duration::from_secs(30), "it is applied");
        std::thread::yield_now();
    }
}

#[test]
fn after_a_flood_of_plain_text_the_screen_is_that_of_all_of_it() {
    let screen = screen();
    let held = super::lock(&screen.state);
    let lines: Vec<String> = (0..100_000).map(|number| format!("line {number}\r\n")).collect();
    let lines = lines.concat();
    screen.push(lines.as_bytes());
    drop(held);
    let ScreenRevision { screen: seen, revision, .. } = screen.snapshot(100);
    assert_eq!(seen.lines, ["line 99998", "line 99999", ""]);
    assert_eq!((seen.scrollback_lines, seen.scrollback[0].as_str()), (100, "line 99898"));
    assert_eq!(revision, lines.len() as u64);
}

#[test]
fn text_that_cant_be_skipped_finds_room_for_less_of_it() {
    for (text, most) in [("x", MAX_PLAIN_WAITING), ("\t", MAX_WAITING), ("\u{1b}[m", MAX_WAITING)] {
        let screen = screen();
        let held = super::lock(&screen.state);
        screen.push(text.repeat(most / text.len() - 1).as_bytes());
        assert!(screen.has_room(), "{text:?}");
        screen.push(text.repeat(2).as_bytes());
        assert!(!screen.has_room(), "{text:?}");
        drop(held);
    }
}

#[test]
fn text_after_other_text_was_applied_is_plain_again() {
    let screen = screen();
    screen.push("\u{e9}".as_bytes());
    assert_eq!(super::lock(&screen.queue).kind, OutputKind::Text);
    assert_eq!(screen.snapshot(0).screen.lines[0], "\u{e9}");
    assert_eq!(super::lock(&screen.queue).kind, OutputKind::Plain);
}

#[tokio::test]
async fn a_flood_is_refused_until_it_was_applied() {
    let screen = screen();
    let held = super::lock(&screen.state);
    screen.push(&vec![b'x'; MAX_PLAIN_WAITING]);
    assert!(!screen.has_room());
    drop(held);
    tokio::time::timeout(Duration::from_secs(30), screen.room()).await.expect("it is applied");
}
