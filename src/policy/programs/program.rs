//! The record of a program.

use crate::policy::commands::{ExpandedCommand, Field, Inner, Obstacle, StandardInput, Trust};
use crate::policy::danger::ProtectedPaths;
use crate::policy::decision::Danger;
use crate::policy::read_only::Insertion;

/// The facts about a program. A record names only those that differ from [`Program::PLAIN`].
pub(crate) struct Program {
    /// The names. A name that ends with `*` stands for all names that begin with it.
    pub(crate) names: &'static [&'static str],
    /// The commands among its arguments.
    pub(crate) runs: InnerCommands,
    /// The letter of its option that changes the directory, `--chdir`.
    pub(crate) chdir: Option<char>,
    /// The options by which it runs a program that the policy does not see.
    pub(crate) hidden: HiddenPrograms,
    /// Returns what its arguments or its input may run besides [`Program::runs`].
    pub(crate) obstacle: Option<FindObstacle>,
    /// Returns the files that its arguments make it write, although it usually prints. Programs whose purpose
    /// is to write (`cp`, `tee`, `tar`) are left to the rules.
    pub(crate) writes: Option<FindFiles>,
    /// The language of its arguments or its input, if they are code that the policy does not read.
    pub(crate) language: Option<Language>,
    /// The arguments with which it only reads.
    pub(crate) query: Option<Query>,
    /// Whether it only reads if the command that it runs does.
    pub(crate) wraps_queries: bool,
    /// Returns the options to insert into a query, so that it runs no program of a repository. `None` if one
    /// of them has no place.
    pub(crate) harden: Option<Harden>,
    /// The harms that it may do.
    pub(crate) harms: &'static [Harm],
    /// How it fetches text from the network.
    pub(crate) fetches: Option<Fetch>,
    /// Returns whether it decodes text, so that nobody sees its output before it runs.
    pub(crate) decodes: Option<fn(&ExpandedCommand) -> bool>,
    /// The rules that are offered for it.
    pub(crate) offer: Offer,
    /// Other words for the same command.
    pub(crate) synonyms: Synonyms,
}

/// Returns what the arguments or the input of a program may run.
type FindObstacle = fn(&[Field], &StandardInput) -> Option<Obstacle>;

/// Returns the files that a command writes.
type FindFiles = fn(&[Field]) -> Vec<Field>;

/// Returns why arguments may do more than read.
type Check = fn(&[&str], ReadsPath) -> Option<String>;

/// Returns other words for a command.
type Respell = fn(&[Field]) -> Vec<Vec<Field>>;

/// Inserts options into a query; the second argument has the options for its name.
pub(crate) type Harden = fn(&ExpandedCommand, &[String]) -> Option<Vec<Insertion>>;

/// Returns a harm of a command, if it does that.
pub(crate) type Harm = fn(&ExpandedCommand, &ProtectedPaths) -> Option<Danger>;

/// Returns whether a path may be read.
pub(crate) type ReadsPath<'a> = &'a dyn Fn(&str) -> bool;

impl Program {
    /// A program that runs nothing, and about which nothing else is known.
    pub(crate) const PLAIN: Self = Self {
        names: &[],
        runs: InnerCommands::Nothing,
        chdir: None,
        hidden: HiddenPrograms::NONE,
        obstacle: None,
        writes: None,
        language: None,
        query: None,
        wraps_queries: false,
        harden: None,
        harms: &[],
        fetches: None,
        decodes: None,
        offer: Offer::Exact,
        synonyms: Synonyms::NONE,
    };
}

/// How a program runs commands that its arguments or its input name.
#[derive(Clone, Copy)]
pub(crate) enum InnerCommands {
    Nothing,
    /// A command follows its options, as one of these wrappers tells.
    Wrapped(&'static [Wrapper]),
    /// A function finds the commands in the words and the input.
    By(fn(&[Field], &StandardInput) -> Vec<Inner>),
}

/// The place of a command among the arguments of a program.
#[derive(Clone, Copy)]
pub(crate) struct Wrapper {
    /// A subcommand that must come first; empty without any.
    pub(crate) subcommand: &'static str,
    /// Letters of options that take the next word.
    pub(crate) short: &'static str,
    /// Names of options that take the next word.
    pub(crate) long: &'static [&'static str],
    /// The number of words before the command.
    pub(crate) operands: usize,
    /// How far an allow rule reaches.
    pub(crate) trust: Trust,
    /// Whether assignments may precede the command.
    pub(crate) assigns: bool,
    /// Whether it runs nothing with the option `--pid`, and acts on a process.
    pub(crate) has_pid: bool,
    /// Whether its option `--output` writes a file, so that an allow rule for the command is not enough.
    pub(crate) has_output: bool,
}

