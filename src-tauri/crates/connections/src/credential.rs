//! What connections present themselves with.
//!
//! A secret is bound to the address that it was given for: scheme, host and port, kept beside it in the vault. A
//! connection that leads elsewhere, because it was changed or because somebody edited the file, does not get it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use domain::connection::{Auth, Connection, OauthService};
use domain::{ErrorCode, Problem};
use futures_util::future::BoxFuture;
use llm::http::{Credential, Fixed};
use llm::{Detail, Fault, ProviderError};
use protocol::CredentialState;
use secrets::{Entry, ExposeSecret, Http, OauthError, SecretString, Tokens, Vault, VaultError};
use support::now_ms;
use url::Url;

/// The end of the name of what a connection's secrets are bound to.
pub const BOUND: &str = "/bound";

/// The beginning of the names of a connection's secrets.
pub fn names_of(slug: &str) -> String {
    format!("connection/{slug}/")
}

/// The name of a connection's key or bearer token.
pub fn key_name(slug: &str) -> String {
    format!("connection/{slug}/key")
}

/// The name of a connection's token of an OAuth service.
pub fn oauth_name(slug: &str) -> String {
    format!("connection/{slug}/oauth")
}

/// The name of the secret that a service gave the client of a connection.
pub fn client_secret_name(slug: &str) -> String {
    format!("connection/{slug}/client-secret")
}

fn bound_name(slug: &str) -> String {
    format!("connection/{slug}{BOUND}")
}

/// The name of the secret that a connection keeps in the vault, where it keeps one.
pub fn stored_name(connection: &Connection) -> Option<String> {
    match &connection.auth {
        Auth::Key { env: None } | Auth::Bearer { env: None } => Some(key_name(&connection.slug)),
        Auth::Oauth { .. } => Some(oauth_name(&connection.slug)),
        Auth::None | Auth::Key { .. } | Auth::Bearer { .. } | Auth::WorkloadIdentity { .. } => None,
    }
}

/// Where a connection's secret may go: the origin of its address and, for tokens that are renewed, of the address that
/// renews them.
pub fn bound_origin(connection: &Connection) -> Result<String, Problem> {
    let origin = |url: &Url| url.origin().ascii_serialization();
    let address = llm::http::address(connection).map_err(|error| error.problem())?;
    let mut bound = origin(&address);
    if let Auth::Oauth { service } = &connection.auth {
        let renewed = Url::parse(&service.token_url)
            .map_err(|_| Problem::new(ErrorCode::InvalidInput, "the address for tokens is no address"))?;
        bound = format!("{bound} {}", origin(&renewed));
    }
    Ok(bound)
}

/// The entry that binds a connection's secret to where it leads now.
pub fn bind(connection: &Connection) -> Result<(String, Entry), Problem> {
    let origin = bound_origin(connection)?;
    Ok((bound_name(&connection.slug), Entry::Secret(SecretString::from(origin))))
}

/// How a connection's secret stands, and why it can't be used, where that is worth telling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresentedSecret {
    pub state: CredentialState,
    pub problem: Option<Problem>,
}

impl PresentedSecret {
    fn new(state: CredentialState) -> Self {
        Self { state, problem: None }
    }

    fn missing(message: String, action: impl Into<String>) -> Self {
        let problem = Problem::new(ErrorCode::InvalidConfig, message).with_action(action);
        Self { state: CredentialState::Missing, problem: Some(problem) }
    }
}

/// Whether a connection has what it presents itself with. Never gives the secret out.
pub fn state(vault: &Vault, connection: &Connection) -> PresentedSecret {
    match &connection.auth {
        Auth::None => PresentedSecret::new(CredentialState::NotNeeded),
        Auth::Key { env: Some(name) } | Auth::Bearer { env: Some(name) } => match variable(name) {
            Some(_) => PresentedSecret::new(CredentialState::Environment),
            None => PresentedSecret::missing(not_set(connection, name), NOT_SET),
        },
        Auth::Key { env: None } | Auth::Bearer { env: None } | Auth::Oauth { .. } => {
            stored_state(vault, connection)
        }
        Auth::WorkloadIdentity { token_file, .. } => match std::fs::metadata(token_file) {
            Ok(about) if about.is_file() => PresentedSecret::new(CredentialState::Environment),
            Ok(_) => PresentedSecret::missing(
                format!("{token_file}, which should hold the token of `{}`, is no file", connection.slug),
                "correct tokenFile",
            ),
            Err(error) => PresentedSecret::missing(
                format!(
                    "{token_file}, which holds the token of `{}`, can't be read: {error}",
                    connection.slug
                ),
                "check tokenFile and that the platform keeps the file fresh",
            ),
        },
    }
}

