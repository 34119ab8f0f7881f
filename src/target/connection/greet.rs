//! The handshake: lets the target's shell execute the helper, and exchanges hellos with it.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::open::LaunchMethod;
use super::stream::{Ended, Stream};
use crate::helper::supervisor::protocol::VERSION;
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::helper::supervisor::protocol::hello::{ClientHello, SupervisorHello};
use crate::helper::supervisor::protocol::message::{ToClient, ToSupervisor};
use crate::target::SharedTarget;
use crate::target::bootstrap::{BootstrapMessage, Handshake, script};
use crate::target::error::{TargetError, Unanswered, of_failed_connect, of_failed_container, quoted};
use crate::target::helper::Helper;
use crate::target::transport_command::TransportCommand;

/// The most copies of the helper that are sent. The script tries at most seven directories.
const MAX_COPIES: usize = 7;

/// The part of a copy that counts as progress (bytes). A server can't prolong the handshake with less.
const STEP: usize = 32 * 1024;

/// The time until which the target must have answered. A copy that makes progress prolongs it.
pub(super) struct HandshakeDeadline {
    limit: Duration,
    until: Instant,
    copy: Option<CopyProgress>,
}

/// The progress of a copy of the helper (bytes).
struct CopyProgress {
    size: usize,
    /// The bytes that the transport had taken, and those that had arrived there, when the time was prolonged.
    sent: usize,
    arrived: usize,
}

impl HandshakeDeadline {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, until: Instant::now() + limit, copy: None }
    }

    /// Notes the begin of a copy.
    fn begin_copy(&mut self, size: usize) {
        self.copy = Some(CopyProgress { size, sent: 0, arrived: 0 });
        self.prolong();
    }

    /// Notes how much of the copy the transport has not taken.
    fn record_unsent(&mut self, unsent: usize) {
        if let Some(copy) = &mut self.copy
            && advance(&mut copy.sent, copy.size.saturating_sub(unsent), copy.size)
        {
            self.prolong();
        }
    }

    /// Notes how much of the copy has arrived there.
    fn record_arrived(&mut self, count: usize) {
        if let Some(copy) = &mut self.copy
            && advance(&mut copy.arrived, count, copy.size)
        {
            self.prolong();
        }
    }

    fn prolong(&mut self) {
        self.until = Instant::now() + self.limit;
    }

    /// Waits for a part of the handshake, up to its time limit.
    async fn wait<T>(&self, part: impl Future<Output = Result<T, Ended>>) -> Result<T, HandshakeStop> {
        match timeout_at(self.until, part).await {
            Ok(result) => Ok(result?),
            Err(_) => Err(HandshakeStop::TimedOut),
        }
    }
}

/// Raises a count by a step or more, up to `size`. Returns whether it did.
fn advance(count: &mut usize, to: usize, size: usize) -> bool {
    let is_step = to <= size && (to >= *count + STEP || to == size && *count < size);
    if is_step {
        *count = to;
    }
    is_step
}

/// A handshake that failed.
pub(super) enum HandshakeFailure {
    /// The hash of the cached helper differs from that in its name. A new copy is sent.
    Damaged(TargetError),
    /// The engine can't mount the helper. A copy is sent over the stream instead.
    Unmounted(TargetError),
    /// No helper can run there.
    WithoutHelper(TargetError),
    Final(TargetError),
}

impl From<HandshakeFailure> for TargetError {
    fn from(failure: HandshakeFailure) -> Self {
        match failure {
            HandshakeFailure::Damaged(error)
            | HandshakeFailure::Unmounted(error)
            | HandshakeFailure::WithoutHelper(error)
            | HandshakeFailure::Final(error) => error,
        }
    }
}

impl From<TargetError> for HandshakeFailure {
    fn from(error: TargetError) -> Self {
        Self::Final(error)
    }
}

