//! The token of one source: loaded, renewed ahead, and got anew when the server refuses it. One sign-in at a time.

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;
use url::Url;

use super::challenge::Challenge;
use super::credential::now;
use super::discovery::{Service, discover};
use super::{Credential, Oauth, Refusal, failed, flow};
use crate::error::SourceErrorKind;

/// Times that a server may ask for more scopes in the life of a connection.
const STEP_UPS: u32 = 3;
/// The scope by which a service gives tokens that can be renewed (OpenID Connect Core section 11).
const LASTING: &str = "offline_access";

/// The token of one source.
#[derive(Debug)]
pub(crate) struct SourceToken {
    oauth: Oauth,
    server: Url,
    /// Held while somebody signs in, so that everybody else waits for the outcome.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    loaded: bool,
    credential: Option<Credential>,
    step_ups: u32,
}

/// A token as it goes with a request.
#[derive(Debug, Clone)]
pub(crate) struct Token(SecretString);

impl Token {
    /// The value of the header field.
    pub(crate) fn header(&self) -> Result<HeaderValue, SourceErrorKind> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0.expose_secret()))
            .map_err(|_| failed("the token that was kept can't be sent: sign in again"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn is_of(&self, credential: &Credential) -> bool {
        self.0.expose_secret() == credential.access_token.expose_secret()
    }
}

impl SourceToken {
    pub(crate) fn new(oauth: Oauth, server: Url) -> Self {
        Self { oauth, server, state: Mutex::default() }
    }

    /// Whether a refusal may lead to a person being asked.
    pub(crate) fn asks_people(&self) -> bool {
        self.oauth.authorizer.is_some()
    }

    /// The token to send; none before the first sign-in.
    pub(crate) async fn token(&self) -> Result<Option<Token>, SourceErrorKind> {
        let mut state = self.state.lock().await;
        self.load(&mut state).await?;
        let stale = state.credential.as_ref().filter(|credential| credential.is_stale(now())).cloned();
        if let Some(stale) = stale {
            match self.renew(&mut state, &stale).await {
                Ok(()) => {}
                Err(error) if stale.has_ended(now()) => {
                    // The server's refusal will tell where to sign in anew.
                    tracing::debug!(%error, "a token has ended and could not be renewed");
                    return Ok(None);
                }
                Err(error) => tracing::debug!(%error, "a token could not be renewed yet"),
            }
        }
        Ok(state.credential.as_ref().map(|credential| Token(credential.access_token.clone())))
    }

    async fn load(&self, state: &mut State) -> Result<(), SourceErrorKind> {
        if state.loaded {
            return Ok(());
        }
        let kept = self.oauth.store.load().await;
        let kept = kept.map_err(|fault| failed(format!("its tokens can't be read: {fault}")))?;
        // A source whose address was changed has no tokens yet: those are for another server.
        state.credential = kept.filter(|credential| {
            let resource = Url::parse(&credential.resource);
            resource.is_ok_and(|resource| crate::http::same_origin(&resource, &self.server))
        });
        state.loaded = true;
        Ok(())
    }

    /// Finds another token than the one that was refused.
    ///
    /// # Errors
    /// When there can be none, or a person has to be asked and nobody may do that.
    pub(crate) async fn refused(
        &self,
        used: Option<Token>,
        refusal: &Refusal,
    ) -> Result<(), SourceErrorKind> {
        let mut state = self.state.lock().await;
        self.load(&mut state).await?;
        let changed = match (&used, &state.credential) {
            (Some(used), Some(credential)) => !used.is_of(credential),
            (None, Some(credential)) => !credential.has_ended(now()),
            (Some(_) | None, None) => false,
        };
        if changed {
            // Somebody else was faster.
            return Ok(());
        }
        match refusal {
            Refusal::Token(challenge) => self.sign_in_anew(&mut state, challenge).await,
            Refusal::Scope(challenge) => self.step_up(&mut state, challenge).await,
        }
    }

    /// Signs in if there is no token yet.
    pub(crate) async fn ensure(&self) -> Result<(), SourceErrorKind> {
        let mut state = self.state.lock().await;
        self.load(&mut state).await?;
        if state.credential.as_ref().is_some_and(|credential| !credential.has_ended(now())) {
            return Ok(());
        }
        self.sign_in_anew(&mut state, &Challenge::default()).await
    }

    async fn sign_in_anew(&self, state: &mut State, challenge: &Challenge) -> Result<(), SourceErrorKind> {
        let known = state.credential.clone();
        let issuer = known.as_ref().map(|known| known.issuer.as_str());
        let service = discover(&self.server, challenge, issuer).await?;
        // What another issuer gave is of no use here, and must not be shown to this one.
        let known = known.filter(|known| known.issuer == service.metadata.issuer);
        if let Some(known) = &known {
            match self.renew(state, known).await {
                Ok(()) => return Ok(()),
                Err(error) => tracing::debug!(%error, "a refused token could not be renewed"),
            }
        }
        let wanted = if challenge.scopes.is_empty() { &service.scopes } else { &challenge.scopes };
        let scopes = self.with_lasting(&service, union(&self.oauth.scopes, wanted));
        self.authorize(state, &service, scopes, known.as_ref(), "somebody has to sign in").await
    }

    async fn step_up(&self, state: &mut State, challenge: &Challenge) -> Result<(), SourceErrorKind> {
        let known = state.credential.clone();
        let had = known.as_ref().map(|known| known.scopes.as_slice()).unwrap_or_default();
        let scopes = union(had, &challenge.scopes);
        if known.is_some() && scopes.len() == had.len() {
            return Err(failed("it refuses this although it was given every scope that it asked for"));
        }
        state.step_ups += 1;
        if state.step_ups > STEP_UPS {
            return Err(failed(format!("it asked for more scopes {STEP_UPS} times and asks again")));
        }
        let issuer = known.as_ref().map(|known| known.issuer.as_str());
        let service = discover(&self.server, challenge, issuer).await?;
        let known = known.filter(|known| known.issuer == service.metadata.issuer);
        let scopes = self.with_lasting(&service, scopes);
        let reason = format!("more has to be allowed: {}", crate::text::excerpt(&scopes.join(" "), 300));
        self.authorize(state, &service, scopes, known.as_ref(), &reason).await
    }

    /// Tokens that can be renewed spare the person further sign-ins.
    fn with_lasting(&self, service: &Service, mut scopes: Vec<String>) -> Vec<String> {
        let offered = service.metadata.scopes_supported.iter().any(|scope| scope == LASTING);
        if offered && !scopes.is_empty() && !scopes.iter().any(|scope| scope == LASTING) {
            scopes.push(LASTING.to_owned());
        }
        scopes
    }

    async fn authorize(
        &self,
        state: &mut State,
        service: &Service,
        scopes: Vec<String>,
        known: Option<&Credential>,
        reason: &str,
    ) -> Result<(), SourceErrorKind> {
        let Some(authorizer) = &self.oauth.authorizer else {
            return Err(SourceErrorKind::SignInNeeded { reason: reason.to_owned() });
        };
        let credential =
            flow::authorize(&self.server, &self.oauth, authorizer.as_ref(), service, scopes, known).await?;
        self.keep(state, credential).await;
        Ok(())
    }

    async fn renew(&self, state: &mut State, known: &Credential) -> Result<(), SourceErrorKind> {
        let Some(refresh_token) = &known.refresh_token else {
            return Err(failed("its token can't be renewed"));
        };
        let fresh = flow::refresh(&self.server, known, refresh_token.expose_secret()).await?;
        self.keep(state, fresh).await;
        Ok(())
    }

    async fn keep(&self, state: &mut State, credential: Credential) {
        // What can't be kept is good for as long as this process lives, which is better than nothing.
        if let Err(fault) = self.oauth.store.save(&credential).await {
            tracing::warn!(%fault, "the tokens of a source could not be kept");
        }
        state.credential = Some(credential);
    }
}

fn union(one: &[String], other: &[String]) -> Vec<String> {
    super::challenge::words(&[one, other].concat().join(" "))
}
