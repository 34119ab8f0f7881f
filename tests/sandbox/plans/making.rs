//! The contents of a plan.

use std::fs;
use std::os::unix::fs::symlink;

use agent_bash::sandbox::options::{Git, Network, OnUnavailable, SandboxOptions, Tmp, UsualNetwork};
use agent_bash::sandbox::plan::make::PlanError;
use agent_bash::sandbox::plan::{Level, NetworkMode, Part, Source, Tier};
use proptest::prelude::{Strategy, prop, prop_assert, proptest};

use super::{Machinery, strings, writing};

#[test]
fn the_usual_plan_writes_the_workspace_tmp_and_a_private_home() {
    let machine = Machinery::new();
    let made = machine.make(&writing()).expect("a plan");
    let places: Vec<_> =
        made.plan.places.iter().map(|place| (place.path.clone(), place.source.clone())).collect();
    let (upper, work) = (machine.at("private/home"), machine.at("private/work"));
    assert_eq!(
        places,
        [
            ("/tmp".into(), Source::Directory(machine.at("private/tmp"))),
            (machine.at("home"), Source::Overlay { upper, work }),
            (machine.at("home/work"), Source::Host),
        ]
    );
    assert!(
        made.plan.hidden.contains(&machine.at("home/.ssh"))
            && made.plan.hidden.contains(&machine.at("private"))
    );
    assert_eq!((made.plan.network, made.plan.readable, made.missing), (NetworkMode::Off, None, vec![]));
    fs::write(machine.at("home/work/.envrc"), "").expect("a file");
    assert_eq!(made.watch.created(), [machine.at("home/work/.envrc")]);
}

#[test]
fn read_only_writes_a_small_tmp_alone() {
    let machine = Machinery::new();
    let plan = machine.make(&SandboxOptions::of(Level::ReadOnly)).expect("a plan").plan;
    assert_eq!(plan.places.len(), 1);
    assert_eq!(plan.places[0].source, Source::Memory(64 << 20));
    assert!(plan.protected.is_empty() && plan.stubs.is_empty());
}

#[test]
fn isolated_has_an_empty_home_and_reads_what_is_listed() {
    let machine = Machinery::new();
    let options =
        SandboxOptions { visible: strings(&["../../other"]), ..SandboxOptions::of(Level::Isolated) };
    let plan = machine.make(&options).expect("a plan").plan;
    assert!(plan.places.iter().any(|place| place.source == Source::Directory(machine.at("private/empty"))));
    let readable = plan.readable.expect("a list");
    assert!(readable.contains(&machine.at("other")) && readable.contains(&"/usr".into()));
}

#[test]
fn the_tmp_of_the_host_or_of_each_command_is_a_choice() {
    let machine = Machinery::new();
    for (tmp, expected) in [(Tmp::Host, Source::Host), (Tmp::Command, Source::Memory(2 << 30))] {
        let plan = machine.make(&SandboxOptions { tmp: Some(tmp), ..writing() }).expect("a plan").plan;
        assert_eq!(plan.places[0].source, expected);
    }
}

#[test]
fn protected_paths_exist_or_become_stubs() {
    let machine = Machinery::new();
    fs::create_dir(machine.at("home/work/.vscode")).expect("a directory");
    let protected = strings(&["dir/**", "missing/deep", "!.vscode", "x*"]);
    fs::write(machine.at("home/work/dir/file"), "").expect("a file");
    fs::write(machine.at("home/work/x1"), "").expect("a file");
    let plan = machine.make(&SandboxOptions { protected, ..writing() }).expect("a plan").plan;
    assert_eq!(plan.protected, ["dir", "x1"].map(|name| machine.at("home/work").join(name)));
    let stubs: Vec<_> = plan.stubs.iter().map(|stub| stub.path.clone()).collect();
    assert_eq!(stubs, [machine.at("home/work/missing/deep")]);
    assert_eq!(plan.journal, Some(machine.at("journal")));
    let plan = machine.make(&writing()).expect("a plan").plan;
    assert_eq!((plan.protected, plan.journal), (vec![machine.at("home/work/.vscode")], None));
}

