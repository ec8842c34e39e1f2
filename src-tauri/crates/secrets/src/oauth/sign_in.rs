//! Signing in: the person's own browser goes to the service and comes back to a port of this machine.

use std::net::Ipv4Addr;
use std::time::Duration;

use domain::connection::OauthService;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;
use zeroize::Zeroizing;

use super::http::{Http, Style, checked, said_by, texts, token};
use crate::error::OauthError;
use crate::vault::{Token, hex, random};

/// The most bytes of a request's head.
const HEAD_CAP: usize = 16 * 1024;
/// How long one connection may take to send its request.
const REQUEST_PATIENCE: Duration = Duration::from_secs(10);
/// Connections that are open at once; more wait.
const CONNECTIONS: usize = 16;
const PATH: &str = "/callback";

/// A sign-in under way. Dropped, it is given up and its port is closed.
pub struct SignIn {
    url: String,
    listener: TcpListener,
    port: u16,
    state: String,
    verifier: SecretString,
    service: OauthService,
    client_secret: Option<SecretString>,
    http: Http,
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn").field("port", &self.port).finish_non_exhaustive()
    }
}

/// What came back to the port.
enum SignInReply {
    Code(SecretString),
    Refused(String),
}

impl SignIn {
    /// Opens a port on 127.0.0.1 for the browser to come back to. `client_secret`: where the service gives native
    /// applications one.
    ///
    /// # Errors
    /// [`OauthError::Invalid`] when the service has no address to sign in at, no client id, or an address that secrets
    /// must not be sent to; [`OauthError::Local`] when no port can be opened.
    pub async fn begin(
        service: &OauthService,
        client_secret: Option<SecretString>,
        http: Http,
    ) -> Result<Self, OauthError> {
        let Some(authorize) = &service.authorize_url else {
            return Err(OauthError::Invalid(
                "this service has no address to sign in at: paste a token".into(),
            ));
        };
        if service.client_id.trim().is_empty() {
            return Err(OauthError::Invalid("the service needs a client id: register a client there".into()));
        }
        let mut url = checked(authorize)?;
        checked(&service.token_url)?;
        let local = |error: std::io::Error| OauthError::Local(format!("no port can be opened: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(local)?;
        let port = listener.local_addr().map_err(local)?.port();
        let state = hex(&random::<16>()?);
        let verifier = SecretString::from(hex(Zeroizing::new(random::<32>()?).as_slice()));
        let challenge = base64url(&Sha256::digest(verifier.expose_secret().as_bytes()));
        {
            let redirect = redirect(port);
            let scope = service.scopes.join(" ");
            let ours = [
                ("response_type", "code"),
                ("client_id", service.client_id.as_str()),
                ("redirect_uri", &redirect),
                ("scope", &scope),
                ("state", &state),
                ("code_challenge", &challenge),
                ("code_challenge_method", "S256"),
            ];
            let known = |key: &str| ours.iter().any(|(ours, _)| *ours == key);
            let mut query = url.query_pairs_mut();
            query.extend_pairs(ours.iter().filter(|(key, value)| *key != "scope" || !value.is_empty()));
            query.extend_pairs(service.extra.iter().filter(|(key, _)| !known(key)));
        }
        Ok(Self {
            url: url.into(),
            listener,
            port,
            state,
            verifier,
            service: service.clone(),
            client_secret,
            http,
        })
    }

    /// The address to open in the person's browser.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the browser comes back and exchanges what it brings for tokens. The caller keeps them.
    ///
    /// # Errors
    /// [`OauthError::TimedOut`], [`OauthError::Refused`] when the person or the service said no,
    /// [`OauthError::Foreign`] when another issuer answered, and what a request can end in.
    pub async fn finish(self, patience: Duration) -> Result<Token, OauthError> {
        let back = tokio::time::timeout(patience, self.back())
            .await
            .map_err(|_| OauthError::TimedOut { seconds: patience.as_secs() })??;
        match back {
            SignInReply::Refused(what) => Err(OauthError::Refused(what)),
            SignInReply::Code(code) => self.exchange(&code).await,
        }
    }

    async fn exchange(&self, code: &SecretString) -> Result<Token, OauthError> {
        let redirect = redirect(self.port);
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code.expose_secret()),
            ("redirect_uri", &redirect),
            ("client_id", &self.service.client_id),
            ("code_verifier", self.verifier.expose_secret()),
        ];
        if let Some(secret) = &self.client_secret {
            fields.push(("client_secret", secret.expose_secret()));
        }
        let style = Style::of(&self.service.token_url, false);
        if style != Style::Form {
            fields.push(("state", &self.state));
        }
        let answer = self.http.exchange(&self.service.token_url, &fields, style).await?;
        let sent = texts(&[Some(code), Some(&self.verifier), self.client_secret.as_ref()]);
        let token = token(&answer, &sent).map_err(|error| match error {
            OauthError::Expired => OauthError::Refused("the code was not accepted: begin again".into()),
            error => error,
        })?;
        Ok(Token {
            client_id: self.service.client_id.clone(),
            client_secret: self.client_secret.clone(),
            token_url: self.service.token_url.clone(),
            ..token
        })
    }