fn stored_state(vault: &Vault, connection: &Connection) -> PresentedSecret {
    match look(vault, connection) {
        Ok(SecretLookup::There(Entry::Token(token)))
            if token.refresh.is_none() && token.expires_at.is_some_and(|expires| expires <= now_ms()) =>
        {
            PresentedSecret {
                state: CredentialState::Expired,
                problem: Some(
                    Problem::new(
                        ErrorCode::InvalidConfig,
                        format!("the sign-in of `{}` has expired and can't be renewed", connection.slug),
                    )
                    .with_action("sign in again"),
                ),
            }
        }
        Ok(SecretLookup::There(_)) => PresentedSecret::new(CredentialState::Stored),
        Ok(SecretLookup::Missing) => PresentedSecret::missing(not_there(connection), action_of(connection)),
        Ok(SecretLookup::Elsewhere { bound }) => {
            PresentedSecret::missing(elsewhere(connection, &bound), action_of(connection))
        }
        Err(VaultError::Locked) => PresentedSecret::new(CredentialState::Locked),
        Err(error) => PresentedSecret { state: CredentialState::Missing, problem: Some(error.into()) },
    }
}

/// What the vault has for a connection.
enum SecretLookup {
    There(Entry),
    Missing,
    /// Given for another address.
    Elsewhere {
        bound: String,
    },
}

fn look(vault: &Vault, connection: &Connection) -> Result<SecretLookup, VaultError> {
    let Some(name) = stored_name(connection) else { return Ok(SecretLookup::Missing) };
    let Some(entry) = vault.entry(&name)? else { return Ok(SecretLookup::Missing) };
    let bound = vault.get(&bound_name(&connection.slug))?;
    let bound = bound.as_ref().map_or("", |bound| bound.expose_secret());
    match bound_origin(connection) {
        Ok(origin) if origin == bound => Ok(SecretLookup::There(entry)),
        Ok(_) | Err(_) => Ok(SecretLookup::Elsewhere { bound: bound.to_owned() }),
    }
}

/// Why a stored secret may not be used for a connection as it is to be, where there is one and it may not.
pub fn bound_elsewhere(vault: &Vault, connection: &Connection) -> Result<Option<Problem>, VaultError> {
    Ok(match look(vault, connection)? {
        SecretLookup::Elsewhere { bound } => Some(
            Problem::new(ErrorCode::InvalidInput, elsewhere(connection, &bound))
                .with_action(action_of(connection)),
        ),
        SecretLookup::There(_) | SecretLookup::Missing => None,
    })
}

/// A connection's credential, asked for at every request.
pub fn for_connection(vault: &Vault, tokens: &Renewals, connection: &Connection) -> Arc<dyn Credential> {
    let (vault, connection) = (vault.clone(), connection.clone());
    match &connection.auth {
        Auth::None => Arc::new(Fixed(None)),
        Auth::Key { env: Some(name) } | Auth::Bearer { env: Some(name) } => {
            Arc::new(Variable { name: name.clone(), connection })
        }
        Auth::Key { env: None } | Auth::Bearer { env: None } => Arc::new(StoredSecret { vault, connection }),
        Auth::Oauth { service } => {
            Arc::new(OauthSecret { service: service.clone(), tokens: tokens.clone(), vault, connection })
        }
        Auth::WorkloadIdentity { .. } => Arc::new(Workload { tokens: tokens.clone(), connection }),
    }
}

/// What renews tokens, made when it is first needed.
#[derive(Clone)]
pub struct Renewals {
    vault: Vault,
    tokens: Arc<OnceLock<Tokens>>,
}

