//! Requests to other services: to the address that the person wrote, with secrets that never leave for anywhere else.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use automation::{Action, Auth, BodyFormat, Entry, Occurrence, Variables, expand};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::{ErrorCode, Problem};
use gate::{Automations, short};
use net_guard::{AddressError, Allow};
use secrets::ExposeSecret as _;
use serde_json::{Map, Value, json};
use store::WebhookRetry;
use support::{blocking, now_ms};
use url::Url;

use crate::Scheduler;
use crate::executor::{ActionResult, words};

/// The longest that one attempt takes.
const DEADLINE: Duration = Duration::from_secs(30);
/// The most of an answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// Waits before the attempts that are made at once.
const SOON: [u64; 3] = [1_000, 2_000, 4_000];
/// Waits before the attempts that are kept for later, in milliseconds.
const LATER: [i64; 3] = [5 * 60_000, 30 * 60_000, 60 * 60_000];
/// How long until a request is looked at again that is being tried, or could not be.
const UNSETTLED: i64 = 60_000;
/// The deepest body.
const MAX_DEPTH: usize = 32;
/// Variables of this process' environment that requests may name.
const OWN: [&str; 2] = ["AN_WH_", "CRAFT_WH_"];
/// Names of secrets of automations: these, and names without a slash. All others belong to connections and sources.
const MINE: &str = "automation/";

/// How an attempt went.
enum Attempt {
    Done(String),
    /// Another one may go better.
    Again(String),
    Failed(String),
}

/// A request, ready to be sent.
struct WebhookRequest {
    url: Url,
    allow: Allow,
    method: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
    capture: bool,
    /// What must be in no text that is kept.
    secrets: Vec<String>,
}

/// Marks a request as being tried from its first attempt on, until dropped: nobody else tries it meanwhile.
struct AttemptGuard<'a> {
    automations: &'a Automations,
    no: i64,
}

impl<'a> AttemptGuard<'a> {
    fn new(automations: &'a Automations, no: i64) -> Self {
        automations.trying.lock().insert(no);
        Self { automations, no }
    }
}

impl Drop for AttemptGuard<'_> {
    fn drop(&mut self) {
        self.automations.trying.lock().remove(&self.no);
        // Until now it was not looked at.
        self.automations.nudge.notify_one();
    }
}

impl Scheduler {
    /// Sends the request of an automation; what may go better later is queued. It is in the queue before the first attempt:
    /// a program that ends meanwhile tries it again.
    pub async fn webhook(
        &self,
        entry: &Entry,
        place: usize,
        action: &Action,
        happened: &Occurrence,
    ) -> Result<ActionResult, Problem> {
        let ready = self.ready(entry, action, happened).await?;
        let automations = self.permissions.gate().automations();
        let retry = WebhookRetry {
            no: number(),
            workspace: self.env.slug().to_owned(),
            automation: entry.id.clone(),
            digest: entry.digest.to_string(),
            action: u32::try_from(place).unwrap_or_default(),
            attempt: 0,
            due: automations.clock.now() + LATER[0],
            occurrence: serde_json::to_string(happened)
                .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?,
        };
        let _trying = AttemptGuard::new(automations, retry.no);
        self.env.store().retry_webhook(&retry).await?;
        let mut waits = SOON.into_iter();
        let came = loop {
            let again = match ready.attempt().await {
                Attempt::Done(said) => break ActionResult::new("done", said),
                Attempt::Failed(why) => break ActionResult::new("failed", why),
                Attempt::Again(why) => why,
            };
            match waits.next() {
                Some(wait) => automations.clock.wait(wait).await,
                None => break self.keep_for_later(&retry, &again).await?,
            }
        };
        self.take_settled(&retry, &came).await?;
        Ok(came)
    }

    async fn keep_for_later(&self, retry: &WebhookRetry, why: &str) -> Result<ActionResult, Problem> {
        let Some(wait) = LATER.get(retry.attempt as usize) else {
            return Ok(ActionResult::new("failed", format!("{why}; it is not tried again")));
        };
        let due = self.permissions.gate().automations().clock.now() + wait;
        if !self.env.store().postpone_webhook_retry(retry.no, retry.attempt + 1, due).await? {
            let what = "it was disabled meanwhile, or too many requests wait; it is not tried again";
            return Ok(ActionResult::new("failed", format!("{why}; {what}")));
        }
        Ok(ActionResult::new("waiting", format!("{why}; it is tried again in {} minutes", wait / 60_000)))
    }

