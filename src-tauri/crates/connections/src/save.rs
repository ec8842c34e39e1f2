//! Changes of connections: added, changed, renamed, removed, tested, listed.

use std::sync::Arc;

use domain::connection::{Auth, Connection, ModelOverride};
use domain::{ErrorCode, Problem};
use llm::Provider;
use llm::http::{Credential, Fixed};
use protocol::{ConnectionSave, ConnectionTest, CredentialState, ModelPatch};
use secrets::{Entry, SecretString, Token, VaultError};
use support::{blocking, now_ms};
use workspace::{ConnectionEntry, check_connection, connection_slug_fault};

use super::credential::{
    self, PresentedSecret, bind, bound_elsewhere, key_name, names_of, oauth_name, stored_name,
};
use super::rows::variable;
use super::{ConnectionRegistry, connection_test, redact};

/// The longest secret, in bytes.
const MAX_SECRET_BYTES: usize = 64 << 10;

/// What a command brought: its secret is out of reach of whoever prints it.
struct ConnectionInput {
    connection: Connection,
    secret: Option<SecretString>,
    was: Option<String>,
    replace: bool,
}

impl ConnectionInput {
    fn new(save: ConnectionSave) -> Result<Self, Problem> {
        let ConnectionSave { mut connection, secret, was, replace, private: _ } = save;
        tidy(&mut connection);
        let secret = secret.map(SecretString::from).map(|secret| clean(&secret)).transpose()?.flatten();
        let problems = check_connection("the connection", "", &connection);
        if !problems.is_empty() {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Err(invalid(lines.join("\n")).with_action("correct it and save again"));
        }
        if secret.is_some() {
            if let Some(name) = variable(&connection) {
                return Err(invalid(format!(
                    "the connection reads its secret from {name} and was given one, too"
                ))
                .with_action("leave one of the two out"));
            }
            if stored_name(&connection).is_none() {
                return Err(invalid("the connection asks as nobody and was given a secret")
                    .with_action("set its auth to key or bearer, or leave the secret out"));
            }
        }
        Ok(Self { connection, secret, was, replace })
    }

    /// What stands in the vault for it.
    fn entries(&self) -> Result<Vec<(String, Entry)>, Problem> {
        let Some(secret) = &self.secret else { return Ok(Vec::new()) };
        Ok(vec![stored(&self.connection, secret), bind(&self.connection)?])
    }
}

/// A connection's secret as the vault keeps it.
pub fn stored(connection: &Connection, secret: &SecretString) -> (String, Entry) {
    match &connection.auth {
        Auth::Oauth { service } => {
            let token = Token {
                client_id: service.client_id.clone(),
                token_url: service.token_url.clone(),
                ..Token::new(secret.clone())
            };
            (oauth_name(&connection.slug), Entry::Token(token))
        }
        Auth::None | Auth::Key { .. } | Auth::Bearer { .. } | Auth::WorkloadIdentity { .. } => {
            (key_name(&connection.slug), Entry::Secret(secret.clone()))
        }
    }
}

/// A secret as a person meant it: without what surrounds it when it is pasted. `None`: it is empty.
pub fn clean(secret: &SecretString) -> Result<Option<SecretString>, Problem> {
    use secrets::ExposeSecret;
    let text = secret.expose_secret().trim();
    if text.len() > MAX_SECRET_BYTES {
        return Err(invalid(format!("a secret has at most {MAX_SECRET_BYTES} bytes")));
    }
    if !text.bytes().all(|byte| (33..127).contains(&byte)) {
        return Err(invalid(
            "a key is one line of letters, digits and signs; this has something else inside",
        )
        .with_action("copy it once more, without quotes and line breaks"));
    }
    Ok((!text.is_empty()).then(|| SecretString::from(text)))
}

