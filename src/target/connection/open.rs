//! Opens a connection: starts the transport, lets the target's shell execute the helper, and exchanges
//! hellos.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::stream::{Ended, Stream};
use crate::engine::Engine;
use crate::process::directory::private::random;
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::process::supervise::protocol::VERSION;
use crate::process::supervise::protocol::frame::FrameReader;
use crate::process::supervise::protocol::hello::{ClientHello, SupervisorHello};
use crate::process::supervise::protocol::message::{ToClient, ToSupervisor};
use crate::target::bootstrap::{Handshake, Said, script};
use crate::target::command::TargetReport;
use crate::target::container::limits;
use crate::target::container::options::Container;
use crate::target::error::{TargetError, of_failed_connect, of_failed_container, quoted};
use crate::target::helper::Helper;
use crate::target::options::TargetOptions;
use crate::target::transport::Launch;
use crate::target::words::Words;
use crate::target::{Shared, container, transport};

/// The most copies of the helper that are sent. The script tries at most seven directories.
const MAX_COPIES: usize = 7;

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
        /// What is left to be finished.
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

/// A handshake that failed.
enum Failure {
    /// The hash of the cached helper differs from that in its name. A new copy is sent.
    Damaged(TargetError),
    /// The engine can't mount the helper. A copy is sent over the stream instead.
    Unmounted(TargetError),
    /// No helper can run there.
    WithoutHelper(TargetError),
    Final(TargetError),
}

impl From<Failure> for TargetError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Damaged(error)
            | Failure::Unmounted(error)
            | Failure::WithoutHelper(error)
            | Failure::Final(error) => error,
        }
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        Self::Final(error)
    }
}

/// The way in which the helper gets to the target.
#[derive(Clone, Copy)]
struct Way {
    /// Whether a cached helper is executed.
    trusts_cache: bool,
    /// Whether a container that is made gets the helper by a mount, and runs it as its main process.
    mounts_helper: bool,
}

impl Way {
    /// Returns the way to try after a failure, if there is another one.
    const fn after(self, failure: &Failure) -> Option<Self> {
        match failure {
            // A mounted file may have been replaced since it was read. What was read is copied.
            Failure::Unmounted(_) | Failure::Damaged(_) if self.mounts_helper => {
                Some(Self { mounts_helper: false, ..self })
            }
            Failure::Damaged(_) if self.trusts_cache => Some(Self { trusts_cache: false, ..self }),
            _ => None,
        }
    }
}

