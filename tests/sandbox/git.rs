//! Attempts to make git of the host run a program, by a repository in the workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use agent_bash::sandbox::options::SandboxOptions;
use agent_bash::sandbox::plan::make::{Machine, Made, make};
use agent_bash::sandbox::plan::{Level, Tier};
use agent_bash::sandbox::private::PrivateDirectories;

use crate::support::{again_as_user, run};

/// An attempt: its name, and a script in the workspace. `$RAN` is the file that shows that a program ran.
struct Attempt(&'static str, &'static str);

#[rustfmt::skip]
const ATTEMPTS: &[Attempt] = &[
    Attempt("a monitor of files", "git config core.fsmonitor \"touch $RAN; false\""),
    Attempt("a monitor of files, by hand", "printf '[core]\\n fsmonitor = \"touch %s; false\"\\n' $RAN >> .git/config"),
    Attempt("other settings renamed over them", "git config -f x core.fsmonitor \"touch $RAN; false\"; git config -f x core.repositoryformatversion 0; mv -f x .git/config"),
    Attempt("a hook", "printf '#!/bin/sh\\ntouch %s\\n' $RAN > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"),
    Attempt("another directory of hooks", "mkdir h; printf '#!/bin/sh\\ntouch %s\\n' $RAN > h/pre-commit; chmod +x h/pre-commit; rm -rf .git/hooks; mv h .git/hooks"),
    Attempt("a path of hooks", "mkdir h; printf '#!/bin/sh\\ntouch %s\\n' $RAN > h/pre-commit; chmod +x h/pre-commit; git config core.hooksPath h"),
    Attempt("another common directory", "cp -r .git other; git config -f other/config core.fsmonitor \"touch $RAN; false\"; echo ../other > .git/commondir"),
    Attempt("another common directory renamed", "cp -r .git other; git config -f other/config core.fsmonitor \"touch $RAN; false\"; echo ../other > c; mv -f c .git/commondir"),
    Attempt("another common directory by a link", "cp -r .git other; git config -f other/config core.fsmonitor \"touch $RAN; false\"; echo ../other > c; ln -sf ../c .git/commondir"),
    Attempt("another repository", "mv .git g; cp -r g .git; git config -f .git/config core.fsmonitor \"touch $RAN; false\""),
    Attempt("a file instead of the repository", "cp -r .git other; git config -f other/config core.fsmonitor \"touch $RAN; false\"; mv .git g; echo 'gitdir: other' > .git"),
    Attempt("an exchange of the repository", "cp -r .git other; git config -f other/config core.fsmonitor \"touch $RAN; false\"; /usr/bin/python3 -c 'import ctypes; ctypes.CDLL(None).syscall(316, -100, b\".git\", -100, b\"other\", 2)'"),
    Attempt("a filter", "echo '* filter=x' > .gitattributes; git config filter.x.clean \"touch $RAN; cat\"; echo b > a"),
    Attempt("settings by a file that they include", "git config include.path ../x; git config -f x core.fsmonitor \"touch $RAN; false\""),
];

/// A home with a repository, and what the host does with it afterwards.
struct Host {
    place: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
        let host = Self { place };
        fs::create_dir_all(host.root()).expect("a directory");
        fs::write(host.root().join("a"), "a").expect("a file");
        fs::create_dir(host.place.path().join("out")).expect("a directory");
        host.git(&["init", "-q"]);
        host.git(&["add", "a"]);
        host.git(&["commit", "-qm", "a"]);
        host
    }

    fn root(&self) -> PathBuf {
        self.place.path().join("home/work")
    }

    fn marker(&self) -> PathBuf {
        // Where a command in the sandbox can't write.
        self.place.path().join("out/ran")
    }

    fn git(&self, words: &[&str]) {
        let settings = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
        let mut git = Command::new("git");
        git.current_dir(self.root()).args(settings).args(words).stdout(Stdio::null()).stderr(Stdio::null());
        // Some attempts break the repository.
        let _ = git.env("HOME", "/nonexistent").env("GIT_CONFIG_NOSYSTEM", "1").status().expect("git runs");
    }

    /// Does what a program of the host might do. Returns whether a program of the command ran.
    fn uses_git(&self) -> bool {
        self.git(&["status"]);
        self.git(&["add", "a"]);
        self.git(&["commit", "--allow-empty", "-qm", "b"]);
        self.marker().exists()
    }

    fn plan(&self, private: &PrivateDirectories) -> Made {
        let (root, home, journal) =
            (self.root(), self.place.path().join("home"), self.place.path().join("journal"));
        let machine = Machine {
            root: &root,
            home: Some(&home),
            tier: Tier::Namespaces,
            landlock: 7,
            private: private.paths(),
            journal: &journal,
            session: None,
        };
        make(&SandboxOptions::of(Level::WorkspaceWrite), &machine).expect("a plan")
    }

    fn script(&self, script: &str) -> String {
        format!("RAN={}; {script}", self.marker().display())
    }
}

#[test]
fn git_of_the_host_runs_no_program_of_a_command() {
    let private = PrivateDirectories::create(true).expect("directories");
    let mut wrong = Vec::new();
    for Attempt(name, script) in ATTEMPTS {
        let free = Host::new();
        let ran = Command::new("bash").args(["-c", &free.script(script)]).current_dir(free.root()).output();
        ran.expect("it starts");
        if !free.uses_git() {
            wrong.push(format!("{name}: fails without a sandbox"));
        }
        let host = Host::new();
        let made = host.plan(&private);
        let outcome = run(&made.plan, &host.root(), &host.script(script));
        if host.marker().exists() || host.uses_git() {
            wrong.push(format!("{name}: SUCCEEDS: {}", outcome.output));
        }
        if !made.watch.created().is_empty() {
            wrong.push(format!("{name}: leaves {:?}", made.watch.created()));
        }
        assert!(!Path::new(&host.root()).join(".git/commondir").exists(), "{name}");
    }
    println!("{} attempts with git", ATTEMPTS.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn git_of_the_host_runs_no_program_of_a_command_of_a_user() {
    again_as_user("git::git_of_the_host_runs_no_program_of_a_command");
}

#[test]
fn a_linked_worktree_commits_and_leaves_the_main_one_alone() {
    let private = PrivateDirectories::create(true).expect("directories");
    let host = Host::new();
    host.git(&["worktree", "add", "-q", "../linked"]);
    let (root, home) = (host.place.path().join("home/linked"), host.place.path().join("home"));
    let journal = host.place.path().join("journal");
    let machine = Machine {
        root: &root,
        home: Some(&home),
        tier: Tier::Namespaces,
        landlock: 7,
        private: private.paths(),
        journal: &journal,
        session: None,
    };
    let made = make(&SandboxOptions::of(Level::WorkspaceWrite), &machine).expect("a plan");
    let script = "set -e; echo b > b; git add b; git commit -qm b; git log --oneline | grep -q b; ! git config a.b c; \
                  ! touch ../work/.git/index; ! echo x > ../work/.git/HEAD; ! echo x > .git; ! echo x > ../work/.git/hooks/x; echo done";
    let outcome = run(&made.plan, &root, script);
    assert!(outcome.output.ends_with("done\n"), "{outcome:?}");
}

#[test]
fn a_linked_worktree_of_a_user_commits() {
    again_as_user("git::a_linked_worktree_commits_and_leaves_the_main_one_alone");
}
