//! Names whose case does not matter.

use std::borrow::Cow;

use crate::process::windows::environment::folded;

/// The variables that nearly every program needs: those of Windows, and those that Git Bash has besides.
pub const BASIC: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMMONPROGRAMW6432",
    "COMPUTERNAME",
    "COMSPEC",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "LOGONSERVER",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PUBLIC",
    "SHELL",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TZ",
    "USER",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Returns a name in the form in which names are compared, which [`BASIC`] has too.
#[must_use]
pub fn comparable(name: &str) -> Cow<'_, str> {
    Cow::Owned(String::from_utf16_lossy(&folded(name)))
}

/// Returns the value of a variable (`NAME=value`) if it has this name.
#[must_use]
pub fn value_of<'a>(variable: &'a str, name: &str) -> Option<&'a str> {
    let (own, value) = variable.split_once('=')?;
    (own.eq_ignore_ascii_case(name) || folded(own) == folded(name)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{BASIC, comparable};

    #[test]
    fn the_basic_names_are_in_the_form_that_is_compared() {
        for name in BASIC {
            assert_eq!(comparable(name), *name);
        }
    }
}
