//! Makes views of existing output and reads lines of it, for JavaScript.
//!
//! The work runs on a thread of libuv. A panic there becomes an error.

use std::io::{self, Read};
use std::path::Path;

use napi::bindgen_prelude::{AsyncTask, Either, Env, Result, Task, Uint8Array};
use napi_derive::napi;

use crate::job::model::invocation::Invocation;
use crate::node::error::{NativeError, answer, guarded};
use crate::node::result::javascript_number;
use crate::node::result::view::ViewResult;
use crate::node::spec::view::ViewSpec;
use crate::process::errno::Errno;
use crate::text::view::minimize::names;
use crate::text::view::{ExitKind, JobPart, Source, View, ViewBuilder, ViewOptions};
use crate::tools::text::lines::{self, LineSearch};
use crate::tools::text::regular_file::{NotRegular, RegularFile};

/// The source of a view: bytes, text, or a file.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct ViewSource {
    /// The output as bytes.
    pub bytes: Option<Uint8Array>,
    /// The output as text.
    pub text: Option<String>,
    /// The path of a file with the output.
    pub path: Option<String>,
    /// The command that wrote it.
    pub command: Option<String>,
    /// Whether the command succeeded.
    pub ended_well: bool,
    /// For a text that is a part of a job's output.
    pub part: Option<JobPartSpec>,
}

/// A part of a job's output.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct JobPartSpec {
    /// The number of lines before the part, if it is known.
    pub lines_before: Option<f64>,
    /// Whether an earlier view had what came before.
    pub is_new: bool,
    /// The name of the tool that shows other lines.
    pub reader: Option<String>,
}

/// Lines of a source.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct LinesResult {
    /// The lines.
    pub text: String,
    /// The number of the first.
    pub from: f64,
    /// The number of the last.
    pub to: f64,
    /// Whether the source has no line after it.
    pub eof: bool,
}

#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct FoundLineResult {
    pub line: f64,
    /// The text of the line.
    pub text: String,
}

#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct FoundLinesResult {
    /// The first lines that were found.
    pub lines: Vec<FoundLineResult>,
    /// The number of lines in the source that contain the text.
    pub total: f64,
}

/// A search for lines.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SearchSpec {
    pub text: String,
    /// The first line that is searched.
    pub from: f64,
    /// The most lines that are returned.
    pub max: u32,
    /// The number of lines before and after each that are returned with it.
    pub context: u32,
    /// The most that is returned in all (bytes).
    pub max_bytes: u32,
}

/// Makes the view of what exists already.
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct ViewTask {
    source: ViewSource,
    options: ViewOptions,
}

impl Task for ViewTask {
    type Output = std::result::Result<View, NativeError>;
    type JsValue = Either<ViewResult, NativeError>;

    fn compute(&mut self) -> Result<Self::Output> {
        Ok(guarded(FAILED, || self.view()))
    }

    fn resolve(&mut self, _: Env, view: Self::Output) -> Result<Self::JsValue> {
        Ok(answer(view.map(ViewResult::from)))
    }
}

impl ViewTask {
    fn view(&self) -> std::result::Result<View, NativeError> {
        let mut builder = ViewBuilder::new(&self.options);
        let ending = if self.source.ended_well { ExitKind::Well } else { ExitKind::Failed };
        if let Some(path) = &self.source.path {
            let mut file =
                RegularFile::open(Path::new(path)).map_err(|error| of_file(&error, path, SOURCE))?;
            let mut piece = vec![0; 256 * 1024];
            loop {
                match file.read(&mut piece) {
                    Ok(0) => return Ok(builder.finished().view(ending, &Source::File(path))),
                    Ok(count) => builder.push(&piece[..count], None),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(of_file(&error, path, SOURCE)),
                }
            }
        }
        let bytes = match (&self.source.bytes, &self.source.text) {
            (Some(bytes), _) => bytes.as_ref(),
            (None, Some(text)) => text.as_bytes(),
            (None, None) => &[],
        };
        builder.push(bytes, None);
        let source = self.source.part.as_ref().map_or(Source::NotKept, |part| {
            Source::Job(JobPart {
                lines_before: part.lines_before.map(whole),
                is_new: part.is_new,
                reader: part.reader.as_deref(),
            })
        });
        Ok(builder.finished().view(ending, &source))
    }
}

