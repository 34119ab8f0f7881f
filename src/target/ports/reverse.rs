//! A listener on the target, whose connections reach a server on this machine.

use std::convert::Infallible;

use super::gate::PortIncoming;
use super::relay::connect_and_relay;
use super::{OpenConnection, OpenPort, PortError, PortPlan, PortReport};
use crate::helper::supervisor::protocol::ports::PortMessage;
use crate::target::error::TargetError;

impl OpenPort<'_> {
    pub(super) async fn reverse(&mut self, plan: &PortPlan) -> Result<Infallible, PortError> {
        let mut gate = self.gate().await?;
        let listen = PortMessage::Listen(plan.listen.clone());
        let lost = || PortError::from(TargetError::closed());
        let mut listener = gate.open(listen).await.map_err(|_| lost())?;
        loop {
            let incoming = tokio::select! {
                reason = gate.lost() => return Err(reason.into()),
                Some(_) = self.tasks.join_next() => continue,
                incoming = listener.inbox.recv() => incoming,
            };
            match incoming {
                Some(PortIncoming::Message(PortMessage::Listening { port })) => {
                    (self.report)(PortReport::Listening { port });
                }
                Some(PortIncoming::Message(PortMessage::Closed { error })) => {
                    listener.note_closed();
                    return Err(PortError::of_listener(plan, name_of(&error)));
                }
                Some(PortIncoming::Accepted { id, inbox }) => {
                    let (route, end, counted) =
                        (gate.route(id, inbox), plan.end.clone(), OpenConnection::new(&self.count));
                    self.tasks.spawn(async move {
                        connect_and_relay(&end, route).await;
                        drop(counted);
                    });
                }
                Some(_) => {}
                // The connection drops what it serves when it ends, and says why.
                None => return Err(gate.lost().await.into()),
            }
        }
    }
}

/// Returns the name of an error, if it is one: the target may send any text.
fn name_of(error: &str) -> &str {
    let is_name =
        error.starts_with('E') && error.len() < 20 && error.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_name { error } else { "EIO" }
}
