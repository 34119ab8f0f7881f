//! Text that nobody has read: programs fetch it from the network, or decode it.

use super::analysis::{ExpandedCommand, Origin, base_name};
use super::arguments::OptionWord;
use crate::policy::programs::Fetch;

/// Returns whether bash opens a network connection for a file of this name.
pub(crate) fn is_network(target: &str) -> bool {
    target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/")
}

/// Returns whether a command prints data from the network.
pub(super) fn fetches(found: &ExpandedCommand) -> bool {
    found.redirections.iter().any(|redirect| is_network(&redirect.target.text)) || fetch_of(found).is_some()
}

/// Returns how a command fetches text, if it does.
fn fetch_of(found: &ExpandedCommand) -> Option<Fetch> {
    found.program()?.fetches.filter(|fetch| (fetch.when)(found))
}

/// Returns whether a command decodes text, so that nobody sees its output before it runs.
pub(super) fn decodes(found: &ExpandedCommand) -> bool {
    let decodes = found.program().and_then(|program| program.decodes);
    decodes.is_some_and(|decodes| decodes(found))
}

/// Returns whether a command has one of the letters in a cluster, or one of the long options.
pub(crate) fn has_flag(found: &ExpandedCommand, letters: &[char], long: &[&str]) -> bool {
    found.words.iter().skip(1).any(|field| {
        let cluster = field.text.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'));
        long.contains(&field.text.as_str()) || cluster.is_some_and(|cluster| cluster.contains(letters))
    })
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
    let Fetch { output, keeps_name: always_keeps, .. } = fetch_of(found).unwrap_or(Fetch::PLAIN);
    let mut keeps_name = always_keeps;
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
                if let Some((_, value)) = letters.split_once(output) {
                    files.extend(if value.is_empty() { next() } else { Some(value.to_owned()) });
                }
                keeps_name |= !always_keeps && letters.contains('O');
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
