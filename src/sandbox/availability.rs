//! The levels that this machine supports: the result of JavaScript's `probe()`.

use super::plan::parts::{is_weaker, missing};
use super::plan::{Level, Part, Tier};
use super::texts;

/// This machine's support of one level with its defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    pub level: Level,
    /// Whether commands run without `onUnavailable: 'weaker'`.
    pub is_available: bool,
    /// The mechanism; `None` if there is none.
    pub tier: Option<Tier>,
    /// The parts that commands lack.
    pub missing: Vec<Part>,
    /// Why parts are missing, and what to do, without a full stop; `None` if nothing is missing.
    pub reason: Option<String>,
}

/// The findings about this machine.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// The best mechanism; `None` if there is none.
    pub tier: Option<Tier>,
    /// The kernel's version of Landlock, 0 without it.
    pub landlock: u32,
    /// The reasons why better mechanisms do not work, the best mechanism first.
    pub reasons: &'a [String],
    /// Whether the host itself runs in a sandbox of this package.
    pub is_inside: bool,
    /// Whether the home can be a copy-on-write mount.
    pub has_private_home: bool,
    /// Whether the default list hides anything.
    pub hides: bool,
}

impl Findings<'_> {
    /// Returns this machine's support of each level.
    #[must_use]
    pub fn levels(&self) -> Vec<Availability> {
        Level::ALL.into_iter().map(|level| self.level(level)).collect()
    }

    fn level(&self, level: Level) -> Availability {
        let Some(tier) = self.tier else {
            let reason = Some(self.why());
            return Availability { level, is_available: false, tier: None, missing: Vec::new(), reason };
        };
        let mut missing = missing(level, tier, self.landlock, self.hides);
        let lacks_home = level == Level::WorkspaceWrite && !self.has_private_home;
        if lacks_home && !missing.contains(&Part::Home) {
            missing.push(Part::Home);
        }
        let reason = match missing.as_slice() {
            [] => None,
            [Part::Home] if tier == Tier::Namespaces => Some(texts::NO_OVERLAY.to_owned()),
            _ if lacks_home && tier != Tier::Landlock => {
                Some(format!("{}; {}", self.why(), texts::NO_OVERLAY))
            }
            _ => Some(self.why()),
        };
        let is_available = !is_weaker(&missing, tier, self.landlock);
        let reason = reason.map(|why| if is_available { why } else { format!("{why}; {}", texts::WEAKER) });
        Availability { level, is_available, tier: Some(tier), missing, reason }
    }

    fn why(&self) -> String {
        if self.is_inside && self.tier.is_some() { texts::INSIDE.to_owned() } else { self.reasons.join("; ") }
    }
}

#[cfg(test)]
mod tests {
    use super::{Findings, Level, Part, Tier};

    fn findings(tier: Option<Tier>, reasons: &[String]) -> Findings<'_> {
        Findings { tier, landlock: 7, reasons, is_inside: false, has_private_home: true, hides: true }
    }

    #[test]
    fn with_namespaces_nothing_is_missing() {
        for level in findings(Some(Tier::Namespaces), &[]).levels() {
            assert!(level.is_available && level.missing.is_empty() && level.reason.is_none(), "{level:?}");
        }
    }

    #[test]
    fn a_home_without_overlay_is_missing_and_keeps_the_level_available() {
        let found = Findings { has_private_home: false, ..findings(Some(Tier::Namespaces), &[]) };
        let levels = found.levels();
        let lacking: Vec<_> = levels.iter().filter(|level| level.missing == [Part::Home]).collect();
        assert_eq!(lacking.iter().map(|level| level.level).collect::<Vec<_>>(), [Level::WorkspaceWrite]);
        assert!(lacking[0].is_available);
        assert!(lacking[0].reason.as_deref().is_some_and(|reason| reason.contains("home")));
    }

    #[test]
    fn each_missing_part_has_its_reason() {
        let reasons = ["no new /proc".to_owned()];
        let found = Findings { has_private_home: false, ..findings(Some(Tier::SharedProcesses), &reasons) };
        let reason = found.level(Level::WorkspaceWrite).reason.unwrap_or_default();
        assert!(reason.starts_with("no new /proc; ") && reason.contains("a volume"), "{reason}");
        assert_eq!(found.level(Level::Isolated).reason.as_deref(), Some("no new /proc"));
    }

    #[test]
    fn landlock_alone_serves_read_only_where_nothing_is_hidden() {
        let reasons = ["no namespaces".to_owned()];
        let available = |hides| {
            let found = Findings { hides, ..findings(Some(Tier::Landlock), &reasons) };
            found.levels().into_iter().map(|level| level.is_available).collect::<Vec<_>>()
        };
        assert_eq!(available(false), [true, false, false]);
        assert_eq!(available(true), [false; 3]);
    }

    #[test]
    fn an_old_landlock_is_the_reason_why_a_level_is_not_available() {
        let reasons = ["this kernel's Landlock is missing".to_owned()];
        let found = Findings { landlock: 0, ..findings(Some(Tier::Namespaces), &reasons) };
        for level in found.levels() {
            assert_eq!((level.is_available, level.missing), (false, vec![Part::Write]));
            let expected = "this kernel's Landlock is missing; accept less with onUnavailable: 'weaker'";
            assert_eq!(level.reason.as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_level_without_mechanism_has_the_reasons_of_all() {
        let reasons = ["no namespaces".to_owned(), "no Landlock".to_owned()];
        let level = &findings(None, &reasons).levels()[0];
        assert!(!level.is_available && level.tier.is_none());
        assert_eq!(level.reason.as_deref(), Some("no namespaces; no Landlock"));
    }

    #[test]
    fn a_host_in_a_sandbox_is_the_reason() {
        let reasons = ["user namespaces are switched off".to_owned()];
        let found = Findings { is_inside: true, ..findings(Some(Tier::Landlock), &reasons) };
        assert!(found.levels()[1].reason.as_deref().is_some_and(|reason| reason.contains("itself")));
    }
}
