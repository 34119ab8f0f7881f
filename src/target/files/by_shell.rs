//! Requests about files where no helper can run: each is a command of a shell there, by `scripts/files.sh`.
//!
//! The results are those of the helper, as far as POSIX utilities and `stat`, `readlink` and `head -c` go.
//! Errors are what a shell can find out, and the root is checked by the path of the directory, not by
//! descriptor: who changes links there at that moment can lead a request out of the root.

use std::fmt::Write as _;

use super::Reply;
use crate::engine::Engine;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::process::directory::private::random;
use crate::process::errno::Errno;
use crate::process::files::request::{
    Attributes, DirectoryEntry, FileError, FileKind, FileStat, PIECE, Request, Response, RootedPath, Time,
};
use crate::process::pipe::{PipeReader, Read};
use crate::process::registry::Owner;
use crate::target::error::{TargetError, quoted};
use crate::target::remote_command::RemoteEnd;
use crate::target::scripts::FILES;
use crate::target::{RemoteStart, StartError, StartedCommand, Target};

/// The longest output of a script (bytes): the list of a directory with some 400,000 entries.
const MAX_OUTPUT: usize = 64 * 1024 * 1024;

/// Where requests are carried out.
#[derive(Clone, Copy)]
pub(super) struct ShellFiles<'a> {
    pub(super) engine: &'static Engine,
    pub(super) owner: &'a Owner,
    pub(super) target: &'a Target,
}

impl ShellFiles<'_> {
    /// Carries a request out.
    pub(super) async fn perform(self, request: &Request) -> Reply {
        match request {
            Request::Ranges { .. } => Ok(Response::Ranges(vec![(0, u64::MAX)])),
            Request::MakeDirectory { place, recursive: true, mode } => {
                self.make_directories(place, *mode).await
            }
            request => self.ask(request).await,
        }
    }

    async fn ask(self, request: &Request) -> Reply {
        let Some(Script { words, input }) = script(request) else {
            return Ok(Response::Failed(FileError::system(libc::ENOTSUP)));
        };
        let output = self.run(words, input).await?;
        let said = || quoted(&output[..output.len().min(100)]);
        parse(&output).ok_or_else(|| TargetError::protocol("the target", &said()))
    }

    /// Makes a directory with those above it that are missing.
    async fn make_directories(self, place: &RootedPath, mode: Option<u32>) -> Reply {
        let missing = Response::Failed(FileError::system(libc::ENOENT));
        let mut left = vec![place.clone()];
        while let Some(next) = left.last().cloned() {
            let parent = next.parent();
            let answer = self.ask(&Request::MakeDirectory { place: next, recursive: true, mode }).await?;
            match parent {
                Some(parent) if answer == missing => left.push(parent),
                _ if left.len() == 1 || matches!(answer, Response::Failed(_)) => return Ok(answer),
                _ => drop(left.pop()),
            }
        }
        Ok(Response::Created(true))
    }

    /// Runs a command, and returns its output.
    async fn run(self, words: Vec<Vec<u8>>, input: Vec<u8>) -> Result<Vec<u8>, TargetError> {
        let plan = RemotePlan {
            words: vec![words],
            has_input: !input.is_empty(),
            is_merged: true,
            ..RemotePlan::default()
        };
        let (start, started) = RemoteStart::without_job(plan, Some(input));
        self.target.start(self.engine, self.owner, start);
        let failed = |why: String| {
            TargetError::new("TARGET_START", format!("The shell for files can't be started there: {why}."))
        };
        let StartedCommand { mut command, stdout, .. } = match started.await {
            Ok(Ok(started)) => started,
            Ok(Err(StartError::Target(error))) => return Err(error),
            Ok(Err(StartError::Failed { errno, .. } | StartError::System(errno))) => {
                return Err(failed(Errno(errno).name()));
            }
            Err(_) => return Err(TargetError::closed()),
        };
        let reader = stdout.map(PipeReader::new).transpose().map_err(|error| failed(error.to_string()))?;
        let Some(mut reader) = reader else { return Err(failed("it has no output".to_owned())) };
        let mut output = Vec::new();
        while reader.ready().await.is_ok() && output.len() < MAX_OUTPUT {
            output.reserve(PIECE);
            match reader.read(&mut output) {
                Read::Bytes(_) | Read::Empty => {}
                Read::End | Read::Failed(_) => break,
            }
        }
        command.changed(false).await;
        match command.end() {
            Some(RemoteEnd::Lost(error)) => Err(error),
            _ => Ok(output),
        }
    }
}

