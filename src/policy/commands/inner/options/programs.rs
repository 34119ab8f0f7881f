//! Programs with a syntax of their own for the command that they run.

use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::Trust;
use crate::policy::commands::inner::model::Inner;

/// Returns the command line of `npx -c 'text'`, `npx --call='text'` and `npm exec -c 'text'`.
pub(super) fn npx(words: &[Field]) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        match field.text.as_str() {
            "-c" | "--call" => {
                return words
                    .get(at + 1)
                    .map(|field| Inner::field(field, "npx -c", Trust::Runner))
                    .into_iter()
                    .collect();
            }
            "--" => break,
            // The values of these options stand before the command.
            _ if at > 1
                && matches!(words[at - 1].text.as_str(), "-p" | "--package" | "-w" | "--workspace") => {}
            text if text.starts_with("--call=") => {
                let text = text["--call=".len()..].to_owned();
                let text = (!text.contains(UNKNOWN)).then_some(text);
                return vec![Inner::code(text, "npx -c", Trust::Runner, field.is_downloaded)];
            }
            text if text.starts_with('-') || matches!(text, "exec" | "x") => {}
            _ => break,
        }
    }
    Vec::new()
}

/// Returns the command lines of `npm pkg set scripts.name=text`.
pub(super) fn package_scripts(words: &[Field]) -> Vec<Inner> {
    let is_set = words.iter().any(|field| field.text == "pkg");
    let values = words.iter().filter(|_| is_set).filter_map(|field| field.text.strip_prefix("scripts."));
    values.filter_map(|text| Some(Inner::script(text.split_once('=')?.1))).collect()
}

/// Returns the command line of `yarn exec 'text'` and `pnpm -c exec 'text'`, where one word is all of it.
pub(super) fn exec_text(words: &[Field]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|field| matches!(field.text.as_str(), "exec" | "dlx")) else {
        return Vec::new();
    };
    let text = words[at + 1..].iter().find(|field| !field.text.starts_with('-'));
    let text = text.filter(|field| field.text.contains(char::is_whitespace));
    text.map(|field| Inner::field(field, "a command line of a package manager", Trust::Runner))
        .into_iter()
        .collect()
}

/// Returns the program that `hash -p program name` runs for a name from now on.
pub(super) fn hash(words: &[Field]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|field| field.text.starts_with("-p")) else { return Vec::new() };
    let program = match &words[at].text[2..] {
        "" => words.get(at + 1).cloned(),
        text => Some(Field::of(text)),
    };
    program.map(|program| vec![Inner::Made(vec![program])]).unwrap_or_default()
}

/// Returns the commands of `socat - EXEC:'command'` and `SYSTEM:'command'`.
pub(super) fn socat(words: &[Field]) -> Vec<Inner> {
    let command = |field: &Field| {
        let (kind, rest) = field.text.split_once(':')?;
        let is_command = matches!(kind.to_ascii_lowercase().as_str(), "exec" | "system" | "shell");
        is_command.then(|| rest.split(',').next().unwrap_or(rest).to_owned())
    };
    let texts = words.iter().skip(1).filter_map(command);
    texts
        .map(|text| {
            Inner::code(
                (!text.contains(UNKNOWN)).then_some(text),
                "an address of socat",
                Trust::Separate,
                false,
            )
        })
        .collect()
}

/// Returns the command line behind `:!` in a command of an editor, and unknown code for a `+command` that does more than to move.
pub(super) fn editor(words: &[Field]) -> Vec<Inner> {
    let texts = words
        .iter()
        .skip(1)
        .filter(|field| field.text.starts_with(['+', '-', ':', '!']) || field.text.contains('!'));
    texts
        .filter_map(|field| match field.text.split_once('!') {
            Some((_, text)) => Some(Inner::text(text, "a command of an editor")),
            None if field.text.strip_prefix('+').is_none_or(ends_or_moves) => None,
            None => Some(Inner::unknown_code("a command of an editor")),
        })
        .collect()
}

