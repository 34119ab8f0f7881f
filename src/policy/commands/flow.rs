//! The flow between commands: downloads, encoded text, paths that a program prints, and processes that are started without end.

use crate::policy::commands::field::Field;
use crate::policy::commands::found::Found;
use crate::policy::syntax::tree::{Command, Item, Kind, List, Pipeline, Word};

use super::found::base_name;
use super::scope::resolve;

/// The most paths in the output of a program that are told apart.
const MAX_ENTRIES: usize = 3;

/// Returns whether bash opens a network connection for a file of this name.
pub(super) fn is_network(target: &str) -> bool {
    target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/")
}

/// Returns whether a command prints or stores data from the network.
pub(super) fn fetches(found: &Found) -> bool {
    if found.redirections.iter().any(|redirect| is_network(&redirect.target.text)) {
        return true;
    }
    let Some(name) = found.base_name() else { return found.input.is_downloaded && found.words.is_empty() };
    let has_url = || {
        found.words.iter().any(|field| {
            field.text.contains("http://") || field.text.contains("https://") || field.text.contains("ftp://")
        })
    };
    match name {
        "ssh" | "slogin" => is_remote_output(found),
        "curl" | "wget" | "aria2c" | "fetch" | "axel" | "http" | "https" | "xh" | "lynx" | "w3m"
        | "links" | "elinks" | "nc" | "ncat" | "netcat" | "socat" | "ftp" | "tftp" | "telnet"
        | "lwp-request" | "GET" | "curlie" | "hurl" | "wget2" => true,
        "openssl" => found.words.get(1).is_some_and(|field| field.text == "s_client"),
        "gh" | "aws" | "gsutil" | "rclone" | "az" | "gcloud" => {
            found.words.iter().any(|field| matches!(field.text.as_str(), "cat" | "api" | "cp"))
                && found
                    .words
                    .iter()
                    .any(|field| field.text == "-" || field.text == "cat" || field.text == "api")
        }
        "dig" | "nslookup" | "host" => found.words.iter().any(|field| field.text.eq_ignore_ascii_case("txt")),
        "python" | "python3" | "perl" | "ruby" | "node" | "php" => has_url(),
        _ => false,
    }
}

/// Returns whether the output of a program hides its input from a reader, as `base64` does.
pub(super) fn disguises(name: &str) -> bool {
    matches!(
        name,
        "base64"
            | "base32"
            | "basenc"
            | "xxd"
            | "openssl"
            | "rev"
            | "tr"
            | "uudecode"
            | "gzip"
            | "gunzip"
            | "zcat"
            | "bzip2"
            | "bunzip2"
            | "bzcat"
            | "xz"
            | "unxz"
            | "xzcat"
            | "zstd"
            | "gpg"
            | "od"
            | "hexdump"
            | "tac"
    )
}

/// Returns whether a command decodes text: like a download, its output is not seen before it runs.
pub(super) fn decodes(found: &Found) -> bool {
    let has = |options: &[&str]| {
        found.words.iter().skip(1).any(|field| {
            let letters = field.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            options.contains(&field.text.as_str())
                || letters.is_some_and(|letters| {
                    options.iter().any(|option| option.len() == 1 && letters.contains(option))
                })
        })
    };
    match found.base_name() {
        Some("base64" | "base32" | "basenc" | "openssl") => has(&["d", "D", "--decode", "--dec", "--d"]),
        Some("xxd") => has(&["r", "-revert", "--revert"]),
        Some("uudecode" | "rev") => true,
        _ => false,
    }
}

/// Returns whether a command prints what another machine sends: `ssh host cat file`.
fn is_remote_output(found: &Found) -> bool {
    let is_operand = |field: &&Field| !field.text.starts_with('-');
    found.words.iter().skip(1).filter(is_operand).count() > 1
}

/// Returns the directory of which `ls` prints all files.
#[inline(never)]
pub(super) fn listed_directory(found: &Found) -> Option<String> {
    if found.base_name() != Some("ls") || found.words.iter().any(|field| is_directory_option(&field.text)) {
        return None;
    }
    let mut operands = found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
    match (operands.next(), operands.next()) {
        (None, _) => Some(".".to_owned()),
        (Some(field), None) => field.known().map(str::to_owned),
        _ => None,
    }
}

