//! Commands that programs find in settings: in variables, and in files that the command line has written.

use crate::policy::commands::field::Field;
use crate::policy::commands::found::Found;
use crate::policy::commands::inner::{
    Finder, Inner, commands_of_lines, git_subcommand, implicit_source, is_input, is_shell, sources,
};
use crate::policy::commands::walk::walker::Walker;

use super::descriptors::number_of;
use super::key;

/// The most settings of git that are read from variables.
const MAX_SETTINGS: usize = 8;

/// Variables that name a file with settings of git.
const GIT_FILES: [&str; 3] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"];

/// Variables that name a file which a shell runs at its start.
const STARTUP_VARIABLES: [&str; 2] = ["BASH_ENV", "ENV"];

/// The most files that are visited because programs run or read them without being given their names.
const MAX_IMPLICIT: usize = 16;

/// The most commands of files that are visited. A long Makefile has some hundred.
const MAX_COMMANDS: usize = 500;

impl Walker {
    /// Returns the commands that a program finds in files which commands before have written, or in its input.
    pub(in crate::policy::commands::walk) fn configured(&self, found: &Found) -> Vec<Inner> {
        let has_text = |field: &Field| field.content.is_some();
        let knows_nothing = self.contents.is_empty()
            && !found.input.is_given
            && found.assignments.is_empty()
            && !self.scope.has_set("BASH_ENV")
            && !found.words.iter().any(has_text);
        let Some(name) = found.base_name().filter(|_| !knows_nothing) else { return Vec::new() };
        let (files, finder) = sources(name, &found.words);
        let mut inner = Vec::new();
        // Other programs rarely start a shell, and an exported variable stays for each of them.
        let may_start_shell = is_shell(name) || found.words[0].text.contains('/') || !files.is_empty();
        if may_start_shell || !found.assignments.is_empty() {
            inner = self.at_startup(found);
        }
        for file in &files {
            inner.append(&mut self.found_in(found, file, finder));
        }
        if name == "git" {
            let variables = GIT_FILES.iter().filter_map(|name| self.setting(found, name));
            let options = found.words.iter().filter_map(|field| field.text.strip_prefix("include.path="));
            for file in variables.chain(options.map(str::to_owned)) {
                inner.append(&mut self.found_in(found, &Field::of(&file), commands_of_lines));
            }
        }
        inner
    }

    /// Returns the commands that `finder` finds in the texts which a file may hold.
    fn found_in(&self, found: &Found, file: &Field, finder: Finder) -> Vec<Inner> {
        if self.visited_commands >= MAX_COMMANDS {
            return Vec::new();
        }
        let mut inner = Vec::new();
        let mut add = |text: &str| {
            // A script that starts the program again finds the same commands.
            let is_new = !self.files.iter().any(|other| other == text);
            if is_new && self.scope.spend(text.len()) {
                inner.push(Inner::File { text: text.to_owned(), commands: finder(text) });
            }
        };
        if let Some(text) = file.content.as_deref() {
            add(text);
        } else if is_input(&file.text) {
            found.input.texts().iter().for_each(|text| add(text));
        } else if let Some(opened) = number_of(&file.text).and_then(|number| self.opened(number)) {
            opened.guesses.iter().for_each(|text| add(text));
        }
        if let Some(path) = key(found.directory.as_deref(), &file.text) {
            self.contents.texts_of(&path).for_each(add);
        }
        inner
    }

    /// Returns the commands of the file that a shell runs first. Bash expands the name of the file.
    fn at_startup(&self, found: &Found) -> Vec<Inner> {
        let mut inner = Vec::new();
        for file in STARTUP_VARIABLES.iter().filter_map(|name| self.setting(found, name)) {
            inner.append(&mut self.found_in(found, &Field::of(&file), |text| vec![text.to_owned()]));
            if file.contains(['$', '`']) {
                inner.push(Inner::script(&format!(": {file}")));
            }
        }
        inner
    }

    /// Returns the value of a variable that a command gets by an assignment of this command line.
    fn setting(&self, found: &Found, name: &str) -> Option<String> {
        let own = found.assignments.iter().rfind(|(other, _)| other == name);
        let own = own.and_then(|(_, value)| value.clone());
        own.or_else(|| self.scope.has_set(name).then(|| self.scope.first_value(name)).flatten())
    }

    /// Returns a command of git with the settings that variables hold as options: `git -c name=value`.
    pub(in crate::policy::commands::walk) fn with_settings(&self, found: &Found) -> Option<Vec<Field>> {
        let value = |name: &str| self.setting(found, name).or_else(|| self.scope.first_value(name));
        let numbered = |index: usize| {
            let name = value(&format!("GIT_CONFIG_KEY_{index}"))?;
            Some(format!("{name}={}", value(&format!("GIT_CONFIG_VALUE_{index}"))?))
        };
        let mut settings: Vec<String> = (0..MAX_SETTINGS).map_while(numbered).collect();
        if let Some(text) = value("GIT_CONFIG_PARAMETERS") {
            // `'name=value'` and `'name'='value'`, with blanks between them.
            let all = text.replace("'='", "=");
            settings.extend(all.split('\'').skip(1).step_by(2).take(MAX_SETTINGS).map(str::to_owned));
        }
        let options = &found.words[..git_subcommand(&found.words).min(found.words.len())];
        for (at, field) in options.iter().enumerate() {
            let Some(text) = field.text.strip_prefix("--config-env") else { continue };
            let text = text.strip_prefix('=').or_else(|| Some(options.get(at + 1)?.text.as_str()));
            let named = text.and_then(|text| text.rsplit_once('='));
            settings.extend(named.and_then(|(name, variable)| Some(format!("{name}={}", value(variable)?))));
        }
        let options = settings.iter().flat_map(|text| [Field::of("-c"), Field::of(text)]);
        let options: Vec<Field> = options.collect();
        (!settings.is_empty()).then(|| [&found.words[..1], &options, &found.words[1..]].concat())
    }

    /// Notes a file that the command at `at` writes, if programs run or read it without being given its name.
    pub(super) fn note_implicit(&mut self, at: usize, file: &str) {
        if let Some(entry) = self.implicit_files.iter_mut().find(|(_, other)| other == file) {
            entry.0 = at;
        } else if self.implicit_files.len() < MAX_IMPLICIT && implicit_source(file).is_some() {
            self.implicit_files.push((at, file.to_owned()));
        }
    }

    /// Visits the commands of the files that programs run or read without being given their names. The texts are those at the end
    /// of the command line.
    pub(in crate::policy::commands::walk) fn visit_implicit(&mut self) {
        if self.has_given_up() {
            return;
        }
        let mut next = 0;
        // The scripts among them may write others.
        while let Some((at, file)) = self.implicit_files.get(next).cloned() {
            next += 1;
            let Some(finder) = implicit_source(&file) else { continue };
            for text in self.contents.of(&file) {
                self.visit_file(at, &file, &text, finder(&text));
            }
        }
    }

    /// Visits the commands that a program probably finds in a file, each in a process of its own.
    pub(in crate::policy::commands::walk) fn visit_file(
        &mut self,
        at: usize,
        name: &str,
        text: &str,
        commands: Vec<String>,
    ) {
        self.files.push(text.to_owned());
        for command in commands {
            if self.visited_commands >= MAX_COMMANDS {
                break;
            }
            let start = self.findings.commands.len();
            self.visit_script(at, name, &command, Some(Vec::new()));
            self.visited_commands += 1 + self.findings.commands.len() - start;
        }
        self.files.pop();
    }
}
