//! The gateway of one sandbox: decides which hosts it may reach, and records refusals.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::messages::dns::{DnsAnswer, DnsQuestion};
use crate::sandbox::intercept::link::ScopeLink;
use crate::sandbox::network::allow::{
    AllowedDestination, address_at, allows, knows, listened_ports, may_lead_to,
};
use crate::sandbox::network::ask::Questions;
use crate::sandbox::network::destination::Destination;
use crate::sandbox::network::names::NameTable;
use crate::sandbox::network::public::is_public;
use crate::sandbox::outcome::Refusals;
use crate::sandbox::protocol::inside::{is_inside, position_of};
use crate::sandbox::protocol::report::{RefusalReason, SandboxRefusal};

/// The decisions for one sandbox.
#[derive(Debug)]
pub struct Gateway {
    allowed: Vec<AllowedDestination>,
    ports: Vec<u16>,
    /// Asks about hosts that are not listed; `None` if they are refused.
    questions: Option<Questions>,
    names: Mutex<NameTable>,
    /// The name of this machine, in lower case.
    own_name: String,
    refused: Arc<Mutex<Refusals>>,
    /// Passes the connections to hosts with rules.
    link: Option<ScopeLink>,
}

impl Gateway {
    /// Makes the gateway of a list. Refusals are added to `refused`.
    #[must_use]
    pub fn new(allowed: Vec<AllowedDestination>, refused: Arc<Mutex<Refusals>>) -> Self {
        let own_name = rustix::system::uname().nodename().to_string_lossy().to_ascii_lowercase();
        let ports = listened_ports(&allowed, false);
        Self { allowed, ports, questions: None, names: Mutex::default(), own_name, refused, link: None }
    }

    /// Makes the gateway ask about hosts that are not listed.
    #[must_use]
    pub fn with_questions(self) -> Self {
        let ports = listened_ports(&self.allowed, true);
        Self { ports, questions: Some(Questions::default()), ..self }
    }

    /// Makes the gateway pass the connections to hosts with rules.
    #[must_use]
    pub fn with_rules(self, link: ScopeLink) -> Self {
        Self { link: Some(link), ..self }
    }

    /// Returns what passes the connections to a host; `None` for a host without rules.
    #[must_use]
    pub fn link_for(&self, host: &Destination, port: u16) -> Option<&ScopeLink> {
        self.link.as_ref().filter(|link| link.has_rules(host, port))
    }

    /// Returns what was refused so far, and what a connection adds.
    #[must_use]
    pub const fn notes(&self) -> &Arc<Mutex<Refusals>> {
        &self.refused
    }

    /// Returns the questions, if hosts that are not listed are asked about.
    #[must_use]
    pub const fn questions(&self) -> Option<&Questions> {
        self.questions.as_ref()
    }

    /// Returns the ports that have listeners.
    #[must_use]
    pub fn ports(&self) -> &[u16] {
        &self.ports
    }

    /// Answers a question for a name. The question never leaves this machine.
    #[must_use]
    pub fn resolve(&self, question: &DnsQuestion) -> DnsAnswer {
        let name = question.name.as_str();
        // Many programs look up the name of their machine, which leads to it also in a sandbox.
        let is_own = name == self.own_name && !knows(&self.allowed, name);
        if is_own || name == "localhost" || name.ends_with(".localhost") {
            let loopback = DnsAnswer::Address(std::net::Ipv4Addr::LOCALHOST);
            return if question.is_for_address { loopback } else { DnsAnswer::Nothing };
        }
        if !knows(&self.allowed, name) && !self.asks_about(name) {
            // Programs look up the names of addresses for their logs, so these are no refusals to report.
            if !is_reverse(name) {
                self.refuse(SandboxRefusal::Name { host: name.to_owned() });
            }
            return DnsAnswer::NoSuchName;
        }
        if !question.is_for_address {
            return DnsAnswer::Nothing;
        }
        self.names().address_of(name).map_or(DnsAnswer::Failure, DnsAnswer::Address)
    }

    /// Returns what a local address stands for, or else the host itself.
    #[must_use]
    pub fn named(&self, host: Destination) -> Destination {
        let Destination::Address(address) = host else { return host };
        if !is_inside(address) {
            return host;
        }
        if let Some(name) = self.names().name_of(address) {
            return Destination::Name(name.to_owned());
        }
        let listed = position_of(address).and_then(|position| address_at(&self.allowed, position));
        listed.map_or(host, Destination::Address)
    }

