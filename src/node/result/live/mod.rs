//! A live job, as JavaScript sees it: its output ([`piece`]), its [`screen`], its wait for input and its
//! ports ([`waiting`]), and its processes ([`job_state`]).

pub mod connect;
pub mod job_state;
pub mod piece;
pub mod prompt;
pub mod screen;
pub mod value;
pub mod waiting;
