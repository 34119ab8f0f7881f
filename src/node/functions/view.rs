//! Makes views of existing output and reads lines of it, for JavaScript.
//!
//! The work runs on a thread of libuv. A panic there becomes an error.

use std::any::Any;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use napi::bindgen_prelude::{AsyncTask, Env, Error, Result, Status, Task, Uint8Array};
use napi_derive::napi;

use crate::job::model::invocation::Invocation;
use crate::node::result::javascript_number;
use crate::node::result::view::ViewResult;
use crate::node::spec::view::ViewSpec;
use crate::process::errno::Errno;
use crate::text::view::minimize::names;
use crate::text::view::{Ending, JobPart, Source, View, ViewBuilder, ViewOptions};
use crate::tools::text::lines::{self, Search};
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

/// A line that was found.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct FoundLineResult {
    pub line: f64,
    /// The text of the line.
    pub text: String,
}

/// Lines that were found.
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
    type Output = View;
    type JsValue = ViewResult;

    fn compute(&mut self) -> Result<View> {
        guarded(|| self.view())
    }

    fn resolve(&mut self, _: Env, view: View) -> Result<ViewResult> {
        Ok(view.into())
    }
}

impl ViewTask {
    fn view(&self) -> Result<View> {
        let mut builder = ViewBuilder::new(&self.options);
        let ending = if self.source.ended_well { Ending::Well } else { Ending::Failed };
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
#[napi]
#[must_use]
pub fn view_of(source: ViewSource, spec: ViewSpec) -> AsyncTask<ViewTask> {
    let command = source.command.clone().map(Invocation::Line);
    AsyncTask::new(ViewTask { source, options: spec.options(command.as_ref(), true) })
}

/// Returns the names of the rules by which lines are left out.
#[napi]
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
    fn read<T>(&self, read: impl Fn(&mut dyn Read) -> io::Result<T>) -> Result<T> {
        let Some(path) = &self.path else {
            let text = self.text.as_deref().unwrap_or_default();
            return read(&mut text.as_bytes()).map_err(|error| Error::from_reason(error.to_string()));
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
    type Output = lines::Lines;
    type JsValue = LinesResult;

    fn compute(&mut self) -> Result<lines::Lines> {
        let Self { source, from, to, max_bytes, raw } = self;
        guarded(|| source.read(|source| lines::read_lines(source, *from, *to, *max_bytes, *raw)))
    }

    fn resolve(&mut self, _: Env, lines: lines::Lines) -> Result<LinesResult> {
        let lines::Lines { text, from, to, eof } = lines;
        Ok(LinesResult { text, from: javascript_number(from), to: javascript_number(to), eof })
    }
}

/// Reads the lines of a range.
#[napi]
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
    type Output = lines::FoundLines;
    type JsValue = FoundLinesResult;

    fn compute(&mut self) -> Result<lines::FoundLines> {
        let Self { source, spec } = self;
        let search = Search {
            text: &spec.text,
            from: whole(spec.from),
            max: spec.max as usize,
            context: spec.context as usize,
            max_bytes: spec.max_bytes as usize,
        };
        guarded(|| source.read(|source| lines::find_lines(source, &search)))
    }

    fn resolve(&mut self, _: Env, found: lines::FoundLines) -> Result<FoundLinesResult> {
        let line = |found: lines::FoundLine| FoundLineResult {
            line: javascript_number(found.line),
            text: found.text,
        };
        Ok(FoundLinesResult {
            lines: found.lines.into_iter().map(line).collect(),
            total: javascript_number(found.total),
        })
    }
}

/// Finds the lines that have a text.
#[napi]
#[must_use]
pub fn lines_with(source: LinesSource, spec: SearchSpec) -> AsyncTask<FindTask> {
    AsyncTask::new(FindTask { source, spec })
}

/// Turns a panic into an error: a panic in a task would end Node.
fn guarded<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|panic| Err(Error::new(Status::GenericFailure, message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the view could not be made: {}", text.unwrap_or("a panic"))
}

/// The names of the options that a path came from.
const SOURCE: &str = "source.path";
const PATH: &str = "path";

/// Returns an error of a file. The code comes first, for JavaScript to tell it from the words.
fn of_file(error: &std::io::Error, path: &str, option: &str) -> Error {
    let errno = if NotRegular::is_reason_of(error) { Errno(libc::EINVAL) } else { Errno::of(error) };
    let code = errno.name();
    Error::new(Status::GenericFailure, format!("{code}: cannot read '{option}' {path}: {error}"))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
const fn whole(number: f64) -> u64 {
    number as u64
}