impl ConnectionRegistry {
    /// Adds or changes a connection.
    pub fn save(&self, save: ConnectionSave) -> Result<String, Problem> {
        let wanted = ConnectionInput::new(save)?;
        let connection = &wanted.connection;
        let slug = connection.slug.clone();
        let was = wanted.was.clone().unwrap_or_else(|| slug.clone());
        let kept = self.kept();
        let before = kept.entry(&was);
        if wanted.was.is_some() && before.is_none() {
            return Err(kept.unknown(&was));
        }
        let program = self.built_in().contains_key(&slug);
        let taken = kept.entry(&slug).is_some() && !wanted.replace && (wanted.was.is_none() || slug != was);
        if program || taken {
            return Err(Problem::new(ErrorCode::Conflict, format!("there is already a connection `{slug}`"))
                .with_action("take another name, or change that one"));
        }
        // Opening sends nothing; what can't be meant is told before anything is kept.
        llm::http::connect(connection.clone(), Arc::new(Fixed(None)))
            .map_err(|error| invalid(error.message))?;
        let renamed = was != slug && before.is_some();
        self.keep_secrets(&wanted, &was, renamed)?;
        let fresh = ConnectionEntry::new(connection.clone());
        let written = self.file.update(|entries| {
            if renamed {
                entries.retain(|entry| entry.slug != slug);
            }
            match entries.iter_mut().find(|entry| entry.slug == was) {
                Some(entry) => *entry = fresh.clone(),
                None => entries.push(fresh.clone()),
            }
        });
        if let Err(problem) = written {
            if renamed && let Err(error) = self.vault.rename_prefix(&names_of(&slug), &names_of(&was)) {
                tracing::warn!("the secrets of {was} are under {slug} now: {error}");
            }
            return Err(problem);
        }
        if renamed {
            self.move_cache(&was, Some(&slug));
            self.forget(&was);
        }
        if wanted.secret.is_some() {
            self.drop_test(&slug);
        }
        self.forget(&slug);
        Ok(slug)
    }

    /// Brings the vault to where the changed connection needs it. What is stored goes nowhere that it was not given for.
    fn keep_secrets(&self, wanted: &ConnectionInput, was: &str, renamed: bool) -> Result<(), Problem> {
        let connection = &wanted.connection;
        let slug = &connection.slug;
        let needs = stored_name(connection).is_some();
        if wanted.secret.is_none() && needs {
            let old = Connection { slug: was.to_owned(), ..connection.clone() };
            // A locked vault tells nothing; then the binding is looked at when the secret is next used.
            match bound_elsewhere(&self.vault, &old) {
                Ok(Some(problem)) => return Err(problem),
                Ok(None) => {}
                Err(VaultError::Locked) if !renamed => {}
                Err(error) => return Err(error.into()),
            }
        }
        if renamed && self.vault.path().exists() {
            self.vault.remove_prefix(&names_of(slug))?;
            self.vault.rename_prefix(&names_of(was), &names_of(slug))?;
        }
        if wanted.secret.is_some() {
            let entries = wanted.entries()?;
            let other = [key_name(slug), oauth_name(slug)];
            for name in other.iter().filter(|name| entries.iter().all(|(kept, _)| kept != *name)) {
                if self.vault.path().exists() {
                    self.vault.remove(name)?;
                }
            }
            self.vault.put_all(&entries)?;
        } else if !needs && self.vault.path().exists() {
            // It asks as nobody now, or reads the environment: what was stored for it is of no use.
            match self.vault.remove_prefix(&names_of(slug)) {
                Ok(_) => {}
                Err(error) => tracing::warn!("unused secrets of {slug} stay in the vault: {error}"),
            }
        }
        Ok(())
    }

    /// Says which workspaces have a connection.
    pub fn share(&self, slug: &str, workspaces: &[String]) -> Result<(), Problem> {
        let mut connection = self.kept().connection(slug)?.clone();
        connection.workspaces = workspaces.to_vec();
        let fresh = ConnectionEntry::new(connection);
        self.file.update(|entries| {
            if let Some(entry) = entries.iter_mut().find(|entry| entry.slug == slug) {
                *entry = fresh.clone();
            }
        })?;
        self.forget(slug);
        Ok(())
    }

