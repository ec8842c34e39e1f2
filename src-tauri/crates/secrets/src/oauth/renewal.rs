//! Services that give a new key for the old one.

use std::collections::BTreeMap;

use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use support::now_ms;
use zeroize::Zeroizing;

use super::http::{Http, malformed, said_by};
use crate::error::OauthError;
use crate::vault::{Entry, Token};

/// Stands for the present key in headers and the body.
const PLACE: &str = "{{secret}}";

/// How a service gives a new key, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Renewal {
    /// Where it is asked for.
    pub url: String,
    /// How: `POST` where nothing is said.
    #[serde(default = "post")]
    pub method: String,
    /// Headers; `{{secret}}` in a value stands for the present key.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body; `{{secret}}` stands for the present key, written as the body's content type wants it.
    #[serde(default)]
    pub body: Option<String>,
    /// Where the new key stands in the answer: a JSON pointer, such as `/data/key`.
    pub key: String,
    /// Where the seconds until its end stand: a JSON pointer.
    #[serde(default)]
    pub expires_in: Option<String>,
}

fn post() -> String {
    "POST".into()
}

impl Renewal {
    /// Asks for a new key; what is to be kept instead of `old`.
    pub(super) async fn run(&self, http: &Http, old: &Entry) -> Result<Entry, OauthError> {
        let secret = old.secret().expose_secret();
        let invalid = |what: &str| OauthError::Invalid(format!("the renewal of the key {what}"));
        let method = match self.method.to_ascii_uppercase().as_str() {
            "POST" => Method::POST,
            "PUT" => Method::PUT,
            "PATCH" => Method::PATCH,
            "GET" => Method::GET,
            _ => return Err(invalid("has a method that is none of GET, POST, PUT and PATCH")),
        };
        let mut headers = HeaderMap::new();
        let mut kind = "";
        for (name, value) in &self.headers {
            let name = HeaderName::try_from(name).map_err(|_| invalid("has a header that can't be one"))?;
            if name == reqwest::header::CONTENT_TYPE {
                kind = value;
            }
            let text = Zeroizing::new(value.replace(PLACE, secret));
            let mut value = HeaderValue::try_from(text.as_str())
                .map_err(|_| invalid("has a header that can't be one"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let body = self.body.as_ref().map(|body| {
            let written = Zeroizing::new(if kind.contains("json") {
                let quoted = Zeroizing::new(Value::from(secret).to_string());
                quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned()
            } else if kind.contains("urlencoded") {
                url::form_urlencoded::byte_serialize(secret.as_bytes()).collect()
            } else {
                secret.to_owned()
            });
            Zeroizing::new(body.replace(PLACE, &written).into_bytes())
        });
        let answer = http.send(method, &self.url, headers, body).await?;
        if !answer.status.is_success() {
            let said = ["/error/message", "/message", "/error_description", "/error"];
            let said = said.iter().find_map(|path| answer.json.pointer(path)?.as_str()).unwrap_or_default();
            let status = format!("status {}", answer.status.as_u16());
            return Err(OauthError::Refused(said_by(&status, said, &[secret])));
        }
        let key = answer.json.pointer(&self.key).and_then(Value::as_str).unwrap_or_default();
        if key.is_empty() || key.chars().any(|c| !c.is_ascii_graphic()) {
            return Err(malformed(&answer.host, "no key where it should be"));
        }
        let key = SecretString::from(key);
        let seconds = self.expires_in.as_ref().and_then(|path| answer.json.pointer(path)?.as_i64());
        Ok(match seconds {
            None => Entry::Secret(key),
            Some(seconds) => Entry::Token(Token {
                expires_at: Some(now_ms().saturating_add(seconds.clamp(0, 10_000_000_000) * 1000)),
                ..Token::new(key)
            }),
        })
    }
}
