//! What a sign-in gives, and where it is kept.

use std::fmt;

use async_trait::async_trait;
use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

/// The longest time before its end at which a token is renewed, in seconds.
const RENEWAL_SECONDS: u64 = 300;

/// Tokens of one issuer for one server, with the client that they were given to.
#[derive(Debug, Clone)]
pub struct Credential {
    /// The server that the tokens are for.
    pub resource: String,
    /// Who gave them. They are shown to nobody else.
    pub issuer: String,
    /// Where they are renewed.
    pub token_endpoint: String,
    /// The client that they were given to.
    pub client_id: String,
    /// Its secret, if it has one.
    pub client_secret: Option<SecretString>,
    /// How it identifies itself: `none`, `client_secret_basic` or `client_secret_post`.
    pub auth_method: String,
    /// Where it registered that people come back to; empty for a client that was registered otherwise.
    pub redirect_uri: String,
    /// The token that goes with requests.
    pub access_token: SecretString,
    /// The token by which it is renewed.
    pub refresh_token: Option<SecretString>,
    /// When they were given, in seconds since 1970.
    pub obtained_at: u64,
    /// When the access token ends, in seconds since 1970.
    pub expires_at: Option<u64>,
    /// The scopes that were asked for.
    pub scopes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredCredential {
    resource: String,
    issuer: String,
    token_endpoint: String,
    client_id: String,
    #[serde(default)]
    client_secret: Option<String>,
    auth_method: String,
    #[serde(default)]
    redirect_uri: String,
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
    obtained_at: u64,
    #[serde(default)]
    expires_at: Option<u64>,
    #[serde(default)]
    scopes: Vec<String>,
}

impl Credential {
    /// One secret text that holds all of it.
    pub fn to_json(&self) -> SecretString {
        let plain = |secret: &Option<SecretString>| secret.as_ref().map(|it| it.expose_secret().to_owned());
        let written = StoredCredential {
            resource: self.resource.clone(),
            issuer: self.issuer.clone(),
            token_endpoint: self.token_endpoint.clone(),
            client_id: self.client_id.clone(),
            client_secret: plain(&self.client_secret),
            auth_method: self.auth_method.clone(),
            redirect_uri: self.redirect_uri.clone(),
            access_token: self.access_token.expose_secret().to_owned(),
            refresh_token: plain(&self.refresh_token),
            obtained_at: self.obtained_at,
            expires_at: self.expires_at,
            scopes: self.scopes.clone(),
        };
        serde_json::to_string(&written).unwrap_or_default().into()
    }

    /// Reads what [`Credential::to_json`] wrote; `None` for anything else.
    pub fn from_json(text: &str) -> Option<Self> {
        let written: StoredCredential = serde_json::from_str(text).ok()?;
        Some(Self {
            resource: written.resource,
            issuer: written.issuer,
            token_endpoint: written.token_endpoint,
            client_id: written.client_id,
            client_secret: written.client_secret.map(SecretString::from),
            auth_method: written.auth_method,
            redirect_uri: written.redirect_uri,
            access_token: written.access_token.into(),
            refresh_token: written.refresh_token.map(SecretString::from),
            obtained_at: written.obtained_at,
            expires_at: written.expires_at,
            scopes: written.scopes,
        })
    }

    /// Whether the access token has ended, or is about to: five minutes ahead, for short-lived ones a fifth of their life.
    pub(super) fn is_stale(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|end| {
            let life = end.saturating_sub(self.obtained_at);
            now.saturating_add(RENEWAL_SECONDS.min(life / 5)) >= end
        })
    }

    pub(super) fn has_ended(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|end| now >= end)
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    u64::try_from(support::now_ms() / 1_000).unwrap_or_default()
}

/// Why tokens could not be read or kept, in words, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CredentialFault(pub String);

/// Where the tokens of one source are kept: encrypted, readable by nobody else.
#[async_trait]
pub trait CredentialStore: fmt::Debug + Send + Sync {
    /// What was saved last.
    ///
    /// # Errors
    /// When it can't be read now.
    async fn load(&self) -> Result<Option<Credential>, CredentialFault>;

    /// Replaces what was saved.
    ///
    /// # Errors
    /// When it can't be kept.
    async fn save(&self, credential: &Credential) -> Result<(), CredentialFault>;

    /// Removes what was saved.
    ///
    /// # Errors
    /// When it can't be removed.
    async fn clear(&self) -> Result<(), CredentialFault>;
}

/// Keeps tokens for the life of this process.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Option<Credential>>);

#[async_trait]
impl CredentialStore for MemoryStore {
    async fn load(&self) -> Result<Option<Credential>, CredentialFault> {
        Ok(self.0.lock().clone())
    }

    async fn save(&self, credential: &Credential) -> Result<(), CredentialFault> {
        *self.0.lock() = Some(credential.clone());
        Ok(())
    }

    async fn clear(&self) -> Result<(), CredentialFault> {
        *self.0.lock() = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn credential() -> Credential {
        Credential {
            resource: "https://mcp.example.org/".into(),
            issuer: "https://id.example.org".into(),
            token_endpoint: "https://id.example.org/token".into(),
            client_id: "me".into(),
            client_secret: Some("canary-one".into()),
            auth_method: "none".into(),
            redirect_uri: String::new(),
            access_token: "canary-two".into(),
            refresh_token: Some("canary-three".into()),
            obtained_at: 1_000,
            expires_at: Some(4_600),
            scopes: vec!["read".into()],
        }
    }

    #[test]
    fn a_credential_can_be_kept_as_one_text_and_is_never_printed() {
        let one = credential();
        assert!(!format!("{one:?}").contains("canary"));
        let two = Credential::from_json(one.to_json().expose_secret()).unwrap();
        assert_eq!(one.to_json().expose_secret(), two.to_json().expose_secret());
        for other in ["", "{}", "null", "{\"issuer\":1}"] {
            assert!(Credential::from_json(other).is_none());
        }
    }

    #[test]
    fn a_token_is_renewed_before_it_ends_and_a_short_lived_one_is_used_nevertheless() {
        let mut one = credential();
        assert!(!one.is_stale(4_299) && one.is_stale(4_300) && !one.has_ended(4_599) && one.has_ended(4_600));
        one.expires_at = Some(1_060);
        assert!(!one.is_stale(1_047) && one.is_stale(1_048));
        one.expires_at = None;
        assert!(!one.is_stale(u64::MAX) && !one.has_ended(u64::MAX));
    }
}
