//! Finds the offsets at which a stream is cut: between characters, and between lines if one ends near enough.

use super::shape::Cut;

/// The divisor of the head or tail that gives the part which may be lost so that the cut falls between two
/// lines: a quarter.
const LINE_SHARE: usize = 4;

/// The largest number of continuation bytes of a character.
const CONTINUATIONS: usize = 3;

/// Returns the head up to its last line break, if that is near its end and cuts may fall between lines;
/// otherwise the head without an unfinished character.
pub(super) fn cut_head(head: &[u8], cut: Cut) -> &[u8] {
    let from = head.len() - head.len() / LINE_SHARE;
    if cut == Cut::Line
        && let Some(newline) = memchr::memrchr(b'\n', &head[from..])
    {
        return &head[..=from + newline];
    }
    // A lead byte starts a character in every decoder, so a cut before it falls between characters.
    let lead = head.iter().rev().take(CONTINUATIONS).position(|byte| *byte >= 0xc0);
    let end = lead.map_or(head.len(), |back| head.len() - 1 - back);
    let unfinished = str::from_utf8(&head[end..]).is_err_and(|error| error.error_len().is_none());
    if unfinished { &head[..end] } else { head }
}

/// Returns the tail after its first line break, if that is near its beginning and cuts may fall between
/// lines; otherwise the tail without the rest of a character that may have begun before it. The input has one
/// more byte, the one before the tail.
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
    // An ASCII byte has no continuation bytes: those after it are invalid by themselves.
    let most = if before.is_ascii() { 0 } else { CONTINUATIONS };
    let rest = tail.iter().take(most).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
    &tail[rest..]
}
