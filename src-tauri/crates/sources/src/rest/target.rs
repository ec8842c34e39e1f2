//! From what was asked for to the address and headers that are sent.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use super::error::RestErrorKind;

/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 4_096;
/// The most parameters and headers.
const MAX_PARAMETERS: usize = 100;
/// Methods that may be asked for.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/// Headers that are the program's to set, that carry credentials, or that make a method another one.
const OWN: [&str; 22] = [
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "accept-encoding",
    "upgrade",
    "user-agent",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
];

/// A request as a caller asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct RestRequest {
    /// `GET`, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// Below the address, percent-encoded where it needs to be; may have parameters after `?`.
    pub path: String,
    /// Parameters.
    pub query: Vec<(String, String)>,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: Option<Body>,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// JSON.
    Json(Value),
    /// The fields of a form, percent-encoded.
    Form(Vec<(String, String)>),
    /// A text of a media type.
    Text {
        /// `text/plain`, `application/xml`, …
        media_type: String,
        /// The text.
        text: String,
    },
}

impl RestRequest {
    /// A request without parameters and body.
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        Self { method: method.into(), path: path.into(), query: Vec::new(), headers: Vec::new(), body: None }
    }

    /// Its method in capitals.
    ///
    /// # Errors
    /// When it is none of those that are sent.
    pub fn checked_method(&self) -> Result<&'static str, RestErrorKind> {
        METHODS.into_iter().find(|method| method.eq_ignore_ascii_case(self.method.trim())).ok_or_else(|| {
            RestErrorKind::Invalid(format!("the method must be one of {}", METHODS.join(", ")))
        })
    }

    /// The address that it leads to: below `base`, whatever it says. `fixed` are parameters that the program sets.
    ///
    /// # Errors
    /// When it would lead elsewhere or replace what is set.
    pub fn url<'f>(
        &self,
        base: &Url,
        fixed: impl IntoIterator<Item = &'f str>,
    ) -> Result<Url, RestErrorKind> {
        let (path, written) = match self.path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (self.path.as_str(), None),
        };
        check_path(path)?;
        let relative = path.trim_start_matches('/');
        let mut url = base.clone();
        url.set_path(&format!("{}{relative}", base.path()));
        // What the parser made of it is looked at once more: it may see more in a text than the check above.
        if url.origin() != base.origin() || !url.path().starts_with(base.path()) {
            return Err(outside());
        }
        let written = written.into_iter().flat_map(|query| url::form_urlencoded::parse(query.as_bytes()));
        let pairs: Vec<(String, String)> = written
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .chain(self.query.iter().cloned())
            .collect();
        if pairs.len() > MAX_PARAMETERS {
            return Err(RestErrorKind::Invalid(format!("a request has at most {MAX_PARAMETERS} parameters")));
        }
        for name in fixed {
            if pairs.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)) {
                return Err(RestErrorKind::Invalid(format!(
                    "the parameter {name} is set by the source's configuration: leave it out"
                )));
            }
        }
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        if url.as_str().len() > 4 * MAX_PATH_BYTES {
            return Err(RestErrorKind::Invalid("the address with its parameters is too long".to_owned()));
        }
        Ok(url)
    }

    /// Its headers, without those that are the program's. `fixed` are names that the program sets.
    ///
    /// # Errors
    /// When one is no header or may not be set.
    pub fn checked_headers<'f>(
        &self,
        fixed: impl IntoIterator<Item = &'f str>,
    ) -> Result<&[(String, String)], RestErrorKind> {
        let fixed: Vec<&str> = fixed.into_iter().collect();
        if self.headers.len() > MAX_PARAMETERS {
            return Err(RestErrorKind::Invalid(format!("a request has at most {MAX_PARAMETERS} headers")));
        }
        for (name, value) in &self.headers {
            let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            let lower = name.to_ascii_lowercase();
            let sound = !name.is_empty()
                && name.len() <= 100
                && name.bytes().all(token)
                && value.len() <= 4_096
                && value.bytes().all(|byte| byte == b'\t' || (32..127).contains(&byte) || byte >= 0x80);
            if !sound {
                return Err(RestErrorKind::Invalid(
                    "a header has a name or a value that none can have".into(),
                ));
            }
            let own =
                OWN.contains(&lower.as_str()) || lower.starts_with("proxy-") || lower.starts_with("sec-");
            if own || fixed.iter().any(|fixed| fixed.eq_ignore_ascii_case(name)) {
                return Err(RestErrorKind::Invalid(format!(
                    "the header {name} is set by the program or the source's configuration: leave it out"
                )));
            }
        }
        Ok(&self.headers)
    }
}

fn outside() -> RestErrorKind {
    RestErrorKind::Invalid(
        "the path leads out of the source's address: give a path below it, without `..` and without a host"
            .to_owned(),
    )
}

/// A path that no reader of it, however often it decodes, takes for one that leads upwards or to another host.
fn check_path(path: &str) -> Result<(), RestErrorKind> {
    if path.len() > MAX_PATH_BYTES {
        return Err(RestErrorKind::Invalid("the path is too long".to_owned()));
    }
    if path.contains('#') {
        return Err(RestErrorKind::Invalid("the path has a `#` in it: write it as %23".to_owned()));
    }
    let mut decoded = path.to_owned();
    for _ in 0..4 {
        let upwards = decoded
            .replace('\\', "/")
            .split('/')
            // A server may cut what stands behind a semicolon, and spaces around a name.
            .map(|segment| segment.split(';').next().unwrap_or_default().trim())
            .any(|segment| matches!(segment, "." | ".."));
        let foreign = decoded.contains('\\')
            || decoded.starts_with("//")
            || decoded.chars().any(|letter| letter.is_control())
            || has_scheme(&decoded);
        if upwards || foreign {
            return Err(outside());
        }
        let next = percent_decode_str(&decoded).decode_utf8_lossy().into_owned();
        if next == decoded {
            return Ok(());
        }
        decoded = next;
    }
    Err(RestErrorKind::Invalid("the path is encoded too many times".to_owned()))
}