    /// Decides about a connection, for which a person may be asked until `gone` resolves: the client has
    /// closed it.
    ///
    /// # Errors
    ///
    /// Why it is refused. The refusal is noted.
    pub async fn check(
        &self,
        host: &Destination,
        port: u16,
        gone: impl Future<Output = ()>,
    ) -> Result<(), RefusalReason> {
        if allows(&self.allowed, host, port) {
            return Ok(());
        }
        let verdict = match (&self.questions, host) {
            (Some(questions), Destination::Name(name)) if self.asks_about(name) => {
                questions.ask(name, port, gone).await
            }
            (Some(questions), Destination::Address(address)) if is_public(*address) => {
                questions.ask(&address.to_canonical().to_string(), port, gone).await
            }
            // No answer would permit it.
            (Some(_), Destination::Address(_)) => Err(RefusalReason::PrivateAddress),
            _ => Err(RefusalReason::NotAllowed),
        };
        verdict.map_err(|reason| self.refuse_connection(host, port, reason))
    }

    /// Returns whether a person may be asked about a name: not about that of this machine, and not about
    /// those by which addresses are looked up.
    fn asks_about(&self, name: &str) -> bool {
        let is_local = name == self.own_name || name == "localhost" || name.ends_with(".localhost");
        self.questions.is_some()
            && !is_local
            && !is_reverse(name)
            && matches!(Destination::parse(name), Some(Destination::Name(_)))
    }

    /// Returns those addresses of an allowed name that may be connected to.
    ///
    /// # Errors
    ///
    /// [`RefusalReason::PrivateAddress`] if no address is public or listed. The refusal is noted.
    pub fn reachable(
        &self,
        host: &Destination,
        port: u16,
        addresses: Vec<IpAddr>,
    ) -> Result<Vec<IpAddr>, RefusalReason> {
        let had_some = !addresses.is_empty();
        let mut left = addresses;
        left.retain(|&address| may_lead_to(&self.allowed, address, port));
        if left.is_empty() && had_some {
            return Err(self.refuse_connection(host, port, RefusalReason::PrivateAddress));
        }
        Ok(left)
    }

    /// Returns a refusal of the sandbox init with the name that its address stands for.
    #[must_use]
    pub fn with_name(&self, refusal: SandboxRefusal) -> SandboxRefusal {
        let SandboxRefusal::Network { host, port, reason } = refusal else { return refusal };
        let named = host.parse().ok().and_then(|address| self.names().name_of(address).map(str::to_owned));
        SandboxRefusal::Network { host: named.unwrap_or(host), port, reason }
    }

    fn refuse_connection(&self, host: &Destination, port: u16, reason: RefusalReason) -> RefusalReason {
        let host = match host {
            Destination::Name(name) => name.clone(),
            Destination::Address(address) => address.to_string(),
        };
        self.refuse(SandboxRefusal::Network { host, port, reason });
        reason
    }

    fn refuse(&self, refusal: SandboxRefusal) {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).add(refusal);
    }

    fn names(&self) -> MutexGuard<'_, NameTable> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a name stands for an address that is looked up, as programs do for their logs.
