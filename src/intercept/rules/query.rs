//! Methods that a query names, which some servers take in place of that of the request.

use super::path::decoded;

/// Parameters that name another method than that of the request.
const METHOD_PARAMETERS: [&str; 3] = ["_method", "$httpmethod", "x-http-method-override"];

/// Returns whether a query has a parameter that names a method.
#[must_use]
pub fn names_method(query: &str) -> bool {
    query.split(['&', ';']).any(|parameter| {
        let name = parameter.split('=').next().unwrap_or_default();
        let name = decoded(name.replace('+', " ").as_bytes());
        name.is_some_and(|name| METHOD_PARAMETERS.iter().any(|method| is_same(&name, method)))
    })
}

/// Returns whether servers may take one name for the other: PHP removes spaces before a name, and takes `_`
/// for spaces and dots; others ignore capitals, or read `name[]` as a list.
fn is_same(name: &[u8], method: &str) -> bool {
    let name = name.trim_ascii_start();
    let name = name.split(|byte| matches!(byte, b'[' | 0)).next().unwrap_or_default();
    let plain = |byte: &u8| if matches!(byte, b' ' | b'.') { b'_' } else { byte.to_ascii_lowercase() };
    name.iter().map(plain).eq(method.bytes())
}

#[cfg(test)]
mod tests {
    use super::names_method;

    #[test]
    fn a_method_is_found_however_its_parameter_is_written() {
        for query in [
            "_method=DELETE",
            "a=1&_method=DELETE",
            "a=1;_METHOD=DELETE",
            "%5fmethod=DELETE",
            "%5Fm%65thod",
            "+_method=DELETE",
            ".method=DELETE",
            "_method[]=DELETE",
            "_method%00x=DELETE",
            "%24httpMethod=DELETE",
            "X-HTTP-Method-Override=DELETE",
        ] {
            assert!(names_method(query), "{query}");
        }
        for query in ["", "method=DELETE", "a=_method", "_methods=1", "my_method=1", "%", "%5", "%zz"] {
            assert!(!names_method(query), "{query}");
        }
    }
}
