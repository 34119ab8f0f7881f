//! Texts that a program prints because its arguments hold them: formats, and strings of code in other languages.

use crate::policy::commands::field::UNKNOWN;
use crate::policy::commands::flow::paths_of;
use crate::policy::commands::found::Found;
use crate::policy::commands::inner::is_interpreter;

/// The most texts of one command.
const MAX_TEXTS: usize = 6;

/// Returns the texts among the arguments of a command that it probably prints, and that may be command lines: with an argument.
#[inline(never)]
pub(in crate::policy::commands) fn literals(found: &Found) -> Vec<String> {
    let Some(name) = found.base_name() else { return Vec::new() };
    let mut texts = Vec::new();
    let reads_code = is_query(name) || is_interpreter(name) && !matches!(name, "sed" | "gsed");
    let mut before = "";
    for field in &found.words[1..] {
        let text = field.text.as_str();
        match name {
            "find" | "gfind" if before == "-printf" => {
                let paths = paths_of(found, None);
                let path = paths.first().map_or("%p", String::as_str);
                texts.push(decoded(text).replace("%p", path));
            }
            "date" if text.starts_with('+') => texts.push(text[1..].to_owned()),
            "git" | "stat" | "gstat" | "seq" => {
                let attached = text.split_once('=').filter(|_| text.starts_with("--"));
                if matches!(before, "-c" | "-f" | "--format" | "--printf") {
                    texts.push(decoded(text));
                } else if let Some((_, value)) = attached {
                    texts.push(decoded(value));
                }
            }
            "yes" => texts.push(text.to_owned()),
            _ if reads_code => {
                strings(text, &mut texts);
                strings(field.content.as_deref().unwrap_or_default(), &mut texts);
            }
            _ => {}
        }
        before = text;
    }
    // `python3 <<E`, and the data of `jq`.
    if reads_code && (is_query(name) || found.words[1..].iter().all(|field| field.text == "-")) {
        strings(found.input.text.as_deref().unwrap_or_default(), &mut texts);
    }
    texts.retain(|text| text.trim().contains(' ') && !text.contains(UNKNOWN));
    texts.truncate(MAX_TEXTS);
    for text in &mut texts {
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    texts
}

/// Returns whether a program prints strings of its input, by a program in a language of its own.
fn is_query(name: &str) -> bool {
    matches!(name, "jq" | "gojq" | "yq")
}

/// Returns a format with its line breaks.
#[inline(never)]
pub(in crate::policy::commands) fn decoded(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\n")
}

/// Adds the strings of a program that no operator joins to what is behind them: each text between two quotes of the same kind.
#[inline(never)]
fn strings(code: &str, texts: &mut Vec<String>) {
    for quote in ['"', '\'', '`'] {
        let mut parts = code.split(quote).skip(1);
        while let (Some(text), Some(behind)) = (parts.next(), parts.next()) {
            let behind = behind.trim_start_matches(' ').as_bytes();
            let ends = match behind.first() {
                None => code.trim_end().ends_with(quote),
                Some(byte) => b";}),]|\n".contains(byte),
            };
            if ends {
                texts.push(decoded(text));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    fn strings(code: &str) -> Vec<String> {
        let mut texts = Vec::new();
        super::strings(code, &mut texts);
        texts
    }

    #[test]
    fn a_string_counts_where_it_is_not_joined_to_another_one() {
        assert_eq!(strings("print(\"rm x\\n\")"), ["rm x\n"]);
        assert_eq!(strings("\"rm x\""), ["rm x"]);
        assert_eq!(strings("puts 'rm x', \"b\" if a"), ["rm x"]);
        for code in
            ["print(\"rm \" + x)", "{print \"rm \" $1}", "print \"rm \" . $x", "print(\"rm\"\"x\" + a)", "'"]
        {
            assert!(strings(code).is_empty(), "{code}");
        }
    }
}
