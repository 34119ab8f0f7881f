//! Usual work on a project at the level `workspace-write`, by a plan that is made of the options.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use agent_bash::sandbox::options::SandboxOptions;
use agent_bash::sandbox::plan::Level;
use agent_bash::sandbox::plan::make::make;
use agent_bash::sandbox::private::PrivateDirectories;

use crate::support::{again_as_user, command, full_machine, start, text};

/// Work: its name, what the host does before, and a script that ends with 0 if everything works.
struct Work(&'static str, &'static str, &'static str);

#[rustfmt::skip]
const WORKS: &[Work] = &[
    Work("git, from add to gc", "git init -q . && echo a > a && git add a && git commit -qm a", r"
        echo b > b && git add -A && git commit -qm b && git branch c && git checkout -q c && echo c > c && git add c && git commit -qm c
        git checkout -q - && echo d > d && git add d && git commit -qm d && git merge -q c -m merged && git rebase -q HEAD~1
        echo e > a && git stash -q && git stash pop -q && git checkout -q a && git tag t && git worktree add -q ../work/w
        git cherry-pick c --allow-empty --keep-redundant-commits > /dev/null; git cherry-pick --quit; git reset -q --hard
        git mv b b2 && git commit -qam moved && git revert --no-edit HEAD > /dev/null && git diff HEAD~1 --stat | grep -q b2
        git clone -q . ../work/copy && git -C copy pull -q && git -C copy push -q origin HEAD:refs/heads/pushed && git fetch -q copy
        git gc -q && git fsck --no-progress && git log --oneline | grep -q moved && [ -z $(git status --porcelain -uno) ]"),
    Work("npm ci and npm test", r#"
        mkdir dep && echo '{ "name": "dep", "version": "1.0.0", "bin": "cli.js" }' > dep/package.json && echo 'module.exports = 7' > dep/index.js
        printf '#!/usr/bin/env node\nconsole.log("cli")\n' > dep/cli.js && (cd dep && npm pack -s --pack-destination ..) && rm -r dep
        echo '{ "name": "own", "version": "1.0.0", "scripts": { "test": "dep && node --test" }, "dependencies": { "dep": "file:dep-1.0.0.tgz" } }' > package.json
        echo 'require("node:test")("works", () => { if (require("dep") !== 7) throw Error(); })' > own.test.js
        npm install -s --offline --package-lock-only"#, "
        npm ci --offline --no-audit --no-fund && npm test && npm ci --offline --no-audit --no-fund && [ -d ~/.npm/_cacache ]"),
    Work("an environment of Python with pip", "true", "
        /usr/bin/python3 -m venv v && v/bin/pip --version && v/bin/pip list --disable-pip-version-check && v/bin/python -m unittest"),
    Work("make with a C compiler", r#"
        printf '#include <stdio.h>\nint main(void) { puts("made"); }\n' > x.c && printf 'all: x test\nx: x.c\n\tcc -O1 -o x x.c\ntest: x\n\t./x | grep made\n' > Makefile"#, "
        make -j2 && sleep 0.01 && touch x.c && make | grep -q cc"),
    Work("a server of Node with fetch", "true", r#"
        node -e '
            const server = require("http").createServer((request, response) => request.pipe(response)).listen(0, async () => {
                const url = `http://localhost:${server.address().port}`;
                const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => fetch(url, { method: "POST", body: `${i}` }).then((a) => a.text())));
                process.exit(answers.join() === Array.from({ length: 50 }, (_, i) => i).join() ? 0 : 1);
            })'"#),
    Work("cargo build --offline", r#"
        [ -x "$CARGO" ] || exit 0; export PATH=$(dirname $CARGO):$PATH; cargo new -q --vcs none --lib dep; cargo new -q --vcs none own
        echo 'dep = { path = "../dep" }' >> own/Cargo.toml; echo 'fn main() { println!("{}", dep::add(3, 4)); }' > own/src/main.rs"#, r#"
        [ -x "$CARGO" ] || exit 0; export PATH=$(dirname $CARGO):$PATH; cd own && cargo build -q --offline && ./target/debug/own | grep -q 7
        cargo test -q --offline"#),
];

#[test]
fn usual_work_is_done() {
    let private = PrivateDirectories::create(true).expect("directories");
    let mut wrong = Vec::new();
    for &Work(name, before, script) in WORKS {
        let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
        let (home, journal) = (place.path().join("home"), place.path().join("journal"));
        let root: PathBuf = home.join("work");
        fs::create_dir_all(&root).expect("a directory");
        let variables = [format!("HOME={}", home.display()), format!("CARGO={}", env!("CARGO"))];
        let script = format!("set -e\n{script}");
        let mut inside = command(&root, &script);
        inside.environment.retain(|variable| !variable.as_bytes().starts_with(b"HOME="));
        inside.environment.extend(variables.iter().map(|variable| text(variable)));
        let mut host = Command::new("bash");
        host.args(["-c", &format!("set -e\n{before}")]).current_dir(&root).env_clear();
        let of_host =
            inside.environment.iter().filter_map(|variable| variable.to_str().ok()?.split_once('='));
        let prepared = host.envs(of_host).output().expect("it starts");
        assert!(prepared.status.success(), "{name}: {}", String::from_utf8_lossy(&prepared.stderr));
        let machine = full_machine(&root, &home, private.paths(), &journal);
        let made = make(&SandboxOptions::of(Level::WorkspaceWrite), &machine).expect("a plan");
        let outcome = start(&made.plan, &inside).expect("a sandbox").finish();
        if outcome.code() != Some(0) {
            wrong.push(format!("{name}: {:?}: {}", outcome.status, outcome.output));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn usual_work_of_a_user_is_done() {
    again_as_user("projects::usual_work_is_done");
}
