//! `fd`: the program that it runs for each file.

use super::find::{is_removal, protected_among};
use crate::policy::commands::{ExpandedCommand, Field, Inner, StandardInput, Trust};
use crate::policy::danger::ProtectedPaths;
use crate::policy::decision::{Danger, Effect};
use crate::policy::programs::{InnerCommands, Offer, Program};

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["fd"],
        runs: InnerCommands::By(runs),
        harms: &[removes],
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program { names: &["fdfind"], runs: InnerCommands::By(runs), harms: &[removes], ..Program::PLAIN },
];

fn runs(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        let text = field.text.as_str();
        let value = ["--exec-batch", "--exec"].iter().find_map(|option| text.strip_prefix(option));
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        // The letters before `x` take no value: `-Hx`.
        let exec = letters.find(|letter| "xXEtedSocj".contains(letter)).map(|place| &letters[place..]);
        match value.or_else(|| exec?.strip_prefix(['x', 'X'])) {
            Some("") => return Inner::words_from(words, at + 1, Trust::Separate),
            Some(program) => {
                let program = field.with_text(program.trim_start_matches('='));
                let words = [program].into_iter().chain(words[at + 1..].iter().cloned());
                return vec![Inner::Made(words.collect())];
            }
            None => {}
        }
    }
    Vec::new()
}

/// Returns the harm of `fd . path -x rm`. A pattern or another option leaves some files.
fn removes(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let runs = |field: &Field| matches!(field.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let at = command.words.iter().position(runs)?;
    if !command.words[at + 1..].iter().take(4).any(|field| is_removal(&field.text)) {
        return None;
    }
    let (options, operands): (Vec<&Field>, Vec<&Field>) =
        command.words[1..at].iter().partition(|field| field.text.starts_with('-'));
    let here = Field::of(".");
    let (pattern, starts) = operands.split_first().map_or(("", &[][..]), |(first, rest)| (&first.text, rest));
    let is_flag = |field: &&Field| {
        matches!(field.text.as_str(), "-H" | "-I" | "-u" | "-a" | "--hidden" | "--no-ignore")
    };
    let has_test = !matches!(pattern, "" | "." | "^" | ".*" | "*") || !options.iter().all(is_flag);
    let starts = if starts.is_empty() { vec![&here] } else { starts.to_vec() };
    let place = protected_among(starts.into_iter(), has_test, command, paths)?;
    Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")))
}
