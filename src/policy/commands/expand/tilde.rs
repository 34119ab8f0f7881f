//! Tilde expansion.

use crate::policy::commands::field::TAINTED;
use crate::policy::commands::scope::Scope;

/// Returns a path with its tilde replaced.
pub(super) fn with_home(text: &str, scope: &Scope) -> String {
    let Some(rest) = text.strip_prefix('~') else { return text.to_owned() };
    let (user, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    match user {
        "" => {
            let home = scope.first_value("HOME");
            // The checks treat all homes alike, so that any name will do.
            format!("{}{path}", home.as_deref().unwrap_or("/home/~"))
        }
        "+" => format!("{}{path}", scope.directory().unwrap_or_else(|| TAINTED.to_owned())),
        "-" => format!("{TAINTED}{path}"),
        "root" => format!("/root{path}"),
        user => format!("/home/{user}{path}"),
    }
}