impl Renewals {
    pub fn new(vault: &Vault) -> Self {
        Self { vault: vault.clone(), tokens: Arc::default() }
    }

    fn tokens(&self) -> Result<&Tokens, OauthError> {
        if let Some(tokens) = self.tokens.get() {
            return Ok(tokens);
        }
        let tokens = Tokens::new(self.vault.clone(), Http::new()?);
        Ok(self.tokens.get_or_init(|| tokens))
    }
}

/// A variable's value, without what an editor leaves at its end.
fn variable(name: &str) -> Option<SecretString> {
    let value = std::env::var(name).ok().map(SecretString::from)?;
    let text = value.expose_secret().trim();
    (!text.is_empty()).then(|| SecretString::from(text))
}

/// A secret of the environment.
struct Variable {
    name: String,
    connection: Connection,
}

impl Credential for Variable {
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(std::future::ready(match variable(&self.name) {
            Some(secret) => Ok(Some(secret)),
            None => Err(refused(
                &self.connection,
                format!("{}: {NOT_SET}", not_set(&self.connection, &self.name)),
            )),
        }))
    }

    fn renewed(&self, refused: &SecretString) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(std::future::ready(Ok(variable(&self.name).filter(|now| differs(now, refused)))))
    }
}

fn differs(now: &SecretString, refused: &SecretString) -> bool {
    now.expose_secret() != refused.expose_secret()
}

/// A key or bearer token of the vault.
struct StoredSecret {
    vault: Vault,
    connection: Connection,
}

impl Credential for StoredSecret {
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(async {
            found(&self.vault, &self.connection).await.map(|entry| Some(entry.secret().clone()))
        })
    }

    fn renewed<'s>(
        &'s self,
        refused: &SecretString,
    ) -> BoxFuture<'s, Result<Option<SecretString>, ProviderError>> {
        let refused = refused.clone();
        Box::pin(async move {
            // Another one may have been given while the request was under way.
            let now = found(&self.vault, &self.connection).await?.secret().clone();
            Ok(differs(&now, &refused).then_some(now))
        })
    }
}

/// A token of an OAuth service.
struct OauthSecret {
    service: OauthService,
    tokens: Renewals,
    vault: Vault,
    connection: Connection,
}

impl Credential for OauthSecret {
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(async {
            found(&self.vault, &self.connection).await?;
            let name = oauth_name(&self.connection.slug);
            let provider_error = |error| self.provider_error(error);
            let tokens = self.tokens.tokens().map_err(provider_error)?;
            tokens.current(&name, &self.service).await.map(Some).map_err(provider_error)
        })
    }

    fn renewed<'s>(
        &'s self,
        refused: &SecretString,
    ) -> BoxFuture<'s, Result<Option<SecretString>, ProviderError>> {
        let refused = refused.clone();
        Box::pin(async move {
            found(&self.vault, &self.connection).await?;
            let name = oauth_name(&self.connection.slug);
            let provider_error = |error| self.provider_error(error);
            let tokens = self.tokens.tokens().map_err(provider_error)?;
            tokens.renewed(&name, &self.service, &refused).await.map(Some).map_err(provider_error)
        })
    }
}

impl OauthSecret {
    fn provider_error(&self, error: OauthError) -> ProviderError {
        provider_error(&self.connection, &error)
    }
}

/// The token of a workload.
struct Workload {
    tokens: Renewals,
    connection: Connection,
}

impl Credential for Workload {
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(self.exchanged(None))
    }

    fn renewed<'s>(
        &'s self,
        refused: &SecretString,
    ) -> BoxFuture<'s, Result<Option<SecretString>, ProviderError>> {
        Box::pin(self.exchanged(Some(refused.clone())))
    }
}