fn has_scheme(path: &str) -> bool {
    let first = path.split(['/', '?']).next().unwrap_or_default();
    let mut parts = first.splitn(2, ':');
    let scheme = parts.next().unwrap_or_default();
    let rest = parts.next().map(|_| path[scheme.len() + 1..].to_owned());
    rest.is_some_and(|rest| {
        let known = ["http", "https", "file", "ftp", "ws", "wss", "javascript", "data"];
        rest.starts_with('/') || known.iter().any(|known| scheme.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn base() -> Url {
        Url::parse("https://api.example.org/v1/team/").unwrap()
    }

    fn led(path: &str) -> Result<String, RestErrorKind> {
        RestRequest::new("GET", path).url(&base(), ["key"]).map(String::from)
    }

    #[test]
    fn paths_below_the_address_keep_their_form() {
        for (path, url) in [
            ("", ""),
            ("/", ""),
            ("items", "items"),
            ("/items/1", "items/1"),
            ("items?limit=2&q=a%20b", "items?limit=2&q=a+b"),
            ("files/group%2Fproject/raw", "files/group%2Fproject/raw"),
            ("items/a..b/...c", "items/a..b/...c"),
            ("items/größe", "items/gr%C3%B6%C3%9Fe"),
            ("a/b:batch", "a/b:batch"),
            ("things:batchGet", "things:batchGet"),
            ("100%", "100%"),
        ] {
            assert_eq!(led(path).unwrap(), format!("https://api.example.org/v1/team/{url}"), "{path}");
        }
    }

    #[test]
    fn no_path_leads_out_of_the_address() {
        let mut tried = 0;
        for path in [
            "..",
            "../",
            "../admin",
            "a/../../admin",
            "a/..",
            ".",
            "./..",
            "%2e%2e/admin",
            "%2E%2E/",
            ".%2e/",
            "%252e%252e/",
            "%25252e%25252e/x",
            "a/%2e%2e%2fadmin",
            "a/..%2f..%2fadmin",
            "a/..%5c..%5cadmin",
            "..;/admin",
            "a/..;x=1/admin",
            "..%3b/admin",
            "a/.. /admin",
            "a/..%20/x",
            "\\..\\admin",
            "..\\",
            "a\\..\\..\\b",
            "//evil.example/",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example/",
            "HTTPS://evil.example",
            "http:evil.example",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://x/",
            "a#b",
            "a\r\nHost: evil.example",
            "a\nb",
            "a\0b",
            "a%0d%0aX: y",
            "a%00b",
            "%2f%2fevil.example",
            "a\tb",
            "//",
            "///evil.example",
            "ws://x",
            "a/%2e%2e;/%2e%2e/",
            "%5c%5cevil.example",
            "a/%c0%ae%2e/../",
        ] {
            tried += 1;
            assert!(led(path).is_err(), "{path:?} gave {:?}", led(path));
        }
        for depth in 1..20 {
            for form in ["../", "%2e%2e/", "..%2f", "%2e%2e%2f", "..;/", "..\\", "%252e%252e%252f"] {
                for lead in ["", "/", "a/", "a/b/", "%61/"] {
                    tried += 1;
                    assert!(led(&format!("{lead}{}x", form.repeat(depth))).is_err());
                }
            }
        }
        assert!(tried > 700, "{tried}");
    }

    #[test]
    fn a_parameter_or_header_that_the_program_sets_is_refused() {
        for path in ["items?key=mine", "items?KEY=mine"] {
            assert!(led(path).is_err(), "{path}");
        }
        let mut request = RestRequest::new("GET", "items");
        for name in [
            "Authorization",
            "cookie",
            "Host",
            "X-HTTP-Method-Override",
            "Transfer-Encoding",
            "X-Key",
            "Proxy-Authorization",
            "Content-Length",
            "Bad Name",
            "",
            "X:\r\n",
        ] {
            request.headers = vec![(name.to_owned(), "x".to_owned())];
            assert!(request.checked_headers(["x-key"]).is_err(), "{name:?}");
        }
        request.headers = vec![("X-Other".into(), "line\r\nX-Key: y".into())];
        assert!(request.checked_headers([]).is_err());
        request.headers =
            vec![("Accept".into(), "text/csv".into()), ("If-None-Match".into(), "\"1\"".into())];
        assert!(request.checked_headers(["x-key"]).is_ok());
    }

    #[test]
    fn only_plain_methods_are_sent() {
        for method in ["GET", "get", "Delete", " PATCH "] {
            assert!(RestRequest::new(method, "").checked_method().is_ok(), "{method}");
        }
        for method in ["", "CONNECT", "TRACE", "OPTIONS", "GET /x HTTP/1.1\r\n", "GE T"] {
            assert!(RestRequest::new(method, "").checked_method().is_err(), "{method}");
        }
    }
}
