//! Paths as texts name them.

/// Returns an absolute path without `.`, `..` and doubled slashes, as Python and Node normalize it; does not
/// follow links.
#[must_use]
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn dots_are_resolved() {
        assert_eq!(normal("/a/./b//../c/"), "/a/c");
        assert_eq!(normal("/../.."), "/");
    }
}
