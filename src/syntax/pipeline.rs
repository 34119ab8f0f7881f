//! Whether a line behind a command can ask for the statuses of its last pipeline.
//!
//! A shell that lives on, or that is to save its state, must read the line as a command of its own:
//! [`has_sure_pipe`]. In a shell of its own, a command may be of any kind that ends in a pipeline:
//! [`ends_in_pipeline`].

use super::simple::is_simple;
use super::{Syntax, read};

/// Texts by which a command can see, or change, the line behind it; wherever they stand.
const REVEALING: [&str; 6] = ["<<", "trap", "xtrace", "verbose", "builtin", "PIPESTATUS"];

/// Options of `set` by which a shell prints each line, reads lines without running them, or runs traps for
/// them.
const REVEALING_OPTIONS: [char; 5] = ['x', 'v', 'n', 'E', 'T'];

/// Returns whether a command has a pipe and surely ends with its text, so that the shell reads a line after
/// it as the next command.
#[must_use]
pub fn has_sure_pipe(command: &str, syntax: Syntax) -> bool {
    command.contains('|') && is_simple(command, syntax)
}

/// Returns whether the last of the commands is a pipeline of two or more stages in the foreground, and the
/// text surely ends there.
#[must_use]
pub fn ends_in_pipeline(text: &str, syntax: Syntax) -> bool {
    if text.ends_with('\\') || REVEALING.iter().any(|word| text.contains(word)) || sets_revealing_option(text)
    {
        return false;
    }
    let Ok(list) = read(text, syntax) else { return false };
    list.items.last().is_some_and(|item| {
        let pipeline = item.rest.last().map_or(&item.first, |(_, pipeline)| pipeline);
        !item.is_background && pipeline.stages.len() > 1
    })
}

fn sets_revealing_option(text: &str) -> bool {
    let is_revealing = |word: &str| word.starts_with(['-', '+']) && word.contains(REVEALING_OPTIONS);
    text.contains("set") && text.split_ascii_whitespace().any(is_revealing)
}

#[cfg(test)]
mod tests {
    use super::{Syntax, ends_in_pipeline};

    #[test]
    fn a_pipeline_at_the_end_is_known() {
        for text in [
            "false | true",
            "cd /tmp && ls | wc -l",
            "set -o pipefail; a | b | c",
            "for i in 1 2; do echo $i; done | sort",
            "a |& b",
            "a | b # comment",
            "a |\n b\n",
            "x=$(cat f); grep \"a;b\" f | { read y; echo $y; }",
        ] {
            assert!(ends_in_pipeline(text, Syntax::Bash), "{text}");
        }
    }

    #[test]
    fn what_does_not_surely_end_in_one_is_not() {
        for text in [
            "true",
            "a | b; c",
            "a | b && c",
            "a || b",
            "a | b &",
            "echo 'a | b'",
            "(a | b)",
            "echo $(a | b)",
            "a | b \\",
            "cat <<E | b\nx\nE",
            "a | 'b",
            "a |",
            "trap 'echo E' ERR; a | b",
            "set -x; a | b",
            "builtin() { :; }; a | b",
            "",
        ] {
            assert!(!ends_in_pipeline(text, Syntax::Bash), "{text}");
        }
    }
}