impl Workload {
    async fn exchanged(&self, refused: Option<SecretString>) -> Result<Option<SecretString>, ProviderError> {
        let Auth::WorkloadIdentity { token_file, token_url, fields } = &self.connection.auth else {
            return Ok(None);
        };
        let provider_error = |error| provider_error(&self.connection, &error);
        let file = PathBuf::from(token_file);
        let asked = file.clone();
        // The address is the file's to choose: only what is an identity goes there, and no other file of this machine.
        let identity = tokio::task::spawn_blocking(move || is_identity(&asked)).await.unwrap_or(false);
        if !identity {
            let what = format!("{token_file} holds no identity token (a JWT), so that nothing is sent");
            return Err(self::refused(&self.connection, what));
        }
        let tokens = self.tokens.tokens().map_err(provider_error)?;
        match &refused {
            None => tokens.workload(&file, token_url, fields).await,
            Some(refused) => tokens.workload_renewed(&file, token_url, fields, refused).await,
        }
        .map(Some)
        .map_err(provider_error)
    }
}

/// Whether a file holds a JSON Web Token: three parts in base64url, the first of which is a JSON object.
fn is_identity(path: &Path) -> bool {
    const MAX_FILE_BYTES: u64 = 64 << 10;
    if !std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MAX_FILE_BYTES) {
        return false;
    }
    let Ok(text) = std::fs::read_to_string(path).map(SecretString::from) else { return false };
    let parts: Vec<&str> = text.expose_secret().trim().split('.').collect();
    let coded = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'='))
    };
    parts.len() == 3 && parts.iter().all(coded) && parts[0].starts_with("eyJ")
}

fn provider_error(connection: &Connection, error: &OauthError) -> ProviderError {
    let new = |fault| ProviderError::new(&connection.slug, fault, error.to_string());
    match error {
        OauthError::Unreachable(_) => new(Fault::Network),
        OauthError::Malformed { .. } => new(Fault::Malformed).with_detail(Detail::WrongProtocol),
        OauthError::Invalid(_) | OauthError::Local(_) => new(Fault::BadRequest).with_detail(Detail::Settings),
        OauthError::NotSignedIn
        | OauthError::Expired
        | OauthError::Refused(_)
        | OauthError::Foreign(_)
        | OauthError::TimedOut { .. }
        | OauthError::Vault(_) => new(Fault::Auth),
    }
}

/// What the vault has for a connection, where it may have it.
async fn found(vault: &Vault, connection: &Connection) -> Result<Entry, ProviderError> {
    let (vault, asked) = (vault.clone(), connection.clone());
    let look = tokio::task::spawn_blocking(move || look(&vault, &asked)).await;
    match look {
        Ok(Ok(SecretLookup::There(entry))) => Ok(entry),
        Ok(Ok(SecretLookup::Missing)) => Err(refused(connection, not_there(connection))),
        Ok(Ok(SecretLookup::Elsewhere { bound })) => Err(refused(connection, elsewhere(connection, &bound))),
        Ok(Err(error)) => Err(refused(connection, error.to_string())),
        Err(_) => Err(refused(connection, "the vault was not read to its end")),
    }
}

pub fn refused(connection: &Connection, message: impl Into<String>) -> ProviderError {
    ProviderError::new(&connection.slug, Fault::Auth, message)
}

const NOT_SET: &str = "set it where the program is started, and start it again";

fn not_set(connection: &Connection, name: &str) -> String {
    format!("the environment variable {name}, which holds the secret of `{}`, is not set", connection.slug)
}

fn not_there(connection: &Connection) -> String {
    if let Auth::Oauth { .. } = connection.auth {
        format!("the connection `{}` is not signed in", connection.slug)
    } else {
        format!("there is no key for the connection `{}`", connection.slug)
    }
}

fn action_of(connection: &Connection) -> &'static str {
    let Auth::Oauth { service } = &connection.auth else { return "give it a key" };
    if service.authorize_url.is_some() { "sign in" } else { "give it a token" }
}

fn elsewhere(connection: &Connection, bound: &str) -> String {
    let given = if bound.is_empty() { "no known address" } else { bound };
    let now = bound_origin(connection).unwrap_or_else(|_| "no address".to_owned());
    format!(
        "the stored secret of `{}` was given for {given}, and the connection now leads to {now}: it is not sent there; \
         give it again for the new address, or change the address back",
        connection.slug
    )
}
