//! `ssh`: the command for the other machine, and the programs that run on this one for it.

use crate::policy::commands::{Field, Inner, StandardInput, Trust, UNKNOWN, skip_options};

pub(super) fn ssh(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    let is_autossh = words.first().is_some_and(|field| field.text.ends_with("autossh"));
    let short = if is_autossh { "MBbcDEeFIiJLlmOopQRSWw" } else { "BbcDEeFIiJLlmOopQRSWw" };
    let at = skip_options(words, 1, short, &[]);
    // The host may precede further options and `--`.
    let behind = at + 1;
    let behind = if behind < words.len() { skip_options(words, behind, short, &[]) } else { behind };
    let mut found: Vec<Inner> = words[1..behind.min(words.len())]
        .iter()
        .filter_map(|field| {
            let option = field.text.trim_start_matches("-o");
            let (name, value) = option.split_once(['=', ' '])?;
            let runs = ["proxycommand", "localcommand", "knownhostscommand", "permitlocalcommand"];
            runs.contains(&name.to_lowercase().as_str())
                .then(|| Inner::part(field, value, "an option of ssh", Trust::Separate))
        })
        .collect();
    if words.len() > behind {
        // The other machine may get a downloaded value, but no whole command.
        let code = words[behind..].iter().enumerate().map(|(at, field)| {
            let before = words.get(behind + at - 1).map_or("", |field| field.text.as_str());
            let is_command = at == 0 || matches!(before, "-c" | "eval" | "sudo" | "exec");
            let is_downloaded = field.is_downloaded && is_command && field.text.starts_with(UNKNOWN);
            Field { is_downloaded, ..field.clone() }
        });
        let code: Vec<Field> = code.collect();
        found.extend(Inner::joined(&code, "ssh", Trust::Runner));
    } else if words.len() > at {
        found.extend(Inner::stdin(input, "the input of ssh"));
    }
    found
}
