//! The view of an output, and lines of a file, for JavaScript.
//!
//! What takes long is done by a thread of libuv's. A panic there becomes an error.

use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use napi::bindgen_prelude::{AsyncTask, Env, Error, Result, Status, Task, Uint8Array};
use napi_derive::napi;

use super::event::javascript_number;
use crate::text::view::{Ending, LeftOut, Signals, Source, View, ViewBuilder, ViewOptions};
use crate::tools::lines::{self, Search};

/// How a view is made. What is absent has its default.
#[derive(Debug, Default)]
#[napi(object, object_to_js = false)]
pub struct ViewSpec {
    /// The most bytes that the text may have.
    pub max_bytes: Option<u32>,
    /// The share that the beginning gets at least.
    pub head: Option<f64>,
    /// The share that the end gets at least.
    pub tail: Option<f64>,
    /// How many lines before an important one belong to it.
    pub before: Option<u32>,
    /// How many lines after an important one belong to it.
    pub after: Option<u32>,
    /// Texts that make a line rank above all others.
    pub important: Option<Vec<String>>,
    /// Whether runs of lines of one form are folded.
    pub fold: Option<bool>,
    /// Whether the last line says how much there is.
    pub footer: Option<bool>,
    /// Whether lines that begin like a marker get a space in front.
    pub escape: Option<bool>,
    /// Signals that ranks do not depend on: `classes`, `rarity`, `order`. For measuring what each brings.
    pub without: Option<Vec<String>>,
}

/// What a model reads.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ViewResult {
    /// The text.
    pub text: String,
    /// How many lines the output has.
    pub lines: f64,
    /// How many bytes.
    pub bytes: f64,
    /// The lines that are shown: from, to.
    pub shown: Vec<Vec<f64>>,
    /// Those that are not.
    pub left_out: Vec<LeftOutResult>,
    /// Whether everything is shown.
    pub complete: bool,
}

/// Lines that are not shown.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct LeftOutResult {
    /// The first.
    pub from: f64,
    /// The last.
    pub to: f64,
    /// How many.
    pub lines: f64,
    /// How long they are.
    pub bytes: f64,
    /// The line that all of them are like.
    pub like: Option<f64>,
}

/// What a view is made of.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct ViewSource {
    /// Bytes that are there.
    pub bytes: Option<Uint8Array>,
    /// Text that is there.
    pub text: Option<String>,
    /// A file.
    pub path: Option<String>,
    /// Whether the command ended well.
    pub ended_well: bool,
}

/// Lines of a file.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct LinesResult {
    /// The lines.
    pub text: String,
    /// The number of the first.
    pub from: f64,
    /// The number of the last.
    pub to: f64,
    /// Whether there is none after it.
    pub eof: bool,
}

/// A line that was found.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct FoundLineResult {
    /// Its number.
    pub line: f64,
    /// Its text.
    pub text: String,
}

/// Lines that were found.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct FoundLinesResult {
    /// The first of them.
    pub lines: Vec<FoundLineResult>,
    /// How many there are.
    pub total: f64,
}

/// What to look for in a file.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SearchSpec {
    /// The text.
    pub text: String,
    /// The first line.
    pub from: f64,
    /// How many lines.
    pub max: u32,
    /// How many lines around each.
    pub context: u32,
    /// How much in all.
    pub max_bytes: u32,
}

impl ViewSpec {
    /// The options of the crate.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a number of 32 bits"
    )]
    pub fn options(self) -> ViewOptions {
        let usual = ViewOptions::new(self.max_bytes.map_or(16_000, |bytes| bytes as usize));
        let share = |share: f64| (f64::from(usual.max_bytes as u32) * share) as usize;
        let without = self.without.unwrap_or_default();
        let has = |signal: &str| !without.iter().any(|name| name == signal);
        ViewOptions {
            signals: Signals { classes: has("classes"), rarity: has("rarity"), order: has("order") },
            head: self.head.map_or(usual.head, share),
            tail: self.tail.map_or(usual.tail, share),
            before: self.before.map_or(usual.before, |lines| lines as usize),
            after: self.after.map_or(usual.after, |lines| lines as usize),
            important: self.important.unwrap_or_default(),
            fold: self.fold.unwrap_or(usual.fold),
            footer: self.footer.unwrap_or(usual.footer),
            escape: self.escape.unwrap_or(usual.escape),
            max_bytes: usual.max_bytes,
        }
    }
}

