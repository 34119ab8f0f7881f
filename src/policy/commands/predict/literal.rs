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
    let words: Vec<&str> = found.words.iter().skip(1).map(|field| field.text.as_str()).collect();
    let behind = |options: &[&str]| -> Vec<String> {
        let pairs = words.windows(2).filter(|pair| options.contains(&pair[0]));
        pairs.map(|pair| decoded(pair[1])).collect()
    };
    let texts = match name {
        "find" | "gfind" => {
            let paths = paths_of(found, None);
            let path = paths.first().map_or("%p", String::as_str);
            behind(&["-printf"]).into_iter().map(|text| text.replace("%p", path)).collect()
        }
        "date" => words.iter().filter_map(|text| text.strip_prefix('+')).map(str::to_owned).collect(),
        "git" | "stat" | "gstat" | "seq" => {
            let value = |text: &&str| Some(decoded(text.strip_prefix("--")?.split_once('=')?.1));
            let attached = words.iter().filter_map(value);
            attached.chain(behind(&["-c", "-f", "--format", "--printf"])).collect()
        }
        "yes" => vec![words.join(" ")],
        "sed" | "gsed" => Vec::new(),
        name if is_interpreter(name) || is_query(name) => {
            let contents = found.words.iter().filter_map(|field| field.content.as_deref());
            // `python3 <<E`, and the data of `jq`.
            let reads = is_query(name) || words.iter().all(|text| *text == "-");
            let input = found.input.text.as_deref().filter(|_| reads);
            words.iter().copied().chain(contents).chain(input).flat_map(strings).collect()
        }
        _ => Vec::new(),
    };
    let is_command = |text: &String| text.trim().contains(char::is_whitespace) && !text.contains(UNKNOWN);
    let line = |text: String| if text.ends_with('\n') { text } else { text + "\n" };
    texts.into_iter().filter(is_command).take(MAX_TEXTS).map(line).collect()
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

/// Returns the strings of a program that no operator joins to what is behind them: each text between two quotes of the same kind.
#[inline(never)]
fn strings(code: &str) -> Vec<String> {
    let mut strings = Vec::new();
    for quote in ['"', '\'', '`'] {
        let mut parts = code.split(quote).skip(1);
        while let (Some(text), Some(behind)) = (parts.next(), parts.next()) {
            let behind = behind.trim_start_matches([' ', '\t']);
            if behind.starts_with([';', '}', ')', ',', ']', '|', '\n'])
                || behind.is_empty() && code.trim_end().ends_with(quote)
            {
                strings.push(decoded(text));
            }
        }
    }
    strings
}

#[cfg(test)]
mod tests {
    use super::strings;

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
