//! Opens a connection: starts the transport, and lets the target execute the helper.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::oneshot;

use super::greet::{HandshakeDeadline, HandshakeFailure, greet};
use super::stream::Stream;
use crate::engine::Engine;
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::helper::supervisor::protocol::hello::SupervisorHello;
use crate::process::directory::private::random;
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::target::container::limits;
use crate::target::container::options::Container;
use crate::target::error::TargetError;
use crate::target::helper::Helper;
use crate::target::options::TargetOptions;
use crate::target::remote_command::TargetReport;
use crate::target::transport::TransportLaunch;
use crate::target::transport_command::TransportCommand;
use crate::target::{SharedTarget, container, transport};

/// An open connection.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) stream: Stream,
    pub(super) frames: FrameReader,
    pub(super) report: TargetReport,
}

/// The reason why a connection is not open.
#[derive(Debug)]
pub(super) enum NotOpen {
    /// No helper can run there, but commands may run without one.
    WithoutHelper(TargetError),
    Failed {
        error: TargetError,
        /// The stream that is left to be finished.
        stream: Option<Box<Stream>>,
        /// Whether the supervisor has answered.
        is_open: bool,
    },
}

impl From<TargetError> for NotOpen {
    fn from(error: TargetError) -> Self {
        Self::Failed { error, stream: None, is_open: false }
    }
}

/// The way in which the helper gets to the target.
#[derive(Clone, Copy)]
pub(super) struct LaunchMethod {
    /// Whether a cached helper is executed.
    pub(super) trusts_cache: bool,
    /// Whether a container that is made gets the helper by a mount, and runs it as its main process.
    pub(super) mounts_helper: bool,
}

impl LaunchMethod {
    /// Returns the way to try after a failure, if there is another one.
    const fn after(self, failure: &HandshakeFailure) -> Option<Self> {
        match failure {
            // A mounted file may have been replaced since it was read. What was read is copied.
            HandshakeFailure::Unmounted(_) | HandshakeFailure::Damaged(_) if self.mounts_helper => {
                Some(Self { mounts_helper: false, ..self })
            }
            HandshakeFailure::Damaged(_) if self.trusts_cache => Some(Self { trusts_cache: false, ..self }),
            _ => None,
        }
    }
}

/// Opens a connection of a target. When `cancelled` resolves, fails as if the target was disposed.
pub(super) async fn open(
    engine: &'static Engine,
    owner: &Owner,
    target: &SharedTarget,
    cancelled: oneshot::Receiver<()>,
) -> Result<Open, NotOpen> {
    let SharedTarget { options, transport_command, .. } = target;
    let own = options.own_container();
    let began_at = Instant::now();
    let limit = options.connect_timeout();
    let mut way = LaunchMethod { trusts_cache: true, mounts_helper: own.is_some() };
    let mut patience = HandshakeDeadline::new(limit);
    tokio::pin!(cancelled);
    loop {
        let nonce = format!("{:016x}", random());
        let StartedTransport { helpers, mut stream, container } =
            start(engine, owner, target, &nonce, way).await?;
        let opened = tokio::select! {
            opened = greet(&mut stream, target, &helpers, &nonce, way, &mut patience) => opened,
            _ = &mut cancelled => Err(TargetError::closed().into()),
        };
        let failure = match opened {
            Ok((frames, copied, hello)) => {
                let missing_limits = own.map(|own| limits::missing(own, &hello)).unwrap_or_default();
                if own.is_some_and(|own| !own.ignores_limits) && !missing_limits.is_empty() {
                    let error = limits::error(&missing_limits);
                    return Err(NotOpen::Failed { error, stream: Some(Box::new(stream)), is_open: true });
                }
                let report = TargetReport {
                    kind: transport_command.kind,
                    container: container.or_else(|| target.container_name()),
                    connect_time: Some(began_at.elapsed()),
                    copied,
                    skew: Some(skew_of(&hello)),
                    missing: if missing_limits.is_empty() { Vec::new() } else { vec!["limits"] },
                    why_degraded: None,
                    is_out_of_memory: false,
                };
                return Ok(Open { stream, frames, report });
            }
            Err(failure) => failure,
        };
        if let Some(next) = way.after(&failure) {
            way = next;
            stream.finish(false).await;
            continue;
        }
        return Err(match failure {
            HandshakeFailure::WithoutHelper(error) if own.is_none() && !options.requires_helper() => {
                stream.finish(false).await;
                NotOpen::WithoutHelper(error)
            }
            failure => {
                NotOpen::Failed { error: failure.into(), stream: Some(Box::new(stream)), is_open: false }
            }
        });
    }
}

