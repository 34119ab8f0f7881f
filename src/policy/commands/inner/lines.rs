//! Finds what may be a command in text of a format that is not read: settings, rules of make, tasks, tables of cron.

/// Characters that stand before a command: the indent, the marks of a recipe, of an alias of git, and of an item of a list.
const MARKS: [char; 8] = [' ', '\t', '@', '-', '+', '!', '=', ';'];

/// Returns the lines of a text, the values that lines give to a name, and the strings in lines. Each may be a command.
pub(in crate::policy::commands) fn commands(text: &str) -> Vec<String> {
    // `$(shell …)` is a substitution of make. A backslash continues a line.
    let text = text.replace("\\\n", " ").replace("$(shell ", "$(");
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';']));
    let mut found = Vec::new();
    for line in lines {
        // A line of JSON holds strings alone.
        if !line.starts_with(['"', '{', '}']) {
            found.push(line.to_owned());
            found.extend(value(line).filter(|value| may_run(value)).map(str::to_owned));
        }
        let mut strings = strings(line);
        strings.retain(|text| may_run(text));
        found.append(&mut strings);
    }
    for text in &mut found {
        text.drain(..text.len() - text.trim_start_matches(MARKS).len());
    }
    found.retain(|text| !text.is_empty());
    found
}

/// Returns the value that a line gives to a name: `name = value`, `[section] name = value`, `name: value`.
fn value(line: &str) -> Option<&str> {
    let setting = match line.split_once(']') {
        Some((section, rest)) if section.starts_with('[') => rest.trim_start(),
        _ => line,
    };
    let (name, value) = setting.split_once(['=', ':'])?;
    let name = name.trim_end_matches([':', '?', '+', '!', ' ', '\t']);
    (!name.contains(char::is_whitespace)).then_some(value)
}

/// Returns whether a value may be a command. A word such as `reboot` is more often a name, unless it is a path.
fn may_run(value: &str) -> bool {
    value.trim().contains([' ', '\t', '/'])
}

/// Returns the texts between quotes of a line. A backslash quotes a character in them.
fn strings(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = line.chars();
    while let Some(quote) = chars.find(|char| matches!(char, '"' | '\'')) {
        let mut text = String::new();
        while let Some(char) = chars.next().filter(|char| *char != quote) {
            match char {
                '\\' => text.extend(chars.next().map(|char| if char == 'n' { '\n' } else { char })),
                char => text.push(char),
            }
        }
        found.push(text);
    }
    found
}

/// Returns the commands of a table of cron: what stands behind five fields of a time, or behind a word such as `@daily`.
pub(super) fn scheduled(text: &str) -> Vec<String> {
    let command = |line: &str| {
        let fields = if line.starts_with('@') { 1 } else { 5 };
        let mut rest = line.trim_start();
        for _ in 0..fields {
            rest = rest.split_once([' ', '\t'])?.1.trim_start();
        }
        Some(rest.to_owned())
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(command).collect()
}

#[cfg(test)]
mod tests {
    use super::{commands, scheduled};

    #[test]
    fn each_format_gives_its_commands() {
        for text in [
            "rm x",
            "all:\n\t@-rm x",
            "x != rm x",
            "X := rm x",
            "SHELL=rm x",
            "[alias]\n  x = !rm x",
            "[alias] x = \"!rm x\"",
            "{\"scripts\": {\"a\": \"ls\", \"b\": \"rm x\"}}",
            "{\"a\": \"\\\"\", \"b\": \"rm x\"}",
            "cmds:\n  - rm x",
            "cmd: rm x",
            "x:\n\trm \\\nx",
        ] {
            let found = commands(text).iter().any(|text| text.split_whitespace().eq(["rm", "x"]));
            assert!(found, "{text}: {:?}", commands(text));
        }
        assert_eq!(scheduled("# a b c d e f\n1 2 * * mon rm x\n@daily ls\n"), ["rm x", "ls"]);
        assert_eq!(commands("# a: rm x\nname: x\n"), ["name: x"]);
    }
}
