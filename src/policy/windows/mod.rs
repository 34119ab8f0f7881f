//! Requests of Windows: those whose directory has a drive or a server.
//!
//! [`form`] gives each path of such a request its one form, `/c/users/ann`, which the rest of the policy
//! compares as it compares a path of Unix. [`names`] compares names that may be short (`PROGRA~1`), and finds
//! the program that a name stands for. [`variables`] has the values of variables, which have no case.
//! [`places`] owns the lists of protected paths. [`reading`] reads a text as a program does that does not
//! take a backslash for an escape, and [`cmd`] and [`power_shell`] translate the texts of these shells.

mod cmd;
mod form;
mod names;
pub(super) mod places;
mod power_shell;
mod reading;
mod variables;

pub(super) use cmd::from_cmd;
pub use form::native;
pub(super) use form::{absolute, is_native, plain};
pub(super) use names::{is_same_path, program_name};
pub(super) use power_shell::{from_power_shell, runs_download};
pub(super) use reading::with_slashes;
pub(super) use variables::{expanded, home_of, runs_code, variable};
