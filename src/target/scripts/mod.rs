//! The scripts for shells on a target, as files, and how they become the one line that a shell reads.
//!
//! A line of a file ends with what separates it from the next one, such as `;`. Comments are lines of their
//! own.

/// The bootstrap: its beginning, the part that executes a cached helper, and the part that receives a copy.
pub(super) const BOOTSTRAP: &str = include_str!("bootstrap.sh");
pub(super) const CACHED: &str = include_str!("cached.sh");
pub(super) const COPIED: &str = include_str!("copied.sh");

/// The script for a command without a helper, its part that stores an input, and its leader.
pub(super) const RUN: &str = include_str!("run.sh");
pub(super) const INPUT: &str = include_str!("input.sh");
pub(super) const LEADER: &str = include_str!("leader.sh");

/// The script for one request about a file without a helper, which keeps its lines.
pub(super) const FILES: &str = include_str!("files.sh");

/// Returns a script as one line, without comments, and with a value in place of each `@NAME@`.
pub(super) fn one_line(script: &str, values: &[(&str, &str)]) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = lines.collect::<Vec<_>>().join(" ");
    values.iter().fold(line, |line, (name, value)| line.replace(&format!("@{name}@"), value))
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_script_becomes_a_line_without_comments_and_with_its_values() {
        let script = "# A comment.\n\na() {\n  # Another.\n  echo '  @TEXT@ #';\n};\n@TEXT@\n";
        assert_eq!(one_line(script, &[("TEXT", "x")]), "a() { echo '  x #'; }; x");
    }
}
