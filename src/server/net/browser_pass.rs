//! A pass for one browser, so that a new tab does not ask for the key again.
//!
//! A pass has two halves, and each is worthless without the other:
//!
//! - the **browser id** (`browser-` and 32 hexadecimal digits). The page keeps it in its local
//!   storage and shows it where a client shows the key. Storage belongs to one origin, with its
//!   port, so another site cannot read it.
//! - the **cookie**, `HttpOnly` and `SameSite=Strict`. No script can read it.
//!
//! A cookie alone would not do: browsers send it to every port of a host, so another program on
//! `localhost` sees it. And because the id travels in the `Authorization` header or in a WebSocket
//! message, no form, link or image of another site can send it.
//!
//! The cookie is HMAC-SHA256 of the id under the key. The server stores nothing: a pass survives a
//! restart, and a new key ends all passes. The key cannot be computed from a pass.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use warp::http::HeaderMap;
use warp::http::header::COOKIE;

use super::allowed_hosts::only;
use super::key::{ApiKey, KeyError, random_digits};

/// What every browser id begins with.
const PREFIX: &str = "browser-";

/// What the names of our cookies begin with. The first digits of the id follow: a browser keeps one
/// set of cookies for all ports of a host, and two passes must not replace each other.
const COOKIE_PREFIX: &str = "surefire-";

/// How many digits of the id are in the cookie's name.
const NAME_DIGITS: usize = 8;

/// The attributes of every cookie: sent for all paths of this host, hidden from scripts, and not
/// sent with requests of other sites.
const ATTRIBUTES: &str = "; Path=/; HttpOnly; SameSite=Strict";

/// Separates this use of the key from any other.
const PURPOSE: &[u8] = b"surefire browser pass 1:";

/// A new pass.
pub(in crate::server) struct BrowserPass {
    /// For the page.
    pub(in crate::server) id: String,
    /// For the browser: the value of `Set-Cookie`.
    pub(in crate::server) set_cookie: String,
}

impl BrowserPass {
    /// Creates a pass.
    ///
    /// # Errors
    /// The system's source of randomness failed.
    pub(in crate::server) fn new(key: &ApiKey) -> Result<Self, KeyError> {
        let digits = random_digits()?;
        let (id, name) = (format!("{PREFIX}{digits}"), cookie_name(&digits));
        let set_cookie = format!("{name}={}{ATTRIBUTES}", sealed(key, &id));
        Ok(Self { id, set_cookie })
    }
}

/// The `Set-Cookie` that makes the browser forget the pass with this id; `None` if it is not the id
/// of a pass.
pub(in crate::server) fn forget(id: &str) -> Option<String> {
    let digits = id.strip_prefix(PREFIX)?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    plain.then(|| format!("{}=; Max-Age=0{ATTRIBUTES}", cookie_name(digits)))
}

/// Whether a browser id and a `Cookie` header are the two halves of one pass.
pub(in crate::server) fn is_valid(key: &ApiKey, id: &str, cookies: &str) -> bool {
    let Some(digits) = id.strip_prefix(PREFIX) else { return false };
    let (expected_name, expected) = (cookie_name(digits), sealed(key, id));
    cookies.split(';').filter_map(|cookie| cookie.trim().split_once('=')).any(|(name, value)| {
        name == expected_name && bool::from(value.as_bytes().ct_eq(expected.as_bytes()))
    })
}

/// The `Cookie` header of a request.
pub(in crate::server) fn cookies(headers: &HeaderMap) -> Option<&str> {
    only(headers, COOKIE.as_str())
}

fn cookie_name(digits: &str) -> String {
    COOKIE_PREFIX.chars().chain(digits.chars().take(NAME_DIGITS)).collect()
}

fn sealed(key: &ApiKey, id: &str) -> String {
    let seal = Hmac::<Sha256>::new_from_slice(key.reveal().as_bytes());
    // HMAC takes a key of any length.
    let mut seal = seal.unwrap_or_else(|_| unreachable!("HMAC refused a key"));
    seal.update(PURPOSE);
    seal.update(id.as_bytes());
    seal.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(set_cookie: &str) -> &str {
        set_cookie.split(';').next().unwrap()
    }

    #[test]
    fn a_pass_needs_both_halves_and_the_key_it_was_made_with() {
        let (key, other) = (ApiKey::generate().unwrap(), ApiKey::generate().unwrap());
        let [pass, second] = [(), ()].map(|()| BrowserPass::new(&key).unwrap());
        let cookie = pair(&pass.set_cookie);
        assert!(is_valid(&key, &pass.id, cookie));
        let both = format!("theme=dark; {}; {cookie};x=y", pair(&second.set_cookie));
        assert!(is_valid(&key, &pass.id, &both) && is_valid(&key, &second.id, &both));
        assert!(!is_valid(&other, &pass.id, cookie), "a new key ends all passes");
        assert!(!is_valid(&key, &second.id, cookie), "the halves of two passes");
        let (_, value) = cookie.split_once('=').unwrap();
        let named = format!("{}={value}", pair(&second.set_cookie).split_once('=').unwrap().0);
        assert!(!is_valid(&key, &second.id, &named), "the cookie of another pass, renamed");
        assert!(!is_valid(&key, &pass.id, ""));
        assert!(!is_valid(&key, &pass.id, &cookie[..cookie.len() - 1]));
        assert!(!is_valid(&key, &pass.id, &cookie.replace("surefire-", "other-")));
        assert!(!is_valid(&key, "", cookie) && !is_valid(&key, key.reveal(), cookie));
    }

    #[test]
    fn no_script_and_no_other_site_gets_the_cookie_and_it_shows_no_key() {
        let key = ApiKey::generate().unwrap();
        let pass = BrowserPass::new(&key).unwrap();
        let forgotten = forget(&pass.id).unwrap();
        for text in [&pass.set_cookie, &forgotten] {
            assert!(text.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{text}");
        }
        assert_eq!(
            pair(&forgotten).trim_end_matches('='),
            pair(&pass.set_cookie).split_once('=').unwrap().0
        );
        let digits = &key.reveal()["untethered-".len()..];
        assert!(!pass.set_cookie.contains(digits) && !pass.id.contains(digits));
        assert_eq!(forget("browser-a; b"), None, "nothing else gets into the header");
        assert_eq!(forget(key.reveal()), None);
    }
}
