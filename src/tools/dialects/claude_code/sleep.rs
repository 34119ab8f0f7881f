//! The refusal of commands that begin with a long `sleep`, as the current versions have it.
//!
//! The refusal is advice for a model, so it considers plain words only: a `sleep` behind other commands, in a
//! loop or with a variable runs.

/// A `sleep` at the beginning of a command.
#[derive(Debug, PartialEq)]
struct Sleep<'a> {
    /// The length of the sleep (ms).
    time_ms: f64,
    /// The command itself, such as `sleep 30`.
    text: &'a str,
    /// The commands behind it.
    rest: &'a str,
}

/// Returns the refusal of a command that begins with a `sleep` longer than `most_ms`.
pub(super) fn refusal(command: &str, most_ms: f64, reader: Option<&str>) -> Option<String> {
    let Sleep { time_ms, text, rest } = leading(command)?;
    if time_ms <= most_ms {
        return None;
    }
    let followed = if rest.is_empty() { String::new() } else { format!(" followed by: {rest}") };
    let advice = reader.map_or_else(String::new, |reader| {
        format!(" To wait for a command that you have started, use run_in_background: true, and {reader}.")
    });
    Some(format!(
        "Blocked: {text}{followed}. To wait for a condition, use a loop that ends by itself (e.g. `timeout 60 bash -c 'until \
         CHECK; do sleep 2; done'`).{advice} Do not chain shorter sleeps to work around this block."
    ))
}

/// Returns the `sleep` with which a command begins, unless the command leaves it in the background.
fn leading(command: &str) -> Option<Sleep<'_>> {
    let command = command.trim();
    let end = command.find([';', '&', '|', '\n']).unwrap_or(command.len());
    let (first, rest) = command.split_at(end);
    if rest.starts_with('&') && !rest.starts_with("&&") {
        return None;
    }
    let mut words = first.split_whitespace();
    if words.next() != Some("sleep") {
        return None;
    }
    let times: Option<Vec<f64>> = words.map(milliseconds).collect();
    let time_ms = times.filter(|times| !times.is_empty())?.iter().sum();
    Some(Sleep { time_ms, text: first.trim(), rest: rest.trim_start_matches([';', '&', '|']).trim() })
}

/// Parses a time of `sleep`: a number, perhaps with a unit.
fn milliseconds(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(['s', 'm', 'h', 'd']);
    let seconds = match &word[digits.len()..] {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    if digits == "infinity" {
        return Some(f64::INFINITY);
    }
    let isnt_number = |character: char| !character.is_ascii_digit() && character != '.';
    if digits.contains(isnt_number) {
        return None;
    }
    Some(digits.parse::<f64>().ok()? * seconds * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::{leading, refusal};

    #[test]
    fn the_time_of_a_leading_sleep_is_known() {
        let time = |command| leading(command).map(|sleep| sleep.time_ms);
        let times =
            ["sleep 5", " sleep 1.5s; ls", "sleep 2m && ls", "sleep 1 2\nls", "sleep infinity"].map(time);
        assert_eq!(times, [5e3, 1.5e3, 1.2e5, 3e3, f64::INFINITY].map(Some));
    }

    #[test]
    fn other_commands_run() {
        let others =
            ["sleep", "sleep $N", "sleep 99 &", "sleep 9 & ls", "echo; sleep 9", "sleeper 9", "sleep x", ""];
        for command in others {
            assert_eq!(leading(command), None, "{command}");
        }
        assert_eq!(refusal("sleep 2; ls", 2_000.0, None), None);
    }

    #[test]
    fn the_refusal_names_what_was_to_follow() {
        let text =
            refusal("sleep 45 && cat log", 2_000.0, Some("read it with BashOutput")).unwrap_or_default();
        assert!(
            text.starts_with("Blocked: sleep 45 followed by: cat log. To wait for a condition, "),
            "{text}"
        );
        assert!(
            text.contains("run_in_background: true, and read it with BashOutput. Do not chain"),
            "{text}"
        );
        let alone = refusal("sleep 45", 2_000.0, None).unwrap_or_default();
        assert!(alone.starts_with("Blocked: sleep 45. To wait"), "{alone}");
        assert!(!alone.contains("run_in_background"), "{alone}");
    }
}