const fn wrapper(
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
    trust: Trust,
) -> Wrapper {
    Wrapper {
        subcommand: "",
        short,
        long,
        operands,
        trust,
        assigns: false,
        has_pid: false,
        has_output: false,
    }
}

/// Returns a wrapper that needs no rule of its own.
pub(super) const fn transparent(
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    wrapper(short, long, operands, Trust::Transparent)
}

/// Returns a wrapper that needs a rule besides that for the command.
pub(super) const fn separate(short: &'static str, long: &'static [&'static str], operands: usize) -> Wrapper {
    wrapper(short, long, operands, Trust::Separate)
}

/// Returns a wrapper whose rule covers the command.
pub(super) const fn runner(short: &'static str, long: &'static [&'static str], operands: usize) -> Wrapper {
    wrapper(short, long, operands, Trust::Runner)
}

/// Options of a program by which it runs another one.
#[derive(Clone, Copy)]
pub(crate) struct HiddenPrograms {
    /// Options that run a command.
    pub(crate) commands: &'static [&'static str],
    /// Options that name a file or a setting by which the program may run a command.
    pub(crate) settings: &'static [&'static str],
    /// Letters of other options that take a value: they end a cluster.
    pub(crate) valued: &'static str,
}

impl HiddenPrograms {
    pub(crate) const NONE: Self = Self { commands: &[], settings: &[], valued: "" };
}

/// Returns options that run a command, and options that name a file or a setting by which the program may run
/// one.
pub(super) const fn hidden(
    commands: &'static [&'static str],
    settings: &'static [&'static str],
) -> HiddenPrograms {
    HiddenPrograms { commands, settings, valued: "" }
}

/// How a program takes code in a language that the policy does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// The program runs its input as a program if no file is named.
    Script,
    /// The program takes commands from its input, as a person types them.
    Interactive,
    /// Its arguments are as powerful as code.
    Arguments,
    /// The same, and a file of rules may be its input: `make -f -`.
    Rules,
}

/// The arguments with which a program only reads.
#[derive(Clone, Copy)]
pub(crate) struct Query {
    /// Letters of flags that only read.
    pub(crate) short: &'static str,
    /// Letters of options that take a value: the rest of the word, or the next word.
    pub(crate) valued: &'static str,
    /// Letters among these whose value is a file that the program reads.
    pub(crate) files: &'static str,
    /// Names of long options, separated by blanks, with `=` after those that take a value.
    pub(crate) long: &'static str,
    /// Names of long options that take two values.
    pub(crate) pairs: &'static [&'static str],
    pub(crate) operands: Operands,
    /// Returns why the arguments may do more than read.
    pub(crate) check: Option<Check>,
    /// Whether other options do more than read: the name of a file that a glob matches could be one of them.
    pub(crate) has_harmful_options: bool,
    /// The number of arguments that must be known, for a program that prints its arguments.
    pub(crate) must_know: Option<usize>,
}

impl Query {
    /// A program without options and operands.
    pub(crate) const PLAIN: Self = Self {
        short: "",
        valued: "",
        files: "",
        long: "",
        pairs: &[],
        operands: Operands::Nothing,
        check: None,
        has_harmful_options: false,
        must_know: None,
    };
}

/// Returns a query with these flags, options with values, long options, and operands.
pub(super) const fn query(
    short: &'static str,
    valued: &'static str,
    long: &'static str,
    operands: Operands,
) -> Query {
    Query { short, valued, long, operands, ..Query::PLAIN }
}

/// The meaning of the arguments that are no options.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    Files,
    /// A pattern, then files.
    PatternAndFiles,
    /// Text, which names no file.
    Text,
    Nothing,
    /// One file: the program would write a second one.
    OneFile,
    /// [`Query::check`] alone decides about all arguments.
    Checked,
}

