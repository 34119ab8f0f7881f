//! An encoding, as JavaScript holds it.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::Arc;

use napi_derive::napi;

use crate::text::code_page::CodePage;

/// The handle of an encoding, which running commands keep alive too.
#[derive(Debug)]
#[napi(js_name = "NativeCodePage")]
pub struct CodePageHandle(Arc<CodePage>);

impl CodePageHandle {
    /// Returns the encoding, for a command.
    pub(in crate::node) fn code_page(&self) -> Arc<CodePage> {
        Arc::clone(&self.0)
    }
}

#[napi]
impl CodePageHandle {
    /// Makes an encoding of its tables, as [`CodePage::of_tables`] wants them; null for others.
    #[napi(catch_unwind)]
    pub fn of_tables(singles: String, pairs: String) -> Option<CodePageHandle> {
        CodePage::of_tables(&singles, &pairs).map(|page| Self(Arc::new(page)))
    }

    /// Returns UTF-16 in little endian.
    #[napi(catch_unwind)]
    pub fn utf16() -> CodePageHandle {
        Self(Arc::new(CodePage::Utf16))
    }
}
