//! Tokens as they are used: fresh ones, renewed ahead of time, by one request for all who wait.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use domain::connection::OauthService;
use parking_lot::Mutex;
use secrecy::{ExposeSecret, SecretString};
use support::now_ms;
use tokio::sync::Mutex as AsyncMutex;
use zeroize::Zeroizing;

use super::http::{Http, Style, texts, token};
use super::renewal::Renewal;
use crate::error::OauthError;
use crate::vault::{Entry, Token, Vault};

/// How long before its end a token is renewed; for short-lived ones, a fifth of their life.
const AHEAD_MS: i64 = 5 * 60 * 1000;
/// How long a workload's token is used that does not say when it ends.
const UNTOLD_MS: i64 = 10 * 60 * 1000;
/// The most bytes of a file with a workload's identity.
const IDENTITY_CAP: u64 = 64 * 1024;

/// The tokens of a vault, and those that workloads get for their identity. Clones share what is under way.
///
/// A renewal goes on when its caller is dropped: a service that has given a new refresh token takes the old one no more.
/// The new one is in the vault before anybody uses what came with it.
#[derive(Clone)]
pub struct Tokens {
    inner: Arc<Inner>,
}

struct Inner {
    vault: Vault,
    http: Http,
    gates: Mutex<BTreeMap<String, Gate>>,
    workloads: Mutex<BTreeMap<String, WorkloadToken>>,
}

/// Lets one renewal of a name through, and holds how the last one failed.
type Gate = Arc<AsyncMutex<Option<Failed>>>;

struct Failed {
    version: u64,
    at: Instant,
    error: OauthError,
}

/// A workload's token and when it was got.
#[derive(Clone)]
struct WorkloadToken {
    token: Token,
    at: i64,
}

/// What is wrong with the present token.
#[derive(Clone)]
enum TokenFault {
    /// It ends soon.
    EndsSoon,
    /// The service refused this one.
    Refused(SecretString),
}

/// How something new is got.
enum Source {
    Service(Box<OauthService>),
    Key(Box<Renewal>),
}

impl TokenFault {
    fn is(&self, entry: &Entry, written_at: i64) -> bool {
        match self {
            Self::EndsSoon => ends_soon(entry.expires_at(), written_at),
            Self::Refused(refused) => entry.secret().expose_secret() == refused.expose_secret(),
        }
    }
}

fn ends_soon(expires_at: Option<i64>, written_at: i64) -> bool {
    expires_at.is_some_and(|end| {
        let life = end.saturating_sub(written_at).max(0);
        end.saturating_sub(AHEAD_MS.min(life / 5)) <= now_ms()
    })
}

impl Tokens {
    /// Over a vault.
    pub fn new(vault: Vault, http: Http) -> Self {
        Self { inner: Arc::new(Inner { vault, http, gates: Mutex::default(), workloads: Mutex::default() }) }
    }

    /// The access token under `name`, renewed first when it ends within five minutes. Where the service can't be reached
    /// and the token still holds, that one.
    ///
    /// # Errors
    /// [`OauthError::NotSignedIn`], [`OauthError::Expired`], the vault's, and what a request can end in.
    pub async fn current(&self, name: &str, service: &OauthService) -> Result<SecretString, OauthError> {
        let (entry, _, written_at) = self.read(name).await?.ok_or(OauthError::NotSignedIn)?;
        if !TokenFault::EndsSoon.is(&entry, written_at) {
            return Ok(entry.secret().clone());
        }
        let holds = entry.expires_at().is_none_or(|end| end > now_ms());
        let renewed = match &entry {
            Entry::Token(Token { refresh: None, .. }) | Entry::Secret(_) => Err(OauthError::Expired),
            Entry::Token(_) => {
                self.renew(name, Source::Service(service.clone().into()), TokenFault::EndsSoon).await
            }
        };
        match renewed {
            Err(OauthError::Unreachable(_) | OauthError::Expired) if holds => Ok(entry.secret().clone()),
            renewed => renewed,
        }
    }

    /// Another access token, since the service refused this one: what is there meanwhile, or a renewed one.
    ///
    /// # Errors
    /// As [`current`](Self::current).
    pub async fn renewed(
        &self,
        name: &str,
        service: &OauthService,
        refused: &SecretString,
    ) -> Result<SecretString, OauthError> {
        self.renew(name, Source::Service(service.clone().into()), TokenFault::Refused(refused.clone())).await
    }

    /// Another key from a service that renews keys, since `refused` is to be replaced: what is there meanwhile, or a new
    /// one. It is in the vault before this returns.
    ///
    /// # Errors
    /// As [`current`](Self::current).
    pub async fn renewed_key(
        &self,
        name: &str,
        renewal: &Renewal,
        refused: &SecretString,
    ) -> Result<SecretString, OauthError> {
        self.renew(name, Source::Key(renewal.clone().into()), TokenFault::Refused(refused.clone())).await
    }

