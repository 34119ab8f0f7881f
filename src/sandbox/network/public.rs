//! Tells public addresses of the internet from those of this machine and of networks around it. Pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks that are private, local or reserved: the address and the prefix length.
const NOT_PUBLIC: [(Ipv4Addr, u32); 11] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10), // shared by a provider's customers
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16), // link-local, with the metadata services of clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15), // the addresses inside
    (Ipv4Addr::new(224, 0, 0, 0), 4),   // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),   // reserved, and broadcast
];

#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_4(address),
        IpAddr::V6(address) => is_public_6(address),
    }
}

fn is_public_4(address: Ipv4Addr) -> bool {
    let has_prefix =
        |(network, bits): &(Ipv4Addr, u32)| (address.to_bits() ^ network.to_bits()).leading_zeros() >= *bits;
    !NOT_PUBLIC.iter().any(has_prefix)
}

/// Returns whether an IPv6 address is public. Addresses outside of `2000::/3` are local or reserved, except
/// the prefix of translated IPv4 addresses (NAT64).
fn is_public_6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Translation, and 6to4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => is_public_4(embedded(high, low)),
        [0x2001, 0, ..] => false, // Teredo, which disguises its IPv4 address
        [first, ..] => first >> 13 == 1,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::is_public;

    fn public(text: &str) -> bool {
        is_public(text.parse().expect("an address"))
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for text in ["1.1.1.1", "9.255.255.255", "172.15.0.1", "172.32.0.1", "192.0.2.1", "2606:4700::1"] {
            assert!(public(text), "{text}");
        }
        assert!(public("64:ff9b::1.1.1.1") && public("2002:101:101::1") && public("::ffff:1.1.1.1"));
    }

    #[test]
    fn private_local_and_special_addresses_are_not() {
        for text in [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.255.255",
            "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "255.255.255.255", "::", "::1",
            "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::127.0.0.1",
            "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:a00:1::1", "2001::1", "fec0::1",
        ] {
            assert!(!public(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_mapped_address_is_as_public_as_its_own(bits in any::<u32>()) {
            let address = Ipv4Addr::from_bits(bits);
            prop_assert_eq!(is_public(address.into()), is_public(IpAddr::V6(address.to_ipv6_mapped())));
        }
    }
}
