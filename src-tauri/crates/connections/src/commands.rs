//! Commands on connections to model providers, and which one a run takes.

use domain::connection::OFFLINE;
use domain::{ErrorCode, Problem};
use protocol::{
    ConnectionRow, ConnectionSave, ConnectionShare, ConnectionTest, ConnectionView, ModelPatch,
    SettingsPatch, SignIn, Tag,
};
use secrets::ExposeSecret as _;
use secrets::SecretString;
use support::blocking;

use crate::Connections;

impl Connections {
    /// Lists connections to model providers, the offline engine first.
    pub async fn connection_list(&self) -> Result<Vec<ConnectionRow>, Problem> {
        let (book, default) = (self.registry.clone(), self.default_connection().await?);
        let here = self.env.slug().to_owned();
        blocking(move || Ok(book.rows(&here, &default))).await
    }

    /// That the workspace has a connection.
    ///
    /// # Errors
    /// `NotFound` with those that it has.
    pub fn check_there(&self, slug: &str) -> Result<(), Problem> {
        let here = self.env.slug();
        if self.registry.has(here, slug) {
            return Ok(());
        }
        Err(self.registry.kept().within(Some(here)).unknown(slug))
    }

    /// A connection with its models.
    pub async fn connection_show(&self, slug: String) -> Result<ConnectionView, Problem> {
        self.check_there(&slug)?;
        let (book, default) = (self.registry.clone(), self.default_connection().await?);
        blocking(move || book.view(&slug, &default)).await
    }

    /// Adds or changes a connection. Its secret goes into the vault and is never given out.
    pub async fn connection_save(&self, mut save: ConnectionSave) -> Result<ConnectionView, Problem> {
        if let Some(was) = &save.was {
            self.check_there(was)?;
        }
        self.place(&mut save);
        let was = save.was.clone();
        let book = self.registry.clone();
        let slug = blocking(move || book.save(save)).await?;
        if was.is_some_and(|was| was != slug && self.is_set_default(&was)) {
            self.set_default(slug.clone()).await?;
        }
        self.connection_show(slug).await
    }

    /// Decides which workspaces have a connection that is saved, and takes a name that is free: one that another workspace has
    /// for itself is no obstacle, and is not replaced.
    fn place(&self, save: &mut ConnectionSave) {
        let (here, kept) = (self.env.slug(), self.registry.kept());
        let asked = save.connection.slug.trim().to_owned();
        let before = kept.entry(save.was.as_deref().unwrap_or(&asked)).filter(|entry| entry.is_in(here));
        save.connection.workspaces = match before {
            Some(entry) => entry.workspaces(),
            None if save.private => vec![here.to_owned()],
            None => Vec::new(),
        };
        let hidden = |slug: &str| kept.entry(slug).is_some_and(|entry| !entry.is_in(here));
        if hidden(&asked) {
            let numbered = (2..).map(|number| format!("{asked}-{here}-{number}"));
            let mut names = std::iter::once(format!("{asked}-{here}")).chain(numbered);
            save.connection.slug = names.find(|name| kept.entry(name).is_none()).unwrap_or(asked);
        }
    }

    /// Says which workspaces have a connection.
    ///
    /// # Errors
    /// Where the workspace does not have it, or another one has it for itself; for a workspace that is not there.
    pub async fn connection_share(&self, share: ConnectionShare) -> Result<Box<ConnectionView>, Problem> {
        let ConnectionShare { slug, workspaces } = share;
        self.check_there(&slug)?;
        let (here, book) = (self.env.slug(), self.registry.clone());
        let known = book.kept().entry(&slug).map(|entry| entry.workspaces()).unwrap_or_default();
        if let Some(owner) = known.first().filter(|owner| *owner != here) {
            let what = format!("the connection `{slug}` is the workspace {owner}'s, which alone shares it");
            return Err(Problem::new(ErrorCode::Conflict, what));
        }
        let mut having: Vec<String> =
            workspaces.iter().filter(|one| !one.is_empty() && *one != here).cloned().collect();
        if let Some(gone) = having.iter().find(|one| !known.contains(*one) && !self.env.is_there(one)) {
            return Err(self.env.unknown(gone));
        }
        if !workspaces.is_empty() {
            having.insert(0, here.to_owned());
        }
        let name = slug.clone();
        blocking(move || book.share(&name, &having)).await?;
        self.connection_show(slug).await.map(Box::new)
    }

    /// Removes a connection and its secrets. Sessions that used it say so and take another.
    pub async fn connection_remove(&self, slug: String) -> Result<(), Problem> {
        self.check_there(&slug)?;
        let (book, name) = (self.registry.clone(), slug.clone());
        blocking(move || book.remove(&name)).await?;
        if self.is_set_default(&slug) {
            self.set_default(String::new()).await?;
        }
        Ok(())
    }

    /// Asks a model one real question and says in words how it went.
    pub async fn connection_test(
        &self,
        slug: String,
        model: Option<String>,
    ) -> Result<ConnectionTest, Problem> {
        self.check_there(&slug)?;
        let model = model.map(|model| model.trim().to_owned()).filter(|model| !model.is_empty());
        self.registry.test(&slug, model).await
    }

    /// Tries a connection that is not kept yet.
    pub async fn connection_try(&self, save: ConnectionSave) -> Result<ConnectionTest, Problem> {
        self.registry.try_out(save).await
    }

    /// Asks the provider for its models now.
    pub async fn connection_models(&self, slug: String) -> Result<ConnectionView, Problem> {
        self.check_there(&slug)?;
        self.registry.list_models(&slug).await?;
        self.connection_show(slug).await
    }