impl From<View> for ViewResult {
    fn from(view: View) -> Self {
        let range = |(from, to): (u64, u64)| vec![javascript_number(from), javascript_number(to)];
        Self {
            text: view.text,
            lines: javascript_number(view.lines),
            bytes: javascript_number(view.bytes),
            shown: view.shown.into_iter().map(range).collect(),
            left_out: view.left_out.into_iter().map(LeftOutResult::from).collect(),
            complete: view.complete,
        }
    }
}

impl From<LeftOut> for LeftOutResult {
    fn from(left_out: LeftOut) -> Self {
        Self {
            from: javascript_number(left_out.from),
            to: javascript_number(left_out.to),
            lines: javascript_number(left_out.lines()),
            bytes: javascript_number(left_out.bytes),
            like: left_out.like.map(javascript_number),
        }
    }
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
            let mut file = File::open(path).map_err(|error| of_file(&error, path))?;
            let mut piece = vec![0; 256 * 1024];
            loop {
                match file.read(&mut piece) {
                    Ok(0) => return Ok(builder.view(ending, &Source::File(path))),
                    Ok(count) => builder.push(&piece[..count], None),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(of_file(&error, path)),
                }
            }
        }
        let bytes = match (&self.source.bytes, &self.source.text) {
            (Some(bytes), _) => bytes.as_ref(),
            (None, Some(text)) => text.as_bytes(),
            (None, None) => &[],
        };
        builder.push(bytes, None);
        Ok(builder.view(ending, &Source::NotKept))
    }
}

/// Makes the view of what exists already.
#[napi]
#[must_use]
pub fn view_of(source: ViewSource, spec: ViewSpec) -> AsyncTask<ViewTask> {
    AsyncTask::new(ViewTask { source, options: spec.options() })
}

/// Reads lines of a file.
#[derive(Debug)]
pub struct LinesTask {
    path: String,
    from: u64,
    to: u64,
    max_bytes: usize,
    raw: bool,
}

impl Task for LinesTask {
    type Output = lines::Lines;
    type JsValue = LinesResult;

    fn compute(&mut self) -> Result<lines::Lines> {
        let Self { path, from, to, max_bytes, raw } = self;
        guarded(|| {
            lines::read_lines(Path::new(path), *from, *to, *max_bytes, *raw)
                .map_err(|error| of_file(&error, path))
        })
    }

    fn resolve(&mut self, _: Env, lines: lines::Lines) -> Result<LinesResult> {
        let lines::Lines { text, from, to, eof } = lines;
        Ok(LinesResult { text, from: javascript_number(from), to: javascript_number(to), eof })
    }
}

/// Reads the lines of a range of a file.
#[napi]
#[must_use]
pub fn lines_of(path: String, from: f64, to: f64, max_bytes: u32, raw: bool) -> AsyncTask<LinesTask> {
    AsyncTask::new(LinesTask { path, from: whole(from), to: whole(to), max_bytes: max_bytes as usize, raw })
}

/// Looks for a text in a file.
#[derive(Debug)]
pub struct FindTask {
    path: String,
    spec: SearchSpec,
}

impl Task for FindTask {
    type Output = lines::FoundLines;
    type JsValue = FoundLinesResult;

    fn compute(&mut self) -> Result<lines::FoundLines> {
        let Self { path, spec } = self;
        guarded(|| {
            let search = Search {
                text: &spec.text,
                from: whole(spec.from),
                max: spec.max as usize,
                context: spec.context as usize,
                max_bytes: spec.max_bytes as usize,
            };
            lines::find_lines(Path::new(path), &search).map_err(|error| of_file(&error, path))
        })
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

/// Finds the lines of a file that have a text.
#[napi]
#[must_use]
pub fn lines_with(path: String, spec: SearchSpec) -> AsyncTask<FindTask> {
    AsyncTask::new(FindTask { path, spec })
}

/// A panic in a task would end Node.
fn guarded<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|panic| Err(Error::new(Status::GenericFailure, message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the view could not be made: {}", text.unwrap_or("a panic"))
}

/// The code comes first, for JavaScript to tell it from the words.
fn of_file(error: &std::io::Error, path: &str) -> Error {
    let code = crate::process::errno::Errno::of(error).name();
    Error::new(Status::GenericFailure, format!("{code}: cannot read {path}: {error}"))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
const fn whole(number: f64) -> u64 {
    number as u64
}
