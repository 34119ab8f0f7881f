use std::sync::Arc;

use proptest::prelude::*;

use super::forms::forms_of;
use super::{MaskStyle, RedactedStream, Redactor, Rule};

fn redactor(values: &[(&str, &str)]) -> Arc<Redactor> {
    let owned: Vec<(String, String)> =
        values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Arc::new(Redactor::new(&owned, &[], false).expect("no rules"))
}

fn tokens() -> Arc<Redactor> {
    Arc::new(Redactor::new(&[], &[], true).expect("rules"))
}

/// Redacts the parts of a stream.
fn redacted(redactor: &Arc<Redactor>, style: MaskStyle, parts: &[&[u8]]) -> Vec<u8> {
    let mut stream = RedactedStream::new(Arc::clone(redactor), style);
    let mut out = Vec::new();
    for part in parts {
        stream.push(part, &mut out);
    }
    stream.finish(&mut out);
    out
}

fn text(redactor: &Arc<Redactor>, parts: &[&str]) -> String {
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    String::from_utf8(redacted(redactor, MaskStyle::Named, &parts)).expect("text")
}

const VALUE: &str = "s3cr3t-P4ssw0rd/with$chars'é";

#[test]
fn each_form_is_replaced_wherever_the_stream_is_cut() {
    let redactor = redactor(&[("TOKEN", VALUE)]);
    for form in forms_of(VALUE) {
        let whole = [b"<<".as_slice(), &form, b">>\n"].concat();
        for cut in 0..=whole.len() {
            let parts = [&whole[..cut], &whole[cut..]];
            let out = redacted(&redactor, MaskStyle::Named, &parts);
            let found = String::from_utf8_lossy(&out).into_owned();
            assert_eq!(found, "<<[redacted:TOKEN]>>\n", "{}", String::from_utf8_lossy(&form));
        }
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(redacted(&redactor, MaskStyle::Named, &bytes), b"<<[redacted:TOKEN]>>\n");
    }
}

#[test]
fn a_long_form_is_replaced_where_it_is_wrapped_or_coloured() {
    let value = "Y7hK2mNpQ9rTvWxZ4bCdEfGh";
    let redactor = redactor(&[("KEY", value)]);
    for between in ["\n", "\r\n", "\n    ", "\n\t", "\x1b[0m", "\x1b[1;31m\n", "\r"] {
        for size in 1..value.len() {
            let pieces: Vec<&str> = value
                .as_bytes()
                .chunks(size)
                .map(|piece| std::str::from_utf8(piece).expect("ASCII"))
                .collect();
            let wrapped = format!("= {}\nend\n", pieces.join(between));
            assert_eq!(text(&redactor, &[&wrapped]), "= [redacted:KEY]\nend\n", "{size} {between:?}");
        }
    }
}

#[test]
fn a_wrapped_value_is_not_whole_in_a_stream_of_lines() {
    let value = "Y7hK2mNpQ9rTvWxZ4bCdEfGh";
    let redactor = redactor(&[("KEY", value)]);
    assert_eq!(
        text(&redactor, &["Y7hK2mNpQ9\n", "rTvWxZ4bCd\n", "EfGh\n", "end\n"]),
        "[redacted:KEY]\nend\n"
    );
    // The first line is too short to be held back.
    assert_eq!(text(&redactor, &["Y7hK2\n", "mNpQ9rTvWxZ4bCdEfGh\n"]), "Y7hK2\n[redacted:KEY]\n");
}

#[test]
fn a_short_value_is_replaced_only_unbroken() {
    let redactor = redactor(&[("PIN", "hunter22")]);
    assert_eq!(text(&redactor, &["hunter\n22 hunter22"]), "hunter\n22 [redacted:PIN]");
}

#[test]
fn a_value_with_line_breaks_is_replaced_at_any_indentation() {
    let redactor = redactor(&[("PEM", "first-line\n  second-line\nthird")]);
    for form in [
        "first-line\n  second-line\nthird",
        "first-line\n        second-line\r\n        third",
        "first-line\\n  second-line\\nthird",
    ] {
        assert_eq!(text(&redactor, &["a: ", form, "\nb"]), "a: [redacted:PEM]\nb");
    }
}

#[test]
fn overlapping_values_have_one_mark_and_no_remains() {
    let redactor = redactor(&[("OUTER", "abcdefghijkl"), ("INNER", "defghi"), ("NEXT", "ijklmnop")]);
    assert_eq!(text(&redactor, &["-abcdefghijkl-"]), "-[redacted:OUTER]-");
    assert_eq!(text(&redactor, &["-abcdefghijklmnop-"]), "-[redacted:OUTER]-");
    assert_eq!(text(&redactor, &["-abcdefgh", "ijklm", "nop-"]), "-[redacted:OUTER]-");
    assert_eq!(text(&redactor, &["defghidefghi"]), "[redacted:INNER][redacted:INNER]");
}

#[test]
fn only_what_begins_a_value_is_held_back() {
    let redactor = redactor(&[("TOKEN", "topsecret-value")]);
    let mut stream = RedactedStream::new(redactor, MaskStyle::Named);
    let mut out = Vec::new();
    stream.push(b"a line\n? tops", &mut out);
    assert_eq!(out, b"a line\n? ");
    stream.push(b"ort", &mut out);
    assert!(out.starts_with(b"a line\n? topsor"));
}

