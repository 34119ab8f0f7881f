//! Ports of a target, as JavaScript opens them.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use std::sync::Arc;

use napi_derive::napi;

use super::TargetHandle;
use crate::engine::engine;
use crate::helper::supervisor::protocol::ports::{ListenAt, PortEnd};
use crate::job::ports::ListeningPort;
use crate::node::error::NativeError;
use crate::node::mailbox::Message;
use crate::node::result::run_result::RunResult;
use crate::session::handle::OwnOutput;
use crate::target::ports::{PortError, PortHandle, PortPlan, PortReport};

/// A listener, and what its connections reach on the other side.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct PortSpec {
    /// Whether the listener is on the target.
    pub is_reverse: bool,
    /// The path of a UNIX socket on the other side, or else a host and a port.
    pub path: Option<String>,
    pub host: String,
    pub port: u16,
    /// The path of the listener, a UNIX socket, or else its address and port: 0 for any.
    pub listen_path: Option<String>,
    pub address: String,
    pub listen: u16,
}

/// The handle of a listener.
#[derive(Debug)]
#[napi(js_name = "NativePort")]
pub struct OpenPortHandle {
    port: PortHandle,
}

#[napi]
impl OpenPortHandle {
    /// Returns the number of open connections.
    #[napi(getter, catch_unwind)]
    pub fn connections(&self) -> u32 {
        u32::try_from(self.port.connections()).unwrap_or(u32::MAX)
    }

    /// Closes the listener and its connections. An event reports when that is done.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.port.close();
    }
}

/// Opens a listener of a target.
pub(super) fn open(target: &TargetHandle, id: u32, spec: PortSpec) -> Result<OpenPortHandle, NativeError> {
    let PortSpec { is_reverse, path, host, port, listen_path, address, listen } = spec;
    let parsed = address.parse();
    let parsed = parsed.map_err(|_| NativeError::of_option("bind", "expected an address".to_owned()))?;
    let end = path.map_or(PortEnd::Tcp { host, port }, |path| PortEnd::Unix { path });
    let tcp = ListenAt::Tcp { address: parsed, port: listen };
    let listen = listen_path.map_or(tcp, |path| ListenAt::Unix { path });
    let plan = PortPlan { is_reverse, end, listen };
    let engine = engine().map_err(|error| NativeError::of_system(&error))?;
    let state = Arc::clone(target.binding());
    let report = move |report| match report {
        PortReport::Listening { port } => {
            state.mailbox().post(Message::Ports(id, vec![ListeningPort { port, address: parsed, pid: 0 }]));
        }
        PortReport::Closed(error) => {
            let error = error.map(|PortError { code, message }| NativeError { code, message, option: None });
            let result = RunResult { error, ..RunResult::of_own_output(OwnOutput::default()) };
            state.mailbox().post(Message::End(id, Box::new(result.into())));
        }
    };
    let port = target.target().open_port(engine, target.binding().owner(), plan, report);
    Ok(OpenPortHandle { port })
}
