//! Options and arguments through which a harmless program runs another one.

use super::git::{git, git_obstacle};
use super::{Inner, field_code};
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::commands::found::{Trust, base_name};

/// Programs, an option of theirs, and whether its value is a command line (else it only names something that runs).
/// A name with `=` matches the begin of a value: `checkpoint-action=exec=`.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        "tar",
        &[
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
            "-I",
            "-F",
            "--checkpoint-action",
        ],
    ),
    (
        "gtar",
        &[
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "-I",
            "-F",
            "--checkpoint-action",
        ],
    ),
    ("bsdtar", &["--use-compress-program"]),
    ("rsync", &["--rsh", "-e", "--rsync-path"]),
    ("scp", &["-S", "-o", "-D"]),
    ("sftp", &["-S", "-o", "-D"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("man", &["-P", "--pager", "-H", "--html", "-X", "--gxditview"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("ag", &["--pager"]),
    ("ack", &["--pager"]),
    ("bat", &["--pager"]),
    ("batcat", &["--pager"]),
    ("less", &["-k", "--lesskey-file"]),
    ("wget", &["--use-askpass", "--config"]),
    ("make", &["--eval", "-E"]),
    ("gmake", &["--eval", "-E"]),
    ("ctags", &["--options"]),
    ("gcc", &["-wrapper", "-fplugin", "-B", "-specs"]),
    ("vim", &["-c", "--cmd", "-S", "-s"]),
    ("vi", &["-c", "--cmd", "-S", "-s"]),
    ("nvim", &["-c", "--cmd", "-S", "-s", "-l"]),
    ("ex", &["-c", "--cmd", "-S", "-s"]),
    ("emacs", &["--eval", "-l", "--load", "--script", "-f"]),
    ("git-grep", &["-O", "--open-files-in-pager"]),
    ("go", &["-toolexec", "-exec", "--toolexec", "--exec"]),
    ("curl", &["-K", "--config"]),
    ("ninja", &["-t"]),
    ("date", &["-s", "--set"]),
    ("psql", &["-c", "--command", "-f"]),
    ("sqlite3", &["-cmd"]),
    ("ffmpeg", &["-filter_script"]),
    ("openssl", &["-engine"]),
    ("gpg", &["--photo-viewer", "--agent-program"]),
    ("env-cmd", &[]),
    ("enable", &["-f"]),
    ("hash", &["-p"]),
    ("history", &["-a", "-n", "-p", "-r", "-s", "-w"]),
    ("rustc", &["-C", "-Clinker"]),
    ("cargo", &["--config"]),
    ("npm", &["--script-shell", "--node-options"]),
    ("diff", &[]),
];

/// What such an option makes a program run.
pub(in crate::policy::commands) fn inner(name: &str, words: &[Field]) -> Vec<Inner> {
    match name {
        "git" => git(words),
        "npx" | "bunx" | "pnpx" => npx(words),
        "npm" if words.iter().any(|field| matches!(field.text.as_str(), "exec" | "x")) => npx(words),
        "make" | "gmake" => make(words),
        "enable" if words.iter().skip(1).any(|field| field.text.starts_with("-f")) => {
            vec![unread("a builtin from a file")]
        }
        "hash" => hash(words),
        "socat" => socat(words),
        "vim" | "vi" | "nvim" | "ex" | "view" => editor(words),
        "sed" | "gsed" => sed(words),
        "awk" | "gawk" | "mawk" | "nawk" => awk(words),
        "go" => go(words),
        name => listed(name, words),
    }
}

/// An argument of a command that can run another program: a reason against an allow rule.
pub(in crate::policy::commands) fn obstacle(name: &str, words: &[Field]) -> Option<String> {
    let is_git = name == "git" && git_obstacle(words);
    if is_git {
        return Some("git".to_owned());
    }
    if matches!(name, "sed" | "gsed")
        && let Some(file) = sed_writes(words)
    {
        return Some(format!("its script writes {file}, which is not in the project: it"));
    }
    let (_, names) = OPTIONS.iter().find(|(program, _)| *program == name)?;
    let matching = words
        .iter()
        .skip(1)
        .take_while(|field| field.text != "--")
        .find(|field| names.iter().any(|option| is_option(name, field, option)))?;
    let text = matching.shown();
    Some(text.split('=').next().unwrap_or(&text).to_owned())
}

/// What stands behind a letter in a cluster: `-zIprog` is `-z -I prog`. Letters that take a value end the search.
fn cluster_value<'a>(program: &str, text: &'a str, option: &str) -> Option<&'a str> {
    let letter = option.as_bytes().get(1).map(|byte| *byte as char)?;
    // The arguments of tar may begin without a dash.
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let ends = match program {
        "tar" | "gtar" | "bsdtar" => "bCfgHKLNTVX",
        "rsync" => "fBTM@",
        "curl" => "AbcCdDeEFhHmoQrtTuUwxXyYzP",
        "man" => "CRLmMSsepr",
        _ => "",
    };
    for (place, char) in letters.char_indices() {
        if char == letter {
            return Some(&letters[place + char.len_utf8()..]);
        }
        if ends.contains(char) {
            return None;
        }
    }
    None
}

fn is_option(program: &str, field: &Field, option: &str) -> bool {
    let text = field.text.as_str();
    if let Some(long) = option.strip_prefix("--") {
        let Some(name) = text.strip_prefix("--") else { return false };
        let name = name.split('=').next().unwrap_or(name);
        // Abbreviations count.
        return !name.is_empty() && long.starts_with(name) || name.contains(UNKNOWN);
    }
    if option.len() == 2 {
        // Alone, with its value, or at the end of a cluster: `-zI prog`.
        return cluster_value(program, text, option).is_some();
    }
    text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
}

fn listed(name: &str, words: &[Field]) -> Vec<Inner> {
    let Some((_, names)) = OPTIONS.iter().find(|(program, _)| *program == name) else { return Vec::new() };
    let is_program = matches!(
        name,
        "tar"
            | "gtar"
            | "bsdtar"
            | "rsync"
            | "sort"
            | "split"
            | "rg"
            | "man"
            | "zip"
            | "scp"
            | "sftp"
            | "ag"
            | "bat"
    );
    if !is_program {
        return Vec::new();
    }
    let mut found = Vec::new();
    // `tar cIf prog a`: a first word without a dash is a cluster whose values follow in order.
    let is_old_style = name.ends_with("tar")
        && words.get(1).is_some_and(|field| {
            let text = field.text.as_str();
            !text.starts_with('-') && text.contains(['I', 'F']) && text.chars().all(char::is_alphabetic)
        });
    if is_old_style {
        found.push(unread("an option that runs a program"));
    }
    for (at, field) in words.iter().enumerate().skip(1) {
        if field.text == "--" {
            break;
        }
        if !names.iter().any(|option| is_option(name, field, option)) {
            continue;
        }
        let value = match field.text.split_once('=') {
            Some((_, value)) => Some(value.trim_start_matches("exec=").to_owned()),
            None if names.iter().any(|option| {
                option.len() == 2
                    && cluster_value(name, &field.text, option).is_some_and(|value| !value.is_empty())
            }) =>
            {
                let values = names.iter().filter_map(|option| cluster_value(name, &field.text, option));
                values.max_by_key(|value| value.len()).map(str::to_owned)
            }
            None => words.get(at + 1).map(|field| field.text.clone()),
        };
        let text = value.filter(|value| !value.contains(UNKNOWN) && !value.is_empty());
        // `-o ProxyCommand=prog` is a setting of ssh.
        let text = match text {
            Some(text) if matches!(name, "scp" | "sftp") => {
                let runs = format!("{}{text}", field.text).to_lowercase().contains("command");
                let value = text.split_once(['=', ' ']).map(|(_, value)| value.to_owned());
                if field.text.starts_with("-o") && !runs {
                    continue;
                }
                let is_value = field.text.contains('=');
                Some(value.filter(|_| !is_value).unwrap_or(text))
            }
            text => text,
        };
        found.push(Inner::Code {
            text,
            positional: None,
            what: "an option that runs a program",
            trust: Trust::Separate,
            is_downloaded: false,
        });
    }
    found
}

/// Code that nobody can read here.
fn unread(what: &'static str) -> Inner {
    Inner::Code { text: None, positional: None, what, trust: Trust::Separate, is_downloaded: false }
}

/// The command line of `npx -c 'text'`, `npx --call='text'` and `npm exec -c 'text'`.
fn npx(words: &[Field]) -> Vec<Inner> {
    for (at, field) in words.iter().enumerate().skip(1) {
        match field.text.as_str() {
            "-c" | "--call" => {
                return words
                    .get(at + 1)
                    .map(|field| field_code(field, "npx -c", Trust::Runner))
                    .into_iter()
                    .collect();
            }
            "--" => break,
            text if text.starts_with("--call=") => {
                let text = text["--call=".len()..].to_owned();
                let text = (!text.contains(UNKNOWN)).then_some(text);
                return vec![Inner::Code {
                    text,
                    positional: None,
                    what: "npx -c",
                    trust: Trust::Runner,
                    is_downloaded: field.is_downloaded,
                }];
            }
            text if text.starts_with('-') || matches!(text, "exec" | "x") => {}
            _ => break,
        }
    }
    Vec::new()
}

/// Rules of make that come from its input or its arguments.
fn make(words: &[Field]) -> Vec<Inner> {
    let reads = words.iter().enumerate().skip(1).any(|(at, field)| {
        let text = field.text.as_str();
        let file = match text {
            "-f" | "--file" | "--makefile" => words.get(at + 1).map_or("", |field| field.text.as_str()),
            text => ["-f", "--file=", "--makefile="]
                .iter()
                .find_map(|option| text.strip_prefix(option))
                .unwrap_or(""),
        };
        file == "-" || file.starts_with("/dev/") || text.starts_with("--eval") || text.starts_with("SHELL=")
    });
    if reads { vec![unread("rules of make")] } else { Vec::new() }
}

/// The program that `hash -p program name` puts behind a name.
fn hash(words: &[Field]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|field| field.text.starts_with("-p")) else { return Vec::new() };
    let program = match &words[at].text[2..] {
        "" => words.get(at + 1).cloned(),
        text => Some(Field::of(text)),
    };
    program.map(|program| vec![Inner::Made(vec![program])]).unwrap_or_default()
}