/// Starts the transport of a target without a container of its own, for one command without a helper.
pub(in crate::target) async fn start_plain(
    engine: &'static Engine,
    owner: &Owner,
    target: &SharedTarget,
) -> Result<Stream, TargetError> {
    let way = LaunchMethod { trusts_cache: false, mounts_helper: false };
    Ok(start(engine, owner, target, "", way).await?.stream)
}

/// A transport that runs, before its handshake.
struct StartedTransport {
    /// The helpers that may be copied. The first one is that of this machine.
    helpers: Vec<&'static Helper>,
    stream: Stream,
    /// The name of the container that is made.
    container: Option<String>,
}

/// Starts the transport on a spawner thread, which also reads the helper and queries the engine.
async fn start(
    engine: &'static Engine,
    owner: &Owner,
    target: &SharedTarget,
    nonce: &str,
    way: LaunchMethod,
) -> Result<StartedTransport, TargetError> {
    let (sender, started) = oneshot::channel();
    let (owner, options, transport_command) =
        (owner.clone(), target.options.clone(), target.transport_command.clone());
    let (environment, nonce) = (target.environment.clone(), nonce.to_owned());
    let other_helpers = target.other_helpers.clone();
    let program = transport_command.name.clone();
    let failed = |error: std::io::Error| TargetError::start(&program, &Errno::of(&error).name());
    let work = move || {
        let launched = Helper::all(&other_helpers)
            .map_err(|error| {
                let message = format!("The helper program can't be read: {}.", Errno::of(&error).name());
                TargetError::new("TARGET_HELPER", message)
            })
            .and_then(|helpers| {
                let launch = launch_of(&options, &transport_command, &environment, &nonce, way)?;
                let transport = transport::start(engine, &owner, &launch, &environment);
                let container = match launch {
                    TransportLaunch::Program(_) => None,
                    TransportLaunch::Kept(plan) if transport.is_err() => {
                        container::give_up(&plan);
                        None
                    }
                    TransportLaunch::Kept(plan) => Some(plan.name),
                };
                Ok((helpers, transport?, container))
            });
        // A connection that was given up drops the transport, which ends it.
        let _ = sender.send(launched);
    };
    engine.spawners().run(Box::new(work)).map_err(failed)?;
    let lost = || failed(std::io::Error::from_raw_os_error(libc::EAGAIN));
    let (helpers, transport, container) = started.await.map_err(|_| lost())??;
    Ok(StartedTransport { helpers, stream: Stream::new(transport).map_err(failed)?, container })
}

/// Decides which program to start. Blocks while it queries an engine.
fn launch_of(
    options: &TargetOptions,
    transport_command: &TransportCommand,
    environment: &[String],
    nonce: &str,
    way: LaunchMethod,
) -> Result<TransportLaunch, TargetError> {
    let limit = options.connect_timeout();
    match &options.container {
        None => Ok(TransportLaunch::Program(transport_command.argv.clone())),
        Some(Container::Running(running)) => {
            container::enter(running, environment, limit).map(TransportLaunch::Program)
        }
        Some(Container::Own(own)) => {
            container::make(own, environment, limit, nonce, way.mounts_helper).map(TransportLaunch::Kept)
        }
    }
}

/// Returns the target's clock minus this machine's clock (ms).
fn skew_of(hello: &SupervisorHello) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis();
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    i64::try_from(hello.time).unwrap_or(i64::MAX).saturating_sub(now)
}