/// Returns globs for the names that a program prints: all files of the working directory for its listing (`*`), and what is
/// below each of `paths`, at any depth (`path/**`).
#[inline(never)]
pub(super) fn entries(directory: Option<&str>, listed: Option<&str>, paths: &[String]) -> Vec<String> {
    let lists_here = listed.is_some_and(|listed| {
        resolve(directory, listed).map_or(listed == ".", |listed| Some(listed.as_str()) == directory)
    });
    let below = paths.iter().take(MAX_ENTRIES).map(|path| format!("{}/**", path.trim_end_matches('/')));
    lists_here.then(|| "*".to_owned()).into_iter().chain(below).collect()
}

/// Returns the paths that a command prints: the words of its output, or the starting points of `find` without tests.
#[inline(never)]
pub(super) fn paths_of(found: &Found, text: Option<&str>) -> Vec<String> {
    if let Some(text) = text {
        return text.split_whitespace().map(str::to_owned).collect();
    }
    // `ls -d /*` prints its operands as they are.
    if found.base_name() == Some("ls")
        && found.words.iter().skip(1).any(|field| is_directory_option(&field.text))
    {
        let operands = found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
        return operands.map(|field| field.text.clone()).collect();
    }
    if !matches!(found.base_name(), Some("find" | "gfind")) {
        return Vec::new();
    }
    let starts: Vec<String> = found.words[1..]
        .iter()
        .map(|field| field.text.clone())
        .take_while(|text| !text.starts_with(['-', '(', '!']))
        .collect();
    let has_test = found.words.iter().any(|field| is_test_of_find(&field.text));
    if has_test {
        Vec::new()
    } else if starts.is_empty() {
        vec![".".to_owned()]
    } else {
        starts
    }
}

fn is_directory_option(text: &str) -> bool {
    text == "--directory" || text.starts_with('-') && !text.starts_with("--") && text.contains('d')
}

/// The words of `find` that take no value and neither write nor run anything: options, tests, operators and printing.
pub(crate) const FIND_FLAGS: &[&str] = &[
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-empty",
    "-o",
    "-or",
    "-a",
    "-and",
    "-not",
    "!",
    "(",
    ")",
    "-true",
    "-false",
    "-depth",
    "-d",
    "-xdev",
    "-mount",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-noleaf",
    "-daystart",
    "-warn",
    "-nowarn",
    ",",
    "-help",
    "--help",
    "-version",
    "--version",
];

/// Returns whether an argument of `find` is a test that leaves out some files.
pub(crate) fn is_test_of_find(text: &str) -> bool {
    matches!(
        text,
        "-name"
            | "-iname"
            | "-path"
            | "-ipath"
            | "-wholename"
            | "-regex"
            | "-iregex"
            | "-mtime"
            | "-mmin"
            | "-atime"
            | "-amin"
            | "-ctime"
            | "-cmin"
            | "-newer"
            | "-empty"
            | "-size"
            | "-user"
            | "-group"
            | "-perm"
            | "-lname"
            | "-inum"
            | "-links"
            | "-nouser"
            | "-nogroup"
            | "-samefile"
            | "-newermt"
            | "-xtype"
            | "-executable"
    )
}

/// Returns the files in which a command stores a download.
pub(super) fn download_targets(texts: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    let is_wget = texts.first().is_some_and(|name| name.ends_with("wget"));
    let mut keeps_name = is_wget;
    for (at, text) in texts.iter().enumerate().skip(1) {
        let next = || texts.get(at + 1).map(|text| (*text).to_owned());
        match *text {
            "-o" | "--output" | "--output-document" | "--out" | "-d" if !(is_wget && *text == "-o") => {
                files.extend(next());
            }
            "-O" if is_wget => files.extend(next()),
            "-O" | "--remote-name" | "-J" | "--remote-name-all" => keeps_name = true,
            text => {
                let value =
                    text.strip_prefix("--output=").or_else(|| text.strip_prefix("--output-document="));
                files.extend(value.map(str::to_owned));
                let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
                if let Some(letters) = letters {
                    let letter = if is_wget { 'O' } else { 'o' };
                    if let Some(index) = letters.find(letter) {
                        let value = &letters[index + 1..];
                        files.extend(if value.is_empty() { next() } else { Some(value.to_owned()) });
                    }
                    keeps_name |= letters.contains('O') && !is_wget;
                }
            }
        }
    }
    if keeps_name {
        let urls =
            texts[1..].iter().filter(|text| text.contains("://") || text.contains('.') && text.contains('/'));
        let names = urls.map(|url| base_name(url.split(['?', '#']).next().unwrap_or(url)));
        let directory = download_directory(texts, is_wget);
        files.extend(
            names.map(|name| directory.map_or_else(|| name.to_owned(), |path| format!("{path}/{name}"))),
        );
    }
    files.retain(|file| file != "-" && !file.is_empty());
    files
}

