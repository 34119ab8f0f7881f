//! The roles of this program: tests that do nothing unless a variable names them.

#![allow(clippy::print_stdout, clippy::exit, reason = "they are programs")]

use std::io::{self, Read, Write};

use crate::support::{ROLE, this_program, variable};

fn plays(role: &str) -> bool {
    variable(ROLE).as_deref() == Some(role)
}

fn arguments() -> Vec<String> {
    std::env::args().skip_while(|argument| argument != "--").skip(1).collect()
}

#[test]
fn prints_arguments() {
    if plays("prints_arguments") {
        println!("<{:?}><{}>", arguments(), variable("grüsse").unwrap_or_default());
    }
}

/// Counts its input, and prints the count.
#[test]
fn counts_input() {
    if plays("counts_input") {
        let mut input = Vec::new();
        io::stdin().read_to_end(&mut input).expect("an input");
        let sum: u64 = input.iter().map(|&byte| u64::from(byte)).sum();
        println!("<{} {sum}>", input.len());
    }
}

/// Copies its input, a line at a time.
#[test]
fn echoes_lines() {
    if plays("echoes_lines") {
        for line in io::stdin().lines() {
            println!("<{}>", line.expect("a line"));
        }
    }
}

/// Writes as many bytes as its argument says.
#[test]
fn writes_much() {
    if plays("writes_much") {
        let count: usize = arguments()[0].parse().expect("a count");
        let piece = [b'x'; 65_536];
        let mut left = count;
        while left > 0 {
            left -= io::stdout().write(&piece[..left.min(piece.len())]).expect("written");
        }
        io::stdout().flush().expect("written");
        std::process::exit(0);
    }
}

#[test]
fn exits_as_it_is_told() {
    if plays("exits_as_it_is_told") {
        let code: u32 = arguments()[0].parse().expect("a code");
        std::process::exit(code.cast_signed());
    }
}

/// Waits for its input for ever, in each of as many processes as its argument says, one below the other.
#[test]
fn is_a_tree() {
    if plays("is_a_tree") {
        let mut all: Vec<String> = std::env::args().skip(1).collect();
        let depth: u32 = all.pop().and_then(|depth| depth.parse().ok()).expect("a depth");
        println!("<pid {}>", std::process::id());
        if depth == 0 {
            println!("<all started>");
            loop {
                std::thread::park();
            }
        }
        all.push((depth - 1).to_string());
        std::process::Command::new(this_program()).args(all).status().expect("started");
    }
}

/// Listens on a port until its input has a line, and then on none.
#[test]
fn listens() {
    if plays("listens") {
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
        println!("<port {}>", server.local_addr().expect("an address").port());
        io::stdin().read_line(&mut String::new()).expect("a line");
        drop(server);
        io::stdin().read_line(&mut String::new()).expect("a line");
    }
}

/// Leaves a process behind that has its output, and exits.
#[test]
fn leaves_one() {
    if plays("leaves_one") {
        let name = "roles::is_a_tree";
        let all = ["--exact", name, "--nocapture", "--test-threads=1", "--", "0"];
        let child = std::process::Command::new(this_program()).args(all).env(ROLE, "is_a_tree").spawn();
        println!("<left {}>", child.expect("started").id());
        std::process::exit(3);
    }
}