/// Makes the view of what exists already.
#[napi(catch_unwind)]
#[must_use]
pub fn view_of(source: ViewSource, spec: ViewSpec) -> AsyncTask<ViewTask> {
    let command = source.command.clone().map(Invocation::Line);
    AsyncTask::new(ViewTask { source, options: spec.options(command.as_ref(), true) })
}

/// Returns the names of the rules by which lines are left out.
#[napi(catch_unwind)]
#[must_use]
pub fn minimize_rules() -> Vec<&'static str> {
    names().collect()
}

/// The source of lines: a file, or a text.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct LinesSource {
    pub path: Option<String>,
    pub text: Option<String>,
}

impl LinesSource {
    /// Calls `read` with the source.
    fn read<T>(&self, read: impl Fn(&mut dyn Read) -> io::Result<T>) -> std::result::Result<T, NativeError> {
        let Some(path) = &self.path else {
            let text = self.text.as_deref().unwrap_or_default();
            return read(&mut text.as_bytes()).map_err(|error| NativeError::of_system(&error));
        };
        RegularFile::open(Path::new(path))
            .and_then(|mut file| read(&mut file))
            .map_err(|error| of_file(&error, path, PATH))
    }
}

/// Reads lines.
#[derive(Debug)]
pub struct LinesTask {
    source: LinesSource,
    from: u64,
    to: u64,
    max_bytes: usize,
    raw: bool,
}

impl Task for LinesTask {
    type Output = std::result::Result<lines::Lines, NativeError>;
    type JsValue = Either<LinesResult, NativeError>;

    fn compute(&mut self) -> Result<Self::Output> {
        let Self { source, from, to, max_bytes, raw } = self;
        let read = || source.read(|source| lines::read_lines(source, *from, *to, *max_bytes, *raw));
        Ok(guarded(FAILED, read))
    }

    fn resolve(&mut self, _: Env, lines: Self::Output) -> Result<Self::JsValue> {
        Ok(answer(lines.map(|lines::Lines { text, from, to, eof }| LinesResult {
            text,
            from: javascript_number(from),
            to: javascript_number(to),
            eof,
        })))
    }
}

/// Reads the lines of a range.
#[napi(catch_unwind)]
#[must_use]
pub fn lines_of(source: LinesSource, from: f64, to: f64, max_bytes: u32, raw: bool) -> AsyncTask<LinesTask> {
    AsyncTask::new(LinesTask { source, from: whole(from), to: whole(to), max_bytes: max_bytes as usize, raw })
}

/// Looks for a text.
#[derive(Debug)]
pub struct FindTask {
    source: LinesSource,
    spec: SearchSpec,
}

impl Task for FindTask {
    type Output = std::result::Result<lines::FoundLines, NativeError>;
    type JsValue = Either<FoundLinesResult, NativeError>;

    fn compute(&mut self) -> Result<Self::Output> {
        let Self { source, spec } = self;
        let search = LineSearch {
            text: &spec.text,
            from: whole(spec.from),
            max: spec.max as usize,
            context: spec.context as usize,
            max_bytes: spec.max_bytes as usize,
        };
        Ok(guarded(FAILED, || source.read(|source| lines::find_lines(source, &search))))
    }

    fn resolve(&mut self, _: Env, found: Self::Output) -> Result<Self::JsValue> {
        let line = |found: lines::FoundLine| FoundLineResult {
            line: javascript_number(found.line),
            text: found.text,
        };
        Ok(answer(found.map(|found| FoundLinesResult {
            lines: found.lines.into_iter().map(line).collect(),
            total: javascript_number(found.total),
        })))
    }
}

/// Finds the lines that have a text.
#[napi(catch_unwind)]
#[must_use]
pub fn lines_with(source: LinesSource, spec: SearchSpec) -> AsyncTask<FindTask> {
    AsyncTask::new(FindTask { source, spec })
}

/// The message of the error if the work panics.
const FAILED: &str = "the view could not be made";

/// The names of the options that a path came from.
const SOURCE: &str = "source.path";
const PATH: &str = "path";

/// Returns an error of a file, whose message begins with the code as those of Node.js do.
fn of_file(error: &io::Error, path: &str, option: &str) -> NativeError {
    let errno = if NotRegular::is_reason_of(error) { Errno(libc::EINVAL) } else { Errno::of(error) };
    let code = errno.name();
    let message = format!("{code}: cannot read '{option}' {path}: {error}");
    NativeError { code, message, option: None }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
const fn whole(number: f64) -> u64 {
    number as u64
}