/// Lets the target execute the helper, and exchanges hellos with it. Returns the bytes after the supervisor's
/// hello, and the size of the copies.
pub(super) async fn greet(
    stream: &mut Stream,
    target: &SharedTarget,
    helpers: &[&Helper],
    nonce: &str,
    way: LaunchMethod,
    patience: &mut HandshakeDeadline,
) -> Result<(FrameReader, usize, SupervisorHello), HandshakeFailure> {
    let SharedTarget { options, transport_command, .. } = target;
    let own = options.own_container();
    let deadline = u32::try_from(options.heartbeat_deadline().as_millis()).unwrap_or(u32::MAX);
    let mut frames = FrameReader::default();
    let mut copied = 0;
    if !way.mounts_helper {
        let mut handshake = Handshake::new(nonce);
        copied = match bootstrap(stream, transport_command, helpers, nonce, way, (&mut handshake, patience))
            .await
        {
            Ok(copied) => copied,
            Err(HandshakeStop::Error(error)) => return Err(error.into()),
            Err(HandshakeStop::WithoutHelper(error)) => return Err(HandshakeFailure::WithoutHelper(error)),
            Err(HandshakeStop::TimedOut) => {
                let what = match &patience.copy {
                    Some(copy) => Unanswered::Copy { arrived: copy.arrived, size: copy.size },
                    None if own.is_some() => Unanswered::Container,
                    None => Unanswered::Shell,
                };
                return Err(TargetError::timeout(transport_command, what, patience.limit).into());
            }
            Err(HandshakeStop::Ended) => {
                let errors = stream.last_errors(Some(patience.until)).await;
                let early_output = String::from_utf8_lossy(&handshake.early_output()).into_owned();
                let error = match own {
                    Some(own) => of_failed_container(own, &errors, &early_output),
                    None => of_failed_connect(transport_command, &errors, &early_output),
                };
                return Err(error.into());
            }
        };
        frames.push(&handshake.into_rest());
    }
    let hello = match hello(stream, transport_command, nonce, &mut frames, (deadline, patience)).await {
        Ok(hello) => hello,
        Err(HandshakeStop::TimedOut) => {
            let what = if way.mounts_helper { Unanswered::Container } else { Unanswered::Helper };
            return Err(TargetError::timeout(transport_command, what, patience.limit).into());
        }
        Err(HandshakeStop::Error(error) | HandshakeStop::WithoutHelper(error)) => {
            return Err(HandshakeFailure::Damaged(error));
        }
        Err(HandshakeStop::Ended) => {
            let Some(own) = own.filter(|_| way.mounts_helper) else {
                return Err(HandshakeFailure::Damaged(damaged()));
            };
            let errors = stream.last_errors(Some(patience.until)).await;
            let error = of_failed_container(own, &errors, "");
            let is_about_helper = errors.contains("agent-bash-helper") && error.code == "TARGET_START";
            return Err(if is_about_helper { HandshakeFailure::Unmounted(error) } else { error.into() });
        }
    };
    if hello.version < VERSION || hello.lowest > VERSION {
        let message = format!("The helper there is version {}, this one {VERSION}.", hello.version);
        return Err(HandshakeFailure::Damaged(TargetError::new("TARGET_VERSION", message)));
    }
    if helpers.iter().all(|helper| hello.hash != helper.hash) {
        return Err(HandshakeFailure::Damaged(damaged()));
    }
    Ok((frames, copied, hello))
}

fn damaged() -> TargetError {
    TargetError::new("TARGET_DAMAGED", "The helper there does not have its hash.")
}

/// The reason why a handshake stops.
enum HandshakeStop {
    Ended,
    TimedOut,
    WithoutHelper(TargetError),
    Error(TargetError),
}

impl From<Ended> for HandshakeStop {
    fn from(Ended: Ended) -> Self {
        Self::Ended
    }
}

