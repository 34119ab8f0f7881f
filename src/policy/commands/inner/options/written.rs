//! Files that a program writes because of its arguments, although it usually prints: `sort -o file`, `git log
//! --output=file`.

use crate::policy::commands::arguments::{OptionWord, skip_options, valued_letter};
use crate::policy::commands::field::Field;
use crate::policy::commands::programs::find::writes_file;
use crate::policy::commands::programs::git::git_subcommand;

use super::awk;
use super::sed::{edited_files, files_of_script};

/// Returns the files that a command writes. Programs whose purpose is to write (`cp`, `tee`, `tar`) are left
/// to the rules.
pub(crate) fn written_files(name: &str, words: &[Field]) -> Vec<Field> {
    match name {
        "git" => by_git(words),
        "sort" | "gsort" => values(words, "o", &["output"], "kStT"),
        "shuf" => values(words, "o", &["output"], "ein"),
        "tree" => values(words, "o", &[], "LPI"),
        "iconv" => values(words, "o", &["output"], "ft"),
        "less" => values(words, "oO", &["log-file", "LOG-FILE"], "bhjkpPtTxyz"),
        "uniq" => second_operand(words, "fsw"),
        "xxd" => second_operand(words, "clogsRn"),
        "find" | "gfind" => {
            words.windows(2).filter(|pair| writes_file(&pair[0].text)).map(|pair| pair[1].clone()).collect()
        }
        "sed" | "gsed" => {
            let named = files_of_script(words).into_iter().map(|file| Field::of(&file));
            named.chain(edited_files(words)).collect()
        }
        "time" | "gtime" => {
            values(words.get(..options_end(words)).unwrap_or_default(), "o", &["output"], "f")
        }
        "yq" if words.iter().any(|field| matches!(field.text.as_str(), "-i" | "--inplace")) => {
            words[1..].iter().filter(|field| !field.text.starts_with('-')).skip(1).cloned().collect()
        }
        "curl" => values(words, "ocD", &CURL_OUTPUTS, "AbCdeEFHKmPQrtTuUwxXyYz"),
        "wget" => values(words, "OPoa", &WGET_OUTPUTS, "eiBtTwQlARDIXU"),
        "psql" => values(words, "oL", &["output", "log-file"], "cdfFhpPRTUv"),
        "awk" | "gawk" | "mawk" | "nawk" => awk::written_files(words),
        _ => Vec::new(),
    }
}

/// Options of curl that name a file or a directory to write.
const CURL_OUTPUTS: [&str; 11] = [
    "output", "output-dir", "cookie-jar", "dump-header", "trace", "trace-ascii", "stderr", "etag-save",
    "hsts", "alt-svc", "libcurl",
];

/// Options of wget that name a file or a directory to write.
const WGET_OUTPUTS: [&str; 6] =
    ["output-document", "directory-prefix", "output-file", "append-output", "save-cookies", "hsts-file"];

/// Returns the index after the options of `time`, where the command begins.
fn options_end(words: &[Field]) -> usize {
    skip_options(words, 1, "fo", &["format", "output"])
}

/// Returns the files of `git log --output=file` and `git archive -o file`.
fn by_git(words: &[Field]) -> Vec<Field> {
    let at = git_subcommand(words).min(words.len());
    match words.get(at).and_then(Field::known) {
        Some("archive" | "format-patch") => values(&words[at..], "o", &["output", "output-directory"], "SNv"),
        Some("bugreport" | "diagnose") => values(&words[at..], "o", &["output-directory"], "s"),
        Some("fast-export") => values(&words[at..], "", &["export-marks"], ""),
        Some("read-tree") => values(&words[at..], "", &["index-output"], ""),
        Some("checkout-index") => values(&words[at..], "", &["prefix"], ""),
        Some("interpret-trailers") if words.iter().any(|field| field.text.starts_with("--in")) => {
            words[at + 1..].iter().filter(|field| !field.text.starts_with('-')).cloned().collect()
        }
        Some("merge-file") => {
            let first = skip_options(words, at + 1, "L", &["marker-size"]);
            words.get(first).cloned().into_iter().collect()
        }
        Some(_) => values(&words[at..], "", &["output"], ""),
        None => Vec::new(),
    }
}

/// Returns the values of options: letters of `short`, which may end a cluster, and names of `long`, which may
/// be abbreviated. The letters of `other` take a value too.
pub(super) fn values(words: &[Field], short: &str, long: &[&str], other: &str) -> Vec<Field> {
    let mut found = Vec::new();
    for (at, field) in words.iter().enumerate().skip(1) {
        let next = || words.get(at + 1).cloned();
        let own = |value: &str| Field { text: value.to_owned(), ..field.clone() };
        match OptionWord::of(&field.text) {
            Some(OptionWord::Long("", None)) => break,
            Some(OptionWord::Long(name, value)) if long.iter().any(|option| option.starts_with(name)) => {
                found.extend(value.map(own).or_else(next));
            }
            Some(OptionWord::Short(letters)) => {
                let takes_value = |letter| short.contains(letter) || other.contains(letter);
                match valued_letter(letters, takes_value) {
                    Some((letter, "")) if short.contains(letter) => found.extend(next()),
                    Some((letter, value)) if short.contains(letter) => found.push(own(value)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the second operand, which some filters write. The letters of `short` take a value.
fn second_operand(words: &[Field], short: &str) -> Vec<Field> {
    let first = skip_options(words, 1, short, &[]);
    let operands = words.iter().skip(first).filter(|field| !field.text.starts_with('-') || field.text == "-");
    let is_file = |field: &&Field| field.text != "-" && !field.text.is_empty();
    operands.skip(1).take(1).filter(is_file).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{Field, written_files};

    fn files(text: &str) -> Vec<String> {
        let words: Vec<Field> = text.split(' ').map(Field::of).collect();
        written_files(&words[0].text, &words).into_iter().map(|field| field.text).collect()
    }

    #[test]
    fn options_name_the_file() {
        for text in [
            "sort -o x f",
            "sort f -uox",
            "sort --output=x f",
            "sort --out x",
            "shuf -e a -o x",
            "git log -p --output=x",
            "git -C d diff --output x",
            "git archive -ox HEAD",
            "git format-patch --output-dir x",
            "tree -ax -o x",
            "less -Ox f",
            "uniq -c f x",
            "uniq -f 2 f x",
            "find . -name a -fprintf x %f",
            "sed -n wx f",
        ] {
            assert_eq!(files(text), ["x"], "{text}");
        }
    }

    #[test]
    fn other_options_name_none() {
        for text in [
            "sort -k1,1o f",
            "sort -t o f",
            "git log --oneline f",
            "git commit -o x",
            "git diff --output-indicator-new=x",
            "uniq -c f",
            "uniq f -",
            "find . -printf x",
            "less -po f",
            "sed s/a/b/ f",
            "awk {print$1>2}",
        ] {
            let expected: Vec<String> =
                if text.starts_with("awk") { vec!["\0\0".to_owned()] } else { Vec::new() };
            assert_eq!(files(text), expected, "{text}");
        }
    }
}
