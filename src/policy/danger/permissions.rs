//! Permissions by which everybody may write.

/// Returns whether a mode lets everybody write.
pub(crate) fn opens_to_all(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) && !mode.is_empty() {
        return mode.ends_with(['2', '3', '6', '7']);
    }
    mode.split(',').any(|part| {
        let who = part.split(['+', '=']).next().unwrap_or("");
        (part.contains('+') || part.contains('='))
            && part.contains('w')
            && (who.is_empty() || who.contains('a') || who.contains('o'))
    })
}
