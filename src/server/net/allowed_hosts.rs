//! The host names that this server answers to.
//!
//! Another site's page can make a browser send requests to this machine: directly, with its own
//! `Origin`; or by DNS rebinding, which points the site's name at this machine's address, with that
//! name as `Host`. Both are rejected.

use std::net::IpAddr;

use warp::http::HeaderMap;
use warp::http::header::{HOST, ORIGIN};
use warp::http::uri::Authority;

/// The host names that are served.
#[derive(Debug, Clone)]
pub(in crate::server) struct AllowedHosts {
    allowed: Vec<String>,
}

/// Why a request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum HostRejection {
    /// The `Host` header is missing, repeated or invalid.
    NoHost,
    /// It names a host that this server does not answer to.
    OtherHost,
    /// It comes from a page of another site.
    OtherOrigin,
}

impl AllowedHosts {
    /// This machine's own names, and those that the operator allows.
    pub(in crate::server) fn new(allowed: impl IntoIterator<Item = String>) -> Self {
        let machine = rustix::system::uname().nodename().to_string_lossy().to_lowercase();
        let short = machine.split('.').next().unwrap_or_default().to_owned();
        let own = ["localhost".to_owned(), format!("{short}.local"), short, machine];
        let allowed = allowed.into_iter().map(|name| name.trim_end_matches('.').to_lowercase());
        Self { allowed: own.into_iter().chain(allowed).filter(|name| !name.is_empty()).collect() }
    }

    /// Checks that a request is for this server and, if a page sent it, that the page is this
    /// server's.
    pub(in crate::server) fn check(&self, headers: &HeaderMap) -> Result<(), HostRejection> {
        let host = only(headers, HOST.as_str()).ok_or(HostRejection::NoHost)?;
        let host: Authority = host.parse().map_err(|_| HostRejection::NoHost)?;
        if host.as_str().contains('@') {
            return Err(HostRejection::NoHost);
        }
        if !self.serves(host.host()) {
            return Err(HostRejection::OtherHost);
        }
        if headers.contains_key(ORIGIN) && !is_same(only(headers, ORIGIN.as_str()), &host) {
            return Err(HostRejection::OtherOrigin);
        }
        Ok(())
    }

    fn serves(&self, host: &str) -> bool {
        // DNS rebinding needs a name, so addresses are safe.
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        bare.parse::<IpAddr>().is_ok() || {
            let name = host.trim_end_matches('.').to_lowercase();
            self.allowed.contains(&name)
        }
    }
}

/// The value of a header that occurs exactly once.
pub(super) fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether an origin is the host that the request is for.
fn is_same(origin: Option<&str>, host: &Authority) -> bool {
    // Behind a proxy, the page may have come over TLS.
    let origin = origin.and_then(|origin| {
        origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
    });
    origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs<'p> = &'p [(&'static str, &'static str)];

    fn headers(pairs: Pairs<'_>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn dns_rebinding_and_foreign_pages_are_rejected() {
        let names = AllowedHosts {
            allowed: vec!["localhost".into(), "studio.local".into(), "studio".into()],
        };
        let table: &[(Pairs<'_>, Result<(), HostRejection>)] = &[
            (&[("host", "localhost:8080")], Ok(())),
            (&[("host", "LOCALHOST.")], Ok(())),
            (&[("host", "127.0.0.1:8080")], Ok(())),
            (&[("host", "192.168.1.7")], Ok(())),
            (&[("host", "[::1]:8080")], Ok(())),
            (&[("host", "Studio.local:8080")], Ok(())),
            (&[("host", "evil.example")], Err(HostRejection::OtherHost)),
            (&[("host", "localhost.evil.example:8080")], Err(HostRejection::OtherHost)),
            (&[("host", "127.0.0.1.evil.example")], Err(HostRejection::OtherHost)),
            (&[("host", "user@localhost")], Err(HostRejection::NoHost)),
            (&[("host", "")], Err(HostRejection::NoHost)),
            (&[("host", "localhost"), ("host", "evil.example")], Err(HostRejection::NoHost)),
            (&[], Err(HostRejection::NoHost)),
            (&[("host", "localhost:8080"), ("origin", "http://localhost:8080")], Ok(())),
            (&[("host", "studio.local"), ("origin", "https://studio.local")], Ok(())),
            (
                &[("host", "localhost:8080"), ("origin", "http://localhost:3000")],
                Err(HostRejection::OtherOrigin),
            ),
            (
                &[("host", "localhost:8080"), ("origin", "http://evil.example")],
                Err(HostRejection::OtherOrigin),
            ),
            (&[("host", "localhost:8080"), ("origin", "null")], Err(HostRejection::OtherOrigin)),
            (
                &[("host", "localhost"), ("origin", "http://localhost.evil.example")],
                Err(HostRejection::OtherOrigin),
            ),
            (
                &[
                    ("host", "localhost"),
                    ("origin", "http://localhost"),
                    ("origin", "http://evil.example"),
                ],
                Err(HostRejection::OtherOrigin),
            ),
        ];
        for (pairs, expected) in table {
            assert_eq!(names.check(&headers(pairs)), *expected, "{pairs:?}");
        }
    }
}
