//! Options by which a program runs another one.

use crate::policy::commands::analysis::Obstacle;
use crate::policy::commands::arguments::{OptionWord, valued_letter};
use crate::policy::commands::field::{Field, UNKNOWN};
use crate::policy::programs::HiddenPrograms;

/// Returns the first of the options among the arguments.
pub(crate) fn hidden_obstacle(hidden: &HiddenPrograms, words: &[Field]) -> Option<Obstacle> {
    let is_listed =
        |names: &[&str], field: &Field| names.iter().any(|option| is_option(hidden, field, option));
    let options = || words.iter().skip(1).take_while(|field| field.text != "--");
    if options().any(|field| is_listed(hidden.commands, field)) {
        return Some(Obstacle::UnknownCode("an option that runs a program"));
    }
    let text = options().find(|field| is_listed(hidden.settings, field))?.shown();
    Some(Obstacle::Argument(text.split('=').next().unwrap_or(&text).to_owned()))
}

fn is_option(hidden: &HiddenPrograms, field: &Field, option: &str) -> bool {
    let text = field.text.as_str();
    if let Some(long) = option.strip_prefix("--") {
        let Some(OptionWord::Long(name, _)) = OptionWord::of(text) else { return false };
        return !name.is_empty() && long.starts_with(name) || name.contains(UNKNOWN);
    }
    if option.len() == 2 {
        // The letter may stand alone, with its value, or at the end of a cluster: `-zI prog`.
        return is_in_cluster(hidden, text, option);
    }
    // The value of `-TT` may be in the same word.
    text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=') || option == "-TT")
}

/// Returns whether a cluster has the letter of an option: `-zIprog` is `-z -I prog`. An earlier letter that
/// takes a value ends the search.
fn is_in_cluster(hidden: &HiddenPrograms, text: &str, option: &str) -> bool {
    let Some(OptionWord::Short(letters)) = OptionWord::of(text) else { return false };
    let ends = |letter| option.ends_with(letter) || hidden.valued.contains(letter);
    valued_letter(letters, ends).is_some_and(|(letter, _)| option.ends_with(letter))
}
