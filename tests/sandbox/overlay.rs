//! Changes of a layer that the kernel has written, against a plain copy of the workspace as the model.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use agent_bash::sandbox::overlay::{Change, OnConflict, Overlay, OverlayError};
use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config;

/// The files of every workspace at first.
const BEFORE: &str = "
mkdir -p a/b c .git/objects
for f in a/1 a/b/1 a/b/2 c/1 1 2 .git/HEAD .git/objects/1; do echo text of $f > $f; done
ln -s a/1 link; mkfifo pipe; chmod 750 a/b; : > empty
";

/// A line of a shell script: what a command does to its workspace.
fn operation() -> impl Strategy<Value = String> {
    let path = || {
        prop::sample::select(vec![
            "a", "a/b", "a/1", "a/b/1", "a/b/2", "a/b/n", "c", "c/1", "c/n", "1", "2", "n", "n/1", "link",
            "pipe", "empty", ".git/HEAD", ".git/index", ".git/objects/1", ".git/objects/2", ".git/refs",
        ])
    };
    prop_oneof![
        (path(), any::<u16>()).prop_map(|(path, text)| format!("[ -p {path} ] || echo {text} > {path}")),
        path().prop_map(|path| format!("[ -p {path} ] || echo more >> {path}")),
        path().prop_map(|path| format!("mkdir -p {path}")),
        path().prop_map(|path| format!("rm -rf {path}")),
        path().prop_map(|path| format!("rmdir {path}")),
        path().prop_map(|path| format!("touch {path}")),
        (path(), path()).prop_map(|(from, to)| format!("mv -T {from} {to}")),
        // Not into itself: the part that is copied would depend on the order in which the directory is read.
        (path(), path())
            .prop_filter("into itself", |(from, to)| !to.starts_with(from))
            .prop_map(|(from, to)| format!("[ -p {from} ] || [ -p {to} ] || timeout 5 cp -r {from} {to}")),
        (path(), path()).prop_map(|(from, to)| format!("ln -sfT {from} {to}")),
        (path(), path()).prop_map(|(from, to)| format!("ln {from} {to}")),
        path().prop_map(|path| format!("mkfifo {path}")),
        (path(), prop::sample::select(vec!["600", "755", "700", "1777"]))
            .prop_map(|(path, mode)| format!("[ ! -L {path} ] && chmod {mode} {path}")),
    ]
}

struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().expect("a directory"));
        for name in ["root", "model", "layer", "layer/upper", "layer/work", "merged"] {
            fs::create_dir(world.at(name)).expect("made");
        }
        fs::set_permissions(world.at("layer"), fs::Permissions::from_mode(0o700)).expect("changed");
        File::create(world.at("layer/lock")).expect("made");
        for name in ["root", "model"] {
            world.shell("", &format!("cd {name}; {BEFORE}"));
        }
        world
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn shell(&self, before: &str, script: &str) {
        let script = format!("{before}\nset +e; exec 2>/dev/null\n{script}\n:");
        let arguments = ["--mount", "timeout", "60", "sh", "-ec", &script];
        let status =
            Command::new("unshare").args(arguments).current_dir(self.0.path()).status().expect("run");
        assert!(status.success(), "{script}");
    }

    /// Runs a script in an overlay and in the model.
    fn run(&self, script: &str) {
        let mount = "mount -t overlay -o userxattr,lowerdir=root,upperdir=layer/upper,workdir=layer/work overlay merged";
        self.shell(mount, &format!("cd merged\n{script}"));
        self.shell("", &format!("cd model\n{script}"));
    }

    fn overlay(&self) -> Overlay {
        Overlay::create(&self.at("root"), Some(self.at("layer")), None).expect("an overlay")
    }

    fn tree(&self, name: &str) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        read(&self.at(name), Path::new(""), &mut found);
        found
    }
}

fn read(directory: &Path, below: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(directory.join(below)).expect("a directory") {
        let path = below.join(entry.expect("an entry").file_name());
        let whole = directory.join(&path);
        let metadata = fs::symlink_metadata(&whole).expect("there");
        let mode = metadata.permissions().mode() & 0o7777;
        let kind = metadata.file_type();
        let text = if kind.is_symlink() {
            format!("link {}", fs::read_link(&whole).expect("a link").display())
        } else if kind.is_dir() {
            read(directory, &path, found);
            format!("directory {mode:o}")
        } else if kind.is_fifo() {
            format!("pipe {mode:o}")
        } else {
            format!("{mode:o} {}", fs::read_to_string(&whole).expect("a file"))
        };
        found.insert(path, text);
    }
}

