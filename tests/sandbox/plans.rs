//! Plans that are made of options.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use agent_bash::sandbox::environment::added;
use agent_bash::sandbox::options::{Git, Network, OnUnavailable, SandboxOptions, Tmp, UsualNetwork};
use agent_bash::sandbox::outcome::{MAX_REFUSALS, Refusals};
use agent_bash::sandbox::plan::machine::Machine;
use agent_bash::sandbox::plan::make::{Made, PlanError, make, outline};
use agent_bash::sandbox::plan::{Level, NetworkMode, Part, Source, Tier};
use agent_bash::sandbox::private::PrivatePaths;
use agent_bash::sandbox::protocol::report::{RefusalReason, SandboxRefusal};
use agent_bash::sandbox::texts;
use proptest::prelude::{Strategy, prop, prop_assert, proptest};

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

#[test]
fn a_model_is_told_where_it_may_write() {
    let machine = Machinery::new();
    let options = SandboxOptions { protected: strings(&["dir"]), ..writing() };
    fs::write(machine.at("home/work/dir/file"), "").expect("a file");
    let root = machine.at("home/work");
    let text = texts::for_model(&machine.make(&options).expect("a plan").plan, &root);
    let expected = format!(
        "Commands run in a sandbox: they can write below {} and /tmp, not in dir. There is no network. ",
        root.display()
    );
    assert!(text.starts_with(&expected), "{text}");
}

#[test]
fn a_model_reads_of_a_private_home_only_where_it_is_certain() {
    let machine = Machinery::new();
    let (root, home) = (machine.at("home/work"), machine.at("home"));
    let text = |on_unavailable| {
        let options = SandboxOptions { on_unavailable, ..writing() };
        texts::for_model(&outline(&options, &root, Some(&home)).expect("a plan"), &root)
    };
    let sentence = "What they write in the home stays in the sandbox.";
    assert!(text(OnUnavailable::Fail).contains(sentence));
    assert!(!text(OnUnavailable::Weaker).contains(sentence));
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

#[test]
fn variables_tell_of_the_sandbox_and_of_a_writable_directory() {
    let machine = Machinery::new();
    let plan = machine.make(&writing()).expect("a plan").plan;
    let names = |tmpdir: Option<&str>| {
        let added = added(&writing(), &plan, |name| tmpdir.filter(|_| name == "TMPDIR"));
        added.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let marks = "AGENT_BASH_SANDBOX=workspace-write AGENT_BASH_SANDBOX_NETWORK=off";
    assert_eq!(names(None), marks);
    assert_eq!(names(Some("/tmp")), marks);
    assert_eq!(names(Some("/tmp/nothing/there")), format!("{marks} TMPDIR=/tmp"));
    assert_eq!(names(Some("/elsewhere")), format!("{marks} TMPDIR=/tmp"));
    let weaker = SandboxOptions { on_unavailable: OnUnavailable::Weaker, ..writing() };
    let plan = machine.make_in(&weaker, &machine.at("home/work"), Tier::Landlock).expect("a plan").plan;
    assert_eq!(added(&weaker, &plan, |_| None)[2].1, machine.at("private/tmp").display().to_string());
}

#[test]
fn a_report_has_the_names_of_javascript() {
    let mut machine = Machinery::new();
    machine.private.home = None;
    let made = machine.make(&writing()).expect("a plan");
    fs::write(machine.at("home/work/.envrc"), "").expect("a file");
    let mut refusals = Refusals::default();
    refusals.add(SandboxRefusal::Network {
        host: "192.0.2.1".to_owned(),
        port: 80,
        reason: RefusalReason::NotLoopback,
    });
    for _ in 0..MAX_REFUSALS {
        refusals.add(SandboxRefusal::Socket { path: "/run/s".into() });
    }
    let report = serde_json::to_value(refusals.into_report(&made)).expect("JSON");
    assert_eq!(report["level"], "workspace-write");
    assert_eq!(report["mechanism"], "namespaces");
    assert_eq!(report["missing"], serde_json::json!(["home"]));
    let applied =
        serde_json::json!(["write", "metadata", "protected", "hidden", "processes", "network", "tmp"]);
    assert_eq!(report["applied"], applied);
    let network =
        serde_json::json!({ "kind": "network", "host": "192.0.2.1", "port": 80, "reason": "not-loopback" });
    assert_eq!(report["refused"][0], network);
    assert_eq!(report["refused"][1], serde_json::json!({ "kind": "socket", "path": "/run/s" }));
    assert_eq!(report["moreRefused"], 1);
    assert_eq!(report["created"], serde_json::json!([machine.at("home/work/.envrc")]));
}
