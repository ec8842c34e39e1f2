//! Connections to model providers, their models, and the credentials they use. No type here can hold a secret that is
//! given out: secrets travel only inwards.

use domain::connection::{Auth, Connection, ModelOverride, ProviderKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A connection in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionRow {
    /// Its slug.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// One line on it.
    pub description: String,
    /// The protocol.
    pub provider: ProviderKind,
    /// Where it asks: scheme, host and path; empty for the offline engine.
    pub address: String,
    /// Whether it has what it presents itself with.
    pub credential: CredentialState,
    /// The model that is used when nothing else is asked for.
    pub default_model: Option<String>,
    /// Ids of its models, as last listed, else as the table and the person know them.
    pub models: Vec<String>,
    /// Whether it is the workspace's default.
    pub default: bool,
    /// Whether it is part of the program and can't be changed or removed.
    pub built_in: bool,
    /// Whether it is paid by a flat rate.
    pub flat_rate: bool,
    /// What the last test said.
    pub tested: Option<ConnectionTest>,
    /// Why it can't be used, where it can't.
    pub problem: Option<domain::Problem>,
    /// What is wrong with its entry in the file, where the last valid version of that is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated: Option<domain::Problem>,
    /// The slugs of the workspaces that have it, its own first; empty for every one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
}

/// Which workspaces have a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionShare {
    /// Its slug.
    pub slug: String,
    /// The slugs of the workspaces, this one among them; empty for every one.
    pub workspaces: Vec<String>,
}

/// Whether a secret is there. Never the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialState {
    /// None is needed.
    NotNeeded,
    /// It is in the vault.
    Stored,
    /// It is read from the environment, and is set there.
    Environment,
    /// It is missing.
    Missing,
    /// It is in the vault, which is locked.
    Locked,
    /// It expired and can't be renewed without the person.
    Expired,
}

/// A connection with everything about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// Its row.
    pub row: ConnectionRow,
    /// Its configuration; `None` for a built-in one.
    pub config: Option<Connection>,
    /// Its models.
    pub models: Vec<ModelRow>,
    /// When its models were last listed, in milliseconds since 1970; `None`: the shipped table is shown.
    pub listed_at: Option<i64>,
    /// The day of the shipped table.
    pub table_date: String,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools)] // plain facts
pub struct ModelRow {
    /// Its id at the provider.
    pub id: String,
    /// The connection.
    pub connection: String,
    /// Input and output tokens that fit together.
    pub context_window: u64,
    /// The most output tokens of one answer.
    pub max_output: u64,
    /// Whether it takes a JSON Schema for its answer.
    pub structured: bool,
    /// Whether it can think.
    pub thinking: bool,
    /// Whether it calls tools.
    pub tools: bool,
    /// Whether it reads images.
    pub images: bool,
    /// Whether it reads PDF documents.
    pub documents: bool,
    /// US dollars per million input tokens; `None` where no price is known.
    pub input_price: Option<f64>,
    /// US dollars per million output tokens.
    pub output_price: Option<f64>,
    /// US dollars per million tokens read from the cache.
    pub cache_read_price: Option<f64>,
    /// US dollars per million tokens written to the cache.
    pub cache_write_price: Option<f64>,
    /// Whether the prices are the person's own.
    pub own_price: bool,
    /// Where this is known from: `provider`, `table`, `person` or `assumed`.
    pub known_from: String,
}

/// A form for a new connection: which fields to ask for, and what to fill in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionPreset {
    /// Its name: `anthropic`, `openai`, `openrouter`, `azure`, `ollama`, …
    pub preset: String,
    /// Its name for people.
    pub name: String,
    /// One line on it.
    pub description: String,
    /// Where a key is made, as words and an address for people; empty where none is needed.
    pub key_hint: String,
    /// The connection that it begins with.
    pub connection: Connection,
    /// Whether the address must be filled in.
    pub asks_address: bool,
    /// Whether a model must be named, because the host can't list them reliably.
    pub asks_model: bool,
    /// Whether a key is needed.
    pub asks_key: bool,
    /// An example of the address, where it must be filled in.
    pub address_example: String,
}

/// A connection to be kept, and what it presents itself with.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectionSave {
    /// The connection.
    pub connection: Connection,
    /// Its secret, to be put into the vault; without it the one there stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The slug it had before; without it a connection of this slug must be new or is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Whether a connection of the same slug may be replaced.
    #[serde(default)]
    pub replace: bool,
    /// Whether a new one is this workspace's alone. One that is there stays with those that have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

