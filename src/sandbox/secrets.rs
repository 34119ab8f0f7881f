//! Selects the values of variables that are secret, to find them in output.

use super::environment::{is_secret, matches};
use crate::text::percent::encoded_byte;

/// The shortest value that is told from other text (bytes).
const MIN_VALUE: usize = 8;

/// The longest value (bytes). A longer one is several, each found by itself.
const MAX_VALUE: usize = 8192;

/// Values of variables that say that there is no secret, or that are words of many outputs.
const WORDS: [&str; 22] = [
    "accesskey", "anonymous", "changeme", "credential", "credentials", "database", "disabled", "dummykey",
    "developer", "development", "localhost", "password", "passw0rd", "postgres", "private_key", "production",
    "redacted", "required", "secretkey", "undefined", "unlimited", "username",
];

/// The directories at the root of file systems, with which the path of a file begins.
const ROOTS: [&str; 20] = [
    "Applications", "Library", "Users", "Volumes", "app", "bin", "data", "dev", "etc", "home", "mnt", "nix",
    "opt", "private", "proc", "root", "run", "srv", "tmp", "usr",
];

/// Endings of names of variables with addresses, whose programs have the secrets.
const ADDRESSES: [&str; 5] =
    ["_SOCK", "DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO", "KUBECONFIG", "DOCKER_HOST"];

/// Returns the names and values of the secrets in an environment (`NAME=value`, with a NUL after each): those
/// of variables that look secret, or of the named ones, in whose names `*` stands for any part. Of an
/// address, the password counts. A value that is short, a number, a path or a common word is none.
#[must_use]
pub fn secrets_in(environment: &str, names: Option<&[String]>) -> Vec<(String, String)> {
    let mut secrets = Vec::new();
    for (name, value) in environment.split('\0').filter_map(|variable| variable.split_once('=')) {
        let is_chosen = match names {
            Some(names) => names.iter().any(|pattern| matches(pattern, name)),
            None => is_secret(name, value) && !ADDRESSES.iter().any(|ending| name.ends_with(ending)),
        };
        if !is_chosen {
            continue;
        }
        let passwords = passwords_in(value);
        if passwords.is_empty() && !value.contains("://") {
            secrets.extend(pieces(value).map(|piece| (name.to_owned(), piece.to_owned())));
        }
        secrets.extend(passwords.into_iter().map(|password| (name.to_owned(), password)));
    }
    let names: Vec<&str> = secrets.iter().map(|(name, _)| name.as_str()).collect();
    let marks = format!("[redacted:{}]", names.join("][redacted:"));
    secrets.retain(|(_, value)| is_distinct(value) && !marks.contains(value.as_str()));
    secrets
}

/// Returns the passwords in addresses (`scheme://user:password@`), as they are and decoded.
fn passwords_in(value: &str) -> Vec<String> {
    let mut passwords = Vec::new();
    for (at, separator) in value.match_indices("://") {
        let rest = &value[at + separator.len()..];
        let authority = rest.split(['/', '?', '#', ' ', '"', '\'']).next().unwrap_or_default();
        let Some((_, password)) = authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':'))
        else {
            continue;
        };
        let decoded = decoded(password);
        if decoded != password {
            passwords.push(decoded);
        }
        passwords.push(password.to_owned());
    }
    passwords
}

/// Decodes `%41`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match encoded_byte(after) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Cuts a value into pieces of at most [`MAX_VALUE`] bytes.
fn pieces(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = (0..=MAX_VALUE.min(rest.len())).rev().find(|end| rest.is_char_boundary(*end));
        let (piece, after) = rest.split_at(end.unwrap_or_default());
        rest = after;
        Some(piece)
    })
}

/// Returns whether a value is told from other text.
fn is_distinct(value: &str) -> bool {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    value.len() >= MIN_VALUE && !is_number && !is_path(value) && !is_word(value)
}

fn is_word(value: &str) -> bool {
    WORDS.contains(&value.to_ascii_lowercase().as_str())
}

/// Returns whether a value is the path of a file. A slash alone does not tell: random values begin with one.
fn is_path(value: &str) -> bool {
    let is_relative = ["~/", "./", "../"].iter().any(|start| value.starts_with(start));
    let root = value.strip_prefix('/').and_then(|rest| rest.split('/').next());
    is_relative || root.is_some_and(|root| root == "var" || ROOTS.contains(&root))
}

#[cfg(test)]
mod tests {
    use super::secrets_in;

    fn found(environment: &[&str], names: Option<&[&str]>) -> Vec<String> {
        let environment = environment.join("\0");
        let names: Option<Vec<String>> =
            names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let secrets = secrets_in(&environment, names.as_deref());
        secrets.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn the_values_of_variables_that_look_secret_are_secrets() {
        let environment = ["HOME=/home/me12345", "GITHUB_TOKEN=ghp_abcdef12", "EDITOR=someeditor"];
        assert_eq!(found(&environment, None), ["GITHUB_TOKEN=ghp_abcdef12"]);
        assert_eq!(found(&environment, Some(&["EDI*"])), ["EDITOR=someeditor"]);
    }

    #[test]
    fn what_is_no_distinct_text_is_no_secret() {
        for value in ["short12", "1234567890", "/home/me/key.pem", "~/.config/key", "changeme", "A_TOKEN"] {
            assert_eq!(found(&[&format!("A_TOKEN={value}")], None), [""; 0], "{value}");
        }
        assert_eq!(found(&["A_TOKEN=/x9K2mQpLw83"], None), ["A_TOKEN=/x9K2mQpLw83"]);
        assert_eq!(found(&["SSH_AUTH_SOCK=/odd/path/agent.12"], None), [""; 0]);
    }

    #[test]
    fn of_an_address_the_password_is_a_secret() {
        assert_eq!(
            found(&["DATABASE_URL=postgres://me:p%40ssw0rd1@db.example/x"], None),
            ["DATABASE_URL=p@ssw0rd1", "DATABASE_URL=p%40ssw0rd1"]
        );
        assert_eq!(found(&["DATABASE_URL=postgres://db.example/x"], None), [""; 0]);
    }

    #[test]
    fn a_long_value_is_several() {
        assert_eq!(found(&[&format!("A_TOKEN={}", "\u{e4}x1".repeat(6_000))], None).len(), 3);
    }
}
