//! From the options of a container to the arguments of its engine. Pure.

use std::path::{Path, PathBuf};

use super::engine::{ContainerEngine, Flavor};
use super::options::{Mount, OwnContainer, User};
use crate::process::helper_program::SUPERVISE;
use crate::target::transport_command::SHELL;

/// The workspace in the container.
pub(super) const WORKSPACE: &str = "/workspace";

/// The helper program in the container.
pub(super) const HELPER: &str = "/run/agent-bash-helper";

/// The label that names the owner of a container.
pub(super) const OWNER: &str = "agent-bash.owner";

/// The limits of open files and of processes to which podman lowers its own; it can't give a container more.
/// The second one is the default of the kernel's highest pid.
const PODMAN_LIMITS: [u64; 2] = [1 << 20, 32_768];

/// The default size of `/dev/shm` of both engines (bytes).
const SHARED_MEMORY: u64 = 64 << 20;

/// The facts about this machine, in addition to the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocalFacts {
    /// The name of the container, and the value of its label.
    pub(super) name: String,
    pub(super) owner: String,
    /// The user and the group of this process.
    pub(super) ids: (u32, u32),
    /// The hard limits of open files and processes; `None` for no limit.
    pub(super) hard_limits: [Option<u64>; 2],
    /// The directories of the workspace that can't be renamed or removed in the container, and its paths that
    /// are read-only there.
    pub(super) pinned: Vec<PathBuf>,
    pub(super) protected: Vec<PathBuf>,
    /// The caller's mounts.
    pub(super) mounts: Vec<Mount>,
    /// The helper program; `None` where the engine can't mount it, so that it is copied over the stream.
    pub(super) helper: Option<PathBuf>,
    pub(super) nonce: String,
}

/// Returns the command that creates the container and runs the supervisor as its main process.
pub(super) fn run_words(own: &OwnContainer, engine: &ContainerEngine, here: &LocalFacts) -> Vec<String> {
    let mut words = Words(engine.words(&["run", "-i", "--rm"]));
    words.add("--name", &here.name);
    words.add("--label", format!("{OWNER}={}", here.owner));
    words.add("--network", &own.network);
    // Without capabilities, root in the container has no power except over its files.
    words.add("--cap-drop", "ALL");
    words.add("--security-opt", "no-new-privileges");
    if own.has_read_only_root {
        words.flag("--read-only");
    }
    for (path, size) in file_systems_in_memory(own, engine.flavor) {
        // Docker mounts a tmpfs with `noexec` by default.
        words.add("--tmpfs", format!("{path}:rw,exec,nosuid,nodev,mode=1777,size={size}"));
    }
    words.add("--shm-size", size_of_tmp(own).div_ceil(8).min(SHARED_MEMORY).to_string());
    words.add("--memory", own.memory.to_string());
    // This option is the sum of memory and swap: equal to the memory, it means no swap. By default, there is
    // as much swap as memory.
    words.add("--memory-swap", own.memory.to_string());
    words.add("--pids-limit", own.pids.to_string());
    if let Some(cpus) = &own.cpus {
        words.add("--cpus", cpus);
    }
    words.user(&own.user, engine, here.ids);
    // The home of an unknown user would be `/` or the working directory, where programs would put their
    // caches.
    words.add("--env", "HOME=/tmp");
    for (name, value) in &own.env {
        words.add("--env", format!("{name}={value}"));
    }
    if let Some(workspace) = &own.workspace {
        words.mount(Path::new(workspace), WORKSPACE, false);
        words.add("--workdir", WORKSPACE);
        let below = |path: &Path| path.strip_prefix(workspace).unwrap_or(path).display().to_string();
        for path in &here.pinned {
            words.mount(path, &format!("{WORKSPACE}/{}", below(path)), false);
        }
        for path in &here.protected {
            words.mount(path, &format!("{WORKSPACE}/{}", below(path)), true);
        }
    }
    for mount in &here.mounts {
        words.mount(Path::new(&mount.source), &mount.target, mount.read_only);
    }
    if let Some(helper) = &here.helper {
        words.mount(helper, HELPER, true);
    }
    words.add("--entrypoint", "");
    words.add("--pull", if own.pulls { "missing" } else { "never" });
    words.flag("--no-healthcheck");
    // The engine would store the stream on the disk.
    words.add("--log-driver", "none");
    if engine.flavor == Flavor::Podman && !engine.is_rootless {
        // Without CAP_SYS_RESOURCE, podman can't raise the limits to its own defaults.
        for ((name, own), limit) in ["nofile", "nproc"].iter().zip(PODMAN_LIMITS).zip(here.hard_limits) {
            let limit = limit.unwrap_or(own).min(own);
            words.add("--ulimit", format!("{name}={limit}:{limit}"));
        }
    }
    words.flag(&own.image);
    match here.helper {
        Some(_) => [HELPER, SUPERVISE, &here.nonce].iter().for_each(|word| words.flag(word)),
        None => SHELL.iter().for_each(|word| words.flag(word)),
    }
    words.0
}

