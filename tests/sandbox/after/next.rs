//! Attempts of a command to choose what the next one may read and write.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use agent_bash::sandbox::options::SandboxOptions;
use agent_bash::sandbox::plan::Level;
use agent_bash::sandbox::plan::make::{Made, PlanError, make};
use agent_bash::sandbox::private::PrivateDirectories;

use crate::support::{again_as_user, full_machine, run};

/// An attempt: its name, the options, a first script and a second one in the workspace. The second one ends
/// with 0 if, and only if, it has written `$OUT/file` or read `keys/secret`, which the host has made.
struct Attempt(&'static str, fn() -> SandboxOptions, &'static str, &'static str);

fn writable(paths: &[&str]) -> SandboxOptions {
    let writable = paths.iter().map(|&path| path.to_owned()).collect();
    SandboxOptions { writable, ..SandboxOptions::of(Level::WorkspaceWrite) }
}

fn hidden() -> SandboxOptions {
    SandboxOptions { hidden: vec!["keys/secret".into()], ..SandboxOptions::of(Level::WorkspaceWrite) }
}

fn protected() -> SandboxOptions {
    SandboxOptions { protected: vec!["dir/kept".into()], ..SandboxOptions::of(Level::WorkspaceWrite) }
}

fn missing() -> SandboxOptions {
    SandboxOptions { protected: vec!["new/made".into()], ..SandboxOptions::of(Level::WorkspaceWrite) }
}

fn writing() -> SandboxOptions {
    SandboxOptions::of(Level::WorkspaceWrite)
}

fn visible() -> SandboxOptions {
    SandboxOptions { visible: vec!["dir".into()], ..SandboxOptions::of(Level::Isolated) }
}

#[rustfmt::skip]
const ATTEMPTS: &[Attempt] = &[
    Attempt("the root as a link", || writable(&[".."]), "cd ..; mv root r; ln -s $OUT root", "echo x > file && grep -q x $OUT/file"),
    Attempt("the root, exchanged", || writable(&[".."]), "cd ..; ln -s $OUT l; /usr/bin/python3 -c 'import ctypes, os; ctypes.CDLL(None).syscall(276 if os.uname().machine == \"aarch64\" else 316, -100, b\"root\", -100, b\"l\", 2)'", "echo x > file && grep -q x $OUT/file"),
    Attempt("a writable directory as a link", || writable(&["dir"]), "rm -r dir; ln -s $OUT dir", "echo x > dir/file && grep -q x $OUT/file"),
    Attempt("the parent of a writable directory as a link", || writable(&["dir/deep"]), "rm -r dir; mkdir $ROOT/t; ln -s $OUT dir", "echo x > dir/deep/file; [ -e $OUT/deep/file ]"),
    Attempt("a writable file as a link", || writable(&["file"]), "rm file; ln -s $OUT/file file", "echo x > file && grep -q x $OUT/file"),
    Attempt("a writable path by a glob", || writable(&["d*"]), "ln -s $OUT dx", "echo x > dx/file && grep -q x $OUT/file"),
    Attempt("a visible directory as a link", visible, "rm -r dir; ln -s $OUT dir", "grep -q original dir/file"),
    Attempt("the parent of a hidden path moved", hidden, "mv keys k", "grep -q original k/secret"),
    Attempt("the parent of a hidden path exchanged", hidden, "mkdir x; mv keys x/; mkdir keys; touch keys/secret", "grep -q original x/keys/secret"),
    Attempt("a second name for a hidden path", hidden, "ln keys/secret s", "grep -q original s"),
    Attempt("the parent of a protected path moved", protected, "mv dir d", "echo x > d/kept"),
    Attempt("a link for the parent of a missing path", missing, "ln -s $OUT new", "! touch new/made 2> /dev/null; [ -e $OUT/made ]"),
    Attempt("a link for a missing path", missing, "mkdir new; ln -s $OUT/made new/made", "echo x > new/made; [ -e $OUT/made ]"),
    Attempt("a named pipe for settings of git", writing, "mkdir .git; mkfifo .git/config; ln -s $OUT .git/hooks", "echo x > .git/hooks/file && grep -q x $OUT/file"),
    Attempt("a file that names another repository", writing, "mkdir -p g; echo \"gitdir: $OUT\" > .git", "echo x > $OUT/file"),
];

/// A workspace and a directory beside it.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { directory: tempfile::tempdir_in("/var/tmp").expect("a directory") };
        for name in ["home/in/root/dir/deep", "home/in/root/keys", "out/deep"] {
            fs::create_dir_all(place.at(name)).expect("a directory");
        }
        for name in ["root/file", "root/keys/secret", "root/dir/kept"] {
            fs::write(place.at("home/in").join(name), "original\n").expect("a file");
        }
        fs::write(place.at("out/file"), "original\n").expect("a file");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn root(&self) -> PathBuf {
        self.at("home/in/root")
    }

    fn plan(&self, options: &SandboxOptions, private: &PrivateDirectories) -> Result<Made, PlanError> {
        let (root, home, journal) = (self.root(), self.at("home"), self.at("journal"));
        // As the engine does: the root of a call may be a link.
        let root = root.canonicalize().unwrap_or(root);
        let machine = full_machine(&root, &home, private.paths(), &journal);
        make(options, &machine)
    }

    fn script(&self, script: &str) -> String {
        format!("OUT={}; ROOT={}; cd $ROOT; {script}", self.at("out").display(), self.root().display())
    }

    fn run_free(&self, script: &str) -> bool {
        let run = Command::new("bash").args(["-c", &self.script(script)]).current_dir("/").output();
        run.expect("it starts").status.success()
    }

    /// Runs a script in a sandbox. Returns whether it ended with 0; `false` if it was not run.
    fn run_inside(&self, options: &SandboxOptions, private: &PrivateDirectories, script: &str) -> bool {
        let Ok(made) = self.plan(options, private) else { return false };
        run(&made.plan, &self.root(), &self.script(script)).code() == Some(0)
    }

    fn outside(&self) -> Vec<(PathBuf, String)> {
        let entries = fs::read_dir(self.at("out")).expect("a list");
        let read = |path: PathBuf| (path.clone(), fs::read_to_string(&path).unwrap_or_default());
        entries.flatten().map(|entry| read(entry.path())).collect()
    }
}

