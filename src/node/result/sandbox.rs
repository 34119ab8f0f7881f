//! The report about a command's sandbox, for its result.

use napi_derive::napi;

use crate::node::result::javascript_number;
use crate::sandbox::outcome::{RefusalReport, SandboxReport};

/// The report about a sandbox.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SandboxResult {
    pub level: &'static str,
    pub mechanism: &'static str,
    pub applied: Vec<&'static str>,
    pub missing: Vec<&'static str>,
    pub sockets: Vec<SocketResult>,
    pub used: Vec<UseResult>,
    pub refused: Vec<RefusalResult>,
    /// The number of refusals that are not listed.
    pub more_refused: f64,
    pub created: Vec<String>,
}

/// A UNIX socket of the host that a command could connect to.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SocketResult {
    pub path: String,
    /// The meaning of the socket: what a command gets from its server.
    pub gives: &'static str,
}

/// The use of a credential.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct UseResult {
    pub credential: String,
    pub host: String,
    pub port: u16,
    /// The number of requests that got the value.
    pub requests: f64,
}

/// Something that a sandbox refused.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct RefusalResult {
    /// `network`, `request`, `name`, `socket` or `no-network`.
    pub kind: &'static str,
    pub host: Option<String>,
    pub port: Option<u16>,
    pub reason: Option<&'static str>,
    pub method: Option<String>,
    pub path: Option<String>,
}

impl From<&SandboxReport> for SandboxResult {
    fn from(report: &SandboxReport) -> Self {
        Self {
            level: report.level,
            mechanism: report.mechanism,
            applied: report.applied.iter().map(|part| part.name()).collect(),
            missing: report.missing.iter().map(|part| part.name()).collect(),
            sockets: report
                .sockets
                .iter()
                .map(|socket| SocketResult { path: socket.path.clone(), gives: socket.gives })
                .collect(),
            used: report
                .used
                .iter()
                .map(|used| UseResult {
                    credential: used.credential.clone(),
                    host: used.host.clone(),
                    port: used.port,
                    requests: javascript_number(used.requests),
                })
                .collect(),
            refused: report.refused.iter().map(RefusalResult::from).collect(),
            more_refused: javascript_number(report.more_refused),
            created: report.created.clone(),
        }
    }
}

impl From<&RefusalReport> for RefusalResult {
    fn from(refusal: &RefusalReport) -> Self {
        let nothing =
            Self { kind: "network", host: None, port: None, reason: None, method: None, path: None };
        match refusal {
            RefusalReport::Network { host, port, reason } => {
                Self { host: Some(host.clone()), port: Some(*port), reason: Some(reason), ..nothing }
            }
            RefusalReport::Request { host, port, method, path, reason } => Self {
                kind: "request",
                host: Some(host.clone()),
                port: Some(*port),
                reason: Some(reason),
                method: Some(method.clone()),
                path: Some(path.clone()),
            },
            RefusalReport::Name { host } => Self { kind: "name", host: Some(host.clone()), ..nothing },
            RefusalReport::NoNetwork { reason } => {
                Self { kind: "no-network", reason: Some(reason), ..nothing }
            }
            RefusalReport::Socket { path } => Self { kind: "socket", path: Some(path.clone()), ..nothing },
        }
    }
}
