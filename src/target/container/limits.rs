//! Checks which limits an engine has applied: some warn, exit with 0, and apply none.

use super::options::OwnContainer;
use crate::helper::supervisor::protocol::hello::SupervisorHello;
use crate::target::error::TargetError;

/// Returns the names of the limits that the supervisor does not find applied.
pub(in crate::target) fn missing(own: &OwnContainer, hello: &SupervisorHello) -> Vec<&'static str> {
    let is_applied = |fact: &str, wanted: u64| {
        // The kernel rounds to pages, and an outer limit may be lower.
        hello.fact(fact).parse::<u64>().is_ok_and(|applied| applied <= wanted)
    };
    let limits = [("memory", own.memory), ("pids", own.pids.into())];
    limits.into_iter().filter(|&(name, wanted)| !is_applied(name, wanted)).map(|(name, _)| name).collect()
}

/// Returns the error for limits that were not applied.
pub(in crate::target) fn error(missing: &[&str]) -> TargetError {
    let message = format!(
        "The engine did not apply {}. Use cgroup v2, or accept it with onLimitUnavailable: 'ignore'.",
        missing.join(" and "),
    );
    TargetError::new("TARGET_LIMITS", message)
}

#[cfg(test)]
mod tests {
    use super::super::options::Container;
    use super::{error, missing};
    use crate::helper::supervisor::protocol::hello::SupervisorHello;

    #[test]
    fn limits_are_checked_and_not_believed() {
        let Ok(Container::Own(own)) = serde_json::from_str(r#"{"image":"i","memory":8192,"pids":9}"#) else {
            panic!("expected a container")
        };
        let of = |memory: &str, pids: &str| {
            let facts = [("memory", memory), ("pids", pids)].map(|(name, value)| (name.into(), value.into()));
            missing(&own, &SupervisorHello { facts: facts.to_vec(), ..SupervisorHello::default() })
        };
        assert_eq!(of("8192", "9"), [""; 0]);
        assert_eq!(of("4096", "8"), [""; 0]);
        assert_eq!(of("9223372036854771712", "max"), ["memory", "pids"]);
        assert_eq!(of("", ""), ["memory", "pids"]);
        let expected = "The engine did not apply memory and pids. Use cgroup v2, or accept it";
        assert!(error(&["memory", "pids"]).message.starts_with(expected));
    }
}