    /// Serves the port until the answer of this sign-in arrives. Everything else is answered and forgotten, so that
    /// nobody who finds the port can end the sign-in.
    async fn back(&self) -> Result<SignInReply, OauthError> {
        let mut serving = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if serving.len() < CONNECTIONS => match accepted {
                    Ok((stream, _)) => {
                        serving.spawn(tokio::time::timeout(REQUEST_PATIENCE, receive(stream)));
                    }
                    Err(error) => return Err(OauthError::Local(format!("the port failed: {error}"))),
                },
                Some(received) = serving.join_next() => {
                    let Ok(Ok(Some((mut stream, head)))) = received else { continue };
                    let back = self.understand(&head);
                    let (status, title, words) = match &back {
                        Ok(None) => ("404 Not Found", "Nothing here", "This page belongs to no sign-in."),
                        _ => {
                            let words = "AgentNative shows how the sign-in went. You can close this page.";
                            ("200 OK", "Back to AgentNative", words)
                        }
                    };
                    let answer = page(status, title, words);
                    let answered = async {
                        let _ = stream.write_all(answer.as_bytes()).await;
                        let _ = stream.shutdown().await;
                    };
                    let _ = tokio::time::timeout(Duration::from_secs(2), answered).await;
                    if let Some(back) = back.transpose() {
                        return back;
                    }
                }
            }
        }
    }

    /// What a request means; `None` when it is not the answer of this sign-in.
    fn understand(&self, head: &[u8]) -> Result<Option<SignInReply>, OauthError> {
        let Some(query) = self.query(head) else { return Ok(None) };
        let mut pairs = Vec::new();
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            pairs.push((key, Zeroizing::new(value.into_owned())));
        }
        let value = |wanted: &str| {
            let mut found = pairs.iter().filter(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
            // A parameter that stands there twice is none.
            found.next().filter(|_| found.next().is_none())
        };
        if !value("state").is_some_and(|state| same(state, &self.state)) {
            return Ok(None);
        }
        if let Some(issuer) = value("iss")
            && !self.is_issuer(issuer)
        {
            return Err(OauthError::Foreign("another issuer answered"));
        }
        if let Some(error) = value("error") {
            let said = value("error_description").unwrap_or_default();
            return Ok(Some(SignInReply::Refused(said_by(error, said, &[]))));
        }
        Ok(value("code")
            .filter(|code| !code.is_empty())
            .map(|code| SignInReply::Code(SecretString::from(code))))
    }

    /// The query of a request to the callback of this very port.
    fn query<'h>(&self, head: &'h [u8]) -> Option<&'h str> {
        let head = std::str::from_utf8(head).ok()?;
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let target = (first.next()? == "GET").then(|| first.next())??;
        let host = lines
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("host"))
            .map(|(_, value)| value.trim())?;
        if host != format!("127.0.0.1:{}", self.port) {
            return None;
        }
        target.strip_prefix(PATH)?.strip_prefix('?')
    }

    /// RFC 9207: the issuer must be of the service that was asked.
    fn is_issuer(&self, issuer: &str) -> bool {
        let origin =
            |url: &str| Url::parse(url).ok().map(|url| url.origin()).filter(|origin| origin.is_tuple());
        let asked = self.service.authorize_url.as_deref().and_then(origin);
        let exchanged = origin(&self.service.token_url);
        origin(issuer)
            .is_some_and(|issuer| asked.as_ref() == Some(&issuer) || exchanged.as_ref() == Some(&issuer))
    }
}

fn redirect(port: u16) -> String {
    format!("http://127.0.0.1:{port}{PATH}")
}

/// A request's head; `None` for a connection that brings none.
async fn receive(mut stream: TcpStream) -> Option<(TcpStream, Zeroizing<Vec<u8>>)> {
    let mut head = Zeroizing::new(Vec::with_capacity(HEAD_CAP));
    loop {
        let mut chunk = Zeroizing::new([0; 2048]);
        let read = stream.read(chunk.as_mut_slice()).await.ok()?;
        if read == 0 || head.len() + read > HEAD_CAP {
            return None;
        }
        head.extend_from_slice(chunk.get(..read)?);
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            head.truncate(end);
            return Some((stream, head));
        }
    }
}

fn page(status: &str, title: &str, words: &str) -> String {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title}</title><style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;\
         padding:0 1rem}}</style><h1>{title}</h1><p>{words}</p></html>"
    );
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\n\r\n{body}",
        body.len()
    )
}

/// Compares without telling by the time how much of it was right.
fn same(given: &str, wanted: &str) -> bool {
    given.len() == wanted.len()
        && given.bytes().zip(wanted.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..=three.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_the_one_of_the_standards_example() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(base64url(&Sha256::digest(verifier)), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(
            [base64url(b""), base64url(b"f"), base64url(b"fo"), base64url(b"foo")],
            ["", "Zg", "Zm8", "Zm9v"]
        );
    }
}
