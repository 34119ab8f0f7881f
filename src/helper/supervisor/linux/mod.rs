//! The supervisor itself, which only Linux has.

pub(in crate::helper::supervisor) mod cache;
pub(in crate::helper) mod confined;
pub(in crate::helper::supervisor) mod facts;
pub(in crate::helper::supervisor) mod outbox;
pub(in crate::helper::supervisor) mod ports;
pub(in crate::helper) mod reaper;
pub(in crate::helper::supervisor) mod serve;
pub(in crate::helper::supervisor) mod shell;
pub(in crate::helper::supervisor) mod shell_scan;
pub(in crate::helper) mod start;
pub(in crate::helper) mod supervised_command;

pub use serve::supervise;