#[test]
fn a_protected_link_protects_its_target_too() {
    let machine = Machinery::new();
    symlink("dir", machine.at("home/work/link")).expect("a link");
    symlink(machine.at("other"), machine.at("home/work/out")).expect("a link");
    fs::write(machine.at("home/work/dir/file"), "").expect("a file");
    let options = SandboxOptions { protected: strings(&["link", "out"]), ..writing() };
    let plan = machine.make(&options).expect("a plan").plan;
    assert_eq!(plan.protected, ["dir", "link", "out"].map(|name| machine.at("home/work").join(name)));
}

#[test]
fn an_option_that_is_wrong_is_named() {
    let machine = Machinery::new();
    let cases: [(SandboxOptions, &str); 8] = [
        (SandboxOptions { protected: strings(&["../../other"]), ..writing() }, "sandbox.protected: "),
        (SandboxOptions { protected: strings(&["."]), ..writing() }, "sandbox.protected: "),
        (SandboxOptions { visible: strings(&["a"]), ..writing() }, "sandbox.visible: "),
        (SandboxOptions { writable: strings(&["~"]), ..writing() }, "sandbox.writable: "),
        (SandboxOptions { writable: strings(&["/"]), ..writing() }, "sandbox.writable: "),
        (SandboxOptions { hidden: strings(&[".."]), ..writing() }, "sandbox.hidden: "),
        (
            SandboxOptions { network: Network::Allow { allow: strings(&["*:443"]) }, ..writing() },
            "sandbox.network.allow: '*:443'",
        ),
        (
            SandboxOptions { writable: strings(&["a"]), ..SandboxOptions::of(Level::ReadOnly) },
            "sandbox.writable: ",
        ),
    ];
    for (options, beginning) in cases {
        let error = machine.option_error(&options);
        assert!(error.starts_with(beginning), "{error}");
    }
    for root in [machine.at("home"), machine.place.path().to_owned(), "/".into()] {
        let error = machine.make_in(&writing(), &root, Tier::Namespaces).expect_err("it is wrong");
        assert!(error.to_string().starts_with("root: "), "{error}");
    }
}

#[test]
fn a_missing_writable_path_is_an_error_with_a_code() {
    let machine = Machinery::new();
    let error =
        machine.make(&SandboxOptions { writable: strings(&["nothing"]), ..writing() }).expect_err("missing");
    assert_eq!(error.code(), Some("SANDBOX_PATH"));
    assert_eq!(
        error.to_string(),
        format!("'{}' of sandbox.writable does not exist.", machine.at("home/work/nothing").display())
    );
}

#[test]
fn a_hard_link_to_a_protected_file_is_an_error() {
    let machine = Machinery::new();
    fs::write(machine.at("home/work/dir/file"), "").expect("a file");
    fs::hard_link(machine.at("home/work/dir/file"), machine.at("home/work/name")).expect("a link");
    let options = SandboxOptions { protected: strings(&["dir"]), ..writing() };
    let error = machine.make(&options).expect_err("a second way");
    assert_eq!(error.code(), Some("SANDBOX_PROTECTED"));
    assert!(error.to_string().ends_with("name' is a hard link to the same file."), "{error}");
    let made =
        machine.make(&SandboxOptions { on_unavailable: OnUnavailable::Weaker, ..options }).expect("a plan");
    assert_eq!(made.missing, [Part::Protected]);
}

#[test]
fn a_weaker_mechanism_is_used_only_if_it_may_be() {
    let machine = Machinery::new();
    let root = machine.at("home/work");
    let weaker = SandboxOptions { on_unavailable: OnUnavailable::Weaker, ..writing() };
    // Before version 6 of Landlock, commands could signal the processes that they see.
    for (tier, landlock) in [(Tier::SharedProcesses, 5), (Tier::Landlock, 7)] {
        let plan_of = |options: &SandboxOptions| machine.make_with(options, &root, tier, landlock);
        let error = plan_of(&writing()).expect_err("parts are missing");
        assert_eq!(error.code(), Some("SANDBOX_UNAVAILABLE"));
        assert!(error.to_string().contains("processes"), "{error}");
        let made = plan_of(&weaker).expect("a plan");
        assert!(made.missing.contains(&Part::Processes) && !made.applied.contains(&Part::Processes));
        assert!(made.applied.contains(&Part::Write));
    }
    let loopback = SandboxOptions { network: Network::Usual(UsualNetwork::Loopback), ..weaker };
    assert!(machine.make_in(&loopback, &root, Tier::Landlock).is_err(), "it would have the whole network");
}