/// The commands of `socat - EXEC:'command'` and `SYSTEM:'command'`.
fn socat(words: &[Field]) -> Vec<Inner> {
    let command = |field: &Field| {
        let (kind, rest) = field.text.split_once(':')?;
        let is_command = matches!(kind.to_ascii_lowercase().as_str(), "exec" | "system" | "shell");
        is_command.then(|| rest.split(',').next().unwrap_or(rest).to_owned())
    };
    let texts = words.iter().skip(1).filter_map(command);
    texts
        .map(|text| Inner::Code {
            text: (!text.contains(UNKNOWN)).then_some(text),
            positional: None,
            what: "an address of socat",
            trust: Trust::Separate,
            is_downloaded: false,
        })
        .collect()
}

/// What stands behind `:!` in a command of an editor; other commands of it are no programs.
fn editor(words: &[Field]) -> Vec<Inner> {
    let texts = words
        .iter()
        .skip(1)
        .filter(|field| field.text.starts_with(['+', '-', ':', '!']) || field.text.contains('!'));
    texts
        .filter_map(|field| field.text.split_once('!').map(|(_, text)| text.to_owned()))
        .map(|text| Inner::Code {
            text: (!text.contains(UNKNOWN)).then_some(text),
            positional: None,
            what: "a command of an editor",
            trust: Trust::Separate,
            is_downloaded: false,
        })
        .collect()
}

