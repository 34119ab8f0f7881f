//! Programs that exist to run another one.
//!
//! The table has those that run the words behind their options. `user` runs them as another user or with
//! another environment, `container` elsewhere, `text` takes command lines, [`xargs`] and [`parallel`] take
//! arguments from their input.

pub(super) mod container;
mod env;
mod parallel;
pub(super) mod text;
pub(super) mod user;
mod xargs;

use super::program::{runner, separate, transparent, wraps};
use super::{InnerCommands, Offer, Program, Wrapper};
use crate::policy::commands::{Field, skip_options, values};

const LOADER_LONG: &[&str] = &["library-path", "preload", "audit", "argv0", "glibc-hwcaps-prepend"];

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["timeout"],
        runs: InnerCommands::Wrapped(&[transparent("ks", &["kill-after", "signal"], 1)]),
        wraps_queries: true,
        ..Program::PLAIN
    },
    wraps(&["gtimeout"], &[transparent("ks", &["kill-after", "signal"], 1)]),
    Program {
        names: &["nice"],
        runs: InnerCommands::Wrapped(&[transparent("n", &["adjustment"], 0)]),
        wraps_queries: true,
        ..Program::PLAIN
    },
    wraps(&["nohup", "setsid"], &[transparent("", &[], 0)]),
    Program {
        names: &["time"],
        runs: InnerCommands::Wrapped(&[Wrapper {
            has_output: true,
            ..transparent("fo", &["format", "output"], 0)
        }]),
        writes: Some(written_by_time),
        wraps_queries: true,
        ..Program::PLAIN
    },
    Program {
        names: &["gtime"],
        runs: InnerCommands::Wrapped(&[transparent("fo", &["format", "output"], 0)]),
        writes: Some(written_by_time),
        ..Program::PLAIN
    },
    wraps(&["stdbuf"], &[transparent("ioe", &["input", "output", "error"], 0)]),
    wraps(&["ionice"], &[Wrapper { has_pid: true, ..transparent("cn", &["class", "classdata"], 0) }]),
    wraps(
        &["chrt"],
        &[Wrapper {
            has_pid: true,
            ..transparent("TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1)
        }],
    ),
    wraps(&["taskset"], &[Wrapper { has_pid: true, ..transparent("", &[], 1) }]),
    Program {
        names: &["unshare"],
        runs: InnerCommands::Wrapped(&[separate(
            "SGRw",
            &[
                "setuid", "setgid", "root", "wd", "map-user", "map-group", "map-users", "map-groups",
                "propagation", "setgroups", "boottime", "monotonic", "load-interp",
            ],
            0,
        )]),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["nsenter"],
        runs: InnerCommands::Wrapped(&[separate(
            "tSGWN",
            &["target", "setuid", "setgid", "wdns", "net-socket"],
            0,
        )]),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    Program {
        names: &["chroot"],
        runs: InnerCommands::Wrapped(&[separate("", &["userspec", "groups"], 1)]),
        offer: Offer::Nothing,
        ..Program::PLAIN
    },
    wraps(&["strace"], &[separate("abeEIoOpPsSuUX", &["output", "trace", "expr"], 0)]),
    wraps(&["ltrace"], &[separate("aAbeFlnopsuwx", &["output"], 0)]),
    wraps(
        &[
            "valgrind", "torsocks", "firejail", "prlimit", "linux64", "linux32", "i386", "x86_64",
            "unbuffer", "entr", "ts", "chronic", "ifne", "catchsegv", "catatonit", "spawn", "eatmydata",
            "softlimit",
        ],
        &[separate("", &[], 0)],
    ),
    wraps(&["fakeroot"], &[separate("lisfb", &["lib", "faked"], 0)]),
    wraps(&["fakechroot"], &[separate("ceb", &["use-system-libs", "environment"], 0)]),
    wraps(&["proot"], &[separate("rbqwvR", &["rootfs", "bind", "qemu", "cwd", "pwd"], 0)]),
    wraps(&["daemonize"], &[separate("acepolEu", &[], 0)]),
    wraps(&["lockf"], &[separate("t", &[], 1)]),
    wraps(&["xterm"], &[separate("TngfbF", &["e"], 0)]),
    wraps(&["proxychains", "proxychains4"], &[separate("f", &[], 0)]),
    wraps(&["xvfb-run"], &[separate("efnpsw", &["server-num", "server-args", "auth-file"], 0)]),
    wraps(&["dbus-run-session"], &[separate("", &["config-file"], 0)]),
    wraps(
        &["systemd-run"],
        &[separate("EHMptu", &["unit", "property", "setenv", "uid", "gid", "nice", "working-directory"], 0)],
    ),
    wraps(
        &["setpriv"],
        &[separate("", &["reuid", "regid", "groups", "securebits", "bounding-set", "inh-caps"], 0)],
    ),
    wraps(&["numactl"], &[separate("Ncmipl", &[], 0)]),
    wraps(&["setarch", "envdir", "setlock"], &[separate("", &[], 1)]),
    wraps(&["cgexec"], &[separate("g", &[], 0)]),
    wraps(&["rlwrap"], &[separate("abcCDefgHiMmNoOpPqrsSTtwz", &[], 0)]),
    wraps(&["caffeinate"], &[separate("tw", &[], 0)]),
    wraps(&["choom"], &[separate("np", &["adjust"], 0)]),
    wraps(&["sem"], &[separate("j", &[], 0)]),
    wraps(&["chpst"], &[separate("uUbemdoptfcvP012/", &[], 0)]),
    wraps(&["faketime"], &[separate("fp", &[], 1)]),
    wraps(&["retry"], &[separate("td", &["times", "delay"], 0)]),
    wraps(&["tini"], &[separate("pe", &[], 0)]),
    wraps(&["dumb-init"], &[separate("r", &["rewrite"], 0)]),
    wraps(&["cpulimit"], &[separate("lpe", &["limit"], 0)]),
    wraps(&["systemd-inhibit"], &[separate("", &["what", "who", "why", "mode"], 0)]),
    wraps(
        &[
            "ld.so", "ld-linux.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1",
            "ld-musl-aarch64.so.1",
        ],
        &[separate("", LOADER_LONG, 0)],
    ),
    wraps(&["dotenv"], &[Wrapper { assigns: true, ..runner("fe", &["file"], 0) }]),
    wraps(&["env-cmd"], &[runner("fer", &["file", "environments", "rc-file"], 0)]),
    wraps(&["doppler"], &[Wrapper { subcommand: "run", ..runner("pc", &["project", "config"], 0) }]),
    wraps(&["op"], &[Wrapper { subcommand: "run", ..runner("", &["env-file"], 0) }]),
    wraps(&["chamber"], &[Wrapper { subcommand: "exec", ..runner("", &[], 1) }]),
    wraps(&["aws-vault"], &[Wrapper { subcommand: "exec", ..runner("", &["duration"], 1) }]),
];

fn written_by_time(words: &[Field]) -> Vec<Field> {
    let end = skip_options(words, 1, "fo", &["format", "output"]);
    values(words.get(..end).unwrap_or_default(), "o", &["output"], "f")
}
