//! Requests to token endpoints: nothing is redirected, answers are bounded, failures tell no secret.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use support::now_ms;
use url::{Host, Url};
use zeroize::Zeroizing;

use crate::error::OauthError;
use crate::vault::Token;

/// The most bytes of an answer.
const ANSWER_CAP: usize = 256 * 1024;
/// The longest that one request takes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What requests to token endpoints go through.
#[derive(Clone)]
pub struct Http {
    client: Client,
    patience: Duration,
}

/// What a service said: its status and its JSON.
pub(super) struct Answer {
    pub host: String,
    pub status: StatusCode,
    pub json: Value,
}

impl Http {
    /// With the system's certificates and the environment's proxy.
    ///
    /// # Errors
    /// [`OauthError::Local`] when the system's certificates can't be used.
    pub fn new() -> Result<Self, OauthError> {
        // Fails when a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")))
            .build()
            .map(Self::with)
            .map_err(|_| OauthError::Local("connections can't be set up on this machine".into()))
    }

    /// Through a client of the caller's, with its certificates and proxy. It must not follow redirects.
    pub fn with(client: Client) -> Self {
        Self { client, patience: TIMEOUT }
    }

    /// Sends fields to a token endpoint as it wants them.
    pub(super) async fn exchange(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        style: Style,
    ) -> Result<Answer, OauthError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(style.content_type()));
        if let Some(beta) = style.beta() {
            headers.insert(HeaderName::from_static("anthropic-beta"), HeaderValue::from_static(beta));
        }
        self.send(Method::POST, url, headers, Some(style.body(fields))).await
    }

    pub(super) async fn send(
        &self,
        method: Method,
        url: &str,
        headers: HeaderMap,
        body: Option<Zeroizing<Vec<u8>>>,
    ) -> Result<Answer, OauthError> {
        let url = checked(url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let mut request = self.client.request(method, url).headers(headers).timeout(self.patience);
        if let Some(body) = body {
            request = request.body(body.to_vec());
        }
        let answer = async {
            let mut response = request.send().await?;
            let status = response.status();
            let mut bytes = Zeroizing::new(Vec::new());
            while let Some(chunk) = response.chunk().await? {
                if bytes.len() + chunk.len() > ANSWER_CAP {
                    return Ok((status, None));
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok((status, Some(bytes)))
        };
        let (status, bytes) = answer.await.map_err(|error: reqwest::Error| unreachable(&host, &error))?;
        if status.is_redirection() {
            return Err(malformed(&host, "it sends elsewhere, which is not followed: check the address"));
        }
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(OauthError::Unreachable(format!(
                "{host} can't answer now (status {}): try again later",
                status.as_u16()
            )));
        }
        let bytes = bytes.ok_or_else(|| malformed(&host, "the answer is too long"))?;
        let json = serde_json::from_slice(&bytes).map_err(|_| {
            malformed(&host, &format!("status {}, no JSON: check the address", status.as_u16()))
        })?;
        Ok(Answer { host, status, json })
    }
}

/// How a token endpoint wants its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As the standard has it.
    Form,
    /// As JSON, with the header that opens this door at Anthropic.
    Anthropic(&'static str),
}

impl Style {
    /// How the endpoint at `url` wants the fields of a grant.
    pub(super) fn for_endpoint(url: &str, workload: bool) -> Self {
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let below = |domain: &str| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if below("anthropic.com") || below("claude.com") {
            Self::Anthropic(if workload { "oidc-federation-2026-04-01" } else { "oauth-2025-04-20" })
        } else {
            Self::Form
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Form => "application/x-www-form-urlencoded",
            Self::Anthropic(_) => "application/json",
        }
    }

    fn beta(self) -> Option<&'static str> {
        match self {
            Self::Form => None,
            Self::Anthropic(beta) => Some(beta),
        }
    }

    fn body(self, fields: &[(&str, &str)]) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(match self {
            Self::Form => url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(fields)
                .finish()
                .into_bytes(),
            Self::Anthropic(_) => {
                let object: serde_json::Map<String, Value> =
                    fields.iter().map(|&(key, value)| (key.to_owned(), Value::from(value))).collect();
                Value::Object(object).to_string().into_bytes()
            }
        })
    }
}

/// An address that secrets may be sent to: encrypted, or on this machine.
pub(super) fn checked(url: &str) -> Result<Url, OauthError> {
    let invalid = |what: &str| OauthError::Invalid(format!("the address of the service {what}"));
    let url = Url::parse(url).map_err(|_| invalid("is no address"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("holds a name or password: leave them out"));
    }
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => return Err(invalid("names no host")),
    };
    match url.scheme() {
        "https" => Ok(url),
        "http" if here => Ok(url),
        _ => Err(invalid("must begin with https://, since secrets are sent there")),
    }
}