    /// Takes a request out of the queue of which it is known what became of it.
    async fn take_settled(&self, retry: &WebhookRetry, came: &ActionResult) -> Result<(), Problem> {
        if came.outcome != "waiting" {
            self.env.store().take_webhook_retry(retry.no).await?;
        }
        Ok(())
    }

    /// Tries requests again that are due, and gives when to look for the next one.
    pub async fn retry_webhooks(&self, now: i64) -> Result<Option<i64>, Problem> {
        let automations = self.permissions.gate().automations();
        let mut next: Option<i64> = None;
        for retry in self.env.store().webhook_retries().await? {
            let wait = retry.due.saturating_sub(now);
            // Nothing waits longer than the longest: a later time is of a clock that was put back since.
            let waits = (1..=LATER[LATER.len() - 1]).contains(&wait);
            let look = if waits && automations.trying.lock().contains(&retry.no) {
                // Whoever tries it wakes the scheduler afterwards.
                continue;
            } else if waits {
                retry.due
            } else {
                if automations.trying.lock().insert(retry.no) {
                    let here = self.in_workspace(&retry.workspace);
                    tokio::spawn(async move { here.retry(&retry).await });
                }
                now.saturating_add(UNSETTLED)
            };
            next = Some(next.map_or(look, |next| next.min(look)));
        }
        Ok(next)
    }

    /// It stays in the queue until it is known what became of it: a program that ends meanwhile tries it again.
    async fn retry(&self, retry: &WebhookRetry) {
        let automations = self.permissions.gate().automations();
        let at = automations.clock.now();
        let retried = self.retried(retry).await;
        automations.trying.lock().remove(&retry.no);
        if retried.is_ok() {
            // It may be due at another time now.
            automations.nudge.notify_one();
        }
        match retried {
            Ok(Some((entry, happened, came))) => drop(self.note(&entry, &happened, at, came).await),
            Ok(None) => {}
            Err(problem) => tracing::warn!("a request stays in the queue: {}", problem.message),
        }
    }

    async fn retried(
        &self,
        retry: &WebhookRetry,
    ) -> Result<Option<(Entry, Occurrence, ActionResult)>, Problem> {
        let known = self.permissions.gate().automations().known(self.env.slug()).await?;
        let entry = known.file.entry(&retry.automation);
        let (Some(entry), Ok(happened)) = (entry, serde_json::from_str::<Occurrence>(&retry.occurrence))
        else {
            self.env.store().take_webhook_retry(retry.no).await?;
            return Ok(None);
        };
        // What was changed or disabled since is not what the person enabled.
        let same =
            entry.digest.to_string() == retry.digest && known.enabled.get(&entry.id) == Some(&retry.digest);
        let place = retry.action as usize;
        let action = entry.actions.get(place).filter(|_| same);
        let attempt = match action {
            None => Attempt::Failed("it was changed or disabled meanwhile; nothing more was sent".to_owned()),
            Some(action) => match self.ready(entry, action, &happened).await {
                Ok(ready) => ready.attempt().await,
                Err(problem) => Attempt::Failed(words(&problem)),
            },
        };
        let came = match attempt {
            Attempt::Again(why) => self.keep_for_later(retry, &why).await?,
            Attempt::Done(said) => ActionResult::new("done", said),
            Attempt::Failed(why) => ActionResult::new("failed", why),
        };
        self.take_settled(retry, &came).await?;
        Ok(Some((entry.clone(), happened, came)))
    }

