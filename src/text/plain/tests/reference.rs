//! Lines against a reference implementation, and properties of any output.

use proptest::prelude::*;

use super::{plain, plain_in_pieces};
use crate::text::plain::PlainText;
use crate::text::plain::line::MIN_COLUMNS;

/// A step in drawing a line.
#[derive(Clone, Debug)]
enum Step {
    Write(char),
    Return,
    Left(usize),
    Right(usize),
    Column(usize),
    Erase(usize),
    Delete(usize),
    Insert(usize),
    Blank(usize),
    Repeat(usize),
    Mode(char),
    Save,
    Restore,
}

impl Step {
    fn sequence(&self) -> String {
        match self {
            Self::Write(character) => character.to_string(),
            Self::Return => "\r".to_owned(),
            Self::Left(cells) => format!("\x1b[{cells}D"),
            Self::Right(cells) => format!("\x1b[{cells}C"),
            Self::Column(column) => format!("\x1b[{column}G"),
            Self::Erase(part) => format!("\x1b[{part}K"),
            Self::Delete(cells) => format!("\x1b[{cells}P"),
            Self::Insert(cells) => format!("\x1b[{cells}@"),
            Self::Blank(cells) => format!("\x1b[{cells}X"),
            Self::Repeat(times) => format!("\x1b[{times}b"),
            Self::Mode(change) => format!("\x1b[4{change}"),
            Self::Save => "\x1b7".to_owned(),
            Self::Restore => "\x1b[u".to_owned(),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop::sample::select(vec!['a', 'b', ' ', '\t', 'é', '🦀']).prop_map(Step::Write),
        1 => Just(Step::Return),
        1 => (1..9_usize).prop_map(Step::Left),
        1 => (1..9_usize).prop_map(Step::Right),
        1 => (1..20_usize).prop_map(Step::Column),
        3 => (0..3_usize).prop_map(Step::Erase),
        1 => (1..5_usize).prop_map(Step::Delete),
        1 => (1..5_usize).prop_map(Step::Insert),
        1 => (1..5_usize).prop_map(Step::Blank),
        1 => (1..4_usize).prop_map(Step::Repeat),
        1 => prop::sample::select(vec!['h', 'l']).prop_map(Step::Mode),
        1 => Just(Step::Save),
        1 => Just(Step::Restore),
    ];
    prop::collection::vec(step, 0..300)
}

/// Draws the steps by a reference implementation, which applies each at once to a line with a blank in every
/// cell.
fn draw(steps: &[Step]) -> String {
    let mut line: Vec<Option<char>> = vec![None; 2 * MIN_COLUMNS];
    let (mut cursor, mut saved, mut last, mut inserts) = (0, None, None, false);
    for step in steps {
        match *step {
            Step::Write(character) => {
                last = if character == '\t' { last } else { Some(character) };
                draw_one(&mut line, &mut cursor, character, inserts);
            }
            Step::Repeat(times) => {
                for character in last.iter().cycle().take(if last.is_some() { times } else { 0 }) {
                    draw_one(&mut line, &mut cursor, *character, inserts);
                }
            }
            Step::Delete(cells) => {
                line.drain(cursor..cursor + cells);
                line.resize(2 * MIN_COLUMNS, None);
            }
            Step::Insert(cells) => drop(line.splice(cursor..cursor, vec![None; cells])),
            Step::Blank(cells) => line[cursor..cursor + cells].fill(None),
            Step::Mode(change) => inserts = change == 'h',
            Step::Save => saved = Some(cursor),
            Step::Restore => cursor = saved.unwrap_or(cursor),
            Step::Return => cursor = 0,
            Step::Left(cells) => cursor = cursor.saturating_sub(cells),
            Step::Right(cells) => cursor = (cursor + cells).min(MIN_COLUMNS),
            Step::Column(column) => cursor = column - 1,
            Step::Erase(0) => line[cursor..].fill(None),
            Step::Erase(1) => line[..=cursor].fill(None),
            Step::Erase(_) => line.fill(None),
        }
    }
    let end = line.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    line[..end].iter().map(|cell| cell.unwrap_or(' ')).collect()
}

fn draw_one(line: &mut Vec<Option<char>>, cursor: &mut usize, character: char, inserts: bool) {
    if inserts {
        line.insert(*cursor, None);
    }
    line[*cursor] = Some(character);
    *cursor += 1;
}

/// Returns the number of cells that the steps write.
fn made(steps: &[Step]) -> usize {
    let made = |step: &Step| match *step {
        Step::Write(_) => 1,
        Step::Insert(cells) | Step::Repeat(cells) => cells,
        _ => 0,
    };
    steps.iter().map(made).sum()
}

/// Generates text with many sequences, whole and broken.
fn terminal_output() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "\\PC{0,5}",
        prop::sample::select(vec![
            "\n", "\r", "\r\n", "\t", "\x08", "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1bPq", "\x1b_", "\x1b\\",
            "\x07", "\x18", "\x1a", "\u{9c}", "✓✨", ";", "0", "1", "2", "9", "?", ":", "A", "C", "D", "G",
            "H", "J", "K", "P", "X", "@", "b", "`", "a", "s", "u", "7", "8", "m", "\x1b[4h", "\x1b[4l",
            "\x1b[2P", "\x1b[2@", "\x1b[2X", "\x1b[2b", "\x1b7", "\x1b8", "\x1b[2K", "\x1b[1K", "\x1b[K",
            "\x1b[8G", "\x1b[5C", "\x1b[31m",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_line_equals_the_reference_implementation(steps in steps()) {
        let output: String = steps.iter().map(Step::sequence).collect();
        prop_assume!(made(&steps) < MIN_COLUMNS - 20);
        prop_assert_eq!(plain(&output), draw(&steps));
    }

    #[test]
    fn text_without_control_characters_is_unchanged(text in "(\\PC|[\t\n])*") {
        prop_assume!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(plain(&text), text);
    }

    #[test]
    fn there_is_no_control_character_in_plain_text_and_it_stays_as_it_is(output in terminal_output()) {
        let text = plain(&output);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(plain(&text), text);
    }

    #[test]
    fn peeking_equals_finishing_without_its_effects(output in terminal_output(), next: char) {
        let next = (!next.is_ascii() && !next.is_control()).then_some(next);
        let mut plain_text = PlainText::default();
        let mut text = String::new();
        for (offset, character) in output.char_indices() {
            let mut so_far = text.clone();
            plain_text.peek(&mut so_far);
            prop_assert_eq!(so_far, plain(&output[..offset]));
            let mut with_next = text.clone();
            plain_text.peek_after(next, &mut with_next);
            prop_assert_eq!(with_next, plain_in_pieces([&output[..offset], &String::from_iter(next)]));
            plain_text.push(character.encode_utf8(&mut [0; 4]), &mut text);
        }
        plain_text.finish(&mut text);
        prop_assert_eq!(text, plain(&output));
    }

    #[test]
    fn the_pieces_of_the_stream_do_not_matter(output in terminal_output()) {
        let pieces = output.split_inclusive(|_| true);
        prop_assert_eq!(plain_in_pieces(pieces), plain(&output));
    }
}