#[test]
fn a_terminal_shows_three_bytes_of_what_is_held_back() {
    let redactor = redactor(&[("TOKEN", "topsecret-value")]);
    let mut stream = RedactedStream::new(redactor, MaskStyle::Named);
    let mut out = Vec::new();
    stream.push(b"$ to", &mut out);
    assert!(stream.may_show());
    stream.show(&mut out);
    assert_eq!(out, b"$ to");
    for byte in b"psecret-value!" {
        stream.push(&[*byte], &mut out);
        stream.show(&mut out);
    }
    assert_eq!(out, b"$ top[redacted:TOKEN]!");
}

#[test]
fn a_long_beginning_is_replaced_at_the_end_of_a_stream() {
    let redactor = redactor(&[("TOKEN", "topsecret-value")]);
    assert_eq!(text(&redactor, &["x topsecre"]), "x [redacted:TOKEN]");
    assert_eq!(text(&redactor, &["x topsecr"]), "x topsecr");
}

#[test]
fn asterisks_keep_the_length() {
    let redactor = redactor(&[("TOKEN", "topsecret-value")]);
    let out = redacted(&redactor, MaskStyle::Asterisks, &[b"\xfftopsec", b"ret-value\xfe"]);
    assert_eq!(out, b"\xff***************\xfe");
}

#[test]
fn a_token_is_recognized_by_its_format() {
    let github = format!("ghp_{}", "aB3".repeat(12));
    let long = format!("AKIA{}", "A".repeat(30));
    let source = format!("a {github}; AKIAABCDEFGHIJKLMNOP ghp_short {long}\n");
    let expected = format!("a [redacted:github-token]; [redacted:aws-access-key] ghp_short {long}\n");
    for cut in 0..source.len() {
        assert_eq!(text(&tokens(), &[&source[..cut], &source[cut..]]), expected);
    }
}

#[test]
fn a_private_key_is_replaced_to_its_last_line() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(20);
    let source = format!("a\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\nb\n");
    for cut in (0..source.len()).step_by(7) {
        assert_eq!(
            text(&tokens(), &[&source[..cut], &source[cut..]]),
            "a\n[redacted:private-key]\nb\n",
            "cut at {cut}"
        );
    }
    let public = source.replace("RSA PRIVATE", "PUBLIC");
    assert_eq!(text(&tokens(), &[&public]), public);
    let endless = format!("-----BEGIN PRIVATE KEY-----{}", "x".repeat(100_000));
    assert_eq!(text(&tokens(), &[&endless]).len(), "[redacted:private-key]".len() + 100_000 - 65_536);
}

#[test]
fn a_rule_of_the_caller_matches_within_a_line() {
    let rule = Rule {
        name: "password".to_owned(),
        literal: "password=".to_owned(),
        pattern: r"password=\S+".to_owned(),
        max: 64,
    };
    let redactor = Arc::new(Redactor::new(&[], std::slice::from_ref(&rule), false).expect("a pattern"));
    assert_eq!(text(&redactor, &["x passwo", "rd=abc", "def y\n"]), "x [redacted:password] y\n");
    let wrong = Rule { pattern: "(".to_owned(), ..rule };
    assert_eq!(Redactor::new(&[], &[wrong], false).expect_err("no pattern").index, 0);
}

#[test]
fn a_value_that_a_mark_shows_is_named() {
    assert_eq!(redactor(&[("A", "redacted")]).shown_by_a_mark(), Some("A"));
    assert_eq!(redactor(&[("hunter22", "another"), ("B", "hunter2")]).shown_by_a_mark(), Some("B"));
    assert_eq!(redactor(&[("A", "topsecret")]).shown_by_a_mark(), None);
}

#[test]
fn long_breaks_do_not_grow_what_is_held_back() {
    let redactor = redactor(&[("KEY", "Y7hK2mNpQ9rTvWxZ4bCdEfGh")]);
    let mut stream = RedactedStream::new(redactor, MaskStyle::Named);
    let mut out = Vec::new();
    stream.push(b"Y7hK2mNpQ9", &mut out);
    for _ in 0..1_000 {
        stream.push(&[b'\n'; 64], &mut out);
    }
    assert_eq!(out.len(), 10 + 64_000);
}

proptest! {
    #[test]
    fn no_value_is_in_a_stream_and_all_else_is_unchanged(
        value in "[a-c \n'\"/$%é]{6,20}",
        noise in proptest::collection::vec("[x-z\\x1b\\[0-9m \n]{0,12}", 2..6),
        which in any::<prop::sample::Index>(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let redactor = redactor(&[("V", &value)]);
        let forms = forms_of(&value);
        let form = which.get(&forms);
        let bytes = noise.iter().map(String::as_bytes).collect::<Vec<_>>().join(form.as_slice());
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let parts: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let out = redacted(&redactor, MaskStyle::Named, &parts);
        for form in &forms {
            prop_assert!(memchr::memmem::find(&out, form).is_none());
        }
        let stars = redacted(&redactor, MaskStyle::Asterisks, &parts);
        prop_assert_eq!(stars.len(), bytes.len());
        for (star, byte) in stars.iter().zip(&bytes) {
            prop_assert!(star == byte || *star == b'*');
        }
    }

    #[test]
    fn other_text_is_unchanged(text in "[k-z\\x1b\\[0-9m \r\n]{0,400}", cut in any::<prop::sample::Index>()) {
        let redactor = redactor(&[("V", "ABCDEFGHIJKLMNOPQRST"), ("W", "abcabc")]);
        let cut = cut.index(text.len() + 1);
        let bytes = text.as_bytes();
        let out = redacted(&redactor, MaskStyle::Named, &[&bytes[..cut], &bytes[cut..]]);
        prop_assert_eq!(out, bytes);
    }
}
