//! The words of `find`.

/// Actions that run a program for each file.
const RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// Actions that write a file, which the next word names.
const WRITES: [&str; 4] = ["-fprint", "-fprint0", "-fprintf", "-fls"];

/// The words that take no value and neither write nor run anything: options, tests, operators and printing.
pub(crate) const FIND_FLAGS: &[&str] = &[
    "-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-o", "-or", "-a", "-and", "-not", "!", "(",
    ")", "-true", "-false", "-depth", "-d", "-xdev", "-mount", "-readable", "-writable", "-executable",
    "-nouser", "-nogroup", "-noleaf", "-daystart", "-warn", "-nowarn", ",", "-help", "--help", "-version",
    "--version",
];

/// Returns whether an action runs the words after it.
pub(crate) fn runs_program(action: &str) -> bool {
    RUNS.contains(&action)
}

/// Returns whether an action writes the file that the next word names.
pub(crate) fn writes_file(action: &str) -> bool {
    WRITES.contains(&action)
}

/// Returns the actions that run a program, write a file or remove one.
pub(crate) fn actions() -> impl Iterator<Item = &'static str> {
    RUNS.into_iter().chain(WRITES).chain(["-delete"])
}
