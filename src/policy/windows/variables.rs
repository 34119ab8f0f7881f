//! The variables of Windows, whose names have no case.

use std::borrow::Cow;

use crate::policy::commands::{UNKNOWN, runs_code as runs_code_anywhere};

/// Variables that no start file of a shell changes in practice, each with its value in most installations.
const STABLE: [(&str, &str); 18] = [
    ("USERPROFILE", "C:/Users/~"),
    ("APPDATA", "C:/Users/~/AppData/Roaming"),
    ("LOCALAPPDATA", "C:/Users/~/AppData/Local"),
    ("ONEDRIVE", "C:/Users/~/OneDrive"),
    ("HOMEDRIVE", "C:"),
    ("HOMEPATH", "/Users/~"),
    ("HOMESHARE", "C:/Users/~"),
    ("TEMP", "C:/Users/~/AppData/Local/Temp"),
    ("TMP", "C:/Users/~/AppData/Local/Temp"),
    ("PUBLIC", "C:/Users/Public"),
    ("ALLUSERSPROFILE", "C:/ProgramData"),
    ("PROGRAMDATA", "C:/ProgramData"),
    ("PROGRAMFILES", "C:/Program Files"),
    ("PROGRAMFILES(X86)", "C:/Program Files (x86)"),
    ("PROGRAMW6432", "C:/Program Files"),
    ("SYSTEMDRIVE", "C:"),
    ("SYSTEMROOT", "C:/Windows"),
    ("WINDIR", "C:/Windows"),
];

/// Variables, beside those of every system, by which programs find programs, libraries or settings.
const RUN_CODE: [&str; 12] = [
    "ALLUSERSPROFILE", "APPDATA", "COMPLUS_VERSION", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA",
    "PATHEXT", "PSMODULEPATH", "SYSTEMROOT", "USERPROFILE", "WINDIR",
];

/// Returns the value of a variable in an environment, if no start file changes it.
pub(in crate::policy) fn variable<'a>(environment: Option<&'a str>, name: &str) -> Option<&'a str> {
    let is_stable = STABLE.iter().any(|(stable, _)| stable.eq_ignore_ascii_case(name));
    if is_stable { value(environment?, name) } else { None }
}

fn value<'a>(environment: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = environment.split('\0').filter_map(|line| line.split_once('='));
    lines.find_map(|(other, value)| other.eq_ignore_ascii_case(name).then_some(value))
}

/// Returns the home directory: that of Git Bash, or the user's profile.
pub(in crate::policy) fn home_of(environment: Option<&str>) -> Option<&str> {
    let environment = environment?;
    let of = |name| value(environment, name).filter(|home| home.len() > 1);
    of("HOME").or_else(|| of("USERPROFILE"))
}

/// Returns whether a variable can make a program run code.
pub(in crate::policy) fn runs_code(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    RUN_CODE.contains(&name.as_str()) || runs_code_anywhere(&name)
}

/// Returns a path with the values of `%NAME%` and `$env:NAME`, which cmd and PowerShell replace. The value of
/// any other variable is unknown.
pub(in crate::policy) fn expanded<'a>(text: &'a str, environment: Option<&str>) -> Cow<'a, str> {
    if !text.contains('%') && !text.contains("$env:") {
        return text.into();
    }
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['%', '$']) {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, behind)) = reference(rest) {
            let usual = || STABLE.iter().find(|(stable, _)| stable.eq_ignore_ascii_case(name));
            match variable(environment, name).or_else(|| usual().map(|(_, value)| *value)) {
                Some(value) => result.push_str(value),
                None => result.push(UNKNOWN),
            }
            rest = behind;
        } else {
            result.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    result.push_str(rest);
    result.into()
}

/// Returns the name of the variable at the start of a text, and the text behind it.
fn reference(text: &str) -> Option<(&str, &str)> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
    if let Some(rest) = text.strip_prefix("$env:").or_else(|| text.strip_prefix("$Env:")) {
        let end = rest.find(|char| !is_plain(char)).unwrap_or(rest.len());
        return (end > 0).then(|| rest.split_at(end));
    }
    let (inside, behind) = text.strip_prefix('%')?.split_once('%')?;
    // `%NAME:~0,3%` is a part of the value.
    let name = inside.split(':').next().unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|char| is_plain(char) || matches!(char, '(' | ')'));
    is_name.then_some((if name.len() == inside.len() { name } else { inside }, behind))
}

#[cfg(test)]
mod tests {
    use super::{expanded, home_of, runs_code, variable};

    const ENVIRONMENT: Option<&str> = Some("UserProfile=D:\\Ann\0FOO=x\0");

    #[test]
    fn a_variable_has_no_case() {
        assert_eq!(variable(ENVIRONMENT, "USERPROFILE"), Some("D:\\Ann"));
        assert_eq!(variable(ENVIRONMENT, "FOO"), None);
        assert_eq!(home_of(ENVIRONMENT), Some("D:\\Ann"));
        assert!(runs_code("Path") && runs_code("comspec") && !runs_code("no_color"));
    }

    #[test]
    fn references_of_cmd_and_power_shell_have_values() {
        assert_eq!(expanded("%userprofile%\\.ssh", ENVIRONMENT), "D:\\Ann\\.ssh");
        assert_eq!(expanded("$env:USERPROFILE\\.ssh", ENVIRONMENT), "D:\\Ann\\.ssh");
        assert_eq!(expanded("%SystemRoot%\\x", None), "C:/Windows\\x");
        assert_eq!(expanded("%FOO%/%windir:~0,2%", ENVIRONMENT), "\0/\0");
        assert_eq!(expanded("100% $x %", ENVIRONMENT), "100% $x %");
    }
}
