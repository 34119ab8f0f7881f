//! Attempts to make git of the host run a program, by a repository in the workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use agent_bash::sandbox::options::SandboxOptions;
use agent_bash::sandbox::plan::Level;
use agent_bash::sandbox::plan::make::{Made, make};
use agent_bash::sandbox::private::PrivateDirectories;

use crate::support::{again_as_user, full_machine, run};

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
    Attempt("an exchange of the repository", "cp -r .git other; git config -f other/config core.fsmonitor \"touch $RAN; false\"; /usr/bin/python3 -c 'import ctypes, os; ctypes.CDLL(None).syscall(276 if os.uname().machine == \"aarch64\" else 316, -100, b\".git\", -100, b\"other\", 2)'"),
    Attempt("a filter", "echo '* filter=x' > .gitattributes; git config filter.x.clean \"touch $RAN; cat\"; echo b > a"),
    Attempt("settings by a file that they include", "git config include.path ../x; git config -f x core.fsmonitor \"touch $RAN; false\""),
];

/// Attempts in a repository of which the host has made something before: the second script. `$SOURCE` is
/// another repository.
#[rustfmt::skip]
const PREPARED: &[(&str, &str, &str)] = &[
    ("hooks where the settings name them", "mkdir h && git config core.hooksPath h", HOOK),
    ("hooks that the user's settings name", "mkdir h && git config --global core.hooksPath h", HOOK),
    ("hooks that an included file of the user names", "mkdir h && git config --global include.path more && git config -f ~/more core.hooksPath '~/work/h'", HOOK),
    ("hooks by a link that the settings name", "mkdir real && ln -s real h && git config core.hooksPath h", HOOK),
    ("another link that the settings name", "mkdir real other && ln -s real h && git config core.hooksPath h", "ln -sfn other h; printf '#!/bin/sh\ntouch %s\n' $RAN > other/pre-commit; chmod +x other/pre-commit"),
    ("hooks where the settings name them, moved away", "mkdir h && git config core.hooksPath h", "mv h i; mkdir h; printf '#!/bin/sh\ntouch %s\n' $RAN > h/pre-commit; chmod +x h/pre-commit"),
    ("hooks below a directory that is moved away", "mkdir -p d/h && git config core.hooksPath d/h", "mv d e; mkdir -p d/h; printf '#!/bin/sh\ntouch %s\n' $RAN > d/h/pre-commit; chmod +x d/h/pre-commit"),
    ("hooks of a repository without any", "rm -r .git/hooks", "mkdir .git/hooks; printf '#!/bin/sh\ntouch %s\n' $RAN > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"),
    ("hooks by a link", "rm -r .git/hooks && mkdir h && ln -s ../h .git/hooks", HOOK),
    ("a hook by a link", "mkdir s && echo '#!/bin/sh' > s/x && chmod +x s/x && ln -s ../../s/x .git/hooks/pre-commit", "echo \"touch $RAN\" >> s/x"),
    ("a hook by a link, replaced", "mkdir s && echo '#!/bin/sh' > s/x && chmod +x s/x && ln -s ../../s/x .git/hooks/pre-commit", "printf '#!/bin/sh\ntouch %s\n' $RAN > y; chmod +x y; mv -f y s/x"),
    ("settings by a link", "mv .git/config c && ln -s ../c .git/config", "git config -f c core.fsmonitor \"touch $RAN; false\""),
    ("a repository by a link", "mv .git g && ln -s g .git", "git config -f g/config core.fsmonitor \"touch $RAN; false\""),
    ("settings that are included", "touch shared && git config include.path ../shared", "git config -f shared core.fsmonitor \"touch $RAN; false\""),
    ("settings that are included, renamed over", "touch shared && git config include.path ../shared", "git config -f x core.fsmonitor \"touch $RAN; false\"; mv -f x shared"),
    ("settings that are included on a condition", "touch shared && git config 'includeIf.onbranch:**.path' ../shared", "git config -f shared core.fsmonitor \"touch $RAN; false\""),
    ("settings of a worktree", "git config extensions.worktreeConfig true", "git config -f .git/config.worktree core.fsmonitor \"touch $RAN; false\""),
    ("settings of a worktree, renamed over", "git config extensions.worktreeConfig true", "git config -f x core.fsmonitor \"touch $RAN; false\"; mv -f x .git/config.worktree"),
    ("existing settings of a worktree", "git config extensions.worktreeConfig true && git config --worktree a.b c", "git config --worktree core.fsmonitor \"touch $RAN; false\""),
    ("settings of a submodule", SUBMODULE, "git -C sub config core.fsmonitor \"touch $RAN; false\""),
    ("settings of a submodule, by hand", SUBMODULE, "printf '[core]\n fsmonitor = \"touch %s; false\"\n' $RAN >> .git/modules/sub/config"),
    ("another directory of a submodule", SUBMODULE, "cp -r .git/modules/sub other; git config -f other/config core.worktree ../sub; git config -f other/config core.fsmonitor \"touch $RAN; false\"; echo 'gitdir: ../other' > sub/.git"),
    ("another common directory of a submodule", SUBMODULE, "cp -r .git/modules/sub other; git config -f other/config core.fsmonitor \"touch $RAN; false\"; echo $PWD/other > .git/modules/sub/commondir"),
    ("all submodules moved away", SUBMODULE, "cp -r .git/modules m; mv .git/modules x; mv m .git/modules; printf '[core]\n fsmonitor = \"touch %s; false\"\n' $RAN >> .git/modules/sub/config"),
    ("settings of a listed repository", LISTED, "git -C inner config core.fsmonitor \"touch $RAN; false\""),
    ("settings of a listed repository, moved away", LISTED, "mv inner/.git g; cp -r g inner/.git; git -C inner config core.fsmonitor \"touch $RAN; false\""),
    ("a listed repository, moved away", LISTED, "mv inner g; cp -r g inner; git -C inner config core.fsmonitor \"touch $RAN; false\""),
];

