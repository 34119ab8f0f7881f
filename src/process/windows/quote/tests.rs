//! Tests of command lines: each is read back by the documented rules of Microsoft's C runtime.

use proptest::prelude::*;

use super::{BATCH_LINE_MAX, LINE_MAX, QuoteError, batch_line, cmd_line, line};

/// Reads a command line as `CommandLineToArgvW` does.
fn read_back(line: &str) -> Vec<String> {
    let mut characters = line.chars().peekable();
    let mut arguments = Vec::new();
    let mut program = String::new();
    let mut is_quoted = false;
    for character in characters.by_ref() {
        match character {
            '"' => is_quoted = !is_quoted,
            ' ' | '\t' if !is_quoted => break,
            _ => program.push(character),
        }
    }
    arguments.push(program);
    loop {
        while characters.next_if(|&character| character == ' ' || character == '\t').is_some() {}
        if characters.peek().is_none() {
            return arguments;
        }
        let mut argument = String::new();
        let mut is_quoted = false;
        while let Some(character) = characters.next_if(|&next| is_quoted || (next != ' ' && next != '\t')) {
            match character {
                '\\' => {
                    let mut count = 1;
                    while characters.next_if_eq(&'\\').is_some() {
                        count += 1;
                    }
                    if characters.peek() == Some(&'"') {
                        argument.extend(std::iter::repeat_n('\\', count / 2));
                        if count % 2 == 1 {
                            argument.extend(characters.next());
                        }
                    } else {
                        argument.extend(std::iter::repeat_n('\\', count));
                    }
                }
                '"' if is_quoted && characters.next_if_eq(&'"').is_some() => argument.push('"'),
                '"' => is_quoted = !is_quoted,
                _ => argument.push(character),
            }
        }
        arguments.push(argument);
    }
}

#[test]
fn an_argument_without_blanks_and_quotes_stays_as_it_is() {
    assert_eq!(
        line(r"C:\a b\x.exe", &["-c", r"C:\d\", "a&b"]).as_deref(),
        Ok(r#""C:\a b\x.exe" -c C:\d\ a&b"#)
    );
}

#[test]
fn backslashes_are_doubled_before_a_quote_only() {
    assert_eq!(line("x", &[r"a \b\", r#"a\"b"#]).as_deref(), Ok(r#""x" "a \b\\" "a\\\"b""#));
}

#[test]
fn wildcards_are_quoted_since_some_programs_expand_them_otherwise() {
    assert_eq!(line("x", &["*.c", "a?", "[ab]"]).as_deref(), Ok(r#""x" "*.c" "a?" "[ab]""#));
}

#[test]
fn cmd_reads_its_command_as_it_is_up_to_its_limit() {
    assert_eq!(
        cmd_line(r"C:\cmd.exe", &["/d", "/c"], r#"echo "a"&b"#).as_deref(),
        Ok(r#""C:\cmd.exe" /d /c "echo "a"&b""#)
    );
    let long = "a".repeat(BATCH_LINE_MAX);
    assert!(matches!(cmd_line("cmd.exe", &["/c"], &long), Err(QuoteError::Long { .. })));
}

#[test]
fn a_command_for_cmd_has_one_line_which_may_end() {
    let line = cmd_line("cmd.exe", &["/c"], "echo a\r\n").expect("one line");
    assert_eq!(line, r#""cmd.exe" /c "echo a""#);
    assert_eq!(cmd_line("cmd.exe", &["/c"], "echo a\necho b"), Err(QuoteError::Lines));
}

#[test]
fn an_empty_argument_is_an_argument() {
    assert_eq!(line("x", &["", "a"]).as_deref(), Ok(r#""x" "" a"#));
}

#[test]
fn a_quote_in_the_path_of_a_program_is_an_error() {
    assert_eq!(line("a\"b", &[]), Err(QuoteError::Program("a\"b".to_owned())));
}

#[test]
fn a_nul_is_an_error() {
    assert_eq!(line("x", &["a\0b"]), Err(QuoteError::Nul("a\0b".to_owned())));
}

#[test]
fn a_line_that_is_too_long_is_an_error_and_one_unit_less_is_none() {
    let longest = "😀".repeat((LINE_MAX - 4) / 2);
    assert_eq!(line("x", &[&longest]).map(|line| line.encode_utf16().count()), Ok(LINE_MAX));
    let longer = format!("{longest}a");
    assert_eq!(line("x", &[&longer]), Err(QuoteError::Long { length: LINE_MAX + 1, most: LINE_MAX }));
}

#[test]
fn a_batch_file_is_run_without_autorun_and_delayed_expansion() {
    assert_eq!(
        batch_line(r"C:\cmd.exe", r"C:\a b\x.cmd", &["-v", "a b", "", "a&b"]).as_deref(),
        Ok(r#""C:\cmd.exe" /d /e:on /v:off /s /c ""C:\a b\x.cmd" -v "a b" "" "a&b"""#),
    );
}

#[test]
fn what_cmd_would_change_is_refused() {
    for argument in ["\"", "\"&calc.exe", "%PATH%", "100%", "a\nb", "a\r", "a\0b", r"a b\", "a\" & calc & \""]
    {
        let refused = Err(QuoteError::Batch(argument.to_owned()));
        assert_eq!(batch_line("cmd.exe", "x.cmd", &[argument]), refused);
        assert_eq!(batch_line("cmd.exe", argument, &[]), refused);
    }
}

#[test]
fn a_directory_with_a_backslash_at_its_end_is_no_error_without_blanks() {
    assert!(batch_line("cmd.exe", "x.cmd", &[r"C:\dir\"]).is_ok_and(|line| line.ends_with(r#" C:\dir\""#)));
}

#[test]
fn separators_of_a_batch_file_are_quoted() {
    for argument in ["a,b", "a;b", "a=b", "a^b", "a|b", "a<b", "a(b)", "é", "!a!"] {
        let line = batch_line("cmd.exe", "x.cmd", &[argument]).expect("can be quoted");
        assert!(line.ends_with(&format!(" \"{argument}\"\"")), "{line}");
    }
}

#[test]
fn a_batch_line_that_is_too_long_is_an_error() {
    let long = "a".repeat(BATCH_LINE_MAX);
    assert!(
        matches!(batch_line("cmd.exe", "x.cmd", &[&long]), Err(QuoteError::Long { most, .. }) if most == BATCH_LINE_MAX)
    );
}

proptest! {
    #[test]
    fn every_argument_is_read_back_as_it_was(
        arguments in proptest::collection::vec(r#"[a \\"\t\né&%😀]{0,9}"#, 0..6)
    ) {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let line = line(r"C:\Program Files\x.exe", &arguments).expect("no NUL, and short");
        prop_assert_eq!(&read_back(&line)[1..], &arguments[..]);
    }

    #[test]
    fn what_is_between_the_outer_quotes_of_a_batch_line_has_balanced_quotes_around_every_operator(
        arguments in proptest::collection::vec(r#"[a \\"&|<>^(),;=%é\n]{0,9}"#, 0..6)
    ) {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        if let Ok(line) = batch_line("cmd.exe", "x.cmd", &arguments) {
            let inner = line.split_once("/c \"").map(|(_, rest)| &rest[..rest.len() - 1]).expect("the form of the line");
            let mut is_quoted = false;
            for character in inner.chars() {
                is_quoted ^= character == '"';
                prop_assert!(is_quoted || !"&|<>^(),;=%\n".contains(character));
            }
            prop_assert!(!is_quoted);
            // A program to which the batch file passes its arguments on reads the same ones.
            prop_assert_eq!(&read_back(inner)[1..], &arguments[..]);
        }
    }
}