/// The programs of `go run -exec`, `go build -toolexec` and `go vet -vettool`.
fn go(words: &[Field]) -> Vec<Inner> {
    let mut found = Vec::new();
    for (at, field) in words.iter().enumerate().skip(1) {
        let name = field.text.trim_start_matches('-');
        let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        if !field.text.starts_with('-') || !matches!(name, "exec" | "toolexec" | "vettool") {
            continue;
        }
        let text = value.or_else(|| words.get(at + 1).and_then(Field::known));
        found.push(Inner::Code {
            text: text.filter(|text| !text.contains(UNKNOWN)).map(str::to_owned),
            positional: None,
            what: "an option of go",
            trust: Trust::Separate,
            is_downloaded: false,
        });
    }
    found
}

/// The scripts among the arguments of sed.
fn sed_scripts(words: &[Field]) -> Vec<Field> {
    let mut scripts: Vec<Field> = Vec::new();
    let mut at = 1;
    let mut has_script = false;
    while let Some(field) = words.get(at) {
        let text = field.text.as_str();
        if let Some(script) = text.strip_prefix("--expression=") {
            scripts.push(with_text(field, script));
            has_script = true;
        } else if matches!(text, "-e" | "--expression")
            || text.starts_with('-') && !text.starts_with("--") && text.ends_with('e')
        {
            scripts.extend(words.get(at + 1).cloned());
            has_script = true;
            at += 1;
        } else if let Some(script) = text.strip_prefix("-e") {
            scripts.push(with_text(field, script));
            has_script = true;
        } else if matches!(text, "-f" | "--file") || text.starts_with("--file=") || text.starts_with("-f") {
            // What is in the file is not known.
            if !matches!(text, "-f" | "--file") || words.get(at + 1).is_some() {
                scripts.push(Field::unknown());
            }
            has_script = true;
            at += usize::from(matches!(text, "-f" | "--file"));
        } else if !text.starts_with('-') && !has_script {
            scripts.push(field.clone());
            has_script = true;
        }
        at += 1;
    }
    scripts
}