    /// The access token of a workload: the identity in `token_file` is exchanged for one (RFC 7523), again before it ends.
    /// It is kept in memory only.
    ///
    /// # Errors
    /// [`OauthError::Local`] when the file can't be read, and what a request can end in.
    pub async fn workload(
        &self,
        token_file: &Path,
        token_url: &str,
        fields: &BTreeMap<String, String>,
    ) -> Result<SecretString, OauthError> {
        self.exchanged(token_file, token_url, fields, TokenFault::EndsSoon).await
    }

    /// Another access token of a workload, since the service refused this one.
    ///
    /// # Errors
    /// As [`workload`](Self::workload).
    pub async fn workload_renewed(
        &self,
        token_file: &Path,
        token_url: &str,
        fields: &BTreeMap<String, String>,
        refused: &SecretString,
    ) -> Result<SecretString, OauthError> {
        self.exchanged(token_file, token_url, fields, TokenFault::Refused(refused.clone())).await
    }

    async fn read(&self, name: &str) -> Result<Option<(Entry, u64, i64)>, OauthError> {
        let (vault, name) = (self.inner.vault.clone(), name.to_owned());
        blocking(move || Ok(vault.versioned(&name)?)).await
    }

    async fn renew(&self, name: &str, source: Source, stale: TokenFault) -> Result<SecretString, OauthError> {
        let (tokens, name, begun) = (self.clone(), name.to_owned(), Instant::now());
        apart(async move {
            let gate = tokens.gate(&name);
            let mut failed = gate.lock().await;
            let lock = tokens.inner.vault.renewing(&name);
            let _lock = blocking(move || Ok(lock.wait()?)).await?;
            let (entry, version, written_at) = tokens.read(&name).await?.ok_or(OauthError::NotSignedIn)?;
            if !stale.is(&entry, written_at) {
                return Ok(entry.secret().clone());
            }
            // Who waited for this very attempt shares its end; what has expired is not asked for again.
            if let Some(failed) = &*failed
                && failed.version == version
                && (failed.at >= begun || failed.error == OauthError::Expired)
            {
                return Err(failed.error.clone());
            }
            let done = tokens.renew_now(&name, &source, &entry, version).await;
            *failed =
                done.as_ref().err().map(|error| Failed { version, at: Instant::now(), error: error.clone() });
            done
        })
        .await
    }

    async fn renew_now(
        &self,
        name: &str,
        source: &Source,
        entry: &Entry,
        version: u64,
    ) -> Result<SecretString, OauthError> {
        let new = match (source, entry) {
            (Source::Service(service), Entry::Token(token)) => {
                Entry::Token(self.refresh(service, token).await?)
            }
            (Source::Service(_), Entry::Secret(_)) => return Err(OauthError::Expired),
            (Source::Key(renewal), entry) => renewal.run(&self.inner.http, entry).await?,
        };
        let (vault, name) = (self.inner.vault.clone(), name.to_owned());
        let (old, mut version) = (entry.clone(), version);
        blocking(move || {
            while !vault.replace(&name, version, &new)? {
                let (there, newer, _) = vault.versioned(&name)?.ok_or(OauthError::NotSignedIn)?;
                if !same(&there, &old) {
                    // Somebody signed in again meanwhile: that holds.
                    return Ok(there.secret().clone());
                }
                // Only the vault's keys were changed.
                version = newer;
            }
            Ok(new.secret().clone())
        })
        .await
    }