/// How a program fetches text from the network.
#[derive(Clone, Copy)]
pub(crate) struct Fetch {
    /// Returns whether a command does that.
    pub(crate) when: fn(&ExpandedCommand) -> bool,
    /// The letter of the option that names the file for a download.
    pub(crate) output: char,
    /// Whether each download goes to a file that is named by its address.
    pub(crate) keeps_name: bool,
}

impl Fetch {
    /// Fetches text always, and writes it to the file of `-o`.
    pub(crate) const PLAIN: Self = Self { when: always, output: 'o', keeps_name: false };
}

/// Returns how a program fetches text that usually prints it, and writes it to the file of `-o`.
pub(super) const fn fetch(when: fn(&ExpandedCommand) -> bool) -> Fetch {
    Fetch { when, ..Fetch::PLAIN }
}

/// The rules that are offered to a person for a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Exactly the words of the command.
    Exact,
    /// None, because the program runs any other program.
    Nothing,
    /// Any arguments: a test, a checker or a formatter.
    Any,
    /// Any arguments after these subcommands, which build, test or show something. `run` stands for the words
    /// after it.
    Subcommands(&'static [&'static str]),
    /// Each target, as of make.
    Targets,
}

/// Other words for the same command: deny and ask rules match each of them.
#[derive(Clone, Copy)]
pub(crate) struct Synonyms {
    /// Flags of the same meaning, each set with the subcommand that it holds for; empty for all.
    pub(crate) flags: &'static [(&'static str, &'static str)],
    /// Flags that stand for several: a subcommand, the flag, and what it means.
    pub(crate) combined: &'static [(&'static str, &'static str, [&'static str; 2])],
    /// First words that mean the same: `docker-compose` and `docker compose`.
    pub(crate) names: &'static [(&'static str, &'static str)],
    /// Whether [`Synonyms::spellings`] may begin with the name of another program.
    pub(crate) is_renamed: bool,
    /// Returns the subcommands that a word may stand for.
    pub(crate) subcommands: Option<fn(&str) -> Vec<&'static str>>,
    /// Returns other words for a command.
    pub(crate) spellings: Option<Respell>,
}

impl Synonyms {
    pub(crate) const NONE: Self =
        Self { flags: &[], combined: &[], names: &[], is_renamed: false, subcommands: None, spellings: None };
}

type Names = &'static [&'static str];

/// Returns programs that run a command behind their options.
pub(super) const fn wraps(names: Names, wrappers: &'static [Wrapper]) -> Program {
    Program { names, runs: InnerCommands::Wrapped(wrappers), ..Program::PLAIN }
}

/// Returns programs that run commands as a function tells.
pub(super) const fn runs(names: Names, runs: fn(&[Field], &StandardInput) -> Vec<Inner>) -> Program {
    Program { names, runs: InnerCommands::By(runs), ..Program::PLAIN }
}

/// Returns programs whose options run other programs.
pub(super) const fn hides(names: Names, commands: Names, settings: Names) -> Program {
    Program { names, hidden: hidden(commands, settings), ..Program::PLAIN }
}

/// Returns programs that only read with the arguments of a query.
pub(super) const fn reads(names: Names, query: Query) -> Program {
    Program { names, query: Some(query), ..Program::PLAIN }
}

/// Returns programs that may do harm.
pub(super) const fn harmful(names: Names, harms: &'static [Harm]) -> Program {
    Program { names, harms, ..Program::PLAIN }
}

/// Returns interpreters.
pub(super) const fn language(names: Names, language: Language) -> Program {
    Program { names, language: Some(language), ..Program::PLAIN }
}

/// Returns programs that fetch text.
pub(super) const fn fetches(names: Names, when: fn(&ExpandedCommand) -> bool) -> Program {
    Program { names, fetches: Some(fetch(when)), ..Program::PLAIN }
}

/// Returns programs that decode text.
pub(super) const fn decodes(names: Names, decodes: fn(&ExpandedCommand) -> bool) -> Program {
    Program { names, decodes: Some(decodes), ..Program::PLAIN }
}

/// Returns programs for which rules are offered.
pub(super) const fn offered(names: Names, offer: Offer) -> Program {
    Program { names, offer, ..Program::PLAIN }
}

/// Returns true: the condition of [`Program::fetches`] and [`Program::decodes`] that every command meets.
pub(super) fn always(_: &ExpandedCommand) -> bool {
    true
}
