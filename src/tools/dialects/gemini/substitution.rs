//! Detects substitutions in a command by the rules of the original.

/// Returns whether `$( )`, backticks, `<( )` or `>( )` stand outside of single quotes (and the last two
/// outside of double quotes).
///
/// The policy judges safety; this check only repeats that of the original.
pub(super) fn is_in(command: &str) -> bool {
    let characters: Vec<char> = command.chars().collect();
    let (mut single, mut double) = (false, false);
    let mut index = 0;
    while let Some(&character) = characters.get(index) {
        let next = characters.get(index + 1);
        match character {
            '\\' if !single => index += 1,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '`' if !single => return true,
            '$' if !single && next == Some(&'(') => return true,
            '<' | '>' if !single && !double && next == Some(&'(') => return true,
            _ => {}
        }
        index += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn substitutions_are_found_outside_of_single_quotes() {
        for command in ["echo $(ls)", "echo \"$(ls)\"", "echo `ls`", "cat <(ls)", "ls >(cat)"] {
            assert!(is_in(command), "{command}");
        }
        for command in ["echo '$(ls)'", r"echo \$(ls)", "echo \"<(ls)\"", "echo $HOME", "(ls)"] {
            assert!(!is_in(command), "{command}");
        }
    }
}
