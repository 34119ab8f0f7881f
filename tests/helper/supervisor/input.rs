//! Input, and terminals.

use agent_bash::helper::supervisor::protocol::enums::OutputPipe;
use agent_bash::helper::supervisor::protocol::message::ToSupervisor;
use agent_bash::process::pty::WindowSize;

use super::client::{Sent, Supervisor, in_terminal, line, with_input};

#[test]
fn a_command_without_input_reads_its_end() {
    let mut supervisor = Supervisor::new();
    assert_eq!(supervisor.run(&line("cat; echo end")).text(), "end\n");
}

#[test]
fn input_and_its_end_arrive() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&with_input("cat; echo end"));
    supervisor.send(id, ToSupervisor::Stdin(b"one "));
    supervisor.send(id, ToSupervisor::Stdin(b"two\n"));
    supervisor.send(id, ToSupervisor::StdinEnd);
    assert_eq!(supervisor.finish(id).text(), "one two\nend\n");
}

#[test]
fn input_that_was_written_is_granted_again() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&with_input("wc -c"));
    let (piece, mut granted) = (vec![b'x'; 32 * 1024], 256 * 1024);
    for _ in 0..32 {
        while granted < piece.len() {
            granted += supervisor.until(|_, sent| match sent {
                Sent::Credit(count) => Some(count as usize),
                _ => None,
            });
        }
        granted -= piece.len();
        supervisor.send(id, ToSupervisor::Stdin(&piece));
    }
    supervisor.send(id, ToSupervisor::StdinEnd);
    assert_eq!(supervisor.finish(id).text(), "1048576\n");
}

#[test]
fn the_window_of_input_that_is_read_grows() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&with_input("wc -c"));
    let (piece, mut granted) = (vec![b'x'; 32 * 1024], 256 * 1024);
    for rest in (0..256).rev() {
        // In the end, more is granted than the first window.
        let wanted = if rest == 0 { 256 * 1024 + 1 } else { piece.len() };
        while granted < wanted {
            granted += supervisor.until(|_, sent| match sent {
                Sent::Credit(count) => Some(count as usize),
                _ => None,
            });
        }
        assert!(granted <= 2 * 1024 * 1024);
        granted -= piece.len();
        supervisor.send(id, ToSupervisor::Stdin(&piece));
    }
}

#[test]
fn the_window_of_input_that_is_not_read_stays_as_it_is() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&with_input("sleep 60"));
    let piece = vec![b'x'; 32 * 1024];
    for _ in 0..8 {
        supervisor.send(id, ToSupervisor::Stdin(&piece));
    }
    supervisor.send(0, ToSupervisor::Ping(b"after"));
    let granted = supervisor.until(|_, sent| match sent {
        Sent::Credit(count) => Some(count),
        Sent::Pong(_) => Some(0),
        _ => None,
    });
    assert_eq!(granted, 0);
    supervisor.kill(id);
}

#[test]
fn a_command_that_closes_its_input_is_reported() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&with_input("exec <&-; echo closed; sleep 60"));
    supervisor.until(|_, sent| (sent == Sent::StdinGone).then_some(()));
    supervisor.send(id, ToSupervisor::Stdin(b"nobody reads this"));
    supervisor.kill(id);
    assert!(supervisor.finish(id).exit.is_some());
}

#[test]
fn a_terminal_has_its_size_and_its_new_size() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&in_terminal("stty size; read x; stty size"));
    supervisor.until(|_, sent| {
        matches!(sent, Sent::Output(OutputPipe::Stdout, bytes) if bytes.starts_with(b"24 80")).then_some(())
    });
    supervisor.send(id, ToSupervisor::Resize(WindowSize { columns: 100, rows: 30 }));
    supervisor.send(id, ToSupervisor::Stdin(b"\n"));
    assert!(supervisor.finish(id).text().contains("30 100"));
}

#[test]
fn the_end_of_input_is_a_key_in_a_terminal() {
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(&in_terminal("cat; echo end"));
    supervisor.send(id, ToSupervisor::StdinEnd);
    let result = supervisor.finish(id);
    assert!(result.text().contains("end"));
    assert_eq!(result.code(), Some(0));
}
