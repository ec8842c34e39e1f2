//! Signing in at servers that are reached over HTTP: where their tokens are kept, and the person's way back.

use std::time::Duration;

use ::secrets::{Entry, ExposeSecret, Vault};
use ::sources::{Authorizer, Credential, CredentialFault, CredentialStore, SignInFault, SignInPage};
use async_trait::async_trait;
use domain::Problem;
use oauth::{Callback, parameter};
use parking_lot::Mutex;
use support::blocking;
use tokio::sync::oneshot;
use url::Url;
use workspace::SourceConfig;

use super::secrets;

/// How long the browser may take.
pub const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(600);

/// Tokens of one source in the vault, as long as the source leads where they were given for.
pub struct StoredTokens {
    vault: Vault,
    config: SourceConfig,
}

impl StoredTokens {
    pub fn new(vault: Vault, config: SourceConfig) -> Self {
        Self { vault, config }
    }
}

impl std::fmt::Debug for StoredTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").field("slug", &self.config.slug).finish_non_exhaustive()
    }
}

fn fault(problem: Problem) -> CredentialFault {
    CredentialFault(problem.message)
}

#[async_trait]
impl CredentialStore for StoredTokens {
    async fn load(&self) -> Result<Option<Credential>, CredentialFault> {
        let (vault, config) = (self.vault.clone(), self.config.clone());
        let looked = blocking(move || match secrets::binding(&vault, &config)? {
            secrets::Binding::Here => Ok(vault.get(&secrets::oauth_name(&config.key()))?),
            // A token that was given for another server is as good as none.
            secrets::Binding::Nowhere | secrets::Binding::Elsewhere => Ok(None),
        });
        let found = looked.await.map_err(fault)?;
        Ok(found.and_then(|text| Credential::from_json(text.expose_secret())))
    }

    async fn save(&self, credential: &Credential) -> Result<(), CredentialFault> {
        let (vault, config, text) = (self.vault.clone(), self.config.clone(), credential.to_json());
        let kept = blocking(move || {
            if matches!(secrets::binding(&vault, &config)?, secrets::Binding::Elsewhere) {
                return Err(secrets::elsewhere(&config));
            }
            let token = (secrets::oauth_name(&config.key()), Entry::Secret(text));
            vault.put_all(&[token, secrets::bind(&config)]).map_err(Problem::from)
        });
        kept.await.map_err(fault)
    }

    async fn clear(&self) -> Result<(), CredentialFault> {
        let (vault, name) = (self.vault.clone(), secrets::oauth_name(&self.config.key()));
        let cleared = blocking(move || match vault.path().exists() {
            true => vault.remove(&name).map(drop).map_err(Problem::from),
            false => Ok(()),
        });
        cleared.await.map_err(fault)
    }
}

/// Hands the address of the sign-in page on, and waits on a port of this machine until the browser comes back.
#[derive(Debug)]
pub struct Browser(Mutex<Option<oneshot::Sender<String>>>);

impl Browser {
    /// With the receiver of the address to open.
    pub fn new() -> (Self, oneshot::Receiver<String>) {
        let (told, opened) = oneshot::channel();
        (Self(Mutex::new(Some(told))), opened)
    }
}

#[async_trait]
impl Authorizer for Browser {
    async fn begin(&self) -> Result<Box<dyn SignInPage>, SignInFault> {
        let told = self.0.lock().take();
        let told = told.ok_or_else(|| SignInFault("the page was opened once already".to_owned()))?;
        let local = |error: std::io::Error| SignInFault(format!("no port can be opened: {error}"));
        let callback = Callback::open().await.map_err(local)?;
        Ok(Box::new(Page { redirect: callback.redirect_uri(), callback, told }))
    }
}

struct Page {
    redirect: String,
    callback: Callback,
    told: oneshot::Sender<String>,
}

#[async_trait]
impl SignInPage for Page {
    fn redirect_uri(&self) -> &str {
        &self.redirect
    }

    async fn visit(self: Box<Self>, url: &Url) -> Result<String, SignInFault> {
        let Self { redirect, callback, told } = *self;
        // It reaches a browser: nothing but a page may be opened.
        if !matches!(url.scheme(), "https" | "http") {
            return Err(SignInFault("the service names no page to sign in at".to_owned()));
        }
        if told.send(url.to_string()).is_err() {
            return Err(SignInFault("nobody waits for the sign-in any more".to_owned()));
        }
        let state = parameter(url.query().unwrap_or_default(), "state").unwrap_or_default();
        let late = |_| SignInFault("nobody came back from the sign-in page in time".to_owned());
        let query = tokio::time::timeout(SIGN_IN_TIMEOUT, callback.answer(&state)).await.map_err(late)?;
        let query = query.map_err(|error| SignInFault(format!("the port was closed: {error}")))?;
        Ok(format!("{redirect}?{}", query.as_str()))
    }
}