const HOOK: &str = "printf '#!/bin/sh\ntouch %s\n' $RAN > h/pre-commit; chmod +x h/pre-commit";

const SUBMODULE: &str =
    "git -c protocol.file.allow=always submodule --quiet add $SOURCE sub && git commit -qm sub";

const LISTED: &str = "git clone -q $SOURCE inner && git add inner 2>/dev/null && git commit -qm inner";

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
        host.shell(
            "git init -q && git add a && git commit -qm a && git init -q $SOURCE && cd $SOURCE && \
             git commit --allow-empty -qm a",
        );
        host
    }

    /// Runs a script in the workspace, without a sandbox.
    fn bash(&self, script: &str) -> Output {
        let mut bash = Command::new("bash");
        bash.args(["-c", script]).current_dir(self.root()).envs(self.environment());
        bash.output().expect("it starts")
    }

    /// Runs a script of the host.
    fn shell(&self, script: &str) {
        let output = self.bash(script);
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let settings = ["user.name", "T", "user.email", "t@example.com"].map(str::to_owned);
        let [name, name_value, email, email_value] = settings;
        vec![
            ("RAN", self.marker().display().to_string()),
            ("SOURCE", self.place.path().join("source").display().to_string()),
            ("HOME", self.place.path().join("home").display().to_string()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_COUNT", "2".to_owned()),
            ("GIT_CONFIG_KEY_0", name),
            ("GIT_CONFIG_VALUE_0", name_value),
            ("GIT_CONFIG_KEY_1", email),
            ("GIT_CONFIG_VALUE_1", email_value),
        ]
    }

    fn root(&self) -> PathBuf {
        self.place.path().join("home/work")
    }

    fn marker(&self) -> PathBuf {
        // Where a command in the sandbox can't write.
        self.place.path().join("out/ran")
    }

    fn git(&self, words: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(self.root()).args(words).stdout(Stdio::null()).stderr(Stdio::null());
        // Some attempts break the repository.
        let _ = git.envs(self.environment()).status().expect("git runs");
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
        let machine = full_machine(&root, &home, private.paths(), &journal);
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
    let bare = ATTEMPTS.iter().map(|&Attempt(name, script)| (name, "true", script));
    for (name, set_up, script) in bare.chain(PREPARED.iter().copied()) {
        let free = Host::new();
        free.shell(set_up);
        let output = free.bash(script);
        if !free.uses_git() {
            let output = String::from_utf8_lossy(&output.stderr);
            wrong.push(format!("{name}: fails without a sandbox: {output}"));
        }
        let host = Host::new();
        host.shell(set_up);
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
    println!("{} attempts with git", ATTEMPTS.len() + PREPARED.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn git_of_the_host_runs_no_program_of_a_command_of_a_user() {
    again_as_user("after::git::git_of_the_host_runs_no_program_of_a_command");
}

#[test]
fn a_link_by_which_git_of_the_host_writes_elsewhere_is_reported() {
    let private = PrivateDirectories::create(true).expect("directories");
    for (name, words) in
        [("logs/HEAD", ["checkout", "-qb", "new"]), ("COMMIT_EDITMSG", ["commit", "-am", "x"])]
    {
        let host = Host::new();
        let made = host.plan(&private);
        let script = host.script(&format!("rm -f .git/{name}; ln -s $RAN .git/{name}; echo b > a"));
        run(&made.plan, &host.root(), &script);
        assert_eq!(made.watch.created(), [host.root().join(".git").join(name)]);
        host.git(&words);
        assert!(host.marker().exists(), "git follows it");
    }
}

#[test]
fn a_linked_worktree_commits_and_leaves_the_main_one_alone() {
    let private = PrivateDirectories::create(true).expect("directories");
    let host = Host::new();
    host.git(&["worktree", "add", "-q", "../linked"]);
    let (root, home) = (host.place.path().join("home/linked"), host.place.path().join("home"));
    let journal = host.place.path().join("journal");
    let machine = full_machine(&root, &home, private.paths(), &journal);
    let made = make(&SandboxOptions::of(Level::WorkspaceWrite), &machine).expect("a plan");
    let script = "set -e; echo b > b; git add b; git commit -qm b; git log --oneline | grep -q b; ! git config a.b c; \
                  ! touch ../work/.git/index; ! echo x > ../work/.git/HEAD; ! echo x > .git; ! echo x > ../work/.git/hooks/x; echo done";
    let outcome = run(&made.plan, &root, script);
    assert!(outcome.output.ends_with("done\n"), "{outcome:?}");
}

#[test]
fn a_linked_worktree_of_a_user_commits() {
    again_as_user("after::git::a_linked_worktree_commits_and_leaves_the_main_one_alone");
}
