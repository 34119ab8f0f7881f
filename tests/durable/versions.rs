//! Jobs of other versions of the package: recorded directories, and supervisors that speak otherwise.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread;

use agent_bash::durable::find;
use agent_bash::durable::options::JobFilter;
use agent_bash::helper::durable::directory::{JobsDirectory, machine};
use agent_bash::helper::durable::protocol::{HostRequest, JobEvent, JobHello};
use agent_bash::helper::durable::record::end::{EndCause, LeaderExit};
use agent_bash::helper::durable::record::facts::JobFacts;
use agent_bash::helper::supervisor::protocol::frame::{FrameReader, put};
use agent_bash::job::model::outcome::End;
use agent_bash::process::wait::Exit;

use crate::jobs::Jobs;

fn make_directory(path: &Path) {
    fs::DirBuilder::new().mode(0o700).recursive(true).create(path).expect("a directory");
}

#[test]
fn the_recorded_jobs_of_each_version_are_listed_and_read() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durable/recorded");
    for version in fs::read_dir(recorded).expect("they are there") {
        let (jobs, version) = (Jobs::new(), version.expect("a directory").path());
        make_directory(&jobs.path().join("drecorded"));
        for file in fs::read_dir(&version).expect("it is there") {
            let file = file.expect("a file");
            fs::copy(file.path(), jobs.file("drecorded", file.file_name().to_str().expect("text")))
                .expect("it is copied");
        }
        let filter = JobFilter {
            name: Some("dev \"ü\"\n\\2".to_owned()),
            owner: Some("owner".to_owned()),
            root: Some("/root dir".to_owned()),
            ..JobFilter::default()
        };
        let found = jobs.find(&filter);
        assert_eq!(found.len(), 1, "{}", version.display());
        let end = found[0].end.clone().expect("an end");
        assert_eq!((end.cause, end.exit), (EndCause::Exit, Some(LeaderExit::Code(3))));
        let job = jobs.attach("drecorded", Some(0));
        let outcome = job.outcome();
        assert_eq!(outcome.end, End::Exit(Exit::Code(3)));
        assert_eq!((job.stdout(), job.stderr()), ("out 1\nümläut\nout 2\n".to_owned(), "err 1\n".to_owned()));
        assert!(outcome.usage.is_some());
    }
}

/// Makes a job whose supervisor is this process, and greets each host with `hello`. It answers a hello alone.
fn other_supervisor(jobs: &Jobs, hello: JobHello) -> OwnedFd {
    make_directory(&jobs.path().join("dother"));
    let directory = JobsDirectory::open(&jobs.path()).expect("a directory");
    let job = directory.job("dother").expect("a job");
    let (machine, boot) = machine();
    let facts = JobFacts {
        id: "dother".to_owned(),
        machine,
        boot,
        command: "other".to_owned(),
        ..JobFacts::default()
    };
    job.begin(&facts).expect("it begins");
    let lock = job.try_lock(&directory.lock().expect("a lock")).expect("it is tried").expect("it is free");
    let listener = UnixListener::bind(jobs.file("dother", "socket")).expect("a socket");
    thread::spawn(move || {
        for host in listener.incoming() {
            let Ok(mut host) = host else { return };
            let (mut reader, mut buffer) = (FrameReader::default(), [0; 1000]);
            while let Ok(count @ 1..) = host.read(&mut buffer) {
                reader.push(&buffer[..count]);
                while let Some(frame) = reader.next_frame().expect("frames") {
                    let mut out = Vec::new();
                    // A message of a later version comes first.
                    put(&mut out, 200, 0, b"later");
                    if let Some(HostRequest::Hello(_)) = HostRequest::decode(frame) {
                        JobEvent::Hello(hello).put(&mut out);
                    }
                    let _ = host.write_all(&out);
                }
            }
        }
    });
    lock
}

#[test]
fn a_later_supervisor_that_speaks_core_1_is_understood_and_one_that_does_not_is_reported() {
    let jobs = Jobs::new();
    let later = JobHello { lowest: 1, highest: 9, pid: 1, ends_at: 7, attached: 3, total: 0, dropped: 0 };
    let lock = other_supervisor(&jobs, later);
    let info = jobs.info("dother").expect("it is there");
    assert_eq!((info.ends_at, info.attached, info.end), (7, 3, None));
    assert!(jobs.attach("dother", None).handle.is_live());
    drop(lock);

    let jobs = Jobs::new();
    let _lock = other_supervisor(&jobs, JobHello { lowest: 2, highest: 9, ..later });
    assert_eq!(jobs.attach("dother", None).outcome().fault().expect("a fault").code, "DURABLE_OLD");
    assert!(jobs.info("dother").expect("it is listed").end.is_none());
}

#[test]
fn a_supervisor_that_does_not_know_a_question_is_old() {
    let jobs = Jobs::new();
    let earlier = JobHello { lowest: 1, highest: 1, ..JobHello::default() };
    let _lock = other_supervisor(&jobs, earlier);
    assert_eq!(find::extend(&jobs.path(), "dother", 1).expect_err("it is old").code, "DURABLE_OLD");
}
