//! No prompts: this system has no helper that asks. Nothing makes a socket, so there are no questions.

#![allow(
    clippy::unused_self,
    clippy::unused_async,
    clippy::needless_pass_by_ref_mut,
    clippy::needless_pass_by_value,
    reason = "the functions are those of Linux"
)]

use std::io;
use std::path::Path;

use crate::process::identity::Pid;

use super::{Answer, Prompt, PromptVariables};
use crate::engine::Engine;

#[derive(Debug)]
pub(crate) enum PromptSocket {}

#[derive(Debug)]
pub(crate) enum PromptServer {}

#[derive(Debug)]
pub(crate) enum Question {}

#[derive(Debug, Default)]
pub(crate) struct OpenPrompts {
    _none: (),
}

impl PromptSocket {
    pub(crate) fn create() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn directory(&self) -> &Path {
        match *self {}
    }

    pub(crate) fn add_to(&self, _environment: &mut String, _which: PromptVariables) {
        match *self {}
    }

    pub(crate) fn serve(self, _engine: &'static Engine, _leader: Pid) -> io::Result<PromptServer> {
        match self {}
    }
}

impl PromptServer {
    pub(crate) async fn next(&mut self) -> Question {
        match *self {}
    }
}

impl OpenPrompts {
    pub(crate) const fn is_asking(&self) -> bool {
        false
    }

    pub(crate) fn ask(&mut self, question: Question) -> Prompt {
        match question {}
    }

    pub(crate) fn answer(&mut self, _number: u32, _answer: Option<&Answer>, _hide: impl FnOnce(&str)) {}

    pub(crate) async fn over(&mut self) -> u32 {
        std::future::pending().await
    }

    pub(crate) fn refuse_all(&mut self) -> Vec<u32> {
        Vec::new()
    }
}
