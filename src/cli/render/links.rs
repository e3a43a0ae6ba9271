//! Addresses to open in a browser or to enter in the app.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The address at which this machine reaches a server that listens at `listening`.
pub(in crate::cli) fn from_here(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// The address at which other machines reach it. A server that listens on all interfaces is
/// reached at this machine's address in the network.
pub(in crate::cli) fn from_elsewhere(listening: SocketAddr) -> SocketAddr {
    if !listening.ip().is_unspecified() {
        return listening;
    }
    outward().map_or_else(|| from_here(listening), |ip| SocketAddr::new(ip, listening.port()))
}

/// This machine's address on its route to the internet. Connecting a UDP socket sends no packet,
/// and the peer's address is reserved for documentation (RFC 5737).
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
    fn a_link_never_contains_an_unspecified_address() {
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
