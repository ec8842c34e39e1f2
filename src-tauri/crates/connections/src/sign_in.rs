//! Sign-ins at OAuth services: each waits for the person's browser to come back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::connection::{Auth, Connection};
use domain::{ErrorCode, Problem};
use parking_lot::Mutex;
use protocol::{SignIn, SignInState};
use secrets::{Entry, Http, SecretString, Vault};
use support::Token;
use tokio::task::AbortHandle;

use super::credential::{bind, oauth_name};
use super::rows::{host_of, shown_name};

/// How long the browser may take.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Sign-ins that are remembered; of ended ones the oldest is forgotten first.
const MAX_SIGN_INS: usize = 32;

/// Sign-ins of this process.
#[derive(Clone, Default)]
pub struct SignIns {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    begun: u64,
    known: BTreeMap<String, ActiveSignIn>,
}

struct ActiveSignIn {
    number: u64,
    slug: String,
    sign_in: SignIn,
    task: Option<AbortHandle>,
}

impl SignIns {
    /// Begins one; one that waits for the same connection is given up. `done` is called when its token is in the vault.
    pub async fn begin(
        &self,
        vault: Vault,
        connection: &Connection,
        client_secret: Option<SecretString>,
        done: impl FnOnce() + Send + 'static,
    ) -> Result<SignIn, Problem> {
        let Auth::Oauth { service } = &connection.auth else {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("the connection `{}` has no service to sign in at", connection.slug),
            )
            .with_action("give it a key, or set its auth to oauth"));
        };
        let bound = bind(connection)?;
        let begun = secrets::SignIn::begin(service, client_secret, Http::new()?).await?;
        let sign_in = SignIn {
            id: Token::fresh()?.as_str().chars().take(16).collect(),
            url: begun.url().to_owned(),
            state: SignInState::Waiting,
            message: String::new(),
        };
        let name = oauth_name(&connection.slug);
        let words = format!("signed in for {} at {}", shown_name(connection), host_of(connection));
        let (all, id) = (self.clone(), sign_in.id.clone());
        let waiting = async move {
            let ended = async {
                let token = begun.finish(TIMEOUT).await?;
                let keep = move || vault.put_all(&[(name, Entry::Token(token)), bound]);
                tokio::task::spawn_blocking(keep)
                    .await
                    .map_err(|_| Problem::new(ErrorCode::Internal, "the token was not kept"))??;
                Ok::<_, Problem>(())
            };
            match ended.await {
                Ok(()) => {
                    all.end(&id, SignInState::Done, words);
                    done();
                }
                Err(problem) => all.end(&id, SignInState::Failed, problem.message),
            }
        };
        let mut inner = self.inner.lock();
        for known in inner.known.values_mut().filter(|known| known.slug == connection.slug) {
            known.give_up("another sign-in was begun");
        }
        inner.begun += 1;
        let known = ActiveSignIn {
            number: inner.begun,
            slug: connection.slug.clone(),
            sign_in: sign_in.clone(),
            // It can't end before it stands here: its end needs the lock that is held.
            task: Some(tokio::spawn(waiting).abort_handle()),
        };
        inner.known.insert(sign_in.id.clone(), known);
        inner.trim();
        Ok(sign_in)
    }

    /// Follows a sign-in that somebody else began: at `url`, for what is named `key`. `ended` gives the words for its end.
    pub fn follow(
        &self,
        key: &str,
        url: String,
        ended: impl Future<Output = Result<String, Problem>> + Send + 'static,
    ) -> Result<SignIn, Problem> {
        let id: String = Token::fresh()?.as_str().chars().take(16).collect();
        let sign_in = SignIn { id, url, state: SignInState::Waiting, message: String::new() };
        let (all, id) = (self.clone(), sign_in.id.clone());
        let waiting = async move {
            match ended.await {
                Ok(words) => all.end(&id, SignInState::Done, words),
                Err(problem) => all.end(&id, SignInState::Failed, problem.message),
            }
        };
        let mut inner = self.inner.lock();
        for known in inner.known.values_mut().filter(|known| known.slug == key) {
            known.give_up("another sign-in was begun");
        }
        inner.begun += 1;
        let known = ActiveSignIn {
            number: inner.begun,
            slug: key.to_owned(),
            sign_in: sign_in.clone(),
            task: Some(tokio::spawn(waiting).abort_handle()),
        };
        inner.known.insert(sign_in.id.clone(), known);
        inner.trim();
        Ok(sign_in)
    }

    /// How one stands.
    pub fn show(&self, id: &str) -> Result<SignIn, Problem> {
        self.inner.lock().known.get(id).map(|known| known.sign_in.clone()).ok_or_else(unknown)
    }

    /// Gives one up; fine when it has ended.
    pub fn cancel(&self, id: &str) -> Result<(), Problem> {
        self.inner.lock().known.get_mut(id).map(|known| known.give_up("it was cancelled")).ok_or_else(unknown)
    }

    fn end(&self, id: &str, state: SignInState, message: String) {
        if let Some(known) = self.inner.lock().known.get_mut(id)
            && known.sign_in.state == SignInState::Waiting
        {
            known.sign_in.state = state;
            known.sign_in.message = message;
            known.task = None;
        }
    }
}

impl ActiveSignIn {
    fn give_up(&mut self, why: &str) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
        if self.sign_in.state == SignInState::Waiting {
            self.sign_in.state = SignInState::Failed;
            why.clone_into(&mut self.sign_in.message);
        }
    }
}

impl Inner {
    fn trim(&mut self) {
        while self.known.len() > MAX_SIGN_INS {
            let oldest = self.known.iter().min_by_key(|(_, known)| known.number).map(|(id, _)| id.clone());
            let Some(mut known) = oldest.and_then(|id| self.known.remove(&id)) else { return };
            known.give_up("too many sign-ins were begun");
        }
    }
}

fn unknown() -> Problem {
    Problem::new(ErrorCode::NotFound, "there is no such sign-in").with_action("begin it again")
}