fn with_text(field: &Field, text: &str) -> Field {
    Field { text: text.to_owned(), ..field.clone() }
}

/// GNU sed runs what follows `e`, also behind `s///`.
fn sed(words: &[Field]) -> Vec<Inner> {
    let is_sandboxed = words.iter().any(|field| field.text == "--sandbox");
    let runs = !is_sandboxed && sed_scripts(words).iter().any(sed_runs);
    if runs {
        vec![Inner::Code {
            text: None,
            positional: None,
            what: "sed's e",
            trust: Trust::Separate,
            is_downloaded: false,
        }]
    } else {
        Vec::new()
    }
}

/// Whether a script of sed may run a program.
fn sed_runs(field: &Field) -> bool {
    // A word that may be many, or none, can hold anything.
    field.is_many || super::sed::effects(&field.text).runs
}

/// A file outside of the working directory that a script of sed writes.
fn sed_writes(words: &[Field]) -> Option<String> {
    let writes = sed_scripts(words).into_iter().flat_map(|field| super::sed::effects(&field.text).writes);
    writes.into_iter().find(|file| {
        file.starts_with('~')
            || file.starts_with('/') && !matches!(file.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/null")
            || file.split('/').any(|part| part == "..")
    })
}

/// The programs among the arguments of awk: the first operand, or the values of `-e`.
fn awk_programs(words: &[Field]) -> Vec<Field> {
    let mut at = 1;
    while let Some(field) = words.get(at) {
        match field.text.as_str() {
            "-F" | "-v" | "-i" | "--field-separator" | "--assign" | "--include" => at += 2,
            "-e" | "--source" => return words.get(at + 1).cloned().into_iter().collect(),
            "-f" | "--file" | "-E" | "--exec" => return Vec::new(),
            "--" => return words.get(at + 1).cloned().into_iter().collect(),
            text if text.starts_with('-') && text.len() > 1 => at += 1,
            _ => return vec![field.clone()],
        }
    }
    Vec::new()
}

/// A program of awk that runs commands or writes into pipes.
fn awk(words: &[Field]) -> Vec<Inner> {
    let runs = awk_programs(words).iter().any(|field| super::awk::runs(&field.text))
        || words.iter().any(|field| matches!(field.text.as_str(), "-l" | "--load"));
    if !runs {
        return Vec::new();
    }
    // The first string in it is often the command.
    let text = words[1..].iter().find_map(|field| {
        let (_, rest) = field.text.split_once("system")?;
        let (_, rest) = rest.split_once('"')?;
        rest.split_once('"').map(|(text, _)| text.to_owned())
    });
    let unknown = Inner::Code {
        text: None,
        positional: None,
        what: "a command of awk",
        trust: Trust::Separate,
        is_downloaded: false,
    };
    match text {
        Some(text) => vec![
            Inner::Code {
                text: Some(text),
                positional: None,
                what: "a command of awk",
                trust: Trust::Separate,
                is_downloaded: false,
            },
            unknown,
        ],
        None => vec![unknown],
    }
}

/// Whether a program is an interpreter: its arguments are code in a language that is not read.
pub(crate) fn is_interpreter(name: &str) -> bool {
    let bare = base_name(name).trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    matches!(
        bare,
        "python"
            | "pypy"
            | "perl"
            | "ruby"
            | "node"
            | "nodejs"
            | "deno"
            | "bun"
            | "php"
            | "lua"
            | "luajit"
            | "tclsh"
            | "wish"
            | "expect"
            | "awk"
            | "gawk"
            | "mawk"
            | "nawk"
            | "sed"
            | "osascript"
            | "Rscript"
            | "R"
            | "julia"
            | "java"
            | "jshell"
            | "groovy"
            | "scala"
            | "ipython"
            | "irb"
            | "ghci"
            | "runghc"
            | "elixir"
            | "iex"
            | "erl"
            | "escript"
            | "sbcl"
            | "guile"
            | "racket"
            | "tsx"
            | "ts-node"
            | "vim"
            | "vi"
            | "nvim"
            | "emacs"
            | "ex"
            | "ed"
            | "gdb"
            | "lldb"
            | "make"
            | "gmake"
            | "sqlite"
            | "psql"
            | "mysql"
            | "busybox"
            | "toybox"
    )
}
