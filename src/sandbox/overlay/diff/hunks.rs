//! The hunks of a patch: the lines that differ, with some around them.

use std::ops::Range;

use imara_diff::sources::byte_lines;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

/// Writes the hunks between two texts. `context` is the number of equal lines around a difference.
pub(super) fn write_hunks(before: &[u8], after: &[u8], context: u32, out: &mut Vec<u8>) {
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let lines = |tokens: &[imara_diff::Token], range: Range<u32>| -> Vec<&[u8]> {
        let range = range.start as usize..range.end as usize;
        let tokens = tokens.get(range).unwrap_or_default();
        tokens.iter().map(|&token| input.interner[token]).collect()
    };
    let [old_length, new_length] =
        [&input.before, &input.after].map(|tokens| u32::try_from(tokens.len()).unwrap_or(u32::MAX));
    for group in groups(diff.hunks().collect(), context) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let leading = context.min(first.before.start);
        let trailing = context.min(old_length - last.before.end);
        let old = first.before.start - leading..last.before.end + trailing;
        let new = first.after.start - leading..(last.after.end + trailing).min(new_length);
        out.extend_from_slice(format!("@@ -{} +{} @@\n", ranged(&old), ranged(&new)).as_bytes());
        let mut at = old.start;
        for hunk in &group {
            write_lines(b' ', &lines(&input.before, at..hunk.before.start), out);
            write_lines(b'-', &lines(&input.before, hunk.before.clone()), out);
            write_lines(b'+', &lines(&input.after, hunk.after.clone()), out);
            at = hunk.before.end;
        }
        write_lines(b' ', &lines(&input.before, at..old.end), out);
    }
}

/// Joins differences whose equal lines between them would be in the context of both.
fn groups(hunks: Vec<Hunk>, context: u32) -> Vec<Vec<Hunk>> {
    let mut groups: Vec<Vec<Hunk>> = Vec::new();
    for hunk in hunks {
        let last = groups.last_mut();
        match last.filter(|group| {
            group.last().is_some_and(|last| hunk.before.start - last.before.end <= context.saturating_mul(2))
        }) {
            Some(group) => group.push(hunk),
            None => groups.push(vec![hunk]),
        }
    }
    groups
}

/// Returns the numbers of lines as a patch has them: an empty range names the line before it.
fn ranged(range: &Range<u32>) -> String {
    match range.end - range.start {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        length => format!("{},{length}", range.start + 1),
    }
}

fn write_lines(sign: u8, lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::write_hunks;

    fn hunks(before: &str, after: &str, context: u32) -> String {
        let mut out = Vec::new();
        write_hunks(before.as_bytes(), after.as_bytes(), context, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn differences_have_lines_around_them() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = before.replace("5\n", "five\n");
        assert_eq!(hunks(before, &after, 1), "@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n");
        assert_eq!(hunks(before, &after, 0), "@@ -5 +5 @@\n-5\n+five\n");
    }

    #[test]
    fn near_differences_are_one_hunk_and_far_ones_are_two() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let near = before.replace("3\n", "x\n").replace("5\n", "y\n");
        assert_eq!(hunks(before, &near, 1), "@@ -2,5 +2,5 @@\n 2\n-3\n+x\n 4\n-5\n+y\n 6\n");
        let far = before.replace("2\n", "x\n").replace("8\n", "y\n");
        assert_eq!(hunks(before, &far, 1).matches("@@ -").count(), 2);
    }

    #[test]
    fn a_missing_newline_at_the_end_is_told() {
        assert_eq!(hunks("a", "a\n", 3), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
        assert_eq!(hunks("", "a\n", 3), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(hunks("a\n", "", 3), "@@ -1 +0,0 @@\n-a\n");
    }
}
