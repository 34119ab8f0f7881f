//! What a policy makes of danger.

use crate::{Code, Mode, OnDanger, Verdict, decide, policy};

#[test]
fn a_policy_says_what_danger_leads_to() {
    let mut policy = policy(Mode::BypassPermissions, &[], &[], &[]);
    policy.dangerous = OnDanger::Ask;
    assert_eq!(
        (decide("rm -rf /", &policy).verdict, decide("rm -rf /", &policy).code),
        (Verdict::Ask, Code::Dangerous)
    );
    policy.dangerous = OnDanger::Ignore;
    assert_eq!(decide("rm -rf /", &policy).verdict, Verdict::Allow);
}
