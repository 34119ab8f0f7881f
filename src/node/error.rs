//! The one shape of an error at the border to JavaScript.
//!
//! A function returns it in place of its value, a result has it as a field, and `lib/addon/native-error.ts`
//! makes the package's error of it. What is thrown here is a defect: a panic, or an object of `lib/` that
//! can't be read.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::job::model::invocation::WordsError;
use crate::job::model::outcome::Fault;
use crate::process::errno::Errno;
use crate::sandbox::plan::make::PlanError;

#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct NativeError {
    /// A stable code.
    pub code: String,
    /// A sentence for people; with `option`, what is wrong with the option.
    pub message: String,
    /// The wrong option, by its path in the object of options; empty for the object itself.
    pub option: Option<String>,
}

impl NativeError {
    /// Returns the error of a wrong option.
    pub(in crate::node) fn of_option(option: impl Into<String>, message: String) -> Self {
        Self { option: Some(option.into()), ..Self::invalid(message) }
    }

    /// Returns the error of an invalid argument, whose message names it.
    pub(in crate::node) fn invalid(message: String) -> Self {
        Self { code: INVALID.to_owned(), message, option: None }
    }

    /// Returns the error of the operating system, by its name.
    pub(in crate::node) fn of_system(error: &io::Error) -> Self {
        Self { code: Errno::of(error).name(), message: error.to_string(), option: None }
    }
}

/// The code of Node.js for an invalid argument.
const INVALID: &str = "ERR_INVALID_ARG_VALUE";

impl From<Fault> for NativeError {
    fn from(Fault { code, message }: Fault) -> Self {
        Self { code, message, option: None }
    }
}

impl From<WordsError> for NativeError {
    fn from(error: WordsError) -> Self {
        Self::of_option("command", error.to_string())
    }
}

impl From<PlanError> for NativeError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Option { option, expected } => Self::of_option(option, expected),
            other => Self::of_option("sandbox", other.to_string()),
        }
    }
}

/// Returns a value or an error, as a function returns it to JavaScript.
pub(in crate::node) fn answer<T>(result: Result<T, NativeError>) -> Either<T, NativeError> {
    match result {
        Ok(value) => Either::A(value),
        Err(error) => Either::B(error),
    }
}

/// Runs `act` on a thread of libuv. A panic there would end Node, so it becomes an error that begins with
/// `failure`.
pub(in crate::node) fn guarded<T>(
    failure: &str,
    act: impl FnOnce() -> Result<T, NativeError>,
) -> Result<T, NativeError> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let message = format!("{failure}: {}", text_of(&*panic));
        Err(NativeError { code: "INTERNAL".to_owned(), message, option: None })
    })
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}
