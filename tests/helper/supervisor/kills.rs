//! Signals, kills, lists of processes, and what daemons do.

use agent_bash::helper::supervisor::protocol::enums::{
    FailedStep, OutputPipe, ProcessSelection, SignalScope,
};
use agent_bash::helper::supervisor::protocol::message::ToSupervisor;
use agent_bash::process::identity::Identity;
use rustix::process::Signal;

use super::client::{Sent, Supervisor, in_terminal, line};
use crate::support::{pid, until};

const DAEMON: &str = "(setsid sh -c 'sleep 1000 >/dev/null 2>&1 & sleep 1000' >/dev/null 2>&1 &)";

fn kill(number: i32) {
    Identity::of(pid(number)).expect("it runs").send(Signal::KILL);
}

#[test]
fn a_kill_ends_daemons_in_sessions_of_their_own() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&line(&format!("{DAEMON}; sleep 1000")));
    supervisor.tag.wait_for(3, "sleep");
    supervisor.kill(id);
    let exit = supervisor.finish(id).exit.expect("an exit");
    assert_eq!((exit.is_signal, exit.value), (true, 9));
    supervisor.tag.assert_gone();
}

#[test]
fn a_kill_after_the_exit_ends_what_is_left() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&line(DAEMON));
    supervisor.until(|_, sent| matches!(sent, Sent::Exit(_)).then_some(()));
    supervisor.tag.wait_for(2, "sleep");
    supervisor.kill(id);
    supervisor.finish(id);
    supervisor.tag.assert_gone();
}

#[test]
fn a_command_is_not_gone_while_its_daemon_runs() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&line("setsid sleep 1000 >/dev/null 2>&1 & exit 0"));
    supervisor.until(|_, sent| matches!(sent, Sent::Exit(_)).then_some(()));
    let [daemon] = supervisor.tag.wait_for(1, "sleep").try_into().expect("one");
    supervisor.send(id, ToSupervisor::List(ProcessSelection::All));
    let pids = supervisor.until(|_, sent| match sent {
        Sent::Pids(pids) => Some(pids),
        Sent::Gone => panic!("it is not"),
        _ => None,
    });
    assert_eq!(pids, [daemon.pid().unsigned_abs()]);
    kill(daemon.pid());
    supervisor.until(|of, sent| (sent == Sent::Gone && of == id).then_some(()));
}

#[test]
fn a_signal_reaches_the_tree_or_the_leader_alone() {
    let mut supervisor = Supervisor::new();
    let trap = "trap 'echo child' USR1; while :; do sleep 0.01; done";
    let command = format!("trap 'echo leader' USR1; sh -c \"{trap}\" & while :; do sleep 0.01; done");
    let (id, _) = supervisor.started(&line(&command));
    supervisor.tag.wait_for(2, "sh");
    let mut heard = String::new();
    supervisor.signal(id, libc::SIGUSR1, SignalScope::Leader);
    supervisor.until(|_, sent| match sent {
        Sent::Output(OutputPipe::Stdout, bytes) => {
            heard.push_str(&String::from_utf8_lossy(&bytes));
            heard.contains("leader").then_some(())
        }
        _ => None,
    });
    assert!(!heard.contains("child"));
    supervisor.signal(id, libc::SIGKILL, SignalScope::Tree);
    supervisor.finish(id);
    supervisor.tag.assert_gone();
}

#[test]
fn an_end_continues_what_is_stopped() {
    let mut supervisor = Supervisor::new();
    let (id, leader) = supervisor.started(&line("kill -STOP $$"));
    until("it has stopped", || agent_bash::process::table::is_stopped_or_gone(pid(leader)));
    supervisor.signal(id, libc::SIGTERM, SignalScope::End);
    assert_eq!(supervisor.finish(id).exit.expect("an exit").value, 15);
}

#[test]
fn a_terminal_hangs_up_on_what_ignores_the_signal() {
    let mut supervisor = Supervisor::new();
    let (id, _) = supervisor.started(&in_terminal("trap '' TERM; echo ready; read x; read y"));
    supervisor.until(|_, sent| matches!(sent, Sent::Output(..)).then_some(()));
    supervisor.signal(id, libc::SIGTERM, SignalScope::End);
    assert_eq!(supervisor.finish(id).exit.expect("an exit").value, 1);
}

#[test]
fn a_killed_reaper_takes_its_tree_along_and_no_other() {
    let mut supervisor = Supervisor::new();
    let (other, _) = supervisor.started(&line("read x </dev/null; sleep 1000"));
    let (id, leader) = supervisor.started(&line(&format!("{DAEMON}; exec sleep 1000")));
    supervisor.tag.wait_for(4, "sleep");
    kill(Supervisor::reaper_of(leader));
    let failed = supervisor.until(|of, sent| match sent {
        Sent::Failed(step, _) if of == id => Some(step),
        _ => None,
    });
    assert_eq!(failed, FailedStep::Lost);
    supervisor.tag.wait_for(1, "sleep");
    supervisor.kill(other);
    supervisor.finish(other);
}
