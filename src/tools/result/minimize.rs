//! The programs of a command whose output is shown, and the rules for it.

use crate::job::model::invocation::Invocation;
use crate::policy::commands::{Analysis, ExpandedCommand, WalkSurroundings, find, line_of};
use crate::syntax::{self, Syntax};
use crate::text::view::minimize::{Choice, Minimizer};

/// Programs that pass on what they read: the program before them in a pipeline decides about the lines.
const PASSING: [&str; 6] = ["head", "tail", "cat", "tee", "less", "more"];

/// Returns the rules for a command; `None` if none of its output may be left out.
///
/// `has_source` tells whether the caller has the whole output.
#[must_use]
pub fn minimizer(command: Option<&Invocation>, choice: &Choice, has_source: bool) -> Option<Minimizer> {
    let programs = match command {
        Some(Invocation::Line(line)) => programs(line),
        Some(Invocation::Program { program, arguments }) => {
            let words: Vec<String> = std::iter::once(program).chain(arguments).cloned().collect();
            programs(&line_of(&words))
        }
        None => Vec::new(),
    };
    Minimizer::of(&programs, choice, has_source)
}

/// Returns the words of each program whose output is shown: those that write into a pipe are not, unless the
/// next program passes it on. Of a line that can't be read, none is known.
fn programs(line: &str) -> Vec<Vec<String>> {
    let found = syntax::read(line, Syntax::Bash)
        .and_then(|list| find(&list, Syntax::Bash, WalkSurroundings::default()));
    let Ok(Analysis { commands, .. }) = found else { return Vec::new() };
    let words = |command: &ExpandedCommand| command.words.iter().map(|word| word.text.clone()).collect();
    (0..commands.len())
        .filter(|&index| !commands[index].words.is_empty())
        .filter(|&index| is_shown(&commands, index) && !passes(&commands[index]))
        .map(|index| words(&commands[index]))
        .collect()
}

/// Returns whether the output of a command is shown, and not read by another one.
fn is_shown(commands: &[ExpandedCommand], index: usize) -> bool {
    // A reader stands after its writer, and a wrapper before what it runs.
    let reader = (index + 1..commands.len()).find(|&reader| commands[reader].input.feeder == Some(index));
    match (reader, commands[index].parent) {
        (Some(reader), _) => passes(&commands[reader]) && is_shown(commands, reader),
        (None, Some((parent, _))) if parent < index => is_shown(commands, parent),
        _ => true,
    }
}

/// Returns whether a command passes on what another one writes.
fn passes(command: &ExpandedCommand) -> bool {
    command.input.feeder.is_some() && command.base_name().is_some_and(|name| PASSING.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::{Choice, Invocation, minimizer, programs};

    fn names(line: &str) -> Vec<String> {
        programs(line).into_iter().map(|words| words[0].clone()).collect()
    }

    #[test]
    fn all_programs_of_a_list_are_shown() {
        assert_eq!(names("cd app && cargo build; npm test || true"), ["cd", "cargo", "npm", "true"]);
    }

    #[test]
    fn the_last_program_of_a_pipeline_decides_or_the_one_before_a_program_that_passes_lines_on() {
        assert_eq!(names("cargo test 2>&1 | grep FAILED"), ["grep"]);
        assert_eq!(names("cargo test 2>&1 | tee log | tail -40"), ["cargo"]);
        assert_eq!(names("ls | cat | sort"), ["sort"]);
        assert_eq!(names("tail -5 log"), ["tail"]);
    }

    #[test]
    fn a_program_behind_wrappers_is_found() {
        for line in
            ["sudo -u dev cargo build", "env A=1 timeout 9 cargo build | tail", "bash -c 'cargo build'"]
        {
            assert!(names(line).contains(&"cargo".to_owned()), "{line}: {:?}", names(line));
        }
    }

    #[test]
    fn what_prints_data_has_no_rules() {
        let has_rules = |line: &str| {
            minimizer(Some(&Invocation::Line(line.to_owned())), &Choice::default(), true).is_some()
        };
        for line in [
            "cat build.log",
            "git status --porcelain",
            "cargo test --message-format=json",
            "kubectl get pods -o json",
            "find . -print0",
            "cargo test | jq .",
        ] {
            assert!(!has_rules(line), "{line}");
        }
        for line in ["cargo test", "cd app && cargo test | tail", "./deploy.sh", "echo 'open"] {
            assert!(has_rules(line), "{line}");
        }
        assert!(minimizer(None, &Choice::default(), true).is_some());
    }
}
