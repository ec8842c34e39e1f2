//! Signing in at servers that are reached over HTTP: where their tokens are kept, and the person's way back.

use std::net::Ipv4Addr;
use std::time::Duration;

use ::secrets::{Entry, ExposeSecret, Vault};
use ::sources::{Authorizer, Credential, CredentialFault, CredentialStore, SignInFault, SignInPage};
use async_trait::async_trait;
use domain::Problem;
use parking_lot::Mutex;
use support::blocking;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use url::Url;
use workspace::SourceConfig;

use super::secrets;

/// How long the browser may take.
pub const PATIENCE: Duration = Duration::from_secs(600);
/// How long one connection may take to send its request.
const REQUEST: Duration = Duration::from_secs(10);
/// The largest head of a request, in bytes.
const HEAD: usize = 16 << 10;
/// Where the browser comes back to.
const PATH: &str = "/callback";

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
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(local)?;
        let port = listener.local_addr().map_err(local)?.port();
        Ok(Box::new(Page { redirect: format!("http://127.0.0.1:{port}{PATH}"), listener, told }))
    }
}

struct Page {
    redirect: String,
    listener: TcpListener,
    told: oneshot::Sender<String>,
}

#[async_trait]
impl SignInPage for Page {
    fn redirect_uri(&self) -> &str {
        &self.redirect
    }

    async fn visit(self: Box<Self>, url: &Url) -> Result<String, SignInFault> {
        let Self { redirect, listener, told } = *self;
        // It reaches a browser: nothing but a page may be opened.
        if !matches!(url.scheme(), "https" | "http") {
            return Err(SignInFault("the service names no page to sign in at".to_owned()));
        }
        if told.send(url.to_string()).is_err() {
            return Err(SignInFault("nobody waits for the sign-in any more".to_owned()));
        }
        let back = async {
            loop {
                let (stream, _) = listener
                    .accept()
                    .await
                    .map_err(|error| SignInFault(format!("the port was closed: {error}")))?;
                let taken = tokio::time::timeout(REQUEST, taken(stream)).await;
                if let Ok(Some(query)) = taken {
                    return Ok(format!("{redirect}?{query}"));
                }
            }
        };
        let late = || SignInFault("nobody came back from the sign-in page in time".to_owned());
        tokio::time::timeout(PATIENCE, back).await.map_err(|_| late())?
    }
}

/// The query with which the browser came back; anything else that asks is sent away.
async fn taken(mut stream: TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut piece = [0; 2_048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut piece).await.ok()?;
        if count == 0 || head.len() + count > HEAD {
            return None;
        }
        head.extend_from_slice(&piece[..count]);
    }
    let head = String::from_utf8_lossy(&head);
    let target = head.lines().next()?.strip_prefix("GET ")?.split(' ').next()?;
    let query = target.strip_prefix(PATH).and_then(|rest| rest.strip_prefix('?')).map(str::to_owned);
    let (status, words) = match query {
        Some(_) => ("200 OK", "Back in the program you will see how it went. This page can be closed."),
        None => ("404 Not Found", "There is nothing here."),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{words}",
        words.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    query
}