#[test]
fn processes_that_are_seen_and_not_touched_are_missing_and_no_error() {
    let machine = Machinery::new();
    let made = machine.make_in(&writing(), &machine.at("home/work"), Tier::SharedProcesses).expect("a plan");
    assert_eq!(made.missing, [Part::Processes]);
    assert!(!made.applied.contains(&Part::Processes) && made.plan.needs_landlock);
}

#[test]
fn a_home_that_can_not_be_copied_is_missing_and_no_error() {
    let mut machine = Machinery::new();
    machine.private.home = None;
    let made = machine.make(&writing()).expect("a plan");
    assert_eq!(made.missing, [Part::Home]);
    assert!(!made.plan.places.iter().any(|place| place.path == machine.at("home")));
}

#[test]
fn what_an_old_landlock_lacks_is_missing() {
    let machine = Machinery::new();
    let reading = SandboxOptions::of(Level::ReadOnly);
    for (options, tier, landlock, expected) in [
        (writing(), Tier::Namespaces, 0, vec![Part::Write]),
        (reading, Tier::Namespaces, 0, vec![Part::Write]),
        (writing(), Tier::Namespaces, 1, vec![]),
        (writing(), Tier::SharedProcesses, 1, vec![Part::Processes]),
    ] {
        let root = machine.at("home/work");
        let result = machine.make_with(&options, &root, tier, landlock);
        if expected.is_empty() {
            assert_eq!(result.expect("a plan").missing, expected);
            continue;
        }
        let error = result.expect_err("a part is missing");
        let level = options.level;
        assert_eq!(error, PlanError::Unavailable { level, missing: expected.clone() });
        let weaker = SandboxOptions { on_unavailable: OnUnavailable::Weaker, ..options };
        let made = machine.make_with(&weaker, &root, tier, landlock).expect("a plan");
        assert_eq!(made.missing, expected);
        assert!(!made.applied.iter().any(|part| expected.contains(part)));
        assert!(!made.plan.needs_landlock);
    }
}

#[test]
fn git_may_do_less_or_all() {
    let machine = Machinery::new();
    fs::create_dir_all(machine.at("home/work/.git/hooks")).expect("a directory");
    fs::write(machine.at("home/work/.git/hooks/pre-commit"), "").expect("a file");
    let plan = |git| machine.make(&SandboxOptions { git, ..writing() }).expect("a plan").plan;
    assert_eq!(plan(Git::Commit).protected, [machine.at("home/work/.git/hooks")]);
    let stubs: Vec<_> = plan(Git::Commit).stubs.into_iter().map(|stub| stub.path).collect();
    assert_eq!(stubs, ["config.worktree", "commondir"].map(|name| machine.at("home/work/.git").join(name)));
    assert_eq!(plan(Git::ReadOnly).protected, [machine.at("home/work/.git")]);
    assert!(plan(Git::All).protected.is_empty());
}

/// A path of few names, with links and parents.
fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "dir", "link", "..", ".", "*", "**", ".git", "~", "out"]);
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

proptest! {
    #[test]
    fn only_listed_paths_and_the_workspace_become_writable(
        protected in prop::collection::vec(path(), 0..4),
        hidden in prop::collection::vec(path(), 0..4),
    ) {
        let machine = Machinery::new();
        symlink(machine.at("other"), machine.at("home/work/out")).expect("a link");
        symlink("dir", machine.at("home/work/link")).expect("a link");
        let options = SandboxOptions { protected, hidden, ..writing() };
        if let Ok(made) = machine.make(&options) {
            for place in &made.plan.places {
                let is_own = place.path == machine.at("home/work") || place.source != Source::Host;
                prop_assert!(is_own, "{place:?}");
            }
            for path in made.plan.protected.iter().chain(made.plan.stubs.iter().map(|stub| &stub.path)) {
                prop_assert!(path.starts_with(machine.at("home/work")), "{path:?}");
                prop_assert!(path != &machine.at("home/work"));
            }
        }
    }
}