/// Returns the size of `/tmp`.
///
/// Files there are memory of the container, and the kernel can't free it by killing a process. So they take
/// half of the memory at most: in a full `/tmp`, a program gets `ENOSPC`, and commands go on.
const fn size_of_tmp(own: &OwnContainer) -> u64 {
    if own.tmp < own.memory / 2 { own.tmp } else { own.memory / 2 }
}

/// Returns the directories of the container whose files are memory, and their sizes (bytes).
///
/// Podman makes `/var/tmp` and `/run` such directories beside a read-only root, without a limit of their own.
fn file_systems_in_memory(own: &OwnContainer, flavor: Flavor) -> Vec<(&'static str, u64)> {
    let tmp = size_of_tmp(own);
    let mut all = vec![("/tmp", tmp)];
    if flavor == Flavor::Podman && own.has_read_only_root {
        all.extend([("/var/tmp", tmp.div_ceil(4)), ("/run", tmp.div_ceil(16))]);
    }
    all.retain(|(path, _)| own.mounts.iter().all(|mount| mount.target.trim_end_matches('/') != *path));
    all
}

/// Returns the command that removes the container, even while it runs.
pub(super) fn removal_words(engine: &ContainerEngine, name: &str) -> Vec<String> {
    match engine.flavor {
        Flavor::Podman => engine.words(&["rm", "--force", "--time", "0", name]),
        Flavor::Docker => engine.words(&["rm", "--force", name]),
    }
}

struct Words(Vec<String>);

impl Words {
    fn flag(&mut self, word: &str) {
        self.0.push(word.to_owned());
    }

    fn add(&mut self, flag: &str, value: impl Into<String>) {
        self.0.extend([flag.to_owned(), value.into()]);
    }

    fn user(&mut self, user: &User, engine: &ContainerEngine, (uid, gid): (u32, u32)) {
        match (user, engine.flavor, engine.is_rootless) {
            (User::Image, ..) => {}
            (User::Named(name), ..) => self.add("--user", name),
            // The user of a rootless engine is root there, unless the ids are kept.
            (User::Own, Flavor::Podman, true) => self.add("--userns", "keep-id"),
            (User::Own, Flavor::Docker, true) => self.add("--user", "0:0"),
            (User::Own, _, false) => self.add("--user", format!("{uid}:{gid}")),
        }
    }

    /// Adds a bind mount: never by `-v`, which makes a missing source as root and breaks at a colon.
    fn mount(&mut self, source: &Path, target: &str, is_read_only: bool) {
        let source = field(&format!("src={}", source.display()));
        let target = field(&format!("dst={target}"));
        let more = if is_read_only { ",readonly" } else { "" };
        self.add("--mount", format!("type=bind,{source},{target}{more}"));
    }
}

