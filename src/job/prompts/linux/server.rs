//! The socket of a job, at which its programs ask.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::question::Question;
use crate::engine::Engine;
use crate::engine::scan::Scanner;
use crate::helper::askpass::{AskpassRequest, MAX_REQUEST, SOCKET};
use crate::job::prompts::PromptVariables;
use crate::process::askpass::asker::{Asker, JobMembers};
use crate::process::askpass::socket::{AskpassConnection, AskpassListener, AskpassSocket, Received};
use crate::process::directory::private::PrivateDirectory;
use crate::process::identity::Pid;
use crate::wire;

/// The longest time for the message of a program that has connected: the helper sends it at once.
const MESSAGE_DEADLINE: Duration = Duration::from_secs(10);

/// The most connections whose message or program is not known yet. Further ones wait in the kernel.
const MAX_CONNECTIONS: usize = 8;

/// The pause after the system had no descriptor or memory for a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// The socket of a job that is about to start.
#[derive(Debug)]
pub(crate) struct PromptSocket(AskpassSocket);

/// The server at the socket of a job. Dropping it ends the server, and removes the socket.
#[derive(Debug)]
pub(crate) struct PromptServer {
    questions: UnboundedReceiver<Question>,
    task: AbortHandle,
    _directory: PrivateDirectory,
}

impl PromptSocket {
    /// Makes the socket of a job.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub(crate) fn create() -> io::Result<Self> {
        Ok(Self(AskpassSocket::create(SOCKET)?))
    }

    /// Returns the directory, which the command must see.
    pub(crate) fn directory(&self) -> &std::path::Path {
        self.0.directory()
    }

    /// Adds the variables by which programs ask here to an environment.
    pub(crate) fn add_to(&self, environment: &mut String, which: PromptVariables) {
        let program = self.0.program();
        let program = program.to_string_lossy();
        let all = [
            (which.sudo, "SUDO_ASKPASS", &*program),
            (which.ssh, "SSH_ASKPASS", &*program),
            (which.ssh, "SSH_ASKPASS_REQUIRE", "force"),
            (which.git, "GIT_ASKPASS", &*program),
        ];
        let wanted: Vec<_> = all.into_iter().filter(|(is_wanted, ..)| *is_wanted).collect();
        let is_kept = |variable: &&str| {
            let name = variable.split('=').next().unwrap_or_default();
            !variable.is_empty() && !wanted.iter().any(|(_, other, _)| *other == name)
        };
        let kept = environment.split('\0').filter(is_kept).map(|variable| format!("{variable}\0"));
        let added = wanted.iter().map(|(_, name, value)| format!("{name}={value}\0"));
        *environment = kept.chain(added).collect();
    }

    /// Serves the socket for the processes of a leader. Must be called in the runtime of the I/O thread.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub(crate) fn serve(self, engine: &'static Engine, leader: Pid) -> io::Result<PromptServer> {
        let (listener, directory) = self.0.listener()?;
        let members = JobMembers::of(leader);
        let (sender, questions) = unbounded_channel();
        let scanner = Arc::clone(engine.scanner());
        let task = tokio::spawn(accept_all(listener, scanner, members, sender)).abort_handle();
        Ok(PromptServer { questions, task, _directory: directory })
    }
}

impl PromptServer {
    /// Waits for the next question. Cancel safe.
    pub(crate) async fn next(&mut self) -> Question {
        match self.questions.recv().await {
            Some(question) => question,
            None => std::future::pending().await,
        }
    }
}

impl Drop for PromptServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept_all(
    listener: AskpassListener,
    scanner: Arc<Scanner>,
    members: JobMembers,
    questions: UnboundedSender<Question>,
) {
    // Dropping the set ends all tasks.
    let mut tasks = JoinSet::new();
    loop {
        while tasks.len() >= MAX_CONNECTIONS || tasks.try_join_next().is_some() {
            if tasks.len() >= MAX_CONNECTIONS {
                tasks.join_next().await;
            }
        }
        let Ok(connection) = listener.accept().await else {
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        let (scanner, questions) = (Arc::clone(&scanner), questions.clone());
        tasks.spawn(async move {
            if let Some(question) = question_of(connection, &scanner, members).await {
                // The job has ended if nobody takes it.
                let _ = questions.send(question);
            }
        });
    }
}

/// Returns the question of a program that has connected, if it is one of the job.
async fn question_of(
    connection: AskpassConnection,
    scanner: &Scanner,
    members: JobMembers,
) -> Option<Question> {
    let received = timeout(MESSAGE_DEADLINE, connection.receive(MAX_REQUEST)).await.ok()??;
    let Received { bytes, output, sender } = received;
    let request: AskpassRequest = wire::decode(&bytes).ok()?;
    let find = move || {
        let asker = Asker::of(sender, &output, &members)?;
        Some((asker, output))
    };
    let (asker, output) = scanner.run_blocking(find).await??;
    Some(Question::new(&request, asker, connection, output))
}
