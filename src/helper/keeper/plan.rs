//! The plan of a keeper (what it runs and cleans), as the arguments of its role. Pure.
//!
//! Arguments, and no message of [`crate::wire`]: the keeper takes the place of a transport, so its standard
//! input is the stream, and a list of processes shows what it runs.

use std::ffi::OsString;

/// The commands of a keeper, and the paths that it cleans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeeperPlan {
    /// The name of the container.
    pub name: String,
    /// The client's program and its arguments.
    pub run: Vec<String>,
    /// The program and the arguments that remove the container.
    pub removal: Vec<String>,
    /// Paths that must not be removed while this container runs.
    pub held: Vec<String>,
    /// The directories that were created for the container, parents first. They are removed if they are empty
    /// and no other keeper has locked them.
    pub made: Vec<String>,
}

impl KeeperPlan {
    /// Returns the arguments of the helper program, after the name of the role.
    #[must_use]
    pub fn encode(&self) -> Vec<String> {
        let mut words = vec![self.name.clone()];
        for list in [&self.run, &self.removal, &self.held, &self.made] {
            words.push(list.len().to_string());
            words.extend(list.iter().cloned());
        }
        words
    }

    /// Reads these arguments; `None` if they are no plan.
    #[must_use]
    pub fn decode(words: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = words.into_iter().map(|word| word.into_string().ok());
        let name = words.next()??;
        let mut list = || -> Option<Vec<String>> {
            let count: usize = words.next()??.parse().ok()?;
            (0..count).map(|_| words.next()?).collect()
        };
        Some(Self { name, run: list()?, removal: list()?, held: list()?, made: list()? })
    }
}

#[cfg(test)]
mod tests {
    use super::KeeperPlan;

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let plan = KeeperPlan {
            name: "n".to_owned(),
            run: texts(&["e", "run", ""]),
            removal: texts(&["e", "rm"]),
            held: texts(&["/a b", "/c"]),
            made: Vec::new(),
        };
        let words = plan.encode();
        assert_eq!(KeeperPlan::decode(words.iter().map(Into::into)), Some(plan));
        for length in 0..words.len() {
            assert_eq!(KeeperPlan::decode(words[..length].iter().map(Into::into)), None, "{length}");
        }
    }
}