struct Script {
    words: Vec<Vec<u8>>,
    input: Vec<u8>,
}

/// Returns the command of a request; `None` where a shell has none.
fn script(request: &Request) -> Option<Script> {
    let mode = |mode: &Option<u32>| mode.map(|mode| format!("{:o}", mode & 0o777)).unwrap_or_default();
    let seconds = |attributes: &Attributes| {
        attributes.modified.map(|time| time.seconds.to_string()).unwrap_or_default()
    };
    let tag = |tag: &u64| format!("{tag:016x}");
    let mut input = Vec::new();
    let (name, place, follows, rest): (_, _, _, Vec<String>) = match request {
        Request::Stat { place, follows } => ("stat", place, *follows, Vec::new()),
        Request::Read { place, from, most } => {
            ("read", place, true, vec![from.to_string(), most.to_string(), PIECE.to_string()])
        }
        Request::List { place, .. } => ("list", place, true, Vec::new()),
        Request::Write { place, piece } => {
            input.clone_from(&piece.bytes);
            let begins = if piece.begins { "begin" } else { "" };
            let (at, length) = (piece.at.to_string(), piece.bytes.len().to_string());
            let name = piece.tag.as_ref().map(tag).unwrap_or_default();
            ("write", place, true, vec![name, begins.to_owned(), at, mode(&piece.mode), length])
        }
        Request::Put { place, bytes, attributes } => {
            input.clone_from(bytes);
            ("put", place, true, vec![tag(&random()), mode(&attributes.mode), seconds(attributes)])
        }
        Request::Partial { place, tag: number } => ("partial", place, true, vec![tag(number)]),
        Request::Finish { place, tag: number, size, attributes } => {
            let rest = vec![tag(number), mode(&attributes.mode), seconds(attributes), size.to_string()];
            ("finish", place, true, rest)
        }
        Request::DropPartial { place, tag: number } => ("drop", place, true, vec![tag(number)]),
        Request::MakeDirectory { place, mode: wanted, .. } => ("mkdir", place, false, vec![mode(wanted)]),
        Request::Link { place, to } => ("link", place, false, vec![escaped(to)]),
        Request::Change { place, attributes } => {
            ("change", place, false, vec![mode(&attributes.mode), seconds(attributes)])
        }
        Request::Remove { place, recursive } => {
            ("remove", place, false, vec![if *recursive { "all" } else { "" }.to_owned()])
        }
        Request::HardLink { .. } | Request::Ranges { .. } => return None,
    };
    let follows = if follows && place.below.is_empty() { "follows" } else { "" };
    let below: Vec<String> = place.below.iter().map(|name| escaped(name)).collect();
    let place =
        [place.root.as_deref().map(escaped).unwrap_or_default(), escaped(&place.path), below.join("/")];
    let first = ["sh", "-c", FILES, "sh", name].map(str::to_owned);
    let words = first.into_iter().chain(place).chain([follows.to_owned()]).chain(rest);
    Some(Script { words: words.map(String::into_bytes).collect(), input })
}

/// Escapes bytes for `printf %b`.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, &byte| {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "\\0{byte:03o}");
        }
        text
    })
}

/// Reads the output of the script.
fn parse(output: &[u8]) -> Option<Response> {
    let (kind, rest) = output.split_first()?;
    let text = || str::from_utf8(rest).ok().map(str::trim);
    Some(match kind {
        b'D' => Response::Done,
        b'K' => Response::Created(true),
        b'C' => Response::Created(false),
        b'F' => Response::Failed(error(text()?)),
        b'N' => Response::Size(text()?.parse().ok()?),
        b'S' => Response::Found(stat(text()?)?),
        b'A' => {
            let end = rest.iter().position(|&byte| byte == b'\n')?;
            let stat = stat(str::from_utf8(&rest[..end]).ok()?)?;
            Response::Data { stat, bytes: rest[end + 1..].to_vec() }
        }
        b'L' => Response::Listed { entries: entries(rest)?, has_more: false },
        _ => return None,
    })
}

