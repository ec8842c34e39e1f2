//! Signing in: the person's own browser goes to the service and comes back to a port of this machine.

use std::time::Duration;

use domain::connection::{OauthService, callback_place};
use oauth::{Callback, Proof, parameter};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::http::{Http, Style, checked, said_by, texts, token};
use crate::error::OauthError;
use crate::vault::Token;

/// A sign-in under way. Dropped, it is given up and its port is closed.
pub struct SignIn {
    url: String,
    callback: Callback,
    proof: Proof,
    service: OauthService,
    client_secret: Option<SecretString>,
    http: Http,
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn").field("callback", &self.callback).finish_non_exhaustive()
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
            return Err(OauthError::Invalid("the service needs a Client ID: register a client there".into()));
        }
        let mut url = checked(authorize)?;
        checked(&service.token_url)?;
        let local = |error: std::io::Error| OauthError::Local(format!("no port can be opened: {error}"));
        let callback = match &service.redirect_url {
            Some(address) => {
                let (host, port) = callback_place(address).ok_or_else(|| {
                    OauthError::Invalid(format!("{address} is no address of this machine to come back to"))
                })?;
                Callback::bind(host, port).await
            }
            None => Callback::open().await,
        };
        let callback = callback.map_err(local)?;
        let proof = Proof::fresh()
            .map_err(|error| OauthError::Local(format!("the system gives no random numbers: {error}")))?;
        {
            let (redirect, challenge) = (callback.redirect_uri(), proof.challenge());
            let scope = service.scopes.join(" ");
            let ours = [
                ("response_type", "code"),
                ("client_id", service.client_id.as_str()),
                ("redirect_uri", &redirect),
                ("scope", &scope),
                ("state", &proof.state),
                ("code_challenge", &challenge),
                ("code_challenge_method", "S256"),
            ];
            let known = |key: &str| ours.iter().any(|(ours, _)| *ours == key);
            let mut query = url.query_pairs_mut();
            query.extend_pairs(ours.iter().filter(|(key, value)| *key != "scope" || !value.is_empty()));
            query.extend_pairs(service.extra.iter().filter(|(key, _)| !known(key)));
        }
        Ok(Self { url: url.into(), callback, proof, service: service.clone(), client_secret, http })
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
        let query = tokio::time::timeout(patience, self.callback.answer(&self.proof.state))
            .await
            .map_err(|_| OauthError::TimedOut { seconds: patience.as_secs() })?
            .map_err(|error| OauthError::Local(format!("the port failed: {error}")))?;
        match self.understand(&query)? {
            SignInReply::Refused(what) => Err(OauthError::Refused(what)),
            SignInReply::Code(code) => self.exchange(&code).await,
        }
    }

    async fn exchange(&self, code: &SecretString) -> Result<Token, OauthError> {
        let redirect = self.callback.redirect_uri();
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code.expose_secret()),
            ("redirect_uri", &redirect),
            ("client_id", &self.service.client_id),
            ("code_verifier", self.proof.verifier.expose_secret()),
        ];
        if let Some(secret) = &self.client_secret {
            fields.push(("client_secret", secret.expose_secret()));
        }
        let style = Style::for_endpoint(&self.service.token_url, false);
        if style != Style::Form {
            fields.push(("state", &self.proof.state));
        }
        let answer = self.http.exchange(&self.service.token_url, &fields, style).await?;
        let sent = texts(&[Some(code), Some(&self.proof.verifier), self.client_secret.as_ref()]);
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

    /// What the answer says.
    fn understand(&self, query: &str) -> Result<SignInReply, OauthError> {
        if let Some(issuer) = parameter(query, "iss")
            && !self.is_issuer(&issuer)
        {
            return Err(OauthError::Foreign("another issuer answered"));
        }
        if let Some(error) = parameter(query, "error") {
            let said = parameter(query, "error_description").unwrap_or_default();
            return Ok(SignInReply::Refused(said_by(&error, &said, &[])));
        }
        let code = parameter(query, "code").unwrap_or_default();
        Ok(SignInReply::Code(SecretString::from(code.as_str())))
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
