//! Programs whose output nobody has read: they fetch text from the network, or decode it.

use crate::policy::commands::analysis::{ExpandedCommand, Origin, base_name};
use crate::policy::commands::arguments::OptionWord;

/// Returns whether bash opens a network connection for a file of this name.
pub(crate) fn is_network(target: &str) -> bool {
    target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/")
}

/// Returns whether a command prints data from the network.
pub(in crate::policy::commands) fn fetches(found: &ExpandedCommand) -> bool {
    if found.redirections.iter().any(|redirect| is_network(&redirect.target.text)) {
        return true;
    }
    let has = |test: &dyn Fn(&str) -> bool| found.words.iter().skip(1).any(|field| test(&field.text));
    match found.base_name().unwrap_or_default() {
        // `ssh host cat file`
        "ssh" | "slogin" => {
            found.words.iter().skip(1).filter(|field| !field.text.starts_with('-')).count() > 1
        }
        "curl" | "wget" | "wget2" | "aria2c" | "fetch" | "axel" | "http" | "https" | "xh" | "curlie"
        | "lynx" | "w3m" | "nc" | "ncat" | "netcat" | "socat" | "ftp" | "tftp" | "telnet" | "lwp-request"
        | "GET" => true,
        "openssl" => has(&|text| text == "s_client"),
        "gh" | "aws" | "gsutil" | "rclone" | "az" | "gcloud" => {
            has(&|text| matches!(text, "cat" | "api"))
                || has(&|text| text == "cp") && has(&|text| text == "-")
        }
        "dig" | "nslookup" | "host" => has(&|text| text.eq_ignore_ascii_case("txt")),
        _ => false,
    }
}

/// Returns whether a command decodes text, so that nobody sees its output before it runs.
pub(in crate::policy::commands) fn decodes(found: &ExpandedCommand) -> bool {
    let has = |letter: &[char], long: &[&str]| {
        found.words.iter().skip(1).any(|field| {
            let letters = field.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            long.contains(&field.text.as_str()) || letters.is_some_and(|letters| letters.contains(letter))
        })
    };
    match found.base_name() {
        Some("base64" | "base32" | "basenc" | "openssl") => has(&['d', 'D'], &["--decode", "--dec", "--d"]),
        Some("gzip" | "bzip2" | "xz" | "zstd") => has(&['d'], &["--decompress", "--uncompress"]),
        Some("xxd") => has(&['r'], &["-revert", "--revert"]),
        Some(
            "uudecode" | "rev" | "gunzip" | "zcat" | "bunzip2" | "bzcat" | "unxz" | "xzcat" | "unzstd"
            | "zstdcat",
        ) => true,
        Some("gpg") => has(&['d'], &["--decrypt"]),
        _ => false,
    }
}

/// Returns the files in which a command stores a download, by its words and its redirections.
///
/// A name that the command takes from an address has `*/` before it: the file may be in any directory.
pub(crate) fn download_targets(found: &ExpandedCommand) -> Vec<String> {
    if found.base_name() == Some("tee") && found.input.origin == Origin::Network {
        let operands = found.words.iter().skip(1).filter(|field| !field.text.starts_with('-'));
        return operands.map(|field| field.text.clone()).collect();
    }
    if !fetches(found) {
        return Vec::new();
    }
    let texts: Vec<&str> = found.words.iter().map(|field| field.text.as_str()).collect();
    let is_wget = found.base_name() == Some("wget");
    let letter = if is_wget { 'O' } else { 'o' };
    let mut keeps_name = is_wget;
    let mut files: Vec<String> =
        found.redirections.iter().map(|redirect| redirect.target.text.clone()).collect();
    for (at, text) in texts.iter().enumerate().skip(1) {
        let next = || texts.get(at + 1).map(|text| (*text).to_owned());
        match OptionWord::of(text) {
            Some(OptionWord::Long(name, value)) => {
                if matches!(name, "output" | "output-document" | "out") {
                    files.extend(value.map(str::to_owned).or_else(next));
                }
                keeps_name |= matches!(name, "remote-name" | "remote-name-all");
            }
            Some(OptionWord::Short(letters)) => {
                if let Some((_, value)) = letters.split_once(letter) {
                    files.extend(if value.is_empty() { next() } else { Some(value.to_owned()) });
                }
                keeps_name |= !is_wget && letters.contains('O');
            }
            None => {}
        }
    }
    if keeps_name && files.is_empty() {
        let urls =
            texts[1..].iter().filter(|text| text.contains("://") || text.contains('.') && text.contains('/'));
        files.extend(urls.map(|url| format!("*/{}", base_name(url.split(['?', '#']).next().unwrap_or(url)))));
    }
    files.retain(|file| !matches!(file.as_str(), "-" | "" | "/dev/null"));
    files
}
