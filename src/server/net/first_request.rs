//! Whether the first request on a connection shows a key, before the connection has a slot.

use super::auth::{Credentials, bearer};

/// How many bytes of a request are inspected. A client with longer headers is queued like one that
/// shows no key.
pub(in crate::server) const MAX_HEAD_BYTES: usize = 8 * 1024;

/// What the bytes received so far show.
pub(in crate::server) enum FirstRequest<'h> {
    /// The headers are not complete yet.
    Incomplete,
    /// The headers are complete, or too long to be checked, and show no key.
    WithoutKey,
    /// They show a key, right or wrong.
    WithKey(Credentials<'h>),
}

/// Looks for `Authorization: Bearer <key>`. A malformed request is detected later, when it is
/// served.
pub(in crate::server) fn inspect(bytes: &[u8]) -> FirstRequest<'_> {
    let end = bytes.windows(4).position(|end| end == b"\r\n\r\n");
    let Some(head) = end.and_then(|end| bytes.get(..end)) else {
        return if bytes.len() < MAX_HEAD_BYTES {
            FirstRequest::Incomplete
        } else {
            FirstRequest::WithoutKey
        };
    };
    let values = |wanted: &'static str| {
        head.split(|byte| *byte == b'\n').skip(1).filter_map(move |line| {
            let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then_some(value.trim())
        })
    };
    match values("authorization").find_map(bearer) {
        Some(key) => {
            FirstRequest::WithKey(Credentials { key: Some(key), cookies: values("cookie").next() })
        }
        None => FirstRequest::WithoutKey,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result as text, to compare.
    fn found(bytes: &[u8]) -> String {
        match inspect(bytes) {
            FirstRequest::Incomplete => "incomplete".to_owned(),
            FirstRequest::WithoutKey => "no key".to_owned(),
            FirstRequest::WithKey(Credentials { key, cookies }) => {
                format!("{} {}", key.unwrap_or("-"), cookies.unwrap_or("-"))
            }
        }
    }

    #[test]
    fn a_key_is_found_in_a_complete_head_only() {
        let long = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(MAX_HEAD_BYTES));
        for (bytes, expected) in [
            ("", "incomplete"),
            ("GET / HTTP/1.1\r\nAuthorization: Bearer k\r\n", "incomplete"),
            ("GET / HTTP/1.1\r\nAuthorization: Bearer k\r\n\r\n", "k -"),
            ("GET / HTTP/1.1\r\nHost: a\r\nauthorization:bearer  k \r\nX: y\r\n\r\nmore", "k -"),
            ("GET / HTTP/1.1\r\nHost: \u{e9}\r\nAUTHORIZATION: BEARER k\r\n\r\n", "k -"),
            ("GET / HTTP/1.1\r\nCookie: a=b\r\nAuthorization: Bearer k\r\n\r\n", "k a=b"),
            ("GET / HTTP/1.1\r\nCookie: a=b\r\n\r\n", "no key"),
            ("GET / HTTP/1.1\r\nAuthorization: Basic k\r\n\r\n", "no key"),
            ("GET / HTTP/1.1\r\nX-Authorization: Bearer k\r\n\r\n", "no key"),
            ("Authorization: Bearer k\r\n\r\n", "no key"),
            ("GET / HTTP/1.1\r\n\r\nAuthorization: Bearer k\r\n\r\n", "no key"),
            (&long, "no key"),
        ] {
            assert_eq!(found(bytes.as_bytes()), expected, "{bytes}");
        }
        assert_eq!(found(b"GET / HTTP/1.1\r\nX: \xff\r\nAuthorization: Bearer k\r\n\r\n"), "k -");
    }
}
