//! The sentences that direct a model to the agent's other tools, for files and for search.

/// The tools that read files, those that write them, and those that find files or text in them.
const READERS: [&str; 3] = ["Read", "read", "read_file"];
const WRITERS: [&str; 7] = ["Write", "Edit", "write", "edit", "write_file", "edit_file", "apply_patch"];
const FINDERS: [&str; 8] = ["Grep", "Glob", "grep", "glob", "search", "find", "grep_search", "find_files"];

/// The words of a dialect for its guidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// Says what the shell tool is not for.
    Usual,
    /// Says what the other tools are for, as the dialect `voice` does.
    Voice,
}

impl Guidance {
    /// Returns the sentences; `None` if the agent has no such tools. `own` is the name of the shell tool, and
    /// `tools` are the names of the agent's tools.
    #[must_use]
    pub fn paragraph(self, own: &str, tools: &[String]) -> Option<String> {
        let (readers, writers, finders) =
            (there(&READERS, tools), there(&WRITERS, tools), there(&FINDERS, tools));
        let kinds = [("reads", !readers.is_empty()), ("writes", !writers.is_empty())];
        let kinds: Vec<&str> =
            kinds.iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| *kind).collect();
        let files = [readers, writers].concat();
        let about_files = (!files.is_empty()).then(|| match self {
            Self::Usual => {
                let (kinds, files) = (kinds.join(" or "), listed(&files, "or"));
                format!("Do not use {own} for file {kinds} — use {files} instead.")
            }
            Self::Voice => format!("Use dedicated tools for reading/writing files: {}.", files.join(", ")),
        });
        let about_search = (!finders.is_empty()).then(|| match self {
            Self::Usual => {
                format!("Do not use {own} for file search — use {} instead.", listed(&finders, "or"))
            }
            Self::Voice => format!("Prefer {} for code search.", listed(&finders, "and")),
        });
        let sentences: Vec<String> = about_files.into_iter().chain(about_search).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

/// Returns the known names that are among an agent's tools.
fn there(known: &[&'static str], tools: &[String]) -> Vec<&'static str> {
    known.iter().copied().filter(|name| tools.iter().any(|tool| tool == name)).collect()
}

/// Returns names as a part of a sentence: `a`, `a or b`, `a, b, or c`.
fn listed(names: &[&str], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, other] => format!("{one} {word} {other}"),
        [first @ .., last] => format!("{}, {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::Guidance::{self, Usual, Voice};

    fn paragraph(guidance: Guidance, tools: &[&str]) -> Option<String> {
        let tools: Vec<String> = tools.iter().map(|&name| name.to_owned()).collect();
        guidance.paragraph("Bash", &tools)
    }

    #[test]
    fn a_model_is_directed_to_the_tools_that_are_there() {
        let all = ["Grep", "Edit", "Bash", "Write", "Read"];
        assert_eq!(
            paragraph(Usual, &all).as_deref(),
            Some(
                "Do not use Bash for file reads or writes — use Read, Write, or Edit instead. Do not use Bash for file \
                 search — use Grep instead."
            )
        );
        assert_eq!(
            paragraph(Voice, &["find_files", "read_file", "grep_search"]).as_deref(),
            Some(
                "Use dedicated tools for reading/writing files: read_file. Prefer grep_search and find_files for code search."
            )
        );
        assert_eq!(
            paragraph(Voice, &["write_file", "read_file"]).as_deref(),
            Some("Use dedicated tools for reading/writing files: read_file, write_file.")
        );
    }

    #[test]
    fn a_tool_that_is_missing_is_not_named() {
        assert_eq!(
            paragraph(Usual, &["Read"]).as_deref(),
            Some("Do not use Bash for file reads — use Read instead.")
        );
        assert_eq!(
            paragraph(Usual, &["apply_patch", "glob", "Glob"]).as_deref(),
            Some(
                "Do not use Bash for file writes — use apply_patch instead. Do not use Bash for file search — use \
                 Glob or glob instead."
            )
        );
        assert_eq!(paragraph(Usual, &["Bash", "web"]), None);
    }
}