fn is_reverse(name: &str) -> bool {
    name.rsplit('.').next() == Some("arpa")
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::{Arc, Mutex};

    use super::{Destination, DnsAnswer, DnsQuestion, Gateway, RefusalReason, SandboxRefusal};
    use crate::sandbox::network::allow::parse;
    use crate::sandbox::outcome::Refusals;
    use crate::sandbox::protocol::inside::stand_in;

    fn gateway(list: &[&str]) -> (Gateway, Arc<Mutex<Refusals>>) {
        let refused = Arc::new(Mutex::new(Refusals::default()));
        let list = parse(&list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()).expect("a list");
        (Gateway::new(list, Arc::clone(&refused)), refused)
    }

    fn question(name: &str, kind: u8) -> DnsQuestion {
        let mut message = vec![0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name.split('.') {
            message.push(u8::try_from(label.len()).expect("a short label"));
            message.extend(label.bytes());
        }
        message.extend([0, 0, kind, 0, 1]);
        DnsQuestion::parse(&message).expect("a question")
    }

    /// Runs a future to its end.
    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime")
            .block_on(future)
    }

    fn host(text: &str) -> Destination {
        Destination::parse(text).expect("a host")
    }

    #[test]
    fn a_listed_name_has_a_local_address_that_leads_back_to_it() {
        let (gateway, refused) = gateway(&["*.example.org:443", "10.0.0.1:22"]);
        let DnsAnswer::Address(address) = gateway.resolve(&question("a.example.org", 1)) else {
            panic!("no address")
        };
        assert_eq!(gateway.named(Destination::Address(address.into())), host("a.example.org"));
        assert_eq!(gateway.named(host("198.18.7.7")), host("198.18.7.7"));
        assert_eq!(gateway.named(Destination::Address(stand_in(1).into())), host("10.0.0.1"));
        assert_eq!(
            gateway.named(Destination::Address(stand_in(0).into())),
            Destination::Address(stand_in(0).into())
        );
        assert_eq!(gateway.resolve(&question("a.example.org", 28)), DnsAnswer::Nothing);
        assert!(refused.lock().expect("a lock").listed().is_empty());
    }

    #[test]
    fn the_name_of_the_machine_is_local_and_no_refusal() {
        let (gateway, refused) = gateway(&["a.b:1"]);
        let name = gateway.own_name.clone();
        assert_eq!(gateway.resolve(&question(&name, 1)), DnsAnswer::Address(std::net::Ipv4Addr::LOCALHOST));
        assert_eq!(gateway.resolve(&question(&name, 28)), DnsAnswer::Nothing);
        assert!(refused.lock().expect("a lock").listed().is_empty());
    }

    #[test]
    fn other_names_do_not_exist_and_are_noted_once() {
        let (gateway, refused) = gateway(&["a.b:1"]);
        for kind in [1, 28] {
            assert_eq!(gateway.resolve(&question("evil.example", kind)), DnsAnswer::NoSuchName);
        }
        assert_eq!(gateway.resolve(&question("1.0.0.127.in-addr.arpa", 12)), DnsAnswer::NoSuchName);
        assert!(matches!(gateway.resolve(&question("x.localhost", 1)), DnsAnswer::Address(_)));
        let listed = refused.lock().expect("a lock").listed().to_vec();
        assert_eq!(listed, [SandboxRefusal::Name { host: "evil.example".to_owned() }]);
    }

    #[test]
    fn a_gateway_that_asks_gives_each_name_an_address_and_asks_about_public_hosts_alone() {
        let (gateway, refused) = gateway(&["a.b:1"]);
        let gateway = gateway.with_questions();
        assert_eq!(gateway.ports(), [1, 22, 80, 443]);
        assert!(matches!(gateway.resolve(&question("other.example", 1)), DnsAnswer::Address(_)));
        assert_eq!(gateway.resolve(&question("1.0.0.127.in-addr.arpa", 12)), DnsAnswer::NoSuchName);
        assert!(refused.lock().expect("a lock").listed().is_empty());
        let check = |text, port| block_on(gateway.check(&host(text), port, pending()));
        assert_eq!(check("10.0.0.1", 80), Err(RefusalReason::PrivateAddress));
        assert_eq!(check("169.254.169.254", 80), Err(RefusalReason::PrivateAddress));
        assert_eq!(check("localhost", 80), Err(RefusalReason::NotAllowed));
        let questions = gateway.questions().expect("questions");
        questions.stop();
        assert_eq!(check("other.example", 80), Err(RefusalReason::NotAllowed));
        // A yes does not make a private address reachable.
        let private = vec!["10.0.0.1".parse().expect("an address")];
        let reachable = gateway.reachable(&host("other.example"), 80, private);
        assert_eq!(reachable, Err(RefusalReason::PrivateAddress));
    }

    #[test]
    fn a_connection_is_allowed_by_name_and_port_and_then_by_address() {
        let (gateway, refused) = gateway(&["a.b:80", "10.0.0.2:80"]);
        let check = |text, port| block_on(gateway.check(&host(text), port, pending()));
        assert_eq!(check("a.b", 80), Ok(()));
        assert_eq!(check("a.b", 443), Err(RefusalReason::NotAllowed));
        assert_eq!(check("1.1.1.1", 80), Err(RefusalReason::NotAllowed));
        let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("an address")).collect();
        let reachable = |texts| gateway.reachable(&host("a.b"), 80, addresses(texts));
        assert_eq!(reachable(&["10.0.0.1", "1.1.1.1", "10.0.0.2"]), Ok(addresses(&["1.1.1.1", "10.0.0.2"])));
        assert_eq!(reachable(&["10.0.0.1", "127.0.0.1"]), Err(RefusalReason::PrivateAddress));
        assert_eq!(reachable(&[]), Ok(Vec::new()));
        assert_eq!(refused.lock().expect("a lock").listed().len(), 3);
    }
}
