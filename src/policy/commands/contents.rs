//! The texts that files probably hold, because the command line has written them.

/// The most texts that are remembered.
const MAX_TEXTS: usize = 64;

/// The texts of files, by their paths. A file may hold any of several texts.
#[derive(Debug, Default)]
pub(super) struct Contents {
    texts: Vec<(String, String)>,
    writes: usize,
}

impl Contents {
    /// Returns the number of writes so far, which tells two states apart.
    pub(super) fn writes(&self) -> usize {
        self.writes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns the texts that the file at `path` may hold.
    #[inline(never)]
    pub(super) fn of(&self, path: &str) -> Vec<String> {
        self.texts_of(path).map(str::to_owned).collect()
    }

    /// Returns the texts that the file at `path` may hold, without a copy.
    pub(super) fn texts_of(&self, path: &str) -> impl Iterator<Item = &str> {
        self.texts.iter().filter(move |(file, _)| file == path).map(|(_, text)| text.as_str())
    }

    /// Notes that a file may hold a text, beside those before: the write may fail or not happen.
    #[inline(never)]
    pub(super) fn write(&mut self, path: &str, text: &str) {
        self.writes += 1;
        let entry = (path.to_owned(), text.to_owned());
        if self.texts.len() < MAX_TEXTS && !self.texts.contains(&entry) {
            self.texts.push(entry);
        }
    }

    /// Notes that a text is added to a file. A file that is not known may be empty.
    pub(super) fn append(&mut self, path: &str, text: &str) {
        self.writes += 1;
        let mut is_new = true;
        for (_, entry) in self.texts.iter_mut().filter(|(file, _)| file == path) {
            entry.push_str(text);
            is_new = false;
        }
        if is_new {
            self.write(path, text);
        }
    }
}
