//! Asks the host, and waits for its reply.

use std::ffi::OsStr;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix,
    SocketFlags, SocketType, connect, recv, sendmsg, socket_with, sockopt,
};

use super::request::{ANSWERED, AskpassHint, AskpassRequest, SOCKET};
use crate::wire;

/// Asks the host at the socket beside the link that started this process. Returns the exit code.
#[must_use]
pub fn ask(link: &OsStr, question: Option<&OsStr>, hint: Option<&OsStr>) -> u8 {
    let text = question.unwrap_or_default().to_string_lossy();
    let hint = match hint.and_then(OsStr::to_str) {
        Some("confirm") => AskpassHint::Confirm,
        Some("none") => AskpassHint::Nothing,
        _ => AskpassHint::Absent,
    };
    let is_answered = send(link, &AskpassRequest::new(&text, hint)).and_then(|socket| is_answered(&socket));
    u8::from(!is_answered.unwrap_or(false))
}

fn send(link: &OsStr, request: &AskpassRequest) -> io::Result<OwnedFd> {
    let directory = Path::new(link).parent().ok_or(io::ErrorKind::NotFound)?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    connect(&socket, &SocketAddrUnix::new(directory.join(SOCKET))?)?;
    // The kernel then adds to the message who sends it.
    sockopt::set_socket_passcred(&socket, true)?;
    let (output, message) = (io::stdout(), wire::encode(request));
    let descriptors = [output.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    retry_on_intr(|| sendmsg(&socket, &[IoSlice::new(&message)], &mut ancillary, SendFlags::NOSIGNAL))?;
    Ok(socket)
}

/// Waits for the reply, or until nobody reads the output: the program that asked has ended.
fn is_answered(socket: &OwnedFd) -> io::Result<bool> {
    let output = io::stdout();
    loop {
        let mut events = [PollFd::new(socket, PollFlags::IN), PollFd::new(&output, PollFlags::empty())];
        retry_on_intr(|| poll(&mut events, None))?;
        if !events[0].revents().is_empty() {
            let mut reply = [0; ANSWERED.len()];
            let (count, _) = retry_on_intr(|| recv(socket, &mut reply[..], RecvFlags::empty()))?;
            return Ok(reply.get(..count) == Some(ANSWERED));
        }
        if events[1].revents().intersects(PollFlags::ERR | PollFlags::NVAL) {
            return Ok(false);
        }
    }
}
