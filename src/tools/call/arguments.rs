//! The arguments of a model's call, parsed leniently.

use serde_json::{Map, Value};

use crate::tools::bash_function::arguments::trim;

/// The arguments of one call.
///
/// Models send `null` for absent values, numbers as text, and unknown properties. So `null` counts as absent,
/// numeric text as a number, and unknown properties are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Parses a JSON object. Any other text gives no arguments.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        Self::from_value(serde_json::from_str(text).unwrap_or_default())
    }

    /// Converts an object. Any other value gives no arguments.
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Object(map) => Self(map),
            _ => Self::default(),
        }
    }

    /// Returns the value of this name, unless it is absent or `null`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns the text of this name, unchanged.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns the text of this name, unless it is blank (by `String.prototype.trim`).
    #[must_use]
    pub fn usable_text(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|text| !trim(text).is_empty())
    }

    /// Returns the finite number of this name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        let number = match self.get(name)? {
            Value::Number(number) => number.as_f64()?,
            Value::String(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        Some(number).filter(|number| number.is_finite())
    }

    /// Returns the number of this name, unless it is 0 or less.
    #[must_use]
    pub fn positive(&self, name: &str) -> Option<f64> {
        self.number(name).filter(|number| *number > 0.0)
    }

    /// Returns whether the argument is `true`, also as text.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value == true || value.as_str() == Some("true"))
    }

    /// Returns the list of texts of this name, if all of its items are texts.
    #[must_use]
    pub fn words(&self, name: &str) -> Option<Vec<String>> {
        self.get(name)?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    }

    /// Returns the properties of an object as texts, or the pairs of a list of objects with `name` and
    /// `value`, which strict schemas have in its place. Numbers and booleans become text; other values are
    /// left out.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<(String, String)> {
        let pair = |name: &str, value: &Value| Some((name.to_owned(), as_text(value)?));
        match self.get(name) {
            Some(Value::Object(map)) => map.iter().filter_map(|(name, value)| pair(name, value)).collect(),
            Some(Value::Array(pairs)) => {
                pairs.iter().filter_map(|one| pair(one.get("name")?.as_str()?, one.get("value")?)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the nested object of this name as arguments.
    #[must_use]
    pub fn object(&self, name: &str) -> Option<Self> {
        self.get(name)?.as_object().cloned().map(Self)
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    #[test]
    fn null_is_absent() {
        let arguments = Arguments::from_json(r#"{"command":null,"timeout":null}"#);
        assert_eq!(arguments.text("command"), None);
        assert_eq!(arguments.number("timeout"), None);
    }

    #[test]
    fn numeric_text_is_a_number_and_other_text_is_none() {
        let arguments = Arguments::from_json(r#"{"a":"5000","b":" 1.5 ","c":"soon","d":"NaN"}"#);
        assert_eq!(arguments.number("a"), Some(5000.0));
        assert_eq!(arguments.number("b"), Some(1.5));
        assert_eq!([arguments.number("c"), arguments.number("d")], [None; 2]);
    }

    #[test]
    fn what_is_no_object_has_no_arguments() {
        for json in ["", "[]", "\"ls\"", "7", "{"] {
            assert_eq!(Arguments::from_json(json), Arguments::default(), "{json}");
        }
    }

    #[test]
    fn blank_text_is_not_usable() {
        let arguments = Arguments::from_json(r#"{"command":" \u00a0\n"}"#);
        assert_eq!(arguments.text("command"), Some(" \u{a0}\n"));
        assert_eq!(arguments.usable_text("command"), None);
    }

    #[test]
    fn an_object_may_be_a_list_of_pairs() {
        let arguments = Arguments::from_json(
            r#"{"a":{"B":"1","C":2},"b":[{"name":"B","value":"1"},{"name":"C","value":2},{"name":"D"},"E=3"]}"#,
        );
        let expected = [("B", "1"), ("C", "2")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!([arguments.texts("a"), arguments.texts("b")], [expected.clone(), expected]);
    }

    #[test]
    fn a_list_has_texts_alone() {
        let arguments = Arguments::from_json(r#"{"a":["x","y"],"b":["x",1]}"#);
        assert_eq!(arguments.words("a"), Some(vec!["x".to_owned(), "y".to_owned()]));
        assert_eq!(arguments.words("b"), None);
    }
}