fn error(name: &str) -> FileError {
    FileError::system(match name {
        "OUTSIDE" => return FileError::Outside,
        "NOTFILE" => return FileError::NotFile,
        "ENOENT" => libc::ENOENT,
        "EACCES" => libc::EACCES,
        "EEXIST" => libc::EEXIST,
        "EISDIR" => libc::EISDIR,
        "ENOTDIR" => libc::ENOTDIR,
        "ENOTEMPTY" => libc::ENOTEMPTY,
        "ENOSPC" => libc::ENOSPC,
        "ELOOP" => libc::ELOOP,
        "EINVAL" => libc::EINVAL,
        "ENOTSUP" => libc::ENOTSUP,
        _ => libc::EIO,
    })
}

/// Reads a line of `stat`: the mode, in hexadecimal digits, and ten numbers.
fn stat(line: &str) -> Option<FileStat> {
    let (mode, rest) = line.split_once(' ')?;
    let mode = u32::from_str_radix(mode, 16).ok()?;
    let numbers: Vec<u64> = rest
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()
        .filter(|all: &Vec<u64>| all.len() == 10)?;
    let time = |seconds: u64| Time { seconds: seconds.cast_signed(), nanoseconds: 0 };
    let kind = match mode & 0o170_000 {
        0o100_000 => FileKind::File,
        0o040_000 => FileKind::Directory,
        0o120_000 => FileKind::Link,
        _ => FileKind::Other,
    };
    Some(FileStat {
        kind,
        mode,
        size: numbers[0],
        blocks: numbers[1],
        device: numbers[2],
        inode: numbers[3],
        links: numbers[4],
        user: u32::try_from(numbers[5]).ok()?,
        group: u32::try_from(numbers[6]).ok()?,
        accessed: time(numbers[7]),
        modified: time(numbers[8]),
        changed: time(numbers[9]),
    })
}

/// Reads a list: a line of `stat`, the name and a NUL, and what a link leads to and a NUL.
fn entries(mut rest: &[u8]) -> Option<Vec<DirectoryEntry>> {
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let facts = take(&mut rest, b'\n')?;
        let stat = stat(str::from_utf8(facts).ok()?)?;
        let name = take(&mut rest, 0)?.to_vec();
        let link = take(&mut rest, 0)?;
        let link = (stat.kind == FileKind::Link).then(|| link.strip_suffix(b"\n").unwrap_or(link).to_vec());
        entries.push(DirectoryEntry { name, stat, link });
    }
    entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Some(entries)
}

/// Takes what precedes this byte.
fn take<'a>(rest: &mut &'a [u8], end: u8) -> Option<&'a [u8]> {
    let at = rest.iter().position(|&byte| byte == end)?;
    let (taken, after) = rest.split_at(at);
    *rest = &after[1..];
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_names_of_any_bytes() {
        let line = b"81a4 5 8 1 2 1 0 0 7 8 9\n";
        let output =
            [b"L".as_slice(), line, b"a\n\xff\0\0", b"a1ff 3 0 1 3 1 0 0 7 8 9\n", b"b\0to\n\n\0"].concat();
        let Some(Response::Listed { entries, .. }) = parse(&output) else { panic!("expected a list") };
        assert_eq!(entries[0].name, b"a\n\xff");
        assert_eq!((entries[0].stat.size, entries[0].stat.kind), (5, FileKind::File));
        assert_eq!(entries[1].link.as_deref(), Some(b"to\n".as_slice()));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for output in [b"".as_slice(), b"x", b"Nx", b"S81a4 1", b"Ax", b"L81a4", b"S1 2 3 4 5 6 7 8 9 10 -1"]
        {
            assert_eq!(parse(output), None, "{output:?}");
        }
    }

    #[test]
    fn bytes_are_escaped_for_printf() {
        assert_eq!(escaped(b"-a/b.c 'd\n\xff\\"), "-a/b.c\\0040\\0047d\\0012\\0377\\0134");
    }
}