/// The token of an answer. `sent` is what no message may repeat.
pub(super) fn token(answer: &Answer, sent: &[&str]) -> Result<Token, OauthError> {
    let Answer { host, status, json } = answer;
    if let Some(error) = json.get("error") {
        let code = error.as_str().or_else(|| error.get("type").and_then(Value::as_str)).unwrap_or("unknown");
        if code == "invalid_grant" {
            return Err(OauthError::Expired);
        }
        let said = json
            .get("error_description")
            .or_else(|| error.get("message"))
            .and_then(Value::as_str)
            .unwrap_or_default();
        return Err(OauthError::Refused(said_by(code, said, sent)));
    }
    if !status.is_success() {
        return Err(OauthError::Refused(format!("status {} without a reason", status.as_u16())));
    }
    // Slack puts the person's own token one level down.
    let holder = match json.get("access_token") {
        Some(_) => json,
        None => json.get("authed_user").unwrap_or(json),
    };
    let text = |key: &str| holder.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let access = text("access_token").ok_or_else(|| malformed(host, "it has no access_token"))?;
    if access.chars().any(|c| !c.is_ascii_graphic()) {
        return Err(malformed(host, "its access_token has characters that a token can't have"));
    }
    if text("token_type")
        .is_some_and(|kind| !["bearer", "user", "bot"].iter().any(|known| kind.eq_ignore_ascii_case(known)))
    {
        return Err(malformed(host, "its token is not a bearer token"));
    }
    let seconds = holder.get("expires_in").and_then(|value| {
        value.as_f64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
    });
    #[allow(clippy::cast_possible_truncation)] // clamped
    let expires_at = seconds
        .filter(|seconds| seconds.is_finite())
        .map(|seconds| now_ms() + (seconds.clamp(0.0, 1e10) * 1000.0) as i64);
    Ok(Token {
        refresh: text("refresh_token").map(SecretString::from),
        expires_at,
        scope: text("scope").unwrap_or_default().chars().take(4096).collect(),
        ..Token::new(SecretString::from(access))
    })
}

/// A service's words, as far as they can be shown.
pub(super) fn said_by(code: &str, said: &str, sent: &[&str]) -> String {
    let told = |text: &str| sent.iter().any(|secret| secret.len() >= 4 && text.contains(secret));
    let clean = |text: &str, most: usize| -> String {
        if told(text) {
            return String::new();
        }
        text.chars().filter(|c| !c.is_control()).take(most).collect()
    };
    let (code, said) = (clean(code, 64), clean(said, 200));
    if said.is_empty() { code } else { format!("{code}: {said}") }
}

pub(super) fn malformed(host: &str, what: &str) -> OauthError {
    OauthError::Malformed { host: host.to_owned(), what: what.to_owned() }
}

/// What failed, without the address, which may hold what was sent.
fn unreachable(host: &str, error: &reqwest::Error) -> OauthError {
    let what = if error.is_connect() {
        "can't be reached: check the address and the network"
    } else if error.is_timeout() {
        "did not answer in time: try again"
    } else {
        "broke off: try again"
    };
    OauthError::Unreachable(format!("{host} {what}"))
}

/// The texts of secrets that were sent.
pub(super) fn texts<'s>(secrets: &[Option<&'s SecretString>]) -> Vec<&'s str> {
    secrets.iter().flatten().map(|secret| secret.expose_secret()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_sent_only_encrypted_or_to_this_machine() {
        for good in ["https://a.example/t", "http://127.0.0.1:9/t", "http://[::1]/t", "http://localhost:1/"] {
            assert!(checked(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "token",
            "http://a.example/t",
            "http://127.0.0.1.a.example/",
            "ftp://a.example",
            "javascript:alert(1)",
            "https://me:secret@a.example/t",
            "http://169.254.169.254/",
            "file:///etc/passwd",
        ] {
            assert!(matches!(checked(bad), Err(OauthError::Invalid(_))), "{bad}");
        }
    }

    #[test]
    fn only_the_hosts_that_want_json_get_it() {
        assert_eq!(
            Style::for_endpoint("https://api.anthropic.com/v1/oauth/token", false),
            Style::Anthropic("oauth-2025-04-20")
        );
        assert_eq!(
            Style::for_endpoint("https://api.anthropic.com/v1/oauth/token", true),
            Style::Anthropic("oidc-federation-2026-04-01")
        );
        assert_eq!(Style::for_endpoint("https://notanthropic.com/t", false), Style::Form);
        assert_eq!(Style::for_endpoint("https://anthropic.com.a.example/t", false), Style::Form);
        let fields = [("grant_type", "refresh_token"), ("refresh_token", "a b&c\"")];
        assert_eq!(&**Style::Form.body(&fields), b"grant_type=refresh_token&refresh_token=a+b%26c%22");
        assert_eq!(
            &**Style::Anthropic("x").body(&fields),
            br#"{"grant_type":"refresh_token","refresh_token":"a b&c\""}"#
        );
    }

    #[test]
    fn words_of_a_service_that_repeat_a_secret_are_left_out() {
        assert_eq!(said_by("bad", "token SECRET-1 is bad", &["SECRET-1"]), "bad");
        assert_eq!(said_by("bad", "line\nbreak\u{7}", &["SECRET-1"]), "bad: linebreak");
        assert_eq!(said_by("SECRET-1", "x", &["SECRET-1"]), ": x");
    }
}
