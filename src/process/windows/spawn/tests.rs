//! Tests with real processes: `cmd.exe`, and this program in one of its roles.

use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::time::Duration;

use tokio::time::timeout;

use super::{Request, spawn};
use crate::process::pipe::{self, PipeReader, PipeWriter, Read, Write};
use crate::process::windows::child::Child;
use crate::process::windows::environment::block;
use crate::process::windows::job_object::{JobObject, Limits, Report, ReportQueue};
use crate::process::windows::quote;

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(60);
/// The variable that makes this program play a role, which is a test that does nothing otherwise.
const ROLE: &str = "AGENT_BASH_TEST_ROLE";
const KEY: usize = 7;

/// A command that was started, with the host's ends of its pipes.
struct Started {
    child: Child,
    job: JobObject,
    queue: ReportQueue,
    input: PipeWriter,
    output: PipeReader,
}

impl Started {
    /// Reads the output until every process has closed it.
    async fn output(&mut self) -> String {
        String::from_utf8_lossy(&read_all(&mut self.output).await).into_owned()
    }

    async fn exit_code(&self) -> u32 {
        timeout(PATIENCE, self.child.exited()).await.expect("an exit in time").expect("an exit code")
    }

    /// Waits for the report that no process is left.
    fn is_emptied(&self) -> bool {
        loop {
            match self.queue.wait(PATIENCE).expect("a queue") {
                Some((KEY, Report::Empty)) => return true,
                Some((KEY, _)) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Appends what the pipe has, and returns its length: 0 at the end.
async fn read_some(output: &mut PipeReader, bytes: &mut Vec<u8>) -> usize {
    bytes.reserve(65_536);
    loop {
        timeout(PATIENCE, output.ready()).await.expect("an output in time").expect("a pipe");
        match output.read(bytes) {
            Read::Bytes(length) => return length,
            Read::Empty => {}
            Read::End => return 0,
            Read::Failed(error) => panic!("{error:?}"),
        }
    }
}

async fn read_all(output: &mut PipeReader) -> Vec<u8> {
    let mut bytes = Vec::new();
    while read_some(output, &mut bytes).await > 0 {}
    bytes
}

/// Reads until the output has `text`.
async fn read_until(output: &mut PipeReader, text: &str) {
    let mut bytes = Vec::new();
    while !String::from_utf8_lossy(&bytes).contains(text) {
        assert_ne!(read_some(output, &mut bytes).await, 0, "the end: {}", String::from_utf8_lossy(&bytes));
    }
}

async fn write_all(input: &mut PipeWriter, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        timeout(PATIENCE, input.ready()).await.expect("a reader in time").expect("a pipe");
        match input.write(bytes) {
            Write::Bytes(length) => bytes = &bytes[length..],
            Write::Full => {}
            Write::Closed => panic!("no reader is left"),
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "no test changes the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn cmd() -> String {
    format!(r"{}\system32\cmd.exe", variable("SystemRoot").expect("a directory of the system"))
}

fn environment(role: &str) -> Vec<u16> {
    let inherited = ["SystemRoot", "PATH", "TEMP", "WINEPREFIX"].map(|name| (name, variable(name)));
    let inherited = inherited.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
    block(inherited.chain([(ROLE, role), ("GRÜSSE", "zwölf € 😀")])).expect("valid variables")
}

fn start_line(program: &str, line: &str, role: &str) -> io::Result<Started> {
    let (from, input) = pipe::input_pipe()?;
    let (output, to) = pipe::pipe()?;
    let queue = ReportQueue::new()?;
    let job = JobObject::new(Limits::default(), &queue, KEY)?;
    let child = start_in(&job, program, line, role, &from, &to)?;
    let (input, output) = (PipeWriter::new(input)?, PipeReader::new(output)?);
    Ok(Started { child, job, queue, input, output })
}

fn start_in(
    job: &JobObject,
    program: &str,
    line: &str,
    role: &str,
    from: &OwnedHandle,
    to: &OwnedHandle,
) -> io::Result<Child> {
    spawn(&Request {
        program,
        line,
        environment: &environment(role),
        directory: r"C:\",
        streams: [from.as_handle(), to.as_handle(), to.as_handle()],
        job,
    })
}

/// Starts `cmd.exe` with a command.
fn start(command: &str) -> Started {
    let cmd = cmd();
    start_line(&cmd, &format!("\"{cmd}\" /d /s /c \"{command}\""), "").expect("cmd.exe starts")
}

fn this_program() -> String {
    std::env::current_exe().expect("this program").to_str().expect("text").to_owned()
}

/// Starts this program in a role.
fn play(role: &str, arguments: &[&str]) -> Started {
    let program = this_program();
    let name = format!("process::windows::spawn::tests::{role}");
    let all = [&["--exact", &*name, "--nocapture", "--test-threads=1", "--"], arguments].concat();
    start_line(&program, &quote::line(&program, &all).expect("a line"), role).expect("this program starts")
}

fn plays(role: &str) -> bool {
    variable(ROLE).as_deref() == Some(role)
}

#[test]
#[allow(clippy::print_stdout, reason = "it is the role")]
fn prints_arguments() {
    if plays("prints_arguments") {
        let arguments: Vec<_> = std::env::args().skip_while(|argument| argument != "--").skip(1).collect();
        println!("<{arguments:?}><{}>", variable("grüsse").unwrap_or_default());
    }
}

#[test]
fn copies_input() {
    if plays("copies_input") {
        io::copy(&mut io::stdin(), &mut io::stdout()).expect("a copy");
    }
}

/// Starts itself as often as its last argument says, one below the other, and waits for its input.
#[test]
#[allow(clippy::print_stdout, reason = "it is the role")]
fn is_a_tree() {
    if plays("is_a_tree") {
        let mut arguments: Vec<_> = std::env::args().skip(1).collect();
        let depth: u32 = arguments.pop().and_then(|depth| depth.parse().ok()).expect("a depth");
        if depth == 0 {
            println!("started");
            io::copy(&mut io::stdin(), &mut io::sink()).expect("an input");
        } else {
            arguments.push((depth - 1).to_string());
            std::process::Command::new(this_program()).args(arguments).status().expect("started");
        }
    }
}

/// Starts a command that waits for its input in a job of its own, and waits as well.
#[tokio::test]
async fn is_a_host() {
    if plays("is_a_host") {
        let queue = ReportQueue::new().expect("a queue");
        let job = JobObject::new(Limits::default(), &queue, KEY).expect("a job");
        let (from, _input) = pipe::input_pipe().expect("a pipe");
        let to = io::stdout().as_handle().try_clone_to_owned().expect("a handle");
        let cmd = cmd();
        let line = format!("\"{cmd}\" /d /s /c \"echo started& set /p x=\"");
        let _child = start_in(&job, &cmd, &line, "", &from, &to).expect("cmd.exe starts");
        std::future::pending::<()>().await;
    }
}

#[tokio::test]
async fn a_command_gives_its_output_and_exit_code() {
    let mut command = start("echo hi& exit 3");
    assert_eq!(command.output().await, "hi\r\n");
    assert_eq!(command.exit_code().await, 3);
}

#[tokio::test]
async fn an_exit_code_has_32_bits() {
    let command = start("exit -1073741819");
    assert_eq!(command.exit_code().await, 0xC000_0005);
}

#[tokio::test]
async fn a_command_that_exits_with_259_has_ended() {
    let command = start("exit 259");
    assert_eq!(command.exit_code().await, 259);
}

#[tokio::test]
async fn arguments_and_variables_arrive_as_they_are() {
    let arguments = ["", " ", r"a\", r#"a\"b"#, r"c d\\", "\"", "é€😀", "%PATH%", "a&b|c", "\t", "*"];
    let mut command = play("prints_arguments", &arguments);
    let output = command.output().await;
    assert!(output.contains(&format!("<{arguments:?}><zwölf € 😀>")), "{output}");
}

#[tokio::test]
async fn an_input_of_10_megabytes_arrives() {
    let Started { mut input, mut output, child, job: _job, .. } = play("copies_input", &[]);
    let bytes = vec![b'~'; 10_000_000];
    let write = write_all(&mut input, &bytes);
    let read = async {
        let (mut count, mut bytes) = (0, Vec::new());
        while count < 10_000_000 {
            assert_ne!(read_some(&mut output, &mut bytes).await, 0, "the end after {count}");
            count += bytes.drain(..).filter(|&byte| byte == b'~').count();
        }
        count
    };
    assert_eq!(tokio::join!(write, read), ((), 10_000_000));
    drop(input);
    assert_eq!(timeout(PATIENCE, child.exited()).await.expect("in time").expect("a code"), 0);
}

#[tokio::test]
async fn a_process_is_in_its_job_from_the_start() {
    let command = start("set /p x=");
    assert!(command.job.processes().expect("a list").contains(&command.child.pid()));
}

#[tokio::test]
async fn a_process_that_outlives_its_leader_is_still_in_the_job() {
    let mut command = start("start /b cmd /d /c set /p x=& exit 0");
    assert_eq!(command.exit_code().await, 0);
    let left = command.job.processes().expect("a list");
    assert!(!left.is_empty() && !left.contains(&command.child.pid()), "{left:?}");
    command.job.terminate(1).expect("terminated");
    assert!(command.is_emptied());
    assert!(command.job.processes().expect("a list").is_empty());
    assert_eq!(command.output().await, "");
}

#[tokio::test]
async fn the_end_of_a_job_ends_a_tree_of_three() {
    let mut command = play("is_a_tree", &["2"]);
    read_until(&mut command.output, "started").await;
    assert!(command.job.processes().expect("a list").len() >= 3, "with those of the console, if it has any");
    command.job.terminate(9).expect("terminated");
    assert_eq!(command.exit_code().await, 9);
    assert!(command.is_emptied());
}

#[tokio::test]
async fn a_job_that_is_dropped_leaves_no_process() {
    let Started { child, job, mut output, input, .. } = start("start /b cmd /d /c set /p x=& set /p y=");
    drop(job);
    // The end of the output: nobody has it open any more.
    read_all(&mut output).await;
    timeout(PATIENCE, child.exited()).await.expect("in time").expect("a code");
    drop(input);
}

#[tokio::test]
async fn a_host_that_is_terminated_leaves_no_process() {
    let mut host = play("is_a_host", &[]);
    read_until(&mut host.output, "started").await;
    let processes = host.job.processes().expect("a list");
    assert!(processes.len() >= 2, "the host, its command, and those of their consoles: {processes:?}");
    host.child.terminate(1).expect("terminated");
    host.output().await;
    assert!(host.is_emptied());
}

#[tokio::test]
async fn a_process_inherits_its_own_streams_only() {
    let (other, to) = pipe::pipe().expect("a pipe");
    let mut other = PipeReader::new(other).expect("a reader");
    let _inheritable_by_all = super::Inheritable::new(&[to.as_handle()]).map(std::mem::forget);
    let command = start("set /p x=");
    drop(to);
    assert_eq!(read_all(&mut other).await, b"");
    assert_eq!(command.child.exit_code().expect("a state"), None);
}

#[tokio::test]
async fn a_missing_program_is_an_error() {
    let missing = start_line(r"C:\missing.exe", "missing", "").err().map(|error| error.kind());
    assert_eq!(missing, Some(io::ErrorKind::NotFound));
}

#[tokio::test]
async fn a_batch_file_gets_its_arguments_as_they_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("a b.cmd");
    std::fs::write(&script, "@echo [%1][%2][%3]\r\n").expect("a script");
    let script = script.to_str().expect("text");
    let cmd = cmd();
    let line = quote::batch_line(&cmd, script, &["plain", "a b", "a&echo c"]).expect("a line");
    let mut command = start_line(&cmd, &line, "").expect("cmd.exe starts");
    assert_eq!(command.output().await, "[plain][\"a b\"][\"a&echo c\"]\r\n");
}

#[tokio::test]
async fn of_200_commands_at_once_each_has_its_own_output() {
    let mut commands: Vec<_> = (0..200).map(|number| start(&format!("echo {number}"))).collect();
    for (number, command) in commands.iter_mut().enumerate() {
        assert_eq!(command.output().await, format!("{number}\r\n"));
    }
}
