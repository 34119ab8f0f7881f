//! A connection that waits for an answer of a person.

use napi_derive::napi;

use crate::sandbox::network::ask::ConnectEvent;

/// A question about a connection; without a host, the end of the question of this number.
#[derive(Clone, Debug)]
#[napi(object, object_from_js = false)]
pub struct ConnectState {
    pub number: u32,
    pub host: Option<String>,
    pub port: Option<u16>,
}

impl From<ConnectEvent> for ConnectState {
    fn from(event: ConnectEvent) -> Self {
        match event {
            ConnectEvent::Asked { number, host, port } => Self { number, host: Some(host), port: Some(port) },
            ConnectEvent::Over(number) => Self { number, host: None, port: None },
        }
    }
}
