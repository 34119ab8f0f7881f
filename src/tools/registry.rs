//! The dialects by their names.

use super::bash::Bash;
use super::dialect::Dialect;
use super::settings::Settings;

/// Makes the dialect of this name, with what the host has set.
#[must_use]
pub fn dialect(name: &str, settings: Settings) -> Option<Box<dyn Dialect>> {
    Some(match name {
        "bash" => Box::new(Bash::new(settings)),
        _ => return None,
    })
}
