//! Which addresses count as one client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network that one client can choose addresses from. Limits apply per network, not per
/// address.
///
/// That is the address itself for IPv4, the /64 for IPv6, and all of loopback for this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::server) struct Network(IpAddr);

impl Network {
    pub(in crate::server) fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self(match address {
            _ if address.is_loopback() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V4(_) => address,
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
        })
    }

    /// Whether it is this machine.
    pub(in crate::server) fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_one_client_can_choose_from_are_one_network() {
        let table = [
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.2", false),
            ("10.0.0.1", "::ffff:10.0.0.1", true),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("127.0.0.1", "127.9.9.9", true),
            ("127.0.0.1", "::1", true),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("127.0.0.1", "::", false),
        ];
        for (one, other, same) in table {
            let network = |address: &str| Network::of(address.parse().unwrap());
            assert_eq!(network(one) == network(other), same, "{one} {other}");
        }
        assert!(Network::of("::1".parse().unwrap()).is_loopback());
        assert!(!Network::of("10.0.0.1".parse().unwrap()).is_loopback());
    }
}
