//! Containers, clusters and virtual machines: `docker exec`, `docker run`, `docker compose`, `kubectl exec`.

use crate::policy::commands::{
    Field, Inner, StandardInput, Trust, after_dashes, after_separator, at_each_start, skip_options, texts_of,
    word, wrapped,
};
use crate::policy::programs::program::{runner, runs, separate, wraps};
use crate::policy::programs::{InnerCommands, Offer, Program, Synonyms, Wrapper, without_first};

const CONTAINER_LONG: &[&str] = &[
    "detach-keys", "env", "env-file", "user", "workdir", "index", "volume", "name", "network", "publish",
    "mount", "entrypoint", "label", "hostname", "memory", "cpus", "platform", "add-host", "cap-add",
    "cap-drop", "device", "gpus", "ipc", "pid", "pull", "restart", "security-opt", "shm-size", "tmpfs",
    "ulimit", "userns",
];

pub(in crate::policy::programs) const PROGRAMS: &[Program] = &[
    Program {
        names: &["docker"],
        runs: InnerCommands::By(in_container),
        offer: Offer::Subcommands(&["ps", "images", "logs", "inspect", "build"]),
        synonyms: Synonyms {
            flags: &[("", "-v --volume"), ("", "-p --publish"), ("", "-e --env")],
            names: &[("docker-compose", "docker compose")],
            spellings: Some(without_noun),
            ..Synonyms::NONE
        },
        ..Program::PLAIN
    },
    Program {
        names: &["podman"],
        runs: InnerCommands::By(in_container),
        synonyms: Synonyms { spellings: Some(without_noun), ..Synonyms::NONE },
        ..Program::PLAIN
    },
    runs(&["nerdctl"], in_container),
    Program {
        names: &["docker-compose"],
        runs: InnerCommands::Wrapped(&[
            Wrapper { subcommand: "exec", ..runner("euw", CONTAINER_LONG, 1) },
            Wrapper { subcommand: "run", ..runner("euwvp", CONTAINER_LONG, 1) },
        ]),
        synonyms: Synonyms { names: &[("docker-compose", "docker compose")], ..Synonyms::NONE },
        ..Program::PLAIN
    },
    Program {
        names: &["kubectl"],
        runs: InnerCommands::By(in_cluster),
        offer: Offer::Subcommands(&["get", "describe", "logs"]),
        synonyms: Synonyms { flags: &[("", "-A --all-namespaces"), ("", "-f --filename")], ..Synonyms::NONE },
        ..Program::PLAIN
    },
    runs(&["oc"], oc),
    wraps(&["crun"], &[Wrapper { subcommand: "exec", ..runner("cdeu", CONTAINER_LONG, 1) }]),
    wraps(&["runc"], &[Wrapper { subcommand: "exec", ..runner("eup", CONTAINER_LONG, 1) }]),
    wraps(&["buildah"], &[Wrapper { subcommand: "run", ..runner("uv", CONTAINER_LONG, 1) }]),
    wraps(&["lxc"], &[Wrapper { subcommand: "exec", ..runner("", &["env", "cwd", "user"], 1) }]),
    wraps(&["machinectl"], &[Wrapper { subcommand: "shell", ..runner("", &["uid", "setenv"], 1) }]),
    runs(
        &[
            "singularity", "apptainer", "toolbox", "crictl", "multipass", "systemd-nspawn", "ctr", "flatpak",
            "snap",
        ],
        at_each_start,
    ),
    runs(&["colima", "lxc-attach", "distrobox", "coder", "limactl"], after_dashes),
    wraps(&["distrobox-enter"], &[separate("n", &["name"], 1)]),
    wraps(&["flatpak-spawn"], &[separate("", &[], 0)]),
    runs(&["vagrant", "wsl", "adb"], texts_of),
    wraps(&["heroku"], &[Wrapper { subcommand: "run", ..runner("a", &["app"], 0) }]),
];

const IN_CONTAINER: &[Wrapper] = &[
    Wrapper { subcommand: "exec", ..runner("euw", CONTAINER_LONG, 1) },
    Wrapper { subcommand: "run", ..runner("aceuhlmpvw", CONTAINER_LONG, 1) },
];

const OC: &[Wrapper] =
    &[Wrapper { subcommand: "rsh", ..runner("cn", &["container", "namespace", "shell"], 1) }];

fn oc(words: &[Field], input: &StandardInput) -> Vec<Inner> {
    if words.iter().any(|field| field.text == "rsh") { wrapped(OC, words) } else { in_cluster(words, input) }
}

fn in_cluster(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    after_separator(words, &["exec", "run", "debug"])
}

/// Returns a command without the noun: `docker container exec`.
fn without_noun(words: &[Field]) -> Vec<Vec<Field>> {
    without_first(words, |text| text == "container")
}

/// Returns the command in a container, as in `docker --context a container exec c rm`.
fn in_container(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let globals =
        ["config", "context", "host", "log-level", "tlscacert", "tlscert", "tlskey", "connection", "url"];
    let mut at = skip_options(words, 1, "cHl", &globals);
    match word(words, at) {
        Some("compose") => return compose(words),
        Some("container") => at += 1,
        _ => {}
    }
    let rest: Vec<Field> = words[..1].iter().chain(words.get(at..).unwrap_or_default()).cloned().collect();
    let moved = at - 1;
    let mut found = wrapped(IN_CONTAINER, &rest);
    // `docker run --entrypoint rm image x`
    let entrypoint =
        rest.iter().enumerate().find_map(|(at, field)| match field.text.strip_prefix("--entrypoint") {
            Some("") => rest.get(at + 1).cloned(),
            Some(value) => value.strip_prefix('=').map(Field::of),
            None => None,
        });
    found.extend(entrypoint.map(|program| Inner::Made(vec![program])));
    for inner in &mut found {
        if let Inner::Words { at, .. } | Inner::Start(at) = inner {
            *at += moved;
        }
    }
    found
}

fn compose(words: &[Field]) -> Vec<Inner> {
    let Some(at) = words.iter().position(|field| matches!(field.text.as_str(), "exec" | "run")) else {
        return Vec::new();
    };
    let at = skip_options(words, at + 1, "euwvp", CONTAINER_LONG);
    Inner::words_from(words, at + 1, Trust::Runner)
}