/// Opens a connection of a target. When `cancelled` resolves, fails as if the target was disposed.
pub(super) async fn open(
    engine: &'static Engine,
    owner: &Owner,
    target: &Shared,
    cancelled: oneshot::Receiver<()>,
) -> Result<Open, NotOpen> {
    let Shared { options, words, .. } = target;
    let own = options.own_container();
    let began_at = Instant::now();
    let limit = options.connect_timeout();
    let mut way = Way { trusts_cache: true, mounts_helper: own.is_some() };
    tokio::pin!(cancelled);
    loop {
        let nonce = format!("{:016x}", random());
        let Beginning { helpers, mut stream, container } = start(engine, owner, target, &nonce, way).await?;
        let left = limit.saturating_sub(began_at.elapsed());
        let opened = tokio::select! {
            opened = timeout(left, greet(&mut stream, target, &helpers, &nonce, way)) => opened,
            _ = &mut cancelled => Ok(Err(TargetError::closed().into())),
        };
        let failure = match opened {
            Ok(Ok((frames, copied, hello))) => {
                let missing_limits = own.map(|own| limits::missing(own, &hello)).unwrap_or_default();
                if own.is_some_and(|own| !own.ignores_limits) && !missing_limits.is_empty() {
                    let error = limits::error(&missing_limits);
                    return Err(NotOpen::Failed { error, stream: Some(Box::new(stream)), is_open: true });
                }
                let report = TargetReport {
                    kind: words.kind,
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
            Ok(Err(failure)) => failure,
            Err(_) => TargetError::timeout(limit.as_secs_f64()).into(),
        };
        if let Some(next) = way.after(&failure) {
            way = next;
            stream.finish(false).await;
            continue;
        }
        return Err(match failure {
            Failure::WithoutHelper(error) if own.is_none() && !options.requires_helper() => {
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
    target: &Shared,
) -> Result<Stream, TargetError> {
    let way = Way { trusts_cache: false, mounts_helper: false };
    Ok(start(engine, owner, target, "", way).await?.stream)
}

/// A started transport.
struct Beginning {
    /// Those that may be copied. The first one is that of this machine.
    helpers: Vec<&'static Helper>,
    stream: Stream,
    /// The name of the container that is made.
    container: Option<String>,
}

/// Starts the transport on a spawner thread, which also reads the helper and queries the engine.
async fn start(
    engine: &'static Engine,
    owner: &Owner,
    target: &Shared,
    nonce: &str,
    way: Way,
) -> Result<Beginning, TargetError> {
    let (sender, started) = oneshot::channel();
    let (owner, options, words) = (owner.clone(), target.options.clone(), target.words.clone());
    let (environment, nonce) = (target.environment.clone(), nonce.to_owned());
    let other_helpers = target.other_helpers.clone();
    let program = words.name.clone();
    let failed = |error: std::io::Error| TargetError::start(&program, &Errno::of(&error).name());
    let work = move || {
        let launched = Helper::all(&other_helpers)
            .map_err(|error| {
                let message = format!("The helper program can't be read: {}.", Errno::of(&error).name());
                TargetError::new("TARGET_HELPER", message)
            })
            .and_then(|helpers| {
                let launch = launch_of(&options, &words, &environment, &nonce, way)?;
                let transport = transport::start(engine, &owner, &launch, &environment);
                let container = match launch {
                    Launch::Program(_) => None,
                    Launch::Kept(plan) if transport.is_err() => {
                        container::give_up(&plan);
                        None
                    }
                    Launch::Kept(plan) => Some(plan.name),
                };
                Ok((helpers, transport?, container))
            });
        // A connection that was given up drops the transport, which ends it.
        let _ = sender.send(launched);
    };
    engine.spawners().run(Box::new(work)).map_err(failed)?;
    let lost = || failed(std::io::Error::from_raw_os_error(libc::EAGAIN));
    let (helpers, transport, container) = started.await.map_err(|_| lost())??;
    Ok(Beginning { helpers, stream: Stream::new(transport).map_err(failed)?, container })
}

/// Decides which program to start. Blocks while it queries an engine.
fn launch_of(
    options: &TargetOptions,
    words: &Words,
    environment: &[String],
    nonce: &str,
    way: Way,
) -> Result<Launch, TargetError> {
    let limit = options.connect_timeout();
    match &options.container {
        None => Ok(Launch::Program(words.argv.clone())),
        Some(Container::Running(running)) => {
            container::enter(running, environment, limit).map(Launch::Program)
        }
        Some(Container::Own(own)) => {
            container::make(own, environment, limit, nonce, way.mounts_helper).map(Launch::Kept)
        }
    }
}

/// Lets the target execute the helper, and exchanges hellos with it. Returns the bytes after the supervisor's
/// hello, and the size of the copies.
async fn greet(
    stream: &mut Stream,
    target: &Shared,
    helpers: &[&Helper],
    nonce: &str,
    way: Way,
) -> Result<(FrameReader, usize, SupervisorHello), Failure> {
    let Shared { options, words, .. } = target;
    let is_own = options.own_container().is_some();
    let deadline = u32::try_from(options.heartbeat_deadline().as_millis()).unwrap_or(u32::MAX);
    let mut frames = FrameReader::default();
    let mut copied = 0;
    if !way.mounts_helper {
        let mut handshake = Handshake::new(nonce);
        copied = match bootstrap(stream, words, helpers, nonce, way.trusts_cache, &mut handshake).await {
            Ok(copied) => copied,
            Err(Stop::Error(error)) => return Err(error.into()),
            Err(Stop::WithoutHelper(error)) => return Err(Failure::WithoutHelper(error)),
            Err(Stop::Ended) => {
                let errors = stream.last_errors().await;
                let printed = String::from_utf8_lossy(&handshake.printed()).into_owned();
                let of = if is_own { of_failed_container } else { of_failed_connect };
                return Err(of(words.kind, &words.name, &errors, &printed).into());
            }
        };
        frames.push(&handshake.into_rest());
    }
    let hello = match hello(stream, words, nonce, &mut frames, deadline).await {
        Ok(hello) => hello,
        Err(Stop::Error(error) | Stop::WithoutHelper(error)) => return Err(Failure::Damaged(error)),
        Err(Stop::Ended) if way.mounts_helper => {
            let errors = stream.last_errors().await;
            let error = of_failed_container(words.kind, &words.name, &errors, "");
            let is_about_helper = errors.contains("agent-bash-helper") && error.code == "TARGET_START";
            return Err(if is_about_helper { Failure::Unmounted(error) } else { error.into() });
        }
        Err(Stop::Ended) => return Err(Failure::Damaged(damaged())),
    };
    if hello.version < VERSION || hello.lowest > VERSION {
        let message = format!("The helper there is version {}, this one {VERSION}.", hello.version);
        return Err(Failure::Damaged(TargetError::new("TARGET_VERSION", message)));
    }
    if helpers.iter().all(|helper| hello.hash != helper.hash) {
        return Err(Failure::Damaged(damaged()));
    }
    Ok((frames, copied, hello))
}

fn damaged() -> TargetError {
    TargetError::new("TARGET_DAMAGED", "The helper there does not have its hash.")
}

/// The reason why a handshake stops.
enum Stop {
    Ended,
    WithoutHelper(TargetError),
    Error(TargetError),
}

impl From<Ended> for Stop {
    fn from(Ended: Ended) -> Self {
        Self::Ended
    }
}

/// Sends the script, and a copy of the helper whenever the script requests one, until the helper runs.
/// Returns the size of the copies.
async fn bootstrap(
    stream: &mut Stream,
    words: &Words,
    helpers: &[&Helper],
    nonce: &str,
    trusts_cache: bool,
    handshake: &mut Handshake,
) -> Result<usize, Stop> {
    let without = |code, message: String| Stop::WithoutHelper(TargetError::new(code, message));
    stream.send(script(nonce, helpers, trusts_cache).as_bytes()).await?;
    let (mut copies, mut size) = (0, 0);
    loop {
        match handshake.next_step() {
            Ok(None) => {
                let mut received = Vec::new();
                stream.receive(&mut received).await?;
                handshake.push(&received);
            }
            Ok(Some(Said::Have)) => return Ok(size),
            Ok(Some(Said::Full)) => {}
            Ok(Some(Said::Want(machine))) if copies < MAX_COPIES => {
                let Some(helper) = helpers.iter().find(|helper| helper.machine == machine) else {
                    return Err(Stop::Error(TargetError::protocol(&words.name, &quoted(machine.as_bytes()))));
                };
                copies += 1;
                size += helper.bytes.len();
                stream.send(&helper.bytes).await?;
            }
            Ok(Some(Said::Want(_) | Said::Nowhere)) => {
                let message = "No directory there can hold and execute the helper.";
                return Err(without("TARGET_HELPER", message.to_owned()));
            }
            Ok(Some(Said::None(machine))) => {
                let machine = quoted(machine.as_bytes());
                return Err(without("TARGET_PLATFORM", format!("There is no helper for {machine}.")));
            }
            Err(_) => {
                let printed = String::from_utf8_lossy(&handshake.printed()).into_owned();
                return Err(Stop::Error(TargetError::banner(&printed)));
            }
        }
    }
}

/// Sends the host's hello, and waits for the supervisor's.
async fn hello(
    stream: &mut Stream,
    words: &Words,
    nonce: &str,
    frames: &mut FrameReader,
    deadline: u32,
) -> Result<SupervisorHello, Stop> {
    let mut bytes = Vec::new();
    ToSupervisor::Hello(ClientHello::new(deadline)).put(0, &mut bytes);
    stream.send(&bytes).await?;
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
                return Err(Stop::Error(TargetError::protocol(&words.name, &quoted(frame.payload))));
            }
            Err(_) => return Err(Stop::Error(TargetError::protocol(&words.name, &quoted(&received)))),
        }
        received.clear();
        stream.receive(&mut received).await?;
        frames.push(&received);
    }
}

/// Returns the target's clock minus this machine's clock (ms).
fn skew_of(hello: &SupervisorHello) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis();
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    i64::try_from(hello.time).unwrap_or(i64::MAX).saturating_sub(now)
}
