//! How connections are shown. No secret comes this far.

use domain::Problem;
use domain::connection::{Auth, Connection, ProviderKind};
use llm::{ModelInfo, Prices, Provider};
use protocol::{ConnectionRow, ConnectionView, CredentialState, ModelRow};
use workspace::ConnectionEntry;

use super::file::{LoadedConnections, outdated_entry, wrong_entry};
use super::{ConnectionRegistry, credential};

impl ConnectionRegistry {
    /// The connections of a workspace, those of the program first. `default` is the slug of the workspace's default.
    pub fn rows(&self, workspace: &str, default: &str) -> Vec<ConnectionRow> {
        let mut rows: Vec<ConnectionRow> =
            self.built_in.iter().map(|(slug, provider)| built_in(slug, provider.as_ref(), default)).collect();
        // The offline engine is first whatever else the program was started with.
        rows.sort_by_key(|row| row.slug != "offline");
        let kept = self.kept().within(Some(workspace));
        rows.extend(kept.list.entries.iter().map(|entry| self.row(&kept, entry, default)));
        rows
    }

    /// One connection with everything about it.
    pub fn view(&self, slug: &str, default: &str) -> Result<ConnectionView, Problem> {
        let table_date = Prices::embedded().date.clone();
        if let Some(provider) = self.built_in.get(slug) {
            let model = provider.model(&provider.default_model());
            return Ok(ConnectionView {
                row: built_in(slug, provider.as_ref(), default),
                config: None,
                models: vec![model_row(slug, &model, "table", false)],
                listed_at: None,
                table_date,
            });
        }
        let kept = self.kept();
        let entry = kept.entry(slug).ok_or_else(|| kept.unknown(slug))?;
        let row = self.row(&kept, entry, default);
        let Ok(connection) = kept.in_use(slug) else {
            return Ok(ConnectionView { row, config: None, models: Vec::new(), listed_at: None, table_date });
        };
        let listed_at = self.listing(connection).map(|listing| listing.at);
        Ok(ConnectionView {
            row,
            config: Some(connection.clone()),
            models: self.models_of(connection),
            listed_at,
            table_date,
        })
    }

    fn row(&self, kept: &LoadedConnections, entry: &ConnectionEntry, default: &str) -> ConnectionRow {
        let mut row = ConnectionRow {
            slug: entry.slug.clone(),
            name: entry.slug.clone(),
            description: String::new(),
            provider: ProviderKind::OpenaiChat,
            address: String::new(),
            credential: CredentialState::NotNeeded,
            default_model: None,
            models: Vec::new(),
            default: entry.slug == default,
            built_in: false,
            flat_rate: false,
            tested: None,
            problem: None,
            outdated: None,
            workspaces: entry.workspaces(),
        };
        let connection = match (&entry.connection, kept.last_valid(&entry.slug)) {
            (Ok(connection), _) => connection,
            (Err(problems), Some(connection)) => {
                row.outdated = Some(outdated_entry(&entry.slug, problems));
                connection
            }
            (Err(problems), None) => {
                if let Ok(kind) = serde_json::from_value(entry.raw["provider"].clone()) {
                    row.provider = kind;
                }
                "Its entry in connections.json is wrong.".clone_into(&mut row.description);
                row.problem = Some(wrong_entry(&entry.slug, problems));
                return row;
            }
        };
        let host = host_of(connection);
        row.name = shown_name(connection);
        row.description = match host.is_empty() {
            true => protocol(connection.provider).to_owned(),
            false => format!("{} at {host}", protocol(connection.provider)),
        };
        row.provider = connection.provider;
        row.address = address_of(connection);
        row.flat_rate = connection.flat_rate;
        row.tested = self.tested(connection);
        let presented = credential::state(&self.vault, connection);
        row.credential = presented.state;
        row.problem = presented.problem;
        match self.opened(connection) {
            Ok(provider) => {
                let model = provider.default_model();
                row.default_model = (!model.is_empty()).then_some(model);
                row.models = self.models_of(connection).into_iter().map(|model| model.id).collect();
            }
            Err(problem) => row.problem = Some(problem),
        }
        row
    }

