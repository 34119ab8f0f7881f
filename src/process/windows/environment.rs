//! The environment variables of a new process: those that it always has, and the block of all.
//!
//! Windows wants UTF-16, sorted by name without regard to case, with each name once.

use std::collections::BTreeMap;

/// The variables that a process always has, as in Node.js: without `SystemRoot`, it opens no socket.
const REQUIRED: [&str; 11] = [
    "HOMEDRIVE", "HOMEPATH", "LOGONSERVER", "PATH", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERDOMAIN",
    "USERNAME", "USERPROFILE", "WINDIR",
];

/// Returns the variables (`NAME=value`) that a process always has and that are not among these, with the
/// host's values. One that the host lacks stays away.
pub fn missing<'a>(
    variables: impl IntoIterator<Item = &'a str>,
    of_host: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let names: Vec<_> = variables.into_iter().filter_map(|it| it.split_once('=')).collect();
    // No other character has an ASCII one as its upper case, so this is how Windows compares these names.
    let is_there = |name: &str| names.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let missing = REQUIRED.into_iter().filter(|name| !is_there(name));
    missing.filter_map(|name| Some(format!("{name}={}", of_host(name)?))).collect()
}

/// Why there is no block for these variables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    #[error("the name of an environment variable is not empty and has no \"=\" and no NUL: {0:?}")]
    Name(String),
    #[error("the value of an environment variable has no NUL: {0}")]
    Value(String),
}

/// Returns the block for `CreateProcessW` with `CREATE_UNICODE_ENVIRONMENT`.
///
/// Of two names that differ in case only, the later one counts, with its spelling. A name may begin with `=`,
/// as the current directories of drives do (`=C:`).
///
/// # Errors
///
/// A name or value that the block can't have.
pub fn block<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<u16>, EnvironmentError> {
    let mut sorted = BTreeMap::new();
    for (name, value) in variables {
        if name.is_empty() || name.contains('\0') || name.chars().skip(1).any(|character| character == '=') {
            return Err(EnvironmentError::Name(name.to_owned()));
        }
        if value.contains('\0') {
            return Err(EnvironmentError::Value(name.to_owned()));
        }
        sorted.insert(folded(name), (name, value));
    }
    let mut block: Vec<u16> = sorted
        .into_values()
        .flat_map(|(name, value)| format!("{name}={value}\0").encode_utf16().collect::<Vec<_>>())
        .collect();
    if block.is_empty() {
        block.push(0); // a block without variables ends with two NULs as well
    }
    block.push(0);
    Ok(block)
}

/// Returns the name in the form in which Windows compares names: each UTF-16 unit in upper case.
///
/// A character stays as it is if its upper case is longer (`ß`), outside of the first plane, or ASCII without
/// being ASCII itself (`ı`).
#[must_use]
pub fn folded(name: &str) -> Vec<u16> {
    name.encode_utf16()
        .map(|unit| {
            let Some(character) = char::from_u32(u32::from(unit)) else { return unit };
            let mut upper = character.to_uppercase();
            match (upper.next(), upper.next()) {
                (Some(one), None) if !one.is_ascii() || character.is_ascii() => {
                    u16::try_from(u32::from(one)).unwrap_or(unit)
                }
                _ => unit,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EnvironmentError, REQUIRED, block, folded, missing};

    fn text(variables: &[(&str, &str)]) -> String {
        String::from_utf16(&block(variables.iter().copied()).expect("valid variables")).expect("UTF-16")
    }

    /// Returns the value of a variable on a host that has all but one.
    fn of_host(name: &str) -> Option<String> {
        (name != "LOGONSERVER").then(|| "of the host".to_owned())
    }

    #[test]
    fn an_empty_environment_gets_all_that_the_host_has() {
        let all: Vec<_> = REQUIRED.into_iter().filter(|name| *name != "LOGONSERVER").collect();
        assert_eq!(
            missing([], of_host),
            all.iter().map(|name| format!("{name}=of the host")).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_variable_that_is_there_in_any_case_stays() {
        let own = ["SystemRoot=own", "Path=", "temp=a=b", "USERNAMES=x", "=C:=C:\\"];
        let added = missing(own, of_host);
        let has = |name: &str| added.contains(&format!("{name}=of the host"));
        assert_eq!(["SYSTEMROOT", "PATH", "TEMP", "USERNAME"].map(has), [false, false, false, true]);
        assert_eq!(added.len(), REQUIRED.len() - 4, "{added:?}");
    }

    #[test]
    fn names_are_sorted_without_regard_to_case() {
        assert_eq!(text(&[("b", "1"), ("A", "2"), ("_", "3"), ("C", "4")]), "A=2\0b=1\0C=4\0_=3\0\0");
    }

    #[test]
    fn of_two_names_that_differ_in_case_the_later_one_counts() {
        assert_eq!(text(&[("PATH", "old"), ("Path", "new")]), "Path=new\0\0");
        assert_eq!(text(&[("ä", "old"), ("Ä", "new")]), "Ä=new\0\0");
        assert_eq!(text(&[("I", "one"), ("ı", "other")]), "I=one\0ı=other\0\0");
    }

    #[test]
    fn a_block_without_variables_ends_with_two_nuls() {
        assert_eq!(text(&[]), "\0\0");
    }

    #[test]
    fn the_current_directory_of_a_drive_is_a_variable() {
        assert_eq!(text(&[("=C:", r"C:\a=b")]), "=C:=C:\\a=b\0\0");
    }

    #[test]
    fn a_name_that_would_be_read_as_another_one_is_refused() {
        for name in ["", "a=b", "==", "a\0b"] {
            assert_eq!(block([(name, "")]), Err(EnvironmentError::Name(name.to_owned())));
        }
    }

    #[test]
    fn a_value_with_nul_is_refused_by_its_name() {
        assert_eq!(block([("a", "b\0c=d")]), Err(EnvironmentError::Value("a".to_owned())));
    }

    proptest! {
        #[test]
        fn a_block_has_each_name_once_in_order(
            variables in proptest::collection::vec(("[a-zA-ZäÄ_ß😀]{1,3}", "[^\0]{0,5}"), 0..20)
        ) {
            let text = text(&variables.iter().map(|(name, value)| (&**name, &**value)).collect::<Vec<_>>());
            let names: Vec<_> = text
                .split('\0')
                .filter(|entry| !entry.is_empty())
                .map(|entry| folded(entry.split('=').next().unwrap_or_default()))
                .collect();
            prop_assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
            for (name, _) in &variables {
                let (_, value) = variables.iter().rfind(|(other, _)| folded(other) == folded(name)).expect("itself");
                let has_it = text.split('\0').any(|entry| {
                    entry.split_once('=').is_some_and(|(key, held)| folded(key) == folded(name) && held == value)
                });
                prop_assert!(has_it);
            }
        }
    }
}
