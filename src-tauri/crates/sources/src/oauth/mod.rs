//! Signing in at servers that are reached over HTTP (MCP 2026-07-28, "Authorization").
//!
//! A server that refuses a request names where to sign in (RFC 9728); that service describes itself (RFC 8414, OpenID
//! Connect Discovery), and gives tokens for this server alone (RFC 8707) to whoever can prove to have begun the sign-in
//! (RFC 7636, S256). What the service answers is believed only for the issuer that was asked (RFC 9207). Tokens of one
//! issuer are never shown to another. Who opens the person's browser, and who keeps the tokens, is the caller's business:
//! see [`Authorizer`] and [`CredentialStore`].

mod challenge;
mod client;
mod credential;
mod discovery;
mod fetch;
mod flow;
mod source_token;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

pub use credential::{Credential, CredentialFault, CredentialStore, MemoryStore};

pub(crate) use challenge::Refusal;
pub(crate) use source_token::SourceToken;

use crate::config::SourceConfig;
use crate::error::{SourceError, SourceErrorKind};
use crate::http::Endpoint;
use crate::wire::Wire;

/// How to sign in at a server.
#[derive(Clone)]
pub struct Oauth {
    /// Where the tokens of this source are kept.
    pub store: Arc<dyn CredentialStore>,
    /// Who leads the person to the sign-in page; without, a source that needs that fails with
    /// [`SourceErrorKind::SignInNeeded`]. Give it only where the person asked to sign in.
    pub authorizer: Option<Arc<dyn Authorizer>>,
    /// The id of a client that was registered by hand.
    pub client_id: Option<String>,
    /// Its secret, if it has one.
    pub client_secret: Option<SecretString>,
    /// The address of a document that describes this program as a client (Client ID Metadata Document), https.
    pub client_metadata_url: Option<String>,
    /// Scopes to ask for beyond those that the server wants.
    pub scopes: Vec<String>,
    /// What the person reads at the service where this program registers itself.
    pub client_name: String,
}

impl Oauth {
    /// A sign-in with everything found out by itself.
    pub fn new(store: Arc<dyn CredentialStore>) -> Self {
        Self {
            store,
            authorizer: None,
            client_id: None,
            client_secret: None,
            client_metadata_url: None,
            scopes: Vec::new(),
            client_name: "AgentNative".into(),
        }
    }

    /// The same, with the person at hand.
    pub fn with_authorizer(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.authorizer = Some(authorizer);
        self
    }

    /// Adds everything that decides as whom the source is used.
    pub(crate) fn add_to(&self, add: &mut impl FnMut(&[u8])) {
        add(b"oauth");
        for part in [&self.client_id, &self.client_metadata_url] {
            add(part.as_deref().unwrap_or_default().as_bytes());
        }
        add(self.client_secret.as_ref().map_or("", |secret| secret.expose_secret()).as_bytes());
        for scope in &self.scopes {
            add(scope.as_bytes());
        }
    }
}

impl fmt::Debug for Oauth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Oauth")
            .field("client_id", &self.client_id)
            .field("client_metadata_url", &self.client_metadata_url)
            .field("scopes", &self.scopes)
            .field("authorizer", &self.authorizer.is_some())
            .finish_non_exhaustive()
    }
}

/// Why the person did not come back from the sign-in page: closed, too late, no browser. In words, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SignInFault(pub String);

/// Leads the person through a sign-in.
#[async_trait]
pub trait Authorizer: fmt::Debug + Send + Sync {
    /// Prepares the place to which the service sends the person back, on this machine.
    ///
    /// # Errors
    /// When there can be none.
    async fn begin(&self) -> Result<Box<dyn SignInPage>, SignInFault>;
}

/// A sign-in that is about to happen. Dropping it gives its place back.
#[async_trait]
pub trait SignInPage: Send + Sync {
    /// The address to which the service will send the person: loopback, with a port.
    fn redirect_uri(&self) -> &str;

    /// Opens the page in the person's own browser, never through a shell, and waits until they come back. Returns the
    /// whole address at which they arrived, with `code`, `state` and `iss`.
    ///
    /// # Errors
    /// When they don't, within a deadline of the implementation's own.
    async fn visit(self: Box<Self>, url: &Url) -> Result<String, SignInFault>;
}

/// Signs the person in at a source's server, unless its tokens are good; they are kept in the source's store.
///
/// # Errors
/// [`SourceErrorKind::SignIn`] when it did not succeed, or why the server can't be reached.
pub async fn sign_in(config: &SourceConfig) -> Result<(), SourceError> {
    let fail = |kind| SourceError::new(&config.slug, kind);
    let Some(server) = config.http.as_ref().filter(|server| server.oauth.is_some()) else {
        let detail = "this source has no sign-in; it is not reached over HTTP or uses a key".into();
        return Err(fail(SourceErrorKind::SignIn { detail }));
    };
    let wire = Wire::new(config);
    let endpoint = Endpoint::new(config, server, &wire).map_err(fail)?;
    let signed_in = endpoint.sign_in().await;
    wire.close();
    signed_in.map_err(fail)
}

/// Forgets the tokens of a source. A running one goes on with what it has until it is stopped.
///
/// # Errors
/// When the store can't be written.
pub async fn sign_out(config: &SourceConfig) -> Result<(), SourceError> {
    let Some(oauth) = config.http.as_ref().and_then(|server| server.oauth.as_ref()) else {
        return Ok(());
    };
    oauth.store.clear().await.map_err(|fault| {
        let detail = format!("its tokens could not be removed: {fault}");
        SourceError::new(&config.slug, SourceErrorKind::SignIn { detail })
    })
}

/// A failed sign-in.
fn failed(detail: impl Into<String>) -> SourceErrorKind {
    SourceErrorKind::SignIn { detail: detail.into() }
}
