//! The texts and reports about a plan.

use std::fs;

use agent_bash::sandbox::environment::added;
use agent_bash::sandbox::options::{OnUnavailable, SandboxOptions};
use agent_bash::sandbox::outcome::{MAX_REFUSALS, Refusals};
use agent_bash::sandbox::plan::Tier;
use agent_bash::sandbox::plan::make::outline;
use agent_bash::sandbox::protocol::report::{RefusalReason, SandboxRefusal};
use agent_bash::sandbox::texts;

use super::{Machinery, strings, writing};

#[test]
fn a_model_is_told_where_it_may_write() {
    let machine = Machinery::new();
    let options = SandboxOptions { protected: strings(&["dir"]), ..writing() };
    fs::write(machine.at("home/work/dir/file"), "").expect("a file");
    let root = machine.at("home/work");
    let text = texts::for_model(&machine.make(&options).expect("a plan").plan, &root, &[]);
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
        texts::for_model(&outline(&options, &root, Some(&home)).expect("a plan"), &root, &[])
    };
    let sentence = "What they write in the home stays in the sandbox.";
    assert!(text(OnUnavailable::Fail).contains(sentence));
    assert!(!text(OnUnavailable::Weaker).contains(sentence));
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