/// Returns the directory of `wget -P directory` and `curl --output-dir directory`.
fn download_directory<'a>(texts: &[&'a str], is_wget: bool) -> Option<&'a str> {
    let long = if is_wget { "--directory-prefix" } else { "--output-dir" };
    texts.iter().enumerate().skip(1).find_map(|(at, text)| {
        let value = match text.strip_prefix(long) {
            Some(rest) => rest.strip_prefix('=').unwrap_or(rest),
            None if is_wget => text.strip_prefix("-P")?,
            None => return None,
        };
        if value.is_empty() { texts.get(at + 1).copied() } else { Some(value) }
    })
}

/// Returns whether a loop without an end starts a process in each round, and waits for nothing.
pub(super) fn spawns_endlessly(kind: &Kind) -> bool {
    match kind {
        Kind::Loop(condition, body) => always_holds(condition) && only_spawns(body, None),
        Kind::ArithmeticFor(header, body) => {
            let header = header.literal().unwrap_or_default();
            header.split(';').nth(1).is_some_and(|test| test.trim().is_empty()) && only_spawns(body, None)
        }
        _ => false,
    }
}

/// Returns whether each call of a function calls it again and starts processes in the background, and waits for nothing.
pub(super) fn recurses_and_spawns(name: &str, body: &Kind) -> bool {
    let (Kind::Group(list) | Kind::Subshell(list)) = body else { return false };
    let is_call = |item: &Item| matches!(item.first.stages.as_slice(), [stage] if calls(stage, name));
    list.items.iter().any(|item| !item.is_background && is_call(item)) && only_spawns(list, Some(name))
}

fn calls(stage: &Command, name: &str) -> bool {
    matches!(stage, Command::Simple(simple)
        if simple.words.first().and_then(Word::literal).is_some_and(|word| word == name))
}

/// Returns whether a list is one command that always gives the same result, as in [`is_constant`].
pub(super) fn always_holds(list: &List) -> bool {
    let [item] = list.items.as_slice() else { return false };
    item.rest.is_empty() && is_constant(&item.first)
}

/// Returns whether a pipeline is one command that always gives the same result: `true`, `:`, `echo`, and `false` for `until`.
pub(super) fn is_constant(pipeline: &Pipeline) -> bool {
    let [stage] = pipeline.stages.as_slice() else { return false };
    match stage {
        Command::Simple(simple) => simple.words.first().and_then(Word::literal).is_some_and(|name| {
            matches!(name.as_str(), "true" | "false" | ":" | "/bin/true" | "/bin/false" | "echo" | "printf")
        }),
        Command::Compound(compound) => match &compound.kind {
            Kind::Arithmetic(word) => word.literal().is_some_and(|text| text.trim().parse::<u32>().is_ok()),
            _ => false,
        },
        Command::Function { .. } => false,
    }
}

/// Returns whether a list starts processes in the background, and does nothing beside that takes time. Calls of the function `own`
/// take none.
fn only_spawns(list: &List, own: Option<&str>) -> bool {
    let is_quick = |stage: &Command| match stage {
        Command::Simple(simple) => simple.words.first().is_none_or(|word| {
            word.literal().is_some_and(|name| {
                matches!(name.as_str(), "echo" | "printf" | "true" | ":") || own == Some(name.as_str())
            })
        }),
        Command::Compound(compound) => match &compound.kind {
            Kind::Subshell(list) | Kind::Group(list) => only_spawns(list, own),
            _ => false,
        },
        Command::Function { .. } => false,
    };
    let spawns = |item: &Item| {
        let stages = || item.first.stages.iter();
        let is_group = |stage: &Command| matches!(stage, Command::Compound(_));
        item.is_background || stages().any(is_group) && stages().all(is_quick)
    };
    list.items.iter().any(spawns)
        && list
            .items
            .iter()
            .all(|item| item.is_background || item.rest.is_empty() && item.first.stages.iter().all(is_quick))
}