/// Returns whether a command of an editor moves, or ends it.
fn ends_or_moves(command: &str) -> bool {
    moves(command) || matches!(command, "q" | "qa" | "qall" | "wq" | "x" | "w")
}

/// Returns the command lines in settings: `wget -e use_askpass=prog`, `apt-get -o DPkg::Pre-Invoke::=prog`.
pub(super) fn settings(words: &[Field]) -> Vec<Inner> {
    let values = words.iter().skip(1).filter_map(|field| {
        let (name, value) = field.text.split_once('=')?;
        let name = name.to_ascii_lowercase().replace('-', "_");
        // `askpass` is a part of `use_askpass` too.
        let runs = ["invoke", "askpass"].iter().any(|setting| name.contains(setting));
        runs.then(|| value.strip_prefix("use_askpass=").unwrap_or(value))
    });
    let nested = words.iter().filter_map(|field| Some(field.text.split_once("use_askpass=")?.1));
    values.chain(nested).map(|text| Inner::text(text, "a setting")).collect()
}

/// Returns the command line of `less +!command`. Other commands than those that move may run a program or write a file too.
pub(super) fn pager(words: &[Field]) -> Vec<Inner> {
    let commands = words.iter().skip(1).filter_map(|field| field.text.strip_prefix('+'));
    commands
        .filter_map(|command| match command.split_once(['!', '|', '#']) {
            Some((_, text)) => Some(Inner::text(text, "a command of a pager")),
            None if moves(command) => None,
            None => Some(Inner::unknown_code("a command of a pager")),
        })
        .collect()
}

/// Returns whether the first command of a pager or an editor is a line, a search, or the end of the file.
fn moves(command: &str) -> bool {
    command.starts_with(['/', '?'])
        || command.chars().all(|char| char.is_ascii_digit() || "gGF%p+".contains(char))
}

/// Returns unknown code for commands of `gh` that keep a command line for later, or give options to git.
pub(super) fn github(words: &[Field]) -> Vec<Inner> {
    let operands: Vec<&str> =
        words[1..].iter().map(|field| field.text.as_str()).filter(|text| !text.starts_with('-')).collect();
    let clones = matches!(operands.as_slice(), ["repo", "clone" | "fork" | "create", ..]);
    let runs = matches!(operands.as_slice(), ["alias", "set" | "import", ..] | ["config", "set", ..])
        || clones && words.iter().any(|field| field.text == "--");
    if runs { vec![Inner::unknown_code("a setting of gh")] } else { Vec::new() }
}

/// Returns the command lines of `gdb -ex 'shell command'` and `gdb -ex '!command'`.
pub(super) fn debugger(words: &[Field]) -> Vec<Inner> {
    let texts = words.iter().skip(1).filter_map(|field| {
        let text = field.text.trim_start_matches("-ex=").trim_start_matches("--eval-command=").trim_start();
        let command = text.strip_prefix('!').or_else(|| text.strip_prefix("shell "));
        command.or_else(|| text.strip_prefix("python ")).or_else(|| text.strip_prefix("pipe "))
    });
    texts.map(|text| Inner::text(text, "a command of gdb")).collect()
}

/// Returns the programs of `go run -exec`, `go build -toolexec` and `go vet -vettool`.
pub(super) fn go(words: &[Field]) -> Vec<Inner> {
    let mut found = Vec::new();
    for (at, field) in words.iter().enumerate().skip(1) {
        let name = field.text.trim_start_matches('-');
        let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        let is_linker = field.text.contains("-extld");
        let is_setting = field.text == "-w" && words.get(1).is_some_and(|field| field.text == "env");
        if is_linker || is_setting {
            found.push(Inner::unknown_code("an option of go"));
        }
        if !field.text.starts_with('-') || !matches!(name, "exec" | "toolexec" | "vettool") {
            continue;
        }
        let text = value.or_else(|| words.get(at + 1).and_then(Field::known));
        found.push(Inner::code(
            text.filter(|text| !text.contains(UNKNOWN)).map(str::to_owned),
            "an option of go",
            Trust::Separate,
            false,
        ));
    }
    found
}