    /// Puts variables and secrets in.
    async fn ready(
        &self,
        entry: &Entry,
        action: &Action,
        happened: &Occurrence,
    ) -> Result<WebhookRequest, Problem> {
        let Action::Webhook { url, method, headers, format, body, auth, capture } = action else {
            return Err(Problem::new(ErrorCode::Internal, "this is no request"));
        };
        let variables = Variables::new(happened, &entry.zone);
        let named = names(action);
        let vault = self.registry.vault().clone();
        let known = blocking(move || {
            let mut known = Vec::new();
            for name in named {
                let secret = vault.get(&name)?.ok_or_else(|| {
                    Problem::new(ErrorCode::NotFound, format!("the vault has nothing under {name}"))
                        .with_action(
                            "put it there in Settings > Credentials, or with `agentnative secrets put`",
                        )
                })?;
                known.push((name, secret.expose_secret().to_owned()));
            }
            Ok(known)
        })
        .await?;
        let mut hidden: Vec<String> = known.iter().map(|(_, secret)| secret.clone()).collect();
        let lookup = |name: &str, event: bool| -> Option<String> {
            if let Some(secret) = name.strip_prefix("secret:") {
                return known.iter().find(|(known, _)| known == secret).map(|(_, value)| value.clone());
            }
            if OWN.iter().any(|prefix| name.starts_with(prefix)) {
                return std::env::var(name).ok();
            }
            // Without the event a variable is a letter: what is left of an address is what the person wrote.
            variables.get(name).map(|value| if event { value.to_owned() } else { "x".to_owned() })
        };
        let mut missing = Vec::new();
        let mut put = |text: &str| {
            let (text, unknown) = expand(text, |name| lookup(name, true));
            missing.extend(unknown);
            text
        };
        let address = put(url);
        let auth = match auth {
            None => None,
            Some(Auth::Bearer { token }) => Some(format!("Bearer {}", put(token))),
            Some(Auth::Basic { username, password }) => {
                Some(format!("Basic {}", STANDARD.encode(format!("{}:{}", put(username), put(password)))))
            }
        };
        let mut sent: Vec<(String, String)> =
            headers.iter().map(|(name, value)| (name.clone(), put(value))).collect();
        if let Some(auth) = &auth {
            hidden.push(auth.split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default());
            sent.push(("authorization".to_owned(), auth.clone()));
        }
        let body = match (format, body) {
            _ if method == "GET" => None,
            (BodyFormat::Raw, Some(Value::String(text))) => Some(put(text)),
            (BodyFormat::Form, Some(Value::Object(fields))) => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                for (name, value) in fields {
                    let text = match value {
                        Value::String(text) => put(text),
                        other => other.to_string(),
                    };
                    form.append_pair(name, &text);
                }
                Some(form.finish())
            }
            (_, Some(body)) => Some(filled(body, &mut put, 0).to_string()),
            (_, None) => {
                let mut all = Map::new();
                all.insert("event".to_owned(), json!(happened.event.name()));
                all.insert("at".to_owned(), json!(happened.at));
                all.insert("automation".to_owned(), json!(entry.title()));
                all.insert("facts".to_owned(), json!(happened.facts));
                Some(Value::Object(all).to_string())
            }
        };
        if let Some(name) = missing.first() {
            return Err(Problem::new(ErrorCode::InvalidConfig, format!("there is no variable {name}"))
                .with_action("set it in the program's environment, or put a secret into the vault and write ${secret:NAME}"));
        }
        if sent.iter().any(|(_, value)| value.contains(['\r', '\n', '\0'])) {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                "a header would hold a line break; nothing was sent",
            ));
        }
        if body.is_some() && !sent.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            let kind = match format {
                BodyFormat::Json => "application/json",
                BodyFormat::Form => "application/x-www-form-urlencoded",
                BodyFormat::Raw => "text/plain; charset=utf-8",
            };
            sent.push(("content-type".to_owned(), kind.to_owned()));
        }
        hidden.extend(OWN.iter().flat_map(|prefix| environment(prefix)));
        hidden.retain(|secret| secret.len() >= 4);
        // A private address is reached where the person wrote it, never where something that happened led to it.
        let written = expand(url, |name| lookup(name, false)).0;
        let refused = |error: AddressError| {
            Problem::new(
                ErrorCode::InvalidInput,
                format!("the address {}", scrub(&error.to_string(), &hidden)),
            )
        };
        let allow = match (Url::parse(&written), Url::parse(&address)) {
            (Ok(written), Ok(address)) if written.origin() == address.origin() => Allow::origin(&address),
            _ => Allow::none(),
        };
        let url = net_guard::checked(&address, &allow).map_err(refused)?;
        Ok(WebhookRequest {
            url,
            allow,
            method: method.clone(),
            headers: sent,
            body,
            capture: *capture,
            secrets: hidden,
        })
    }
}

