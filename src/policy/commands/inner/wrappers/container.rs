//! Containers: `docker exec`, `docker run`, `docker compose`.

use crate::policy::commands::analysis::Trust;
use crate::policy::commands::arguments::{skip_options, word};
use crate::policy::commands::field::Field;
use crate::policy::commands::inner::model::Inner;

use super::prefix::by_table;
use super::table::CONTAINER_LONG;

/// Returns the command in a container, as in `docker --context a container exec c rm`.
pub(super) fn container(name: &str, words: &[Field]) -> Vec<Inner> {
    let globals =
        ["config", "context", "host", "log-level", "tlscacert", "tlscert", "tlskey", "connection", "url"];
    let mut at = skip_options(words, 1, "cHl", &globals);
    match word(words, at) {
        Some("compose") => return compose(words),
        Some("container") => at += 1,
        _ => {}
    }
    let rest: Vec<Field> = words[..1].iter().chain(words.get(at..).unwrap_or_default()).cloned().collect();
    let moved = at - 1;
    let mut found = by_table(name, &rest);
    // `docker run --entrypoint rm image x`
    let entrypoint =
        rest.iter().enumerate().find_map(|(at, field)| match field.text.strip_prefix("--entrypoint") {
            Some("") => rest.get(at + 1).cloned(),
            Some(value) => value.strip_prefix('=').map(Field::of),
            None => None,
        });
    found.extend(entrypoint.map(|program| Inner::Made(vec![program])));
    for inner in &mut found {
        if let Inner::Words { at, .. } | Inner::Start(at) = inner {
            *at += moved;
        }
    }
    found
}

fn compose(words: &[Field]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|field| matches!(field.text.as_str(), "exec" | "run")) else {
        return Vec::new();
    };
    let at = skip_options(words, at + 1, "euwvp", CONTAINER_LONG);
    Inner::words_from(words, at + 1, Trust::Runner)
}