/// Quotes a field of a mount, which engines parse as a CSV record.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{ContainerEngine, Flavor, LocalFacts, OwnContainer, removal_words, run_words};
    use crate::target::container::options::Container;

    fn own(json: &str) -> OwnContainer {
        match serde_json::from_str(json) {
            Ok(Container::Own(own)) => *own,
            other => panic!("expected a container: {other:?}"),
        }
    }

    fn words(json: &str, flavor: Flavor, is_rootless: bool) -> String {
        let engine = ContainerEngine { argv: vec!["e".to_owned(), "-g".to_owned()], flavor, is_rootless };
        let here = LocalFacts {
            name: "agent-bash-1".to_owned(),
            owner: "b:1:2:3".to_owned(),
            ids: (1000, 100),
            hard_limits: [Some(1024), None],
            pinned: vec!["/w, \"x\"/.git".into()],
            protected: vec!["/w, \"x\"/memo".into()],
            mounts: own(json).mounts,
            helper: Some("/h/helper".into()),
            nonce: "n".to_owned(),
        };
        run_words(&own(json), &engine, &here).join(" ")
    }

    #[test]
    fn a_container_can_do_little() {
        let text = words(r#"{"image":"i"}"#, Flavor::Podman, false);
        for part in [
            "e -g run -i --rm --name agent-bash-1 --label agent-bash.owner=b:1:2:3",
            "--network none --cap-drop ALL --security-opt no-new-privileges --read-only",
            "--memory 2147483648 --memory-swap 2147483648 --pids-limit 1024 --user 1000:100",
            "--mount type=bind,src=/h/helper,dst=/run/agent-bash-helper,readonly --entrypoint  --pull never",
            "--ulimit nofile=1024:1024 --ulimit nproc=32768:32768 i /run/agent-bash-helper supervise n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("--workdir"));
    }

    #[test]
    fn new_files_belong_to_the_user_on_every_engine() {
        assert!(words(r#"{"image":"i"}"#, Flavor::Podman, true).contains("--userns keep-id"));
        assert!(words(r#"{"image":"i"}"#, Flavor::Docker, true).contains("--user 0:0"));
        assert!(words(r#"{"image":"i"}"#, Flavor::Docker, false).contains("--user 1000:100"));
        let named = words(r#"{"image":"i","user":"node"}"#, Flavor::Docker, false);
        assert!(named.contains("--user node") && !named.contains("--ulimit"));
        assert!(!words(r#"{"image":"i","user":"image"}"#, Flavor::Docker, false).contains("--user"));
    }

    #[test]
    fn a_path_may_have_commas_and_quotes() {
        let text = words(r#"{"image":"i","workspace":"/w, \"x\""}"#, Flavor::Docker, false);
        assert!(text.contains(r#"type=bind,"src=/w, ""x""",dst=/workspace --workdir /workspace"#), "{text}");
        assert!(text.contains(r#""src=/w, ""x""/memo",dst=/workspace/memo,readonly"#), "{text}");
        assert!(text.contains(r#""src=/w, ""x""/.git",dst=/workspace/.git --mount"#), "{text}");
    }

    #[test]
    fn options_change_the_words() {
        let json = r#"{"image":"i","network":"n","readOnlyRoot":false,"pull":"missing","cpus":1.5,"env":{"A":"b c"},
            "mounts":[{"source":"/s","target":"/t","readOnly":true}]}"#;
        let text = words(json, Flavor::Docker, false);
        for part in ["--network n", "--pull missing", "--cpus 1.5", "--env A=b c", "src=/s,dst=/t,readonly"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("--read-only"));
    }

    #[test]
    fn files_in_memory_leave_memory_for_processes() {
        let small = words(r#"{"image":"i","memory":67108864}"#, Flavor::Podman, false);
        for part in ["/tmp:rw,exec,nosuid,nodev,mode=1777,size=33554432 ", "--shm-size 4194304"] {
            assert!(small.contains(part), "{part}: {small}");
        }
        let sizes: Vec<u64> =
            small.split("size=").skip(1).filter_map(|rest| rest.split(' ').next()?.parse().ok()).collect();
        assert_eq!(sizes, [33_554_432, 8_388_608, 2_097_152]);
        let small = words(r#"{"image":"i","tmp":4096}"#, Flavor::Docker, false);
        assert!(small.contains("size=4096 --shm-size 512 ") && !small.contains("/run:"), "{small}");
        let usual = words(r#"{"image":"i"}"#, Flavor::Docker, false);
        assert!(usual.contains("size=1073741824 --shm-size 67108864 "), "{usual}");
        let json = r#"{"image":"i","mounts":[{"source":"/s","target":"/var/tmp/"}]}"#;
        assert!(!words(json, Flavor::Podman, false).contains("/var/tmp:"));
    }

    #[test]
    fn only_podman_waits_before_it_removes() {
        let engine = |flavor| ContainerEngine { argv: vec!["e".to_owned()], flavor, is_rootless: false };
        assert_eq!(removal_words(&engine(Flavor::Docker), "n").join(" "), "e rm --force n");
        assert_eq!(removal_words(&engine(Flavor::Podman), "n").join(" "), "e rm --force --time 0 n");
    }
}
