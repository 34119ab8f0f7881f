//! Shells and programs of Windows that run other commands, and cmdlets that fetch or run text.

use super::{lower, operands, switch};
use crate::policy::commands::{
    ExpandedCommand, Field, Inner, Obstacle, StandardInput, Trust, UNKNOWN, texts_of,
};
use crate::policy::danger::ProtectedPaths;
use crate::policy::decision::{Danger, Effect};
use crate::policy::programs::program::{always, fetch, runs, separate};
use crate::policy::programs::{InnerCommands, Language, Offer, Program};
use crate::policy::windows::{from_cmd, from_power_shell, runs_download};
use crate::syntax::{Syntax, read};

pub(super) const PROGRAMS: &[Program] = &[
    Program { names: &["cmd"], runs: InnerCommands::By(cmd), offer: Offer::Nothing, ..Program::PLAIN },
    Program {
        names: &["powershell", "pwsh", "powershell_ise"],
        runs: InnerCommands::By(power_shell),
        harms: &[runs_encoded],
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["iex", "invoke-expression"],
        runs: InnerCommands::By(expression),
        language: Some(Language::Interactive),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["start", "start-process", "saps", "psexec", "gsudo", "nircmd", "conhost"],
        runs: InnerCommands::By(starts),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["wsl"],
        runs: InnerCommands::Wrapped(&[separate("due", &["distribution", "user", "cd", "shell-type"], 0)]),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    runs(&["forfiles", "runas", "schtasks", "winrs"], commands_of),
    Program {
        names: &[
            "rundll32", "mshta", "regsvr32", "wscript", "cscript", "msiexec", "installutil", "msbuild",
            "invoke-command", "icm", "add-type", "invoke-item", "ii", "invoke-wmimethod", "invoke-cimmethod",
        ],
        obstacle: Some(hidden_code),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["iwr", "irm", "invoke-webrequest", "invoke-restmethod", "start-bitstransfer", "bitsadmin"],
        fetches: Some(fetch(always)),
        ..Program::PLAIN
    },
    Program { names: &["certutil"], fetches: Some(fetch(fetches)), decodes: Some(decodes), ..Program::PLAIN },
];

/// Returns a text of another shell, translated. The unknown code beside it keeps allow rules from covering
/// it.
fn code(text: Option<String>, what: &'static str, is_downloaded: bool) -> Vec<Inner> {
    let text = text.filter(|text| read(text, Syntax::Bash).is_ok());
    let known = text.map(|text| Inner::code(Some(text), what, Trust::Separate, is_downloaded));
    known.into_iter().chain([Inner::code(None, what, Trust::Separate, is_downloaded)]).collect()
}

/// Returns the words from `at` on as one text; `None` if a part is unknown.
fn joined(words: &[Field], at: usize, translate: fn(&str) -> String) -> Option<String> {
    let words = words.get(at..).filter(|words| !words.is_empty())?;
    let is_known = words.iter().all(|field| !field.is_many && !field.text.contains(UNKNOWN));
    let texts: Vec<&str> = words.iter().map(|field| field.text.as_str()).collect();
    is_known.then(|| translate(&texts.join(" ")))
}

fn is_downloaded(words: &[Field]) -> bool {
    words.iter().any(|field| field.is_downloaded)
}

fn cmd(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let runs = |field: &Field| {
        let dashed = || field.text.strip_prefix('-').map(str::to_ascii_lowercase);
        switch(&field.text).or_else(dashed).is_some_and(|switch| switch.starts_with(['c', 'k', 'r']))
    };
    // Git Bash makes `C:/` of `/c`, unless it is written as `//c`.
    let at = words.iter().skip(1).position(|field| runs(field) || field.text.eq_ignore_ascii_case("c:/"));
    match at {
        Some(at) => {
            let mut rest = words[at + 2..].to_vec();
            // `cmd /cdir` has its command in the same word.
            let attached = switch(&words[at + 1].text).filter(|switch| switch.len() > 1);
            rest.splice(0..0, attached.map(|switch| Field::of(&switch[1..])));
            code(joined(&rest, 0, from_cmd), "cmd /c", is_downloaded(words))
        }
        None => Inner::stdin(&StandardInput { text: None, ..input.clone() }, "the input of a shell"),
    }
}

/// Parameters of PowerShell that take a value, by their first letters.
const VALUED: [&str; 10] = [
    "executionpolicy", "ep", "windowstyle", "version", "inputformat", "outputformat", "configurationname",
    "workingdirectory", "psconsolefile", "custompipename",
];

/// The way in which PowerShell gets its code.
enum Code {
    /// The words from this index on.
    Words(usize),
    /// Text that nobody can read.
    Encoded,
    /// A script, or nothing.
    Other,
    Input,
}

fn code_of(words: &[Field]) -> Code {
    let mut at = 1;
    while let Some(field) = words.get(at) {
        let dashed = field.text.strip_prefix(['-', '/']).map(str::to_ascii_lowercase);
        let Some(name) = dashed.map(|name| name.trim_start_matches(['-', '/']).to_owned()) else {
            return Code::Words(at);
        };
        let is = |long: &str| !name.is_empty() && long.starts_with(&name);
        at += 1;
        if name.is_empty() || is("file") {
            return if name.is_empty() { Code::Input } else { Code::Other };
        }
        if is("command") || is("commandwithargs") || name == "cwa" {
            return Code::Words(at);
        }
        if is("encodedcommand") || name == "ec" {
            return Code::Encoded;
        }
        if VALUED.iter().any(|long| is(long)) {
            at += 1;
        }
    }
    Code::Input
}

fn power_shell(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    const WHAT: &str = "the code of PowerShell";
    match code_of(words) {
        Code::Words(at) if lower(words, at) != "-" => {
            let raw = joined(words, at, str::to_owned);
            let is_downloaded = is_downloaded(words) || raw.as_deref().is_some_and(runs_download);
            code(raw.map(|text| from_power_shell(&text)), WHAT, is_downloaded)
        }
        Code::Encoded => code(None, WHAT, false),
        Code::Other => Vec::new(),
        _ => Inner::stdin(&StandardInput { text: None, ..input.clone() }, "the input of a shell"),
    }
}

/// Returns the harm of text in base64, as that of `base64 -d | sh`.
fn runs_encoded(command: &ExpandedCommand, _: &ProtectedPaths) -> Option<Danger> {
    let is_encoded = matches!(code_of(&command.words), Code::Encoded);
    is_encoded.then(|| Danger::new(Effect::Download, "run text that was made unreadable"))
}

fn expression(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    if operands(words).next().is_none() {
        return Inner::stdin(
            &StandardInput { text: None, ..input.clone() },
            "the input of Invoke-Expression",
        );
    }
    let at = if words[1].text.starts_with('-') { 2 } else { 1 };
    code(joined(words, at, from_power_shell), "Invoke-Expression", is_downloaded(words))
}

/// Returns the command of `start "title" /b program`, whose title and switches are not told apart from a
/// command.
fn starts(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let is_word = |at: &usize| {
        let text = &words[*at].text;
        !text.is_empty() && !text.starts_with('-') && switch(text).is_none()
    };
    let starts = (1..words.len()).filter(is_word).take(4);
    starts.flat_map(|at| Inner::words_from(words, at, Trust::Runner)).collect()
}

/// Returns the arguments that are command lines of cmd.
fn commands_of(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let texts = words.iter().skip(1).filter(|field| field.text.contains(' '));
    let code = texts
        .flat_map(|field| code(field.known().map(from_cmd), "an argument that is a command line", false));
    code.chain(texts_of(words, input)).collect()
}

fn hidden_code(_: &[Field], _: &StandardInput) -> Option<Obstacle> {
    Some(Obstacle::UnknownCode("code of a library or a script"))
}

fn has_option(command: &ExpandedCommand, names: &[&str]) -> bool {
    command.words.iter().skip(1).any(|field| {
        let text = field.text.to_ascii_lowercase();
        names.contains(&text.trim_start_matches(['-', '/']))
    })
}

fn fetches(command: &ExpandedCommand) -> bool {
    has_option(command, &["urlcache", "verifyctl", "url"])
}

fn decodes(command: &ExpandedCommand) -> bool {
    has_option(command, &["decode", "decodehex"])
}