    /// The models of a connection: as listed, else as the shipped table has them, and those that the person named.
    fn models_of(&self, connection: &Connection) -> Vec<ModelRow> {
        let Ok(provider) = self.opened(connection) else { return Vec::new() };
        let listed = self.listing(connection).map(|listing| listing.models).unwrap_or_default();
        let known = |id: &str| listed.iter().any(|model| model.id == id);
        let mut ids: Vec<String> = listed.iter().map(|model| model.id.clone()).collect();
        if ids.is_empty() && connection.base_url.is_none() {
            let table = Prices::embedded().models.iter();
            let own = table.filter(|model| model.provider == connection.provider.as_str());
            ids.extend(own.map(|model| model.id.clone()));
        }
        let named =
            connection.models.iter().map(|model| model.id.clone()).chain(connection.default_model.clone());
        for id in named {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids.into_iter()
            .map(|id| {
                let own = connection.models.iter().find(|model| model.id == id);
                let from = match own {
                    Some(_) => "person",
                    None if known(&id) => "provider",
                    None if Prices::embedded().model(&id).is_some() => "table",
                    None => "assumed",
                };
                let own_price = own.is_some_and(|own| own.price.is_some());
                model_row(&connection.slug, &provider.model(&id), from, own_price)
            })
            .collect()
    }
}

fn built_in(slug: &str, provider: &dyn Provider, default: &str) -> ConnectionRow {
    let offline = slug == "offline";
    ConnectionRow {
        slug: slug.to_owned(),
        name: if offline { "Offline engine".to_owned() } else { slug.to_owned() },
        description: match offline {
            true => "No language model: it selects and arranges sentences of the knowledge base by fixed rules. It \
                     needs no key and no network, costs nothing, and sends nothing anywhere."
                .to_owned(),
            false => "Set up where the program was started.".to_owned(),
        },
        provider: ProviderKind::Offline,
        address: String::new(),
        credential: CredentialState::NotNeeded,
        default_model: Some(provider.default_model()),
        models: vec![provider.default_model()],
        default: slug == default,
        built_in: true,
        flat_rate: false,
        tested: None,
        problem: None,
        outdated: None,
        workspaces: Vec::new(),
    }
}

fn model_row(slug: &str, model: &ModelInfo, from: &str, own_price: bool) -> ModelRow {
    let price = |usd: f64| (model.priced || own_price).then_some(usd);
    ModelRow {
        id: model.id.clone(),
        connection: slug.to_owned(),
        context_window: model.context_window,
        max_output: model.max_output,
        structured: model.structured,
        thinking: model.thinking,
        tools: model.abilities.tools,
        images: model.abilities.images,
        documents: model.abilities.documents,
        input_price: price(model.price.input),
        output_price: price(model.price.output),
        cache_read_price: price(model.price.cache_read),
        cache_write_price: price(model.price.cache_write),
        own_price,
        known_from: from.to_owned(),
    }
}

/// A connection's name for people.
pub fn shown_name(connection: &Connection) -> String {
    if connection.name.trim().is_empty() { connection.slug.clone() } else { connection.name.clone() }
}

/// Where a connection asks; empty where that is not known.
pub fn address_of(connection: &Connection) -> String {
    llm::http::address(connection).map(String::from).unwrap_or_default()
}

/// Host and port of a connection.
pub fn host_of(connection: &Connection) -> String {
    let Ok(url) = llm::http::address(connection) else { return String::new() };
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// A protocol's name for people.
pub fn protocol(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Offline => "The offline engine",
        ProviderKind::Anthropic => "Anthropic Messages",
        ProviderKind::Openai => "OpenAI Responses",
        ProviderKind::OpenaiChat => "OpenAI Chat Completions",
        ProviderKind::Gemini => "Google Gemini",
        ProviderKind::Ollama => "Ollama",
    }
}

/// The variable that holds a connection's secret, where one does.
pub fn variable(connection: &Connection) -> Option<&str> {
    match &connection.auth {
        Auth::Key { env } | Auth::Bearer { env } => env.as_deref(),
        Auth::None | Auth::Oauth { .. } | Auth::WorkloadIdentity { .. } => None,
    }
}