    /// Removes a connection and its secrets.
    pub fn remove(&self, slug: &str) -> Result<(), Problem> {
        if self.built_in().contains_key(slug) {
            return Err(invalid(format!("`{slug}` is part of the program and can't be removed")));
        }
        let kept = self.kept();
        let entry = kept.entry(slug).ok_or_else(|| kept.unknown(slug))?;
        let named = connection_slug_fault(slug).is_none();
        if named && self.vault.path().exists() {
            let removed = self.vault.remove_prefix(&names_of(slug));
            let stores = kept.in_use(slug).is_ok_and(|connection| stored_name(connection).is_some());
            if let (Err(error), true) = (removed, stores) {
                return Err(Problem::from(error).with_action(
                    "the connection was not removed, since its secret could not be: open the vault first",
                ));
            }
        }
        // The file may have been edited meanwhile. An entry without a slug is known by what it says.
        let is_wanted = |other: &ConnectionEntry| if named { other.slug == slug } else { other == entry };
        self.file.update(|entries| {
            if let Some(place) = entries.iter().position(is_wanted) {
                entries.remove(place);
            }
        })?;
        if named {
            self.move_cache(slug, None);
            self.forget(slug);
        }
        Ok(())
    }

    /// Asks one real question over a connection and keeps how it went.
    pub async fn test(
        self: &Arc<Self>,
        slug: &str,
        model: Option<String>,
    ) -> Result<ConnectionTest, Problem> {
        if let Some(provider) = self.built_in.get(slug) {
            let connection = Connection::new(slug, domain::connection::ProviderKind::Offline);
            let presented = PresentedSecret { state: CredentialState::NotNeeded, problem: None };
            let provider = provider.as_ref();
            return Ok(connection_test::run(&connection, presented, provider, provider, model).await.test);
        }
        let UsedConnection { connection, presented, outdated } = self.presented(slug).await?;
        let opened = self.opened(&connection).and_then(|provider| {
            let credential = credential::for_connection(&self.vault, &self.renewals, &connection);
            Ok((provider, self.lister(&connection, credential)?))
        });
        let mut test = match opened {
            Err(problem) => connection_test::can_not_be_opened(&problem, model),
            Ok((provider, lister)) => {
                let outcome =
                    connection_test::run(&connection, presented, provider.as_ref(), lister.as_ref(), model)
                        .await;
                if let Some(listed) = outcome.listed {
                    self.keep_listing(&connection, outcome.test.at, listed);
                }
                outcome.test
            }
        };
        self.keep_test(&connection, test.clone());
        if let Some(outdated) = outdated {
            test.message = format!("{}\n{}", test.message, outdated.message);
            if test.action.is_empty() {
                test.action = outdated.action.unwrap_or_default();
            }
        }
        Ok(test)
    }

    /// Tries a connection that is not kept: with the secret that comes with it, else with the one that is stored for it
    /// and was given for the same address. Keeps nothing.
    pub async fn try_out(self: &Arc<Self>, save: ConnectionSave) -> Result<ConnectionTest, Problem> {
        let wanted = ConnectionInput::new(save)?;
        let mut connection = wanted.connection;
        let (presented, credential): (_, Arc<dyn Credential>) = match wanted.secret {
            Some(secret) => (
                PresentedSecret { state: CredentialState::Stored, problem: None },
                Arc::new(Fixed(Some(secret))),
            ),
            None => {
                // Under the name that it had its secret is stored.
                if let Some(was) = wanted.was {
                    connection.slug = was;
                }
                let (book, asked) = (self.clone(), connection.clone());
                let presented = blocking(move || Ok(credential::state(&book.vault, &asked))).await?;
                (presented, credential::for_connection(&self.vault, &self.renewals, &connection))
            }
        };
        let opened = redact::connect(connection.clone(), credential.clone(), Vec::new(), None)
            .map_err(|error| error.problem())
            .and_then(|provider| Ok((provider, self.lister(&connection, credential)?)));
        Ok(match opened {
            Err(problem) => connection_test::can_not_be_opened(&problem, None),
            Ok((provider, lister)) => {
                connection_test::run(&connection, presented, provider.as_ref(), lister.as_ref(), None)
                    .await
                    .test
            }
        })
    }

