//! Headers: the connection's own, and what answers say in theirs.

use std::time::SystemTime;

use domain::connection::Connection;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::setting;
use crate::ProviderError;

/// Headers that carry the provider's id of a request, in the order in which they count.
const REQUEST_IDS: [&str; 6] = [
    "request-id",
    "x-request-id",
    "x-goog-request-id",
    "apim-request-id",
    "x-ms-request-id",
    "x-amzn-requestid",
];

/// Headers that belong to the transport: of one hop, of the body, of the host.
const TRANSPORT: [&str; 14] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "proxy-connection",
];

/// Headers that present a secret.
const SECRET: [&str; 8] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "x-auth-token",
    "x-subscription-token",
];

/// A connection's own headers.
pub(super) fn own(connection: &Connection) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &connection.headers {
        let refuse = |what: &str| Err(setting(connection, format!("header {name:?}: {what}")));
        let Ok(key) = HeaderName::from_bytes(name.as_bytes()) else {
            return refuse("that is no header's name");
        };
        if SECRET.contains(&key.as_str()) {
            return refuse("it presents a secret; those belong to the connection's auth");
        }
        if TRANSPORT.contains(&key.as_str()) {
            return refuse("the transport sets it itself");
        }
        let Ok(value) = HeaderValue::from_str(value.trim()) else {
            return refuse("its value holds characters that a header can't have");
        };
        headers.insert(key, value);
    }
    Ok(headers)
}

/// Sets a header; features that are asked for in two places are joined.
pub(super) fn set(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    if name == "anthropic-beta"
        && let Some(there) = headers.get(&name).and_then(|there| there.to_str().ok())
        && let Ok(more) = value.to_str()
    {
        let mut joined: Vec<&str> = there.split(',').map(str::trim).collect();
        for beta in more.split(',').map(str::trim) {
            if !joined.contains(&beta) {
                joined.push(beta);
            }
        }
        if let Ok(joined) = HeaderValue::from_str(&joined.join(",")) {
            headers.insert(name, joined);
            return;
        }
    }
    headers.insert(name, value);
}

/// The provider's id of a request.
pub(super) fn request_id(headers: &HeaderMap) -> Option<String> {
    REQUEST_IDS
        .iter()
        .filter_map(|name| headers.get(*name)?.to_str().ok())
        .map(str::trim)
        .find(|id| !id.is_empty() && id.len() <= 200)
        .map(str::to_owned)
}

/// The wait that an answer asks for, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date.
pub fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let read = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str, factor: f64| {
        let milliseconds = text.parse::<f64>().ok().filter(|number| *number >= 0.0)? * factor;
        milliseconds.is_finite().then(|| milliseconds.ceil() as u64)
    };
    let after = || {
        let text = read("retry-after")?;
        number(text, 1_000.0).or_else(|| {
            let until = httpdate::parse_http_date(text).ok()?;
            let left = until.duration_since(SystemTime::now()).unwrap_or_default();
            u64::try_from(left.as_millis()).ok()
        })
    };
    read("retry-after-ms").and_then(|text| number(text, 1.0)).or_else(after)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::connection::ProviderKind;
    use pretty_assertions::assert_eq;

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap())
            })
            .collect()
    }

    #[test]
    fn the_wait_is_read_from_milliseconds_seconds_and_dates() {
        let after = |pairs: &[(&str, &str)]| retry_after(&headers(pairs));
        assert_eq!(after(&[]), None);
        assert_eq!(after(&[("retry-after", "3")]), Some(3_000));
        assert_eq!(after(&[("retry-after", " 0.25 ")]), Some(250));
        assert_eq!(after(&[("retry-after-ms", "1200.4"), ("retry-after", "9")]), Some(1_201));
        assert_eq!(after(&[("retry-after-ms", "soon"), ("retry-after", "9")]), Some(9_000));
        assert_eq!(after(&[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")]), Some(0));
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3_600));
        assert!(after(&[("retry-after", &date)]).is_some_and(|wait| wait > 3_500_000 && wait <= 3_600_000));
        for bad in ["-1", "NaN", "inf", "", "tomorrow"] {
            assert_eq!(after(&[("retry-after", bad)]), None, "{bad}");
        }
    }

    #[test]
    fn a_connection_may_not_set_what_is_secret_or_the_transports() {
        let own = |name: &str, value: &str| {
            let mut connection = Connection::new("mine", ProviderKind::Anthropic);
            connection.headers.insert(name.to_owned(), value.to_owned());
            super::own(&connection).map_err(|error| error.message)
        };
        assert_eq!(own("X-Team", "blue").unwrap(), headers(&[("x-team", "blue")]));
        for (name, value, part) in [
            ("Authorization", "Bearer q9", "secret"),
            ("X-API-Key", "q9", "secret"),
            ("Transfer-Encoding", "q9", "transport"),
            ("Host", "q9", "transport"),
            ("bad name", "q9", "no header's name"),
            ("", "q9", "no header's name"),
            ("x-team", "q9\r\nx-api-key: 1", "characters"),
        ] {
            let message = own(name, value).unwrap_err();
            assert!(message.contains(part) && !message.contains("q9"), "{name}: {message}");
        }
    }

    #[test]
    fn betas_are_joined_and_other_headers_replaced() {
        let mut all = headers(&[("anthropic-beta", "a, b"), ("anthropic-version", "1")]);
        set(&mut all, HeaderName::from_static("anthropic-beta"), HeaderValue::from_static("b,c"));
        set(&mut all, HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2"));
        assert_eq!(all, headers(&[("anthropic-beta", "a,b,c"), ("anthropic-version", "2")]));
    }

    #[test]
    fn the_first_request_id_counts() {
        assert_eq!(request_id(&headers(&[("x-request-id", "b"), ("request-id", " ")])), Some("b".to_owned()));
        assert_eq!(request_id(&headers(&[("request-id", &"a".repeat(201))])), None);
    }
}
