//! The variables that a command inherits, for JavaScript.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;
use tracing::debug;

use crate::sandbox::environment::{Inherit, Inheritance};
use crate::sandbox::secrets::secrets_in;

/// Returns the names and the values of the secrets in an environment: those of variables that look secret, or
/// of the named ones.
#[napi(catch_unwind)]
pub fn secret_values(environment: String, names: Option<Vec<String>>) -> Vec<Vec<String>> {
    let secrets = secrets_in(&environment, names.as_deref());
    secrets.into_iter().map(|(name, value)| vec![name, value]).collect()
}

/// Returns the variables of `base` (`NAME=value`, with a NUL after each) that a command inherits: `all`,
/// `safe`, `none`, or those of a list.
#[napi(catch_unwind)]
pub fn inherited_environment(
    base: String,
    inherit: String,
    names: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    include: Option<Vec<String>>,
) -> String {
    let inherit = match (names, inherit.as_str()) {
        (Some(names), _) => Inherit::Names(names),
        (None, "safe") => Inherit::Safe,
        (None, "none") => Inherit::None,
        (None, _) => Inherit::All,
    };
    let inheritance =
        Inheritance { inherit, exclude: exclude.unwrap_or_default(), include: include.unwrap_or_default() };
    let variables =
        base.split_terminator('\0').map(|line| (line, line.split_once('=').unwrap_or((line, ""))));
    let (kept, left_out): (Vec<_>, Vec<_>) =
        variables.partition(|(_, (name, value))| inheritance.keeps(name, value));
    let names: Vec<&str> = left_out.iter().map(|(_, (name, _))| *name).collect();
    debug!(?names, "variables that the command does not inherit");
    kept.iter().flat_map(|(line, _)| [line, "\0"]).collect()
}
