//! Kernels with an older Landlock, or none. The helper of a test build asks for less.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use agent_bash::sandbox::plan::{Level, Part, SandboxPlan, Tier};
use agent_bash::sandbox::probe::probe;
use agent_bash::sandbox::protocol::report::SandboxStep;
use tempfile::TempDir;

use crate::attempts::world::{Servers, World};
use crate::support::{HELPER, again_as_user, start_by};

/// The version of the newest kernel that the helper knows.
const NEWEST: u32 = 7;

/// The first version that covers truncating, and the first one that covers signals.
const TRUNCATE: u32 = 3;
const SIGNALS: u32 = 6;

/// A helper on a kernel with this version of Landlock.
struct Old {
    directory: TempDir,
}

impl Old {
    fn new(version: u32) -> Self {
        let old = Self { directory: tempfile::tempdir().expect("a directory") };
        let role = "agent-bash-sandbox";
        let script =
            format!("#!/bin/bash\nAGENT_BASH_TEST_LANDLOCK={version} exec -a {role} '{HELPER}' \"$@\"\n");
        fs::write(old.helper(), script).expect("a file");
        fs::set_permissions(old.helper(), fs::Permissions::from_mode(0o755)).expect("a mode");
        old
    }

    fn helper(&self) -> PathBuf {
        self.directory.path().join("helper")
    }
}

/// Runs a script, and returns whether it ended with 0, and the version that was applied. The error is the
/// step that failed.
fn outcome(old: &Old, plan: &SandboxPlan, world: &World, script: &str) -> Result<(bool, u32), SandboxStep> {
    let servers = Servers::start();
    let command = world.command(&servers, script);
    let started = start_by(&old.helper(), plan, &command, &[]).map_err(|failure| failure.step)?;
    let outcome = started.finish();
    println!("{}", outcome.output);
    Ok((outcome.code() == Some(0), outcome.running.landlock))
}

const WRITES_INSIDE: &str = "echo x > new && mkdir d && mv new d/ && mv file d && rm -r d";
const WRITES_A_PIPE: &str = "py 'os.open(OUT + \"/fifo\", os.O_RDWR)'";
const TRUNCATES: &str = "py 'os.truncate(OUT + \"/file\", 1)'";
const SIGNALS_ONE: &str = "kill -CONT $VICTIM";
const READS_MEMORY: &str = "cat /proc/$VICTIM/environ || py 'os.open(f\"/proc/{VICTIM}/mem\", os.O_RDONLY)'";

#[test]
fn namespaces_use_any_version() {
    for version in 0..=NEWEST {
        let (old, world) = (Old::new(version), World::new());
        let plan = SandboxPlan { needs_landlock: version > 0, ..world.plan() };
        assert_eq!(outcome(&old, &plan, &world, WRITES_INSIDE), Ok((true, version)));
        assert_eq!(outcome(&old, &plan, &world, TRUNCATES), Ok((false, version)));
        let writes_pipe = version == 0;
        assert_eq!(outcome(&old, &plan, &world, WRITES_A_PIPE), Ok((writes_pipe, version)));
    }
    let world = World::new();
    let needed = outcome(&Old::new(0), &world.plan(), &world, "true");
    assert_eq!(needed, Err(SandboxStep::Landlock));
}

#[test]
fn namespaces_of_a_user_use_any_version() {
    again_as_user("machine::landlock::namespaces_use_any_version");
}

#[test]
fn a_shared_process_table_needs_landlock_for_the_memory_of_others() {
    for version in 0..=NEWEST {
        let (old, world) = (Old::new(version), World::new());
        let plan = SandboxPlan { tier: Tier::SharedProcesses, ..world.plan() };
        if version == 0 {
            assert_eq!(outcome(&old, &plan, &world, "true"), Err(SandboxStep::Landlock));
            continue;
        }
        assert_eq!(outcome(&old, &plan, &world, WRITES_INSIDE), Ok((true, version)));
        assert_eq!(outcome(&old, &plan, &world, READS_MEMORY), Ok((false, version)));
        let signals = version < SIGNALS;
        assert_eq!(outcome(&old, &plan, &world, SIGNALS_ONE), Ok((signals, version)));
    }
}

#[test]
fn a_shared_process_table_of_a_user_needs_landlock() {
    again_as_user("machine::landlock::a_shared_process_table_needs_landlock_for_the_memory_of_others");
}

#[test]
fn landlock_alone_needs_the_version_that_covers_truncating() {
    for version in 0..=NEWEST {
        let (old, world) = (Old::new(version), World::new());
        let mut plan = SandboxPlan { tier: Tier::Landlock, level: Level::ReadOnly, ..world.plan() };
        plan.places.clear();
        if version < TRUNCATE {
            assert_eq!(outcome(&old, &plan, &world, "true"), Err(SandboxStep::Landlock));
            continue;
        }
        for script in [TRUNCATES, WRITES_A_PIPE, READS_MEMORY, "echo x > new", "chmod 600 file"] {
            assert_eq!(outcome(&old, &plan, &world, script), Ok((false, version)), "{script}");
        }
        let signals = version < SIGNALS;
        assert_eq!(outcome(&old, &plan, &world, SIGNALS_ONE), Ok((signals, version)));
    }
}

#[test]
fn landlock_alone_of_a_user_needs_the_version_that_covers_truncating() {
    again_as_user("machine::landlock::landlock_alone_needs_the_version_that_covers_truncating");
}

#[test]
fn a_machine_without_landlock_has_namespaces_that_lack_a_part() {
    let found = probe(&Old::new(0).helper());
    assert_eq!((found.tier, found.landlock), (Some(Tier::Namespaces), 0), "{found:?}");
    assert_eq!(found.missing(Level::WorkspaceWrite, true), Some(vec![Part::Write]));
    assert!(found.reasons[0].contains("Landlock"), "{found:?}");
    let found = probe(&Old::new(1).helper());
    assert_eq!((found.tier, found.landlock), (Some(Tier::Namespaces), 1), "{found:?}");
    assert_eq!(found.missing(Level::WorkspaceWrite, true), Some(Vec::new()));
}
