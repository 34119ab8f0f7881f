//! Other words for the same command: `git-push`, `npm i`, `python -m pip`. Deny and ask rules match each of
//! them.

use super::synonyms::other_names;
use crate::policy::commands::{Field, base_name};
use crate::policy::programs::Program;

/// Returns the words with the name without its path, and again in each other spelling.
pub(super) fn spellings(words: &[Field]) -> Vec<Vec<Field>> {
    let mut plain = words.to_vec();
    let Some(name) = plain[0].known().map(|name| base_name(name).to_owned()) else { return vec![plain] };
    if let Some(subcommand) = name.strip_prefix("git-").filter(|subcommand| !subcommand.is_empty()) {
        let mut git = plain.clone();
        git.splice(0..1, [Field::of("git"), Field::of(subcommand)]);
        return vec![plain, git];
    }
    plain[0].text.clone_from(&name);
    let spellings = Program::of_any_version(&name).and_then(|program| program.synonyms.spellings);
    let mut all = spellings.map_or_else(Vec::new, |spellings| spellings(&plain));
    all.extend(renamed(&plain));
    all.push(plain);
    all
}

/// Returns a command by its other names.
fn renamed(words: &[Field]) -> Vec<Vec<Field>> {
    let first: Vec<&str> = words.iter().take(2).map(|field| field.text.as_str()).collect();
    let with_names = |(count, names): (usize, Vec<&str>)| {
        names.into_iter().map(Field::of).chain(words[count..].iter().cloned()).collect()
    };
    other_names(&first).into_iter().map(with_names).collect()
}
