//! Paths as texts name them.

/// Returns a path without `.`, `..` and doubled slashes, as Python and Node normalize it; does not follow symbolic
/// links.
#[must_use]
pub fn absolute(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::absolute;

    #[test]
    fn dots_are_resolved() {
        assert_eq!(absolute("/a/./b//../c/"), "/a/c");
        assert_eq!(absolute("/../.."), "/");
    }
}
