//! Addresses that a person can use.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Where this machine itself reaches a server that listens here.
pub(in crate::cli) fn from_here(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// Where others reach it, as far as they can: a server that listens everywhere has an address of its own in their network.
pub(in crate::cli) fn from_elsewhere(listening: SocketAddr) -> SocketAddr {
    if !listening.ip().is_unspecified() {
        return listening;
    }
    outward().map_or_else(|| from_here(listening), |ip| SocketAddr::new(ip, listening.port()))
}

/// The address that this machine has in the direction of the internet. Choosing a peer for a socket of this kind sends nothing, and
/// nobody has that peer's address: it is set apart for documentation.
fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_an_address_that_means_all_of_them() {
        for (listening, here) in [
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            let listening: SocketAddr = listening.parse().unwrap();
            assert_eq!(from_here(listening), here.parse().unwrap());
            let elsewhere = from_elsewhere(listening);
            assert!(!elsewhere.ip().is_unspecified() && elsewhere.port() == 80, "{elsewhere}");
            assert!(listening.ip().is_unspecified() || elsewhere == listening);
        }
    }
}