/// The command of the interrupted commits: a change of each kind.
const CHANGES: &str = "
echo new > a/1; rm a/b/1; mv 1 moved; chmod 600 2; ln -sfT elsewhere link; mkdir -p n/m; echo x > n/m/f
mkfifo n/pipe; rm -r c; echo file > c; rm empty; mkdir empty; echo y > empty/f; echo linked > two
echo object > .git/objects/2; echo index > .git/index; rm .git/objects/1
";

/// The calls by which a commit changes anything.
const CALLS: [&str; 11] = [
    "mkdirat", "fchmod", "fchmodat", "fchown", "renameat", "unlinkat", "symlinkat", "mknodat", "utimensat",
    "ftruncate", "flock",
];

const PLACE: &str = "OVERLAY_PLACE";

fn commit_in(place: &Path) -> Result<(), OverlayError> {
    let overlay = Overlay::create(&place.join("root"), Some(place.join("layer")), None).expect("an overlay");
    overlay.commit(None, OnConflict::Fail).map(|_| ())
}

/// Does nothing by itself: the next test runs it in a process of its own.
#[test]
fn a_commit_of_another_process() {
    if let Some(place) = std::env::var_os(PLACE) {
        commit_in(Path::new(&place)).expect("a commit");
    }
}

#[test]
#[ignore = "needs root"]
fn a_commit_that_is_killed_at_any_system_call_is_finished_by_the_next() {
    let world = World::new();
    for name in ["root", "model"] {
        world.shell("", &format!("cd {name}; echo two > two; ln two same"));
    }
    world.run(CHANGES);
    // A hard link is cut inside, and a commit changes both names, as the copy has it.
    let mut killed = 0;
    for call in CALLS {
        for count in 1.. {
            let place = tempfile::tempdir().expect("a directory");
            let mut copy = Command::new("cp");
            copy.args(["-a", "root", "layer"]).arg(place.path()).current_dir(world.0.path());
            assert!(copy.status().expect("cp").success());
            // The files of the copied workspace are as old as before the command.
            let mut touch = Command::new("find");
            touch.args(["layer/upper", "-type", "d", "-exec", "touch", "{}", "+"]).current_dir(place.path());
            assert!(touch.status().expect("find").success());
            let status = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
                .args(["-e", &format!("inject={call}:signal=KILL:when={count}")])
                .arg(std::env::current_exe().expect("a path"))
                .args(["overlay::a_commit_of_another_process", "--exact"])
                .env(PLACE, place.path())
                .output()
                .expect("strace")
                .status;
            if !status.success() {
                killed += 1;
                commit_in(place.path()).unwrap_or_else(|error| panic!("{call} {count}: {error}"));
            }
            let mut found = BTreeMap::new();
            read(&place.path().join("root"), Path::new(""), &mut found);
            assert_eq!(found, world.tree("model"), "{call} {count}");
            assert!(!place.path().join("layer/upper").exists(), "{call} {count}");
            if status.success() {
                break;
            }
        }
    }
    assert!(killed > 30, "{killed}");
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]

    #[test]
    fn a_commit_gives_the_workspace_what_the_commands_saw(
        operations in prop::collection::vec(operation(), 1..40),
        chosen in prop::collection::vec(any::<bool>(), 40),
    ) {
        let world = World::new();
        world.run(&operations.join("\n"));
        let overlay = world.overlay();
        let changes = overlay.changes(&[]).expect("changes");
        let some: Vec<PathBuf> = changes.iter().zip(&chosen).filter(|(_, chosen)| **chosen)
            .map(|(change, _)| change.path.clone()).collect();
        // A file in place of a directory whose removal is not chosen.
        let _ = overlay.commit(Some(&some), OnConflict::Overwrite);
        let left = overlay.changes(&[]).expect("changes");
        prop_assert!(left.len() <= changes.len());
        overlay.commit(None, OnConflict::Overwrite).expect("a commit");
        prop_assert_eq!(world.tree("root"), world.tree("model"));
        prop_assert_eq!(overlay.changes(&[]).expect("changes"), Vec::<Change>::new());
    }
}
