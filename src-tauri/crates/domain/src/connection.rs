//! A connection to a model provider, as a person writes it. It names its secrets; it holds none.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The connection of the offline engine, which asks no model.
pub const OFFLINE: &str = "offline";
/// The most calls that a connection may have under way at once.
pub const MAX_PARALLEL_CALLS: u32 = 256;

/// A connection: where a model is asked, as whom, and which models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Connection {
    /// Its name in commands and files: lower-case letters, digits and dashes.
    pub slug: String,
    /// Its name for people; empty: the slug.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The protocol it speaks.
    pub provider: ProviderKind,
    /// The address below which the provider's paths stand; without it the provider's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// As whom it asks.
    #[serde(default)]
    pub auth: Auth,
    /// The model that is used when nothing else is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_model: Option<String>,
    /// The model that judges whether sources support the statements of an answer. Without it a small one of the provider
    /// where the shipped table names one, else the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<String>,
    /// Models that are known of it, the person's own words over what the provider's list says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelOverride>,
    /// Further headers of every request. Values may not be secrets: those belong into `auth`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Whether it is paid by a flat rate: costs are shown as an equivalent and count in no budget of money.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flat_rate: bool,
    /// A file with certificates (PEM) that are trusted besides the system's, for companies that inspect traffic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// A proxy's address; without it the environment's (`HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`), `"none"` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// The longest silence in a stream, in seconds; without it 120, and 600 for a machine of one's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence_seconds: Option<u32>,
    /// OpenAI Responses only: answers are made in the background (`background`), so that one that a crash or a broken
    /// line interrupted is fetched by its id instead of being paid twice. The provider stores requests and answers for
    /// it (`store`): leave it off where they may not be kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// Calls of this connection that are under way at once, over all runs and conversations; the others wait in their
    /// order. Without it 8, 2 for a server on this machine or in a private network, and 1 for an Ollama there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_parallel_calls: Option<u32>,
    /// The slugs of the workspaces that have it, its own first; empty for every one. In the others it does not exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
}

impl Connection {
    /// Whether a workspace has it.
    pub fn is_in(&self, workspace: &str) -> bool {
        self.workspaces.is_empty() || self.workspaces.iter().any(|slug| slug == workspace)
    }
}

/// The protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    /// No model: the engine that selects and quotes.
    Offline,
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Openai,
    /// OpenAI Chat Completions and every host that speaks it.
    OpenaiChat,
    /// Google Gemini `generateContent`.
    Gemini,
    /// Ollama's own protocol.
    Ollama,
}

/// As whom a connection asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Auth {
    /// Nobody: local servers.
    #[default]
    None,
    /// A key in the provider's own header. Kept in the vault under `connection/<slug>/key`, unless `env` names the
    /// variable that holds it.
    Key {
        /// The environment variable to read it from, at every request anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        env: Option<String>,
    },
    /// A bearer token: of a gateway, or one the person brings. Kept as a key is.
    Bearer {
        /// The environment variable to read it from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        env: Option<String>,
    },
    /// A token of an OAuth service (sent as bearer, to Anthropic with its beta header). Kept in the vault under
    /// `connection/<slug>/oauth` with its refresh token.
    Oauth {
        /// How tokens are fetched and renewed.
        service: OauthService,
    },
    /// A workload's identity: its token (JWT) is read from a file and exchanged for an access token.
    WorkloadIdentity {
        /// The file that the platform keeps fresh.
        token_file: String,
        /// Where it is exchanged (RFC 7523 jwt-bearer grant).
        token_url: String,
        /// Further fields of the exchange, as the provider names them.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        fields: BTreeMap<String, String>,
    },
}

/// An OAuth 2.0 service for native applications (RFC 8252, PKCE S256).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OauthService {
    /// Where the person signs in; absent for tokens that are only pasted or imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorize_url: Option<String>,
    /// Where codes and refresh tokens are exchanged.
    pub token_url: String,
    /// The person's own client id.
    pub client_id: String,
    /// What is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Further parameters of the authorization request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
    /// The registered address that the browser comes back to, `http://localhost:<port>/callback`; else any free port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_url: Option<String>,
}

/// The path to which a browser comes back after a sign-in.
const CALLBACK_PATH: &str = "/callback";

/// The host and the port of an address of this machine that a browser can come back to: `http://localhost:<port>/callback`,
/// or the same at 127.0.0.1.
pub fn callback_place(address: &str) -> Option<(&'static str, u16)> {
    let rest = address.strip_prefix("http://")?.strip_suffix(CALLBACK_PATH)?;
    let (host, port) = rest.split_once(':')?;
    let host = ["localhost", "127.0.0.1"].into_iter().find(|known| *known == host)?;
    let port: u16 = port.parse().ok().filter(|port| *port > 0)?;
    (rest == format!("{host}:{port}")).then_some((host, port))
}

/// What a person says of a model; absent fields stay as the provider's list or the shipped table has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ModelOverride {
    /// The model's id at the provider.
    pub id: String,
    /// Input and output tokens that fit together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The most output tokens of one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// Whether it takes a JSON Schema for its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<bool>,
    /// Whether it can think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<bool>,
    /// Whether it can call tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// Whether it reads images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether it reads PDF documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<bool>,
    /// US dollars per million tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<PriceOverride>,
}

/// US dollars per million tokens, as a person agreed on them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceOverride {
    /// Uncached input.
    pub input: f64,
    /// Output, thinking included.
    pub output: f64,
    /// Input read from the cache; without it as input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input written to the cache; without it as input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

impl ProviderKind {
    /// Its word in files and commands.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::OpenaiChat => "openai-chat",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Offline, Self::Anthropic, Self::Openai, Self::OpenaiChat, Self::Gemini, Self::Ollama];
}

impl Connection {
    /// A connection with nothing but a name and a protocol.
    pub fn new(slug: impl Into<String>, provider: ProviderKind) -> Self {
        Self {
            slug: slug.into(),
            name: String::new(),
            provider,
            base_url: None,
            auth: Auth::None,
            default_model: None,
            judge_model: None,
            models: Vec::new(),
            headers: BTreeMap::new(),
            flat_rate: false,
            ca_file: None,
            proxy: None,
            silence_seconds: None,
            background: false,
            max_parallel_calls: None,
            workspaces: Vec::new(),
        }
    }
}