/// Sends the script, and a copy of the helper whenever the script requests one, until the helper runs.
/// Returns the size of the copies.
async fn bootstrap(
    stream: &mut Stream,
    transport_command: &TransportCommand,
    helpers: &[&Helper],
    nonce: &str,
    way: LaunchMethod,
    (handshake, patience): (&mut Handshake, &mut HandshakeDeadline),
) -> Result<usize, HandshakeStop> {
    let without = |code, message: String| HandshakeStop::WithoutHelper(TargetError::new(code, message));
    stream.out().extend_from_slice(script(nonce, helpers, way.trusts_cache).as_bytes());
    let (mut copies, mut size) = (0, 0);
    loop {
        match handshake.next_step() {
            Ok(None) => {
                stream.flush()?;
                patience.record_unsent(stream.unsent());
                let ready = async {
                    stream.ready().await;
                    Ok(())
                };
                patience.wait(ready).await?;
                let mut received = Vec::new();
                stream.read(&mut received)?;
                handshake.push(&received);
            }
            Ok(Some(BootstrapMessage::Part(count))) => patience.record_arrived(count),
            Ok(Some(BootstrapMessage::Have)) => return Ok(size),
            Ok(Some(BootstrapMessage::Full)) => {}
            Ok(Some(BootstrapMessage::Want(machine))) if copies < MAX_COPIES => {
                let Some(helper) = helpers.iter().find(|helper| helper.machine == machine) else {
                    return Err(HandshakeStop::Error(TargetError::protocol(
                        &transport_command.name,
                        &quoted(machine.as_bytes()),
                    )));
                };
                copies += 1;
                size += helper.bytes.len();
                stream.out().extend_from_slice(&helper.bytes);
                patience.begin_copy(helper.bytes.len());
            }
            Ok(Some(BootstrapMessage::Want(_) | BootstrapMessage::Nowhere)) => {
                let message = "No directory there can hold and execute the helper.";
                return Err(without("TARGET_HELPER", message.to_owned()));
            }
            Ok(Some(BootstrapMessage::Terminal)) => {
                return Err(HandshakeStop::Error(TargetError::terminal(transport_command)));
            }
            Ok(Some(BootstrapMessage::None(machine))) => {
                let machine = quoted(machine.as_bytes());
                return Err(without("TARGET_PLATFORM", format!("There is no helper for {machine}.")));
            }
            Err(_) => {
                let early_output = String::from_utf8_lossy(&handshake.early_output()).into_owned();
                return Err(HandshakeStop::Error(TargetError::banner(&early_output)));
            }
        }
    }
}

/// Sends the host's hello, and waits for the supervisor's.
async fn hello(
    stream: &mut Stream,
    transport_command: &TransportCommand,
    nonce: &str,
    frames: &mut FrameReader,
    (deadline, patience): (u32, &HandshakeDeadline),
) -> Result<SupervisorHello, HandshakeStop> {
    let mut bytes = Vec::new();
    ToSupervisor::Hello(ClientHello::new(deadline)).put(0, &mut bytes);
    patience.wait(stream.send(&bytes)).await?;
    let mut received = Vec::new();
    loop {
        match frames.next_frame() {
            Ok(None) => {}
            Ok(Some(frame)) => {
                if let Ok(ToClient::Hello(hello)) = ToClient::decode(frame)
                    && hello.fact("nonce") == nonce
                {
                    return Ok(hello);
                }
                return Err(HandshakeStop::Error(TargetError::protocol(
                    &transport_command.name,
                    &quoted(frame.payload),
                )));
            }
            Err(_) => {
                return Err(HandshakeStop::Error(TargetError::protocol(
                    &transport_command.name,
                    &quoted(&received),
                )));
            }
        }
        received.clear();
        patience.wait(stream.receive(&mut received)).await?;
        frames.push(&received);
    }
}

#[cfg(test)]
mod tests {
    use super::{STEP, advance};

    #[test]
    fn only_a_step_or_the_end_of_a_copy_is_progress() {
        let mut count = 0;
        let size = 2 * STEP + 1;
        let found = [STEP - 1, STEP, STEP, 2 * STEP - 1, 2 * STEP, size + STEP, size, size]
            .map(|to| advance(&mut count, to, size));
        assert_eq!(found, [false, true, false, false, true, false, true, false]);
    }
}