    /// Asks the provider for its models and keeps the list.
    pub async fn list_models(self: &Arc<Self>, slug: &str) -> Result<(), Problem> {
        if self.built_in.contains_key(slug) {
            return Ok(());
        }
        let UsedConnection { connection, .. } = self.presented(slug).await?;
        let credential = credential::for_connection(&self.vault, &self.renewals, &connection);
        let lister = self.lister(&connection, credential)?;
        let models = lister.models().await.map_err(|error| error.problem())?;
        self.keep_listing(&connection, now_ms(), models);
        Ok(())
    }

    /// Keeps what the person says of a model.
    pub fn update_model(&self, patch: ModelPatch) -> Result<(), Problem> {
        let ModelPatch { connection: slug, model } = patch;
        if self.built_in().contains_key(&slug) {
            return Err(invalid(format!("`{slug}` is part of the program: its models can't be changed")));
        }
        let set = |connection: &mut Connection| {
            connection.models.retain(|own| own.id != model.id);
            if model != (ModelOverride { id: model.id.clone(), ..ModelOverride::default() }) {
                connection.models.push(model.clone());
            }
        };
        let mut connection = self.kept().connection(&slug)?.clone();
        set(&mut connection);
        let problems = check_connection("the model", "", &connection);
        if !problems.is_empty() {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Err(invalid(lines.join("\n")));
        }
        // Set once more in what the file has then: another model may have been changed at the same time.
        self.file.update(|entries| {
            if let Some(entry) = entries.iter_mut().find(|entry| entry.slug == slug)
                && let Ok(mut connection) = entry.connection.clone()
            {
                set(&mut connection);
                *entry = ConnectionEntry::new(connection);
            }
        })?;
        self.forget(&slug);
        Ok(())
    }

    /// A connection that is in use and how its secret stands.
    async fn presented(self: &Arc<Self>, slug: &str) -> Result<UsedConnection, Problem> {
        let (book, slug) = (self.clone(), slug.to_owned());
        blocking(move || {
            let kept = book.kept();
            let connection = kept.in_use(&slug)?.clone();
            let presented = credential::state(&book.vault, &connection);
            Ok(UsedConnection { connection, presented, outdated: kept.connection(&slug).err() })
        })
        .await
    }

    /// The same connection without the person's own words on models, so that a list is the provider's alone.
    fn lister(
        &self,
        connection: &Connection,
        credential: Arc<dyn Credential>,
    ) -> Result<Arc<dyn Provider>, Problem> {
        let plain = Connection { models: Vec::new(), flat_rate: false, ..connection.clone() };
        redact::connect(plain, credential, Vec::new(), None).map_err(|error| error.problem())
    }
}

/// A connection that is in use.
struct UsedConnection {
    connection: Connection,
    /// How its secret stands.
    presented: PresentedSecret,
    /// What is wrong with its entry, where the last valid version of that is in use.
    outdated: Option<Problem>,
}

/// A connection as a form means it: empty fields are absent.
fn tidy(connection: &mut Connection) {
    let trimmed = |text: &mut Option<String>| {
        *text = text.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    };
    connection.slug = connection.slug.trim().to_owned();
    connection.name = connection.name.trim().to_owned();
    let fields = [
        &mut connection.base_url,
        &mut connection.default_model,
        &mut connection.judge_model,
        &mut connection.ca_file,
        &mut connection.proxy,
    ];
    fields.into_iter().for_each(trimmed);
    match &mut connection.auth {
        Auth::Key { env } | Auth::Bearer { env } => trimmed(env),
        Auth::None | Auth::Oauth { .. } | Auth::WorkloadIdentity { .. } => {}
    }
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::InvalidInput, message)
}
