//! The output of commands that print literal text.

use super::analysis::ExpandedCommand;
use super::field::Field;

/// Returns what a command prints: `echo` and `printf` with known words, `cat` with only a here-document,
/// `pwd`.
pub(super) fn literal_output(found: &ExpandedCommand) -> Option<String> {
    if found.is_function || !found.redirections.is_empty() {
        return None;
    }
    let texts: Option<Vec<&str>> = found.words.iter().map(Field::known).collect();
    match texts?.as_slice() {
        // `echo` of some shells decodes escapes.
        ["echo", words @ ..] => {
            let is_option = |text: &&str| {
                text.strip_prefix('-')
                    .is_some_and(|letters| letters.bytes().all(|byte| b"neE".contains(&byte)))
            };
            let is_plain = !words.first().is_some_and(is_option);
            let text = words.join(" ");
            (is_plain && !text.contains('\\')).then(|| format!("{text}\n"))
        }
        ["printf", format] if is_verbatim(format) => Some((*format).to_owned()),
        ["printf", "%s", text] => Some((*text).to_owned()),
        ["printf", "%s\\n", words @ ..] => Some(words.join("\n") + "\n"),
        ["printf", format] => {
            format.strip_suffix("\\n").filter(|text| is_verbatim(text)).map(|text| format!("{text}\n"))
        }
        ["cat"] => found.input.text.as_deref().map(str::to_owned),
        ["pwd"] if found.directories.len() == 1 => found.likely_directory().map(str::to_owned),
        _ => None,
    }
}

fn is_verbatim(format: &str) -> bool {
    !format.starts_with('-') && !format.contains(['%', '\\'])
}
