//! Compares the words of safe mode with a reference implementation: a state table over characters, where the
//! tested one is a loop with lookahead.

#![no_main]

use agent_bash::tools::bash_function::tokenizer::split;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|command: &str| {
    let words = split(command);
    assert_eq!(words, reference(command), "{command:?}");
    let Some(words) = words else { return };
    assert!(!words.is_empty());
    assert!(words.iter().all(|word| !word.is_empty()));
    // The words have no more bytes than the command.
    assert!(words.iter().map(String::len).sum::<usize>() <= command.len());
    // Splitting is idempotent: the quoted words, joined again, split into the same words.
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    assert_eq!(split(&quoted.join("\t")), Some(words));
});

fn quote(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

#[derive(Clone, Copy)]
enum State {
    Bare,
    Single,
    Double,
    BareEscape,
    DoubleEscape,
}

enum Action {
    Keep,
    Drop,
    Break,
}

fn step(state: State, character: char) -> (State, Action) {
    match state {
        State::Bare => match character {
            ' ' | '\t' => (State::Bare, Action::Break),
            '\'' => (State::Single, Action::Drop),
            '"' => (State::Double, Action::Drop),
            '\\' => (State::BareEscape, Action::Drop),
            _ => (State::Bare, Action::Keep),
        },
        State::Single => match character {
            '\'' => (State::Bare, Action::Drop),
            _ => (State::Single, Action::Keep),
        },
        State::Double => match character {
            '"' => (State::Bare, Action::Drop),
            '\\' => (State::DoubleEscape, Action::Drop),
            _ => (State::Double, Action::Keep),
        },
        State::BareEscape => (State::Bare, Action::Keep),
        State::DoubleEscape => (State::Double, Action::Keep),
    }
}

/// The characters that JavaScript's `trim` removes (ECMA-262, WhiteSpace and LineTerminator).
const JAVASCRIPT_WHITE_SPACE: &str = "\u{9}\u{a}\u{b}\u{c}\u{d}\u{20}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\
    \u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\
    \u{feff}";

fn reference(command: &str) -> Option<Vec<String>> {
    let trimmed = command.trim_matches(|character| JAVASCRIPT_WHITE_SPACE.contains(character));
    let mut words = vec![String::new()];
    let mut state = State::Bare;
    for character in trimmed.chars() {
        let (next, action) = step(state, character);
        match action {
            Action::Keep => words.last_mut()?.push(character),
            Action::Drop => {}
            Action::Break => words.push(String::new()),
        }
        state = next;
    }
    words.retain(|word| !word.is_empty());
    let is_closed = matches!(state, State::Bare | State::BareEscape);
    (is_closed && !words.is_empty()).then_some(words)
}
