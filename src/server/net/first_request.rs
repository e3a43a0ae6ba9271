//! Whether the first request on a connection shows a key, before the connection has a slot.

use super::auth::bearer;

/// How many bytes of a request are looked at. A client whose headers are longer has its turn like one that shows no key.
pub(in crate::server) const MAX_HEAD_BYTES: usize = 8 * 1024;

/// What the bytes that came so far tell.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server) enum FirstRequest<'h> {
    /// Its headers are not complete.
    Incomplete,
    /// They are, or are too long to be looked at, and show no key.
    WithoutKey,
    /// They show this key, right or wrong.
    WithKey(&'h str),
}

/// Looks for `Authorization: Bearer <key>`. Whether the request is one at all is found out when it is served.
pub(in crate::server) fn look(bytes: &[u8]) -> FirstRequest<'_> {
    let end = bytes.windows(4).position(|end| end == b"\r\n\r\n");
    let Some(head) = end.and_then(|end| bytes.get(..end)) else {
        return if bytes.len() < MAX_HEAD_BYTES {
            FirstRequest::Incomplete
        } else {
            FirstRequest::WithoutKey
        };
    };
    let mut headers = head.split(|byte| *byte == b'\n').skip(1).filter_map(|line| {
        let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
        name.eq_ignore_ascii_case("authorization").then_some(value.trim())
    });
    headers.find_map(bearer).map_or(FirstRequest::WithoutKey, FirstRequest::WithKey)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_a_complete_head_only() {
        let long = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(MAX_HEAD_BYTES));
        for (bytes, found) in [
            ("", FirstRequest::Incomplete),
            ("GET / HTTP/1.1\r\nAuthorization: Bearer k\r\n", FirstRequest::Incomplete),
            ("GET / HTTP/1.1\r\nAuthorization: Bearer k\r\n\r\n", FirstRequest::WithKey("k")),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nauthorization:bearer  k \r\nX: y\r\n\r\nmore",
                FirstRequest::WithKey("k"),
            ),
            ("GET / HTTP/1.1\r\nHost: \u{e9}\r\nAUTHORIZATION: BEARER k\r\n\r\n", FirstRequest::WithKey("k")),
            ("GET / HTTP/1.1\r\nAuthorization: Basic k\r\n\r\n", FirstRequest::WithoutKey),
            ("GET / HTTP/1.1\r\nX-Authorization: Bearer k\r\n\r\n", FirstRequest::WithoutKey),
            ("Authorization: Bearer k\r\n\r\n", FirstRequest::WithoutKey),
            ("GET / HTTP/1.1\r\n\r\nAuthorization: Bearer k\r\n\r\n", FirstRequest::WithoutKey),
            (&long, FirstRequest::WithoutKey),
        ] {
            assert_eq!(look(bytes.as_bytes()), found, "{bytes}");
        }
        assert_eq!(
            look(b"GET / HTTP/1.1\r\nX: \xff\r\nAuthorization: Bearer k\r\n\r\n"),
            FirstRequest::WithKey("k")
        );
    }
}
