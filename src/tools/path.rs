//! Paths in texts.

/// A path without `.`, `..` and doubled slashes, as Python and Node resolve it; symbolic links are not followed.
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
