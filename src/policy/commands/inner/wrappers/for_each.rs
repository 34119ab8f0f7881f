//! Programs that run a command for each file or line: `xargs` and `find`.

use crate::policy::commands::arguments::{skip_options, word};
use crate::policy::commands::field::{Field, TAINTED, UNKNOWN};
use crate::policy::commands::flow::FIND_FLAGS;
use crate::policy::commands::found::{Input, Trust, base_name};
use crate::policy::commands::inner::code::shell::is_shell;
use crate::policy::commands::inner::model::Inner;

pub(super) fn xargs(words: &[Field], input: &Input) -> Vec<Inner> {
    let long = ["arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var"];
    let mut at = 1;
    // `-i`, `-l` and `-e` take the rest of their word, and never the next one.
    while let Some(text) = word(words, at).filter(|text| text.len() > 1 && text.starts_with('-')) {
        let index = text.find(|letter| "adEILnPsJRSile".contains(letter)).unwrap_or(0);
        let is_attached = !text.starts_with("--") && text[index..].starts_with(['i', 'l', 'e']);
        let end = at + 2;
        at = if is_attached {
            at + 1
        } else {
            skip_options(&words[..end.min(words.len())], at, "adEILnPsJRS", &long)
        };
        if text == "--" {
            break;
        }
    }
    if at >= words.len() {
        // Without a command, `xargs` runs `echo`.
        return Vec::new();
    }
    let replaced = words[1..at].iter().enumerate().find_map(|(index, field)| {
        let text = field.text.as_str();
        match text.strip_prefix("-I").or_else(|| text.strip_prefix("-J")) {
            Some("") => words.get(index + 2).map(|field| field.text.clone()),
            Some(value) => Some(value.to_owned()),
            None => ["--replace=", "--replace", "-i"].iter().find_map(|option| {
                let value = text.strip_prefix(option)?;
                Some(if value.is_empty() { "{}".to_owned() } else { value.to_owned() })
            }),
        }
    });
    let mut found = vec![Inner::Words {
        range: at..words.len(),
        extra: vec![Field::unknown()],
        placeholder: replaced.clone(),
        assignments: Vec::new(),
        trust: Trust::Transparent,
    }];
    found.extend(replaced.and_then(|text| code_from_input(&words[at..], &text, input.is_downloaded)));
    found
}

pub(super) fn find(words: &[Field]) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < words.len() {
        let text = words[at].text.as_str();
        match text {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let is_end = |field: &Field| field.text == ";" || field.text == "+";
                let end =
                    words[at + 1..].iter().position(is_end).map_or(words.len(), |length| at + 1 + length);
                if end > at + 1 {
                    found.extend(code_from_input(&words[at + 1..end], "{}", false));
                    found.push(Inner::words(at + 1..end, Trust::Separate));
                }
                at = end;
            }
            "-delete" => found.push(Inner::Made(
                ["rm", "-f"].map(Field::of).into_iter().chain([Field::unknown()]).collect(),
            )),
            // Options that are not known may be actions.
            _ if words[at].has_glob && text.starts_with('-') || may_be_action(words, at) => {
                found.push(Inner::unknown_code("arguments of find"));
            }
            // A file that the glob matches may be called `-exec`.
            _ if words[at].has_glob && text.starts_with(['-', '*', '?', '[']) && at + 1 < words.len() => {
                found.push(Inner::guess(words, at + 1));
            }
            // The words of an unknown value may be actions.
            _ if words[at].is_many && text.starts_with(UNKNOWN) && !words[at].has_glob => {
                found.push(Inner::unknown_code("arguments of find"));
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns whether a quoted word that is not known stands where `find` reads a test or an action, and not behind an option as its
/// value. The first starting point may be any path.
fn may_be_action(words: &[Field], at: usize) -> bool {
    let text = words[at].text.as_str();
    if at < 2 || words[at].is_many || !text.starts_with(TAINTED) {
        return false;
    }
    let before = words[at - 1].text.as_str();
    let takes_value =
        before.starts_with('-') && !FIND_FLAGS.contains(&before) && !matches!(before, "-H" | "-L" | "-P");
    !takes_value
}

/// Returns unknown code if a shell reads the words of the input, or the names of files, as code; or if they are the name of the
/// program.
fn code_from_input(words: &[Field], placeholder: &str, is_downloaded: bool) -> Option<Inner> {
    let name = base_name(&words.first()?.text);
    let is_code = name.contains(placeholder)
        || (is_shell(name) || matches!(name, "eval" | "ssh" | "env" | "su"))
            && words.iter().any(|field| field.text.contains(placeholder) && field.text != placeholder)
        || is_shell(name)
            && words.windows(2).any(|pair| pair[0].text.ends_with('c') && pair[1].text == placeholder);
    is_code.then_some(Inner::code(None, "arguments from the input", Trust::Separate, is_downloaded))
}