impl WebhookRequest {
    async fn attempt(&self) -> Attempt {
        let host = self.url.host_str().unwrap_or_default();
        match tokio::time::timeout(DEADLINE, self.send()).await {
            Ok(attempt) => attempt,
            Err(_) => Attempt::Again(format!("{host} did not answer within {} seconds", DEADLINE.as_secs())),
        }
    }

    async fn send(&self) -> Attempt {
        let host = self.url.host_str().unwrap_or_default();
        let addresses = match net_guard::resolve(&self.url, &self.allow).await {
            Ok(addresses) => addresses,
            Err(error @ AddressError::Unknown(_)) => return Attempt::Again(error.to_string()),
            Err(error) => return Attempt::Failed(error.to_string()),
        };
        let client = match net_guard::client(&self.url, &addresses) {
            Ok(client) => client,
            Err(error) => return Attempt::Failed(error.to_string()),
        };
        let mut request = match self.method.as_str() {
            "GET" => client.get(self.url.clone()),
            "PUT" => client.put(self.url.clone()),
            "PATCH" => client.patch(self.url.clone()),
            "DELETE" => client.delete(self.url.clone()),
            _ => client.post(self.url.clone()),
        };
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), value.as_str());
        }
        if let Some(body) = &self.body {
            request = request.body(body.clone());
        }
        let mut response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_builder() => {
                return Attempt::Failed("the request can't be made".to_owned());
            }
            Err(_) => return Attempt::Again(format!("{host} can't be reached")),
        };
        let status = response.status().as_u16();
        let mut read = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            read.extend_from_slice(&piece);
            if read.len() > MAX_ANSWER_BYTES {
                break;
            }
        }
        let text = scrub(&short(&String::from_utf8_lossy(&read)), &self.secrets);
        match status {
            200..=299 if self.capture && !text.is_empty() => {
                Attempt::Done(format!("{host} answered {status}: {text}"))
            }
            200..=299 => Attempt::Done(format!("{host} answered {status}")),
            408 | 429 | 500..=599 => Attempt::Again(format!("{host} answered {status}")),
            300..=399 => Attempt::Failed(format!("{host} answered {status}: redirects are not followed")),
            _ => Attempt::Failed(format!("{host} answered {status}: {text}")),
        }
    }
}

/// A number for a request of the queue: higher than those before it, of earlier programs as well.
fn number() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let now = now_ms().saturating_mul(1_000);
    let next = |last: i64| now.max(last.saturating_add(1));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
    next(last.unwrap_or_default())
}

/// The names of secrets that a request names. Those of connections and sources belong to them alone.
fn names(action: &Action) -> Vec<String> {
    let Action::Webhook { url, headers, body, auth, .. } = action else { return Vec::new() };
    let mut texts = vec![url.clone()];
    texts.extend(headers.values().cloned());
    texts.extend(body.as_ref().map(ToString::to_string));
    match auth {
        None => {}
        Some(Auth::Bearer { token }) => texts.push(token.clone()),
        Some(Auth::Basic { username, password }) => texts.extend([username.clone(), password.clone()]),
    }
    let mut names = Vec::new();
    for text in texts {
        expand(&text, |name| {
            let name = name.strip_prefix("secret:")?;
            let mine = !name.contains('/') || name.starts_with(MINE);
            if mine && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
            None
        });
    }
    names
}

/// The body with variables in its texts.
fn filled(value: &Value, put: &mut impl FnMut(&str) -> String, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    match value {
        Value::String(text) => Value::String(put(text)),
        Value::Array(items) => items.iter().map(|item| filled(item, put, depth + 1)).collect(),
        Value::Object(map) => {
            let fields = map.iter().map(|(name, value)| (name.clone(), filled(value, put, depth + 1)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// Values of this process' environment that requests may hold.
fn environment(prefix: &'static str) -> impl Iterator<Item = String> {
    std::env::vars().filter(move |(name, _)| name.starts_with(prefix)).map(|(_, value)| value)
}

fn scrub(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "(secret)"))
}
