//! Local addresses that stand for names. Pure.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

use crate::sandbox::protocol::inside::PROXY;

/// The largest number of names: a command may make up any number of names below `*.`.
const MAX_NAMES: usize = 4096;

/// The names of one sandbox, and the addresses that stand for them there.
#[derive(Debug, Default)]
pub struct NameTable {
    positions: HashMap<String, usize>,
    names: Vec<String>,
}

impl NameTable {
    /// Returns the address of a name, a new one for a new name. `None` if there are too many.
    pub fn address_of(&mut self, name: &str) -> Option<Ipv4Addr> {
        let position = match self.positions.get(name) {
            Some(&position) => position,
            None if self.names.len() >= MAX_NAMES => return None,
            None => {
                self.names.push(name.to_owned());
                self.positions.insert(name.to_owned(), self.names.len() - 1);
                self.names.len() - 1
            }
        };
        let offset = u32::try_from(position).ok()?;
        Some(Ipv4Addr::from_bits(PROXY.ip().to_bits() + 1 + offset))
    }

    /// Returns the name that an address stands for.
    #[must_use]
    pub fn name_of(&self, address: IpAddr) -> Option<&str> {
        let IpAddr::V4(address) = address.to_canonical() else { return None };
        let offset = address.to_bits().checked_sub(PROXY.ip().to_bits() + 1)?;
        self.names.get(usize::try_from(offset).ok()?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAMES, NameTable};
    use crate::sandbox::protocol::inside::is_inside;

    #[test]
    fn each_name_has_an_address_of_its_own() {
        let mut names = NameTable::default();
        let first = names.address_of("a").expect("an address");
        let second = names.address_of("b").expect("an address");
        assert_ne!(first, second);
        assert_eq!(names.address_of("a"), Some(first));
        assert_eq!(names.name_of(first.into()), Some("a"));
        assert_eq!(names.name_of(second.to_ipv6_mapped().into()), Some("b"));
        assert_eq!(names.name_of("198.18.0.1".parse().expect("an address")), None);
        assert_eq!(names.name_of("10.0.0.1".parse().expect("an address")), None);
    }

    #[test]
    fn the_number_of_names_is_bounded() {
        let mut names = NameTable::default();
        for count in 0..MAX_NAMES {
            let address = names.address_of(&format!("n{count}")).expect("an address");
            assert!(is_inside(address.into()));
        }
        assert_eq!(names.address_of("one more"), None);
        assert!(names.address_of("n0").is_some());
    }
}