#[test]
fn a_command_does_not_choose_what_the_next_one_may_do() {
    let private = PrivateDirectories::create(true).expect("directories");
    let mut wrong = Vec::new();
    for Attempt(name, options, first, second) in ATTEMPTS {
        let free = Place::new();
        free.run_free(first);
        if !free.run_free(second) {
            wrong.push(format!("{name}: fails without a sandbox"));
        }
        let place = Place::new();
        let before = place.outside();
        place.run_inside(&options(), &private, first);
        if place.run_inside(&options(), &private, second) {
            wrong.push(format!("{name}: SUCCEEDS"));
        }
        if place.outside() != before {
            wrong.push(format!("{name}: CHANGES what is outside"));
        }
    }
    println!("{} attempts on the next command", ATTEMPTS.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_command_of_a_user_does_not_choose_what_the_next_one_may_do() {
    again_as_user("after::next::a_command_does_not_choose_what_the_next_one_may_do");
}

#[test]
fn a_command_does_not_stop_the_next_one() {
    let private = PrivateDirectories::create(false).expect("directories");
    for first in [
        "mkdir -p .git fake/sub; touch fake/sub/HEAD; ln -s ../fake .git/modules; ln -s ../fake .git/worktrees",
        "mkdir -p .git; ln -s $OUT .git/hooks; ln -s $OUT/none .git/config; ln -s / .git/commondir",
        "ln -s / .git; ln -s $OUT .vscode; ln -s nothing .envrc; mkfifo .mcp.json",
        "mkdir -p .git/hooks; ln -s / .git/hooks/a; ln -s b .git/hooks/b; mkfifo .git/config",
        "mkdir -p .git; printf '[core]\n hooksPath = .\n[include]\n path = .\n path = /\n path = config' > .git/config",
    ] {
        let place = Place::new();
        let options = writing();
        assert!(place.run_inside(&options, &private, &format!("{first}; true")), "{first}");
        let made = place.plan(&options, &private).expect("a plan");
        let outcome = run(&made.plan, &place.root(), "echo x > new; rm file; touch dir/other");
        assert_eq!(outcome.code(), Some(0), "{first}: {outcome:?}");
    }
}

#[test]
fn a_link_that_leads_out_is_an_error_that_names_it() {
    let private = PrivateDirectories::create(false).expect("directories");
    let place = Place::new();
    std::os::unix::fs::symlink(place.at("out"), place.root().join("link")).expect("a link");
    let error = place.plan(&writable(&["link"]), &private).expect_err("it leads out").to_string();
    assert!(error.starts_with("sandbox.writable: '") && error.contains("by a symbolic link"), "{error}");
}
