//! Finds the offsets at which a stream is cut: between characters, and between lines if one ends near enough.

use super::shape::Cut;

/// The divisor of the head or tail that gives the largest part lost to let the cut fall between lines: a
/// quarter.
const LINE_SHARE: usize = 4;

/// The largest number of continuation bytes in a character.
const MAX_CONTINUATIONS: usize = 3;

/// Returns the head of an excerpt, shortened to a good place to cut.
///
/// That place is the last line break, if it is near the end and cuts may fall between lines. Otherwise only
/// an unfinished character is removed.
pub(super) fn cut_head(head: &[u8], cut: Cut) -> &[u8] {
    let from = head.len() - head.len() / LINE_SHARE;
    if cut == Cut::Line
        && let Some(newline) = memchr::memrchr(b'\n', &head[from..])
    {
        return &head[..=from + newline];
    }
    // A lead byte starts a character in every decoder, so a cut before it falls between characters.
    let lead = head.iter().rev().take(MAX_CONTINUATIONS).position(|byte| *byte >= 0xc0);
    let end = lead.map_or(head.len(), |back| head.len() - 1 - back);
    let unfinished = str::from_utf8(&head[end..]).is_err_and(|error| error.error_len().is_none());
    if unfinished { &head[..end] } else { head }
}

/// Returns the tail of an excerpt, shortened to a good place to cut.
///
/// That place is behind the first line break, if it is near the beginning and cuts may fall between lines.
/// Otherwise only the rest of a character that began before the tail is removed. `with_context` begins one
/// byte before the tail.
pub(super) fn cut_tail(with_context: &[u8], cut: Cut) -> &[u8] {
    let Some((before, tail)) = with_context.split_first() else {
        return &[];
    };
    if *before == b'\n' {
        return tail;
    }
    if cut == Cut::Line
        && let Some(newline) = memchr::memchr(b'\n', &tail[..tail.len() / LINE_SHARE])
    {
        return &tail[newline + 1..];
    }
    // An ASCII byte has no continuation bytes: any after it are invalid by themselves.
    let most = if before.is_ascii() { 0 } else { MAX_CONTINUATIONS };
    let rest = tail.iter().take(most).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
    &tail[rest..]
}
