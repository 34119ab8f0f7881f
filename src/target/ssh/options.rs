//! The `ssh` option of a target.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::arguments::{is_about_host_keys, is_set};
use crate::target::options::{WrongTarget, check_name, check_text, wrong};

/// A host that the user's `ssh` reaches.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a host")]
pub struct Ssh {
    pub host: String,
    pub user: Option<String>,
    pub port: Option<u16>,
    /// The file of a private key.
    pub identity: Option<String>,
    /// A configuration file, instead of the user's.
    pub config: Option<String>,
    /// Further options of the configuration file.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

impl Ssh {
    pub(in crate::target) fn check(&self) -> Result<(), WrongTarget> {
        check_name("ssh.host", &self.host)?;
        if self.port == Some(0) {
            return wrong("ssh.port: expected a number from 1 to 65535");
        }
        for (name, value) in
            [("ssh.user", &self.user), ("ssh.identity", &self.identity), ("ssh.config", &self.config)]
        {
            if let Some(value) = value {
                check_text(name, value)?;
            }
        }
        if self.user.as_deref().is_some_and(|user| user.starts_with('-')) {
            return wrong("ssh.user: expected a name that does not begin with -");
        }
        for (name, value) in &self.options {
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !is_name || value.contains(['\0', '\n', '\r']) {
                return wrong("ssh.options: expected names of letters and digits, and values of one line");
            }
            if is_set(name) {
                return wrong(&format!("ssh.options.{name}: agent-bash sets it itself"));
            }
            if is_about_host_keys(name) {
                return wrong(&format!("ssh.options.{name}: only a configuration file of ssh decides that"));
            }
        }
        Ok(())
    }
}
