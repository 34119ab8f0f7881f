//! A scope: what the commands of one toolset or session may do at hosts with rules.

use std::sync::Arc;

use rustls::ClientConfig;

use super::authority::Authority;
use super::link::HostLink;
use super::rules::{CompiledRule, HostRules, compile};
use super::secrets::{Secrets, ValueTimes};
use super::tls::client_config;
use crate::sandbox::network::destination::Destination;
use crate::sandbox::protocol::intercept::messages::{KEPT_VALUE, MAX_RULES, RENEWAL_PAUSE, ScopePlan};

/// A scope of the host.
#[derive(Debug)]
pub struct Scope {
    rules: Vec<CompiledRule>,
    pub authority: Authority,
    pub secrets: Secrets,
    /// The settings for connections to servers.
    pub config: Arc<ClientConfig>,
}

impl Scope {
    /// Makes a scope of its plan.
    ///
    /// # Errors
    ///
    /// The reason why the plan can't be used: the rule or secret that is wrong, and what was expected.
    pub fn new(id: u32, plan: &ScopePlan, link: Arc<HostLink>) -> Result<Self, String> {
        if plan.rules.len() > MAX_RULES {
            return Err(format!("expected at most {MAX_RULES} rules, got {}", plan.rules.len()));
        }
        let times = ValueTimes { life: KEPT_VALUE, between_renewals: RENEWAL_PAUSE };
        Ok(Self {
            rules: compile(plan)?,
            authority: Authority::new(plan.rules.iter().map(|rule| rule.destination.host.as_str()))?,
            secrets: Secrets::new(id, &plan.secrets, link, times)?,
            config: client_config(&plan.roots)?,
        })
    }

    /// Returns the rules of a host and port.
    #[must_use]
    pub fn rules_of(&self, host: &Destination, port: u16) -> HostRules {
        HostRules::of(&self.rules, host, port)
    }
}