    async fn refresh(&self, service: &OauthService, old: &Token) -> Result<Token, OauthError> {
        let refresh = old.refresh.as_ref().ok_or(OauthError::Expired)?;
        let own =
            |own: &str, described: &str| if own.is_empty() { described.to_owned() } else { own.to_owned() };
        let token_url = own(&old.token_url, &service.token_url);
        let client_id = own(&old.client_id, &service.client_id);
        let mut fields = vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose_secret()),
            ("client_id", client_id.as_str()),
        ];
        if let Some(secret) = &old.client_secret {
            fields.push(("client_secret", secret.expose_secret()));
        }
        let answer =
            self.inner.http.exchange(&token_url, &fields, Style::for_endpoint(&token_url, false)).await?;
        let sent = texts(&[Some(refresh), old.client_secret.as_ref()]);
        let new = token(&answer, &sent)?;
        Ok(Token {
            refresh: new.refresh.or_else(|| old.refresh.clone()),
            scope: if new.scope.is_empty() { old.scope.clone() } else { new.scope },
            client_id,
            client_secret: old.client_secret.clone(),
            token_url,
            access: new.access,
            expires_at: new.expires_at,
        })
    }

    async fn exchanged(
        &self,
        token_file: &Path,
        token_url: &str,
        fields: &BTreeMap<String, String>,
        stale: TokenFault,
    ) -> Result<SecretString, OauthError> {
        let mut name = format!("workload\n{}\n{token_url}", token_file.display());
        for (key, value) in fields {
            name.push_str(&format!("\n{key}={value}"));
        }
        if let Some(secret) = self.kept(&name, &stale) {
            return Ok(secret);
        }
        let (tokens, begun) = (self.clone(), Instant::now());
        let (file, url, fields) = (token_file.to_owned(), token_url.to_owned(), fields.clone());
        apart(async move {
            let gate = tokens.gate(&name);
            let mut failed = gate.lock().await;
            if let Some(secret) = tokens.kept(&name, &stale) {
                return Ok(secret);
            }
            if let Some(failed) = failed.as_ref().filter(|failed| failed.at >= begun) {
                return Err(failed.error.clone());
            }
            match tokens.identify(file, &url, &fields).await {
                Ok(kept) => {
                    let secret = kept.token.access.clone();
                    let mut workloads = tokens.inner.workloads.lock();
                    workloads.insert(name, kept);
                    Ok(secret)
                }
                Err(error) => {
                    *failed = Some(Failed { version: 0, at: Instant::now(), error: error.clone() });
                    Err(error)
                }
            }
        })
        .await
    }

    fn kept(&self, name: &str, stale: &TokenFault) -> Option<SecretString> {
        let workloads = self.inner.workloads.lock();
        let kept = workloads.get(name)?;
        let stale = match stale {
            TokenFault::EndsSoon => ends_soon(kept.token.expires_at, kept.at),
            TokenFault::Refused(refused) => kept.token.access.expose_secret() == refused.expose_secret(),
        };
        (!stale).then(|| kept.token.access.clone())
    }

    async fn identify(
        &self,
        file: PathBuf,
        token_url: &str,
        more: &BTreeMap<String, String>,
    ) -> Result<WorkloadToken, OauthError> {
        let identity = blocking(move || read_identity(&file)).await?;
        let mut fields = vec![
            ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
            ("assertion", identity.expose_secret()),
        ];
        let ours = |key: &str| key == "grant_type" || key == "assertion";
        fields.extend(
            more.iter().filter(|(key, _)| !ours(key)).map(|(key, value)| (key.as_str(), value.as_str())),
        );
        let answer =
            self.inner.http.exchange(token_url, &fields, Style::for_endpoint(token_url, true)).await?;
        let mut token = token(&answer, &[identity.expose_secret()]).map_err(|error| match error {
            OauthError::Expired => OauthError::Refused(
                "the workload's identity was not accepted: check the file and the fields".into(),
            ),
            error => error,
        })?;
        let at = now_ms();
        token.expires_at = token.expires_at.or(Some(at + UNTOLD_MS));
        Ok(WorkloadToken { token, at })
    }

    fn gate(&self, name: &str) -> Gate {
        let mut gates = self.inner.gates.lock();
        gates.entry(name.to_owned()).or_default().clone()
    }
}

/// Whether two entries are the same sign-in or key.
fn same(one: &Entry, other: &Entry) -> bool {
    let refresh = |entry: &Entry| match entry {
        Entry::Token(token) => {
            token.refresh.as_ref().map(|refresh| refresh.expose_secret().to_owned()).map(Zeroizing::new)
        }
        Entry::Secret(_) => None,
    };
    one.secret().expose_secret() == other.secret().expose_secret() && refresh(one) == refresh(other)
}

fn read_identity(path: &Path) -> Result<SecretString, OauthError> {
    let local =
        |what: &str| OauthError::Local(format!("the identity in {} can't be used: {what}", path.display()));
    let metadata = std::fs::metadata(path).map_err(|error| local(&error.to_string()))?;
    if !metadata.is_file() {
        return Err(local("it is not a plain file"));
    }
    if metadata.len() > IDENTITY_CAP {
        return Err(local("it is too big"));
    }
    let bytes = Zeroizing::new(std::fs::read(path).map_err(|error| local(&error.to_string()))?);
    let text = std::str::from_utf8(&bytes).map_err(|_| local("it is not text"))?.trim();
    if text.is_empty() || text.chars().any(|c| !c.is_ascii_graphic()) {
        return Err(local("it holds no token"));
    }
    Ok(SecretString::from(text))
}

/// Runs `work` to its end, even when the caller is dropped.
async fn apart<T: Send + 'static>(
    work: impl Future<Output = Result<T, OauthError>> + Send + 'static,
) -> Result<T, OauthError> {
    tokio::spawn(work).await.unwrap_or_else(|_| Err(stopped()))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OauthError> + Send + 'static,
) -> Result<T, OauthError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(stopped()))
}

fn stopped() -> OauthError {
    OauthError::Local("the renewal was stopped: the program is ending".into())
}
