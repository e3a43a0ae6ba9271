//! Which clients may widen what a run is allowed to do, and decide which repositories are trusted.
//!
//! The key authorizes a client to start runs. Only the user of this machine may allow a run more
//! than that: through a process of the same user over the [socket in the data
//! directory](super::same_user), or in a console page that is open on this machine. A program that
//! connects over the network is neither, and neither is a page behind a proxy.

use std::net::IpAddr;

use warp::http::HeaderMap;
use warp::http::header::{FORWARDED, HOST, ORIGIN};
use warp::http::uri::Authority;

use super::allowed_hosts::only;
use super::peer::Peer;

/// What the names of a proxy's headers begin with.
const PROXY_HEADERS: &str = "x-forwarded-";

/// Proof that a client may widen runs. Only [`MayWiden::decide`] creates one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct MayWiden(());

impl MayWiden {
    /// Decides by the upgrade request of the client's WebSocket.
    pub(in crate::server) fn decide(peer: Peer, headers: &HeaderMap) -> Option<Self> {
        (peer.same_user || is_local_page(peer.address, headers)).then_some(Self(()))
    }
}

/// Whether a request comes from a page of this server that is open on this machine, and no proxy in
/// between has added its headers.
fn is_local_page(peer: IpAddr, headers: &HeaderMap) -> bool {
    let is_proxied = headers.contains_key(FORWARDED)
        || headers.keys().any(|name| name.as_str().starts_with(PROXY_HEADERS));
    let Some(host) = only(headers, HOST.as_str()).and_then(|host| host.parse::<Authority>().ok())
    else {
        return false;
    };
    // We serve our pages over plain HTTP: a page that came over TLS came through a proxy.
    let origin = only(headers, ORIGIN.as_str()).and_then(|origin| origin.strip_prefix("http://"));
    // On a dual-stack socket, an IPv4 client has an IPv4-mapped IPv6 address.
    peer.to_canonical().is_loopback()
        && !is_proxied
        && is_loopback_name(&host)
        && origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_str()))
}

fn is_loopback_name(host: &Authority) -> bool {
    if host.as_str().contains('@') {
        return false;
    }
    let name = host.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    match address.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => name.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs<'p> = &'p [(&'static str, &'static str)];

    fn may_widen(address: &str, pairs: Pairs<'_>) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        let peer = Peer { address: address.parse().unwrap(), same_user: false };
        MayWiden::decide(peer, &headers).is_some()
    }

    #[test]
    fn a_console_page_open_on_this_machine_may_widen() {
        let table: [(&str, Pairs<'_>); 6] = [
            ("127.0.0.1", &[("host", "localhost:8080"), ("origin", "http://localhost:8080")]),
            ("127.0.0.1", &[("host", "LOCALHOST.:8080"), ("origin", "http://localhost.:8080")]),
            ("127.0.0.1", &[("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")]),
            ("127.8.8.8", &[("host", "127.1.2.3"), ("origin", "http://127.1.2.3")]),
            ("::1", &[("host", "[::1]:8080"), ("origin", "http://[::1]:8080")]),
            (
                "::ffff:127.0.0.1",
                &[("host", "localhost:8080"), ("origin", "http://localhost:8080")],
            ),
        ];
        for (address, pairs) in table {
            assert!(may_widen(address, pairs), "{address} {pairs:?}");
        }
    }

    #[test]
    fn nothing_else_over_the_network_may_widen() {
        const HOST: (&str, &str) = ("host", "localhost:8080");
        const ORIGIN: (&str, &str) = ("origin", "http://localhost:8080");
        let table: [(&str, Pairs<'_>); 20] = [
            // Another machine, whatever it claims.
            ("192.168.1.7", &[HOST, ORIGIN]),
            ("::ffff:192.168.1.7", &[HOST, ORIGIN]),
            ("fe80::1", &[("host", "[::1]:8080"), ("origin", "http://[::1]:8080")]),
            // A name that other machines know this one by, or another site's name that resolves to
            // it.
            ("127.0.0.1", &[("host", "studio.local:8080"), ("origin", "http://studio.local:8080")]),
            ("127.0.0.1", &[("host", "192.168.1.7:8080"), ("origin", "http://192.168.1.7:8080")]),
            ("127.0.0.1", &[("host", "0.0.0.0:8080"), ("origin", "http://0.0.0.0:8080")]),
            (
                "127.0.0.1",
                &[("host", "localhost.evil.example"), ("origin", "http://localhost.evil.example")],
            ),
            (
                "127.0.0.1",
                &[("host", "127.0.0.1.evil.example"), ("origin", "http://127.0.0.1.evil.example")],
            ),
            ("127.0.0.1", &[("host", "user@localhost"), ("origin", "http://user@localhost")]),
            // A program, and a page from elsewhere.
            ("127.0.0.1", &[HOST]),
            ("127.0.0.1", &[HOST, ("origin", "null")]),
            ("127.0.0.1", &[HOST, ("origin", "http://localhost:3000")]),
            ("127.0.0.1", &[HOST, ("origin", "http://evil.example")]),
            ("127.0.0.1", &[HOST, ORIGIN, ("origin", "http://evil.example")]),
            ("127.0.0.1", &[HOST, ("host", "evil.example"), ORIGIN]),
            // Through a proxy.
            ("127.0.0.1", &[HOST, ("origin", "https://localhost:8080")]),
            ("127.0.0.1", &[HOST, ORIGIN, ("forwarded", "for=203.0.113.7")]),
            ("127.0.0.1", &[HOST, ORIGIN, ("x-forwarded-for", "203.0.113.7")]),
            ("127.0.0.1", &[HOST, ORIGIN, ("X-Forwarded-Proto", "https")]),
            ("127.0.0.1", &[HOST, ORIGIN, ("x-forwarded-anything", "")]),
        ];
        for (address, pairs) in table {
            assert!(!may_widen(address, pairs), "{address} {pairs:?}");
        }
    }

    #[test]
    fn a_process_of_the_same_user_may_widen_whatever_its_headers_are() {
        let peer = Peer { address: [127, 0, 0, 1].into(), same_user: true };
        assert!(MayWiden::decide(peer, &HeaderMap::new()).is_some());
    }
}