    /// Keeps what the person says of a model: its window, what it can do, its price.
    pub async fn model_update(&self, patch: ModelPatch) -> Result<ConnectionView, Problem> {
        self.check_there(&patch.connection)?;
        let (book, slug) = (self.registry.clone(), patch.connection.clone());
        blocking(move || book.update_model(patch)).await?;
        self.connection_show(slug).await
    }

    /// Signs in at a connection's OAuth service: gives the address to open in a browser.
    pub async fn sign_in_begin(&self, slug: String) -> Result<SignIn, Problem> {
        self.check_there(&slug)?;
        let book = self.registry.clone();
        let (connection, client_secret) = blocking(move || {
            // Where its entry is wrong, its last valid version is in use and may need a new token.
            let connection = book.kept().in_use(&slug)?.clone();
            let client_secret = book.client_secret(&connection)?;
            Ok((connection, client_secret))
        })
        .await?;
        let vault = self.registry.vault().clone();
        let stream = self.env.stream.clone();
        let told = move || stream.tell(&[Tag::Connections]);
        self.registry.sign_ins().begin(vault, &connection, client_secret, told).await
    }

    /// The slug of the workspace's default connection.
    pub async fn default_connection(&self) -> Result<String, Problem> {
        let own = self.env.defaults().await?.connection.filter(|slug| self.has(slug));
        if let Some(own) = own {
            return Ok(own);
        }
        let keeping = self.env.settings.clone();
        let set = blocking(move || Ok(keeping.read().0.default_connection)).await?;
        // One that another workspace has for itself is nobody's default here.
        let hidden = || self.registry.kept().entry(&set).is_some() && !self.has(&set);
        Ok(if set.is_empty() || hidden() { OFFLINE.to_owned() } else { set })
    }

    fn has(&self, slug: &str) -> bool {
        self.registry.has(self.env.slug(), slug)
    }

    /// The workspace's model, where it goes with its connection.
    pub async fn default_model(&self, connection: &str) -> Result<Option<String>, Problem> {
        let defaults = self.env.defaults().await?;
        Ok(defaults.model.filter(|model| {
            !model.trim().is_empty() && defaults.connection.as_deref().is_none_or(|own| own == connection)
        }))
    }

    fn is_set_default(&self, slug: &str) -> bool {
        self.env.settings.read().0.default_connection == slug
    }

    async fn set_default(&self, slug: String) -> Result<(), Problem> {
        let patch = SettingsPatch { default_connection: Some(slug), ..SettingsPatch::default() };
        self.env.settings_update(patch).await.map(drop)
    }

    /// Fills in which connection and model a run takes: what was asked for, else the session's, else the one that the
    /// person set for the agent, else the agent's own, else the workspace's default, else the offline engine. A session's connection that is gone is passed over. A model
    /// belongs to the connection that it was chosen with.
    pub async fn choose_connection(
        &self,
        asked: Option<String>,
        model: Option<String>,
        session: Option<&str>,
        agent: &domain::agent::AgentConfig,
    ) -> Result<(String, Option<String>), Problem> {
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let model = filled(model);
        if let Some(connection) = filled(asked) {
            self.check_there(&connection)?;
            let own = agent.orchestrator.connection.as_deref() == Some(connection.as_str());
            let model = model.or_else(|| agent.orchestrator.model.clone().filter(|_| own));
            return Ok((connection, model));
        }
        let stored = match session {
            Some(session) => self.env.store().get_session(session).await?,
            None => None,
        };
        if let Some(session) = stored
            && let Some(connection) = filled(Some(session.connection))
            && self.has(&connection)
        {
            return Ok((connection, model.or_else(|| filled(Some(session.model)))));
        }
        let (keeping, slug) = (self.env.settings.clone(), agent.slug.0.clone());
        let set = blocking(move || Ok(keeping.read().0.agent_connections.remove(&slug))).await?;
        if let Some(connection) = filled(set).filter(|connection| self.has(connection)) {
            let own = agent.orchestrator.connection.as_deref() == Some(connection.as_str());
            return Ok((connection, model.or_else(|| agent.orchestrator.model.clone().filter(|_| own))));
        }
        if let Some(connection) = agent.orchestrator.connection.clone() {
            return Ok((connection, model.or_else(|| agent.orchestrator.model.clone())));
        }
        // The agent's model counts where it can be had.
        let connection = self.default_connection().await?;
        let (book, slug) = (self.registry.clone(), connection.clone());
        let wanted = agent.orchestrator.model.clone();
        let own = blocking(move || {
            Ok(wanted.filter(|wanted| {
                book.view(&slug, "").is_ok_and(|view| view.models.iter().any(|model| model.id == *wanted))
            }))
        })
        .await?;
        Ok((connection, model.or(own)))
    }
}

impl crate::ConnectionRegistry {
    /// The client secret that the service of a connection gave, where one is stored for where the connection leads.
    fn client_secret(
        &self,
        connection: &domain::connection::Connection,
    ) -> Result<Option<SecretString>, Problem> {
        let vault = self.vault();
        if !vault.path().exists() {
            return Ok(None);
        }
        let name = crate::client_secret_name(&connection.slug);
        let Some(secret) = vault.get(&name)? else { return Ok(None) };
        let (bound, entry) = crate::bind(connection)?;
        let bound = vault.get(&bound)?;
        let same = bound.is_some_and(|bound| bound.expose_secret() == entry.secret().expose_secret());
        Ok(same.then_some(secret))
    }
}
