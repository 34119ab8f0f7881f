//! Plans that are made of options: `making` has what they contain, and `told` what commands, models and
//! callers are told of them.

mod making;
mod told;

use std::fs;
use std::path::{Path, PathBuf};

use agent_bash::sandbox::options::SandboxOptions;
use agent_bash::sandbox::plan::machine::Machine;
use agent_bash::sandbox::plan::make::{Made, PlanError, make};
use agent_bash::sandbox::plan::{Level, Tier};
use agent_bash::sandbox::private::PrivatePaths;

/// A home with a workspace in it.
struct Machinery {
    place: tempfile::TempDir,
    private: PrivatePaths,
}

impl Machinery {
    fn new() -> Self {
        let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
        let at = |name: &str| place.path().join(name);
        for name in ["home/work/dir", "home/.ssh", "other", "private/tmp"] {
            fs::create_dir_all(at(name)).expect("a directory");
        }
        let private = PrivatePaths {
            directory: at("private"),
            tmp: at("private/tmp"),
            home: Some((at("private/home"), at("private/work"))),
            empty_home: at("private/empty"),
        };
        Self { place, private }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn make_in(&self, options: &SandboxOptions, root: &Path, tier: Tier) -> Result<Made, PlanError> {
        self.make_with(options, root, tier, 7)
    }

    fn make_with(
        &self,
        options: &SandboxOptions,
        root: &Path,
        tier: Tier,
        landlock: u32,
    ) -> Result<Made, PlanError> {
        let (home, journal) = (self.at("home"), self.at("journal"));
        make(
            options,
            &Machine {
                root,
                home: Some(&home),
                tier,
                landlock,
                private: &self.private,
                journal: &journal,
                overlay: None,
                files: &[],
                attached: &[],
                durable: &[],
            },
        )
    }

    fn make(&self, options: &SandboxOptions) -> Result<Made, PlanError> {
        self.make_in(options, &self.at("home/work"), Tier::Namespaces)
    }

    /// Returns the error of an option.
    #[track_caller]
    fn option_error(&self, options: &SandboxOptions) -> String {
        let error = self.make(options).expect_err("it is wrong");
        assert_eq!(error.code(), None, "{error}");
        error.to_string()
    }
}

fn writing() -> SandboxOptions {
    SandboxOptions::of(Level::WorkspaceWrite)
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}
