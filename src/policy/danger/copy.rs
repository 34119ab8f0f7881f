//! Copies, moves and links: which path each file gets.

use crate::policy::commands::{Field, OptionWord, base_name};
use crate::policy::paths::PathStyle;

/// The operands of `cp`, `mv`, `ln` and `install`.
#[derive(Debug)]
pub(crate) struct FileCopy<'a> {
    pub(crate) sources: Vec<&'a Field>,
    /// The file or directory that the sources become, or are put into.
    pub(crate) target: &'a str,
    /// Whether an option names the target, which is then a directory. Any other target may be a directory.
    pub(crate) is_directory: bool,
}

impl<'a> FileCopy<'a> {
    /// Reads the words of a command; `None` without a source and a target.
    pub(crate) fn of(words: &'a [Field]) -> Option<Self> {
        let by_option = target_directory(words);
        let value_at = by_option.and_then(|(_, at)| at);
        let mut sources: Vec<&Field> = words
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(at, field)| !field.text.starts_with('-') && Some(*at) != value_at)
            .map(|(_, field)| field)
            .collect();
        let target = match by_option {
            Some((target, _)) => target,
            None => sources.pop()?.text.as_str(),
        };
        let copy = Self { sources, target, is_directory: by_option.is_some() };
        (!copy.sources.is_empty()).then_some(copy)
    }

    /// Returns the paths that the command may write: the target, and each source in it.
    pub(crate) fn results(&self, style: PathStyle) -> Vec<String> {
        let directory = self.target.trim_end_matches('/');
        let name = |text: &str| match style {
            PathStyle::Unix => base_name(text).to_owned(),
            PathStyle::Windows => base_name(&text.replace('\\', "/")).to_owned(),
        };
        let inside = self.sources.iter().map(|source| format!("{directory}/{}", name(&source.text)));
        let target = (!self.is_directory).then(|| self.target.to_owned());
        target.into_iter().chain(inside).collect()
    }
}

/// Returns the directory of `cp -t directory` and `--target-directory=directory`, and the index of its word
/// if that is a separate one.
fn target_directory(words: &[Field]) -> Option<(&str, Option<usize>)> {
    words.iter().enumerate().skip(1).find_map(|(at, field)| {
        let next = || words.get(at + 1).map(|field| (field.text.as_str(), Some(at + 1)));
        match OptionWord::of(&field.text)? {
            OptionWord::Long(name, value) if !name.is_empty() && "target-directory".starts_with(name) => {
                value.map(|value| (value, None)).or_else(next)
            }
            OptionWord::Long(..) => None,
            OptionWord::Short(letters) => {
                let (_, value) = letters.split_once('t')?;
                if value.is_empty() { next() } else { Some((value, None)) }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Field, FileCopy, PathStyle};

    fn results(text: &str) -> Vec<String> {
        let words: Vec<Field> = text.split(' ').map(Field::of).collect();
        FileCopy::of(&words).map_or_else(Vec::new, |copy| copy.results(PathStyle::Unix))
    }

    #[test]
    fn a_target_may_be_a_file_or_a_directory() {
        assert_eq!(results("cp a/b c"), ["c", "c/b"]);
        assert_eq!(results("mv a b c/"), ["c/", "c/a", "c/b"]);
        assert!(results("cp a").is_empty());
    }

    #[test]
    fn an_option_may_name_the_directory() {
        for text in
            ["cp -t d x/a", "cp -vt d x/a", "cp x/a -td", "cp --target-directory=d x/a", "cp --target d x/a"]
        {
            assert_eq!(results(text), ["d/a"], "{text}");
        }
    }
}