impl std::fmt::Debug for ConnectionSave {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectionSave").field("connection", &self.connection).finish_non_exhaustive()
    }
}

/// The verdict of a real request over a connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionTest {
    /// How it went.
    pub verdict: TestVerdict,
    /// What happened, in words for a person.
    pub message: String,
    /// What to do; empty when all is well.
    pub action: String,
    /// The model that was asked.
    pub model: String,
    /// Milliseconds until the first piece of the answer; 0 where none came.
    pub first_ms: u64,
    /// Milliseconds in all.
    pub ms: u64,
    /// Tokens that it used.
    pub usage: domain::Usage,
    /// The id under which the provider's support finds it.
    pub request_id: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Models that the provider listed; 0 where it has no list.
    pub models: u32,
}

/// How a test went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestVerdict {
    /// It answered.
    Works,
    /// There is no key, or it is locked away.
    KeyMissing,
    /// The key is wrong or expired.
    KeyWrong,
    /// The key may not use this model.
    NotAllowed,
    /// The provider does not know the model.
    ModelUnknown,
    /// There is no credit, or a spending limit is reached.
    NoCredit,
    /// Too many requests, or the provider is overloaded: the connection itself is right.
    Busy,
    /// The name of the host is unknown, nobody answers there, or it took too long.
    Unreachable,
    /// The host's certificate is not trusted.
    Tls,
    /// The certificate is not valid yet or any more by this machine's clock, which is probably wrong.
    Clock,
    /// Something answers, but not in this protocol.
    WrongProtocol,
    /// The provider refused the request for another reason.
    Refused,
}

/// A change of what is known of one model of a connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelPatch {
    /// The connection.
    pub connection: String,
    /// What the person says of the model; only its id: back to what is known otherwise.
    pub model: ModelOverride,
}

/// The vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultStatus {
    /// Whether there is one yet. It is made with the first secret.
    pub exists: bool,
    /// Whether it is locked: a passphrase is needed.
    pub locked: bool,
    /// What opens it.
    pub protection: VaultProtection,
    /// One sentence on what that protects from, and what it does not.
    pub explained: String,
    /// Whether this machine has a keychain that keeps what it is given.
    pub keychain: bool,
    /// The names of what it holds, with when each was written. Empty while it is locked.
    pub entries: Vec<VaultEntry>,
    /// When its key was last changed, in milliseconds since 1970.
    pub rotated_at: Option<i64>,
    /// Why it can't be opened, where it can't.
    pub problem: Option<domain::Problem>,
}

/// What opens the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VaultProtection {
    /// A key in the desktop's keychain.
    Keychain,
    /// A passphrase that the person types.
    Passphrase,
    /// A key in a file beside it that only this user may read: weaker.
    KeyFile,
}

/// A name in the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultEntry {
    /// Its name: `connection/<slug>/key`, `source/<slug>/<name>`, …
    pub name: String,
    /// What uses it, for people; empty where nothing does.
    pub used_by: String,
    /// When it was written, in milliseconds since 1970.
    pub at: i64,
    /// When it expires, where it does.
    pub expires_at: Option<i64>,
}

/// What was taken from another program's credential file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedCredentials {
    /// What is now in the vault, by its new name.
    pub taken: Vec<String>,
    /// Connections that were made for keys of model providers.
    pub connections: Vec<String>,
    /// What was left out, and why.
    pub left: Vec<String>,
}

/// A sign-in under way in the browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignIn {
    /// Its id.
    pub id: String,
    /// The address to open in the browser.
    pub url: String,
    /// How it stands.
    pub state: SignInState,
    /// Why it failed, or whom it signed in as.
    pub message: String,
}

/// How a sign-in stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignInState {
    /// The browser has not come back.
    Waiting,
    /// The tokens are in the vault.
    Done,
    /// It failed or was cancelled.
    Failed,
}

/// As whom a connection asks, for a person: `key`, `bearer`, `oauth`, `workload_identity` or `none`.
pub fn auth_word(auth: &Auth) -> &'static str {
    match auth {
        Auth::None => "none",
        Auth::Key { .. } => "key",
        Auth::Bearer { .. } => "bearer",
        Auth::Oauth { .. } => "oauth",
        Auth::WorkloadIdentity { .. } => "workload_identity",
    }
}
