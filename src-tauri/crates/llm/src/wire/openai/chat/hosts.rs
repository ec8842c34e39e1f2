//! Hosts that speak Chat Completions, and what each takes beyond what all take.

use std::collections::BTreeSet;

use parking_lot::{Mutex, MutexGuard};
use url::{Host as Name, Url};

/// Hosts that refused to be asked for the usage, for as long as the program runs.
static PLAIN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
/// The most of them that are remembered.
const PLAIN_MOST: usize = 1_000;

/// Which host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wire::openai) enum Kind {
    Openai,
    Azure,
    OpenRouter,
    DeepSeek,
    Vllm,
    LmStudio,
    LlamaCpp,
    Ollama,
    Unknown,
}

/// How a schema for the answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wire::openai) enum Format {
    /// `json_schema` with `strict`, in the form that strict mode takes.
    Strict,
    /// `json_schema` with the schema as it is.
    Schema,
    /// `json_object`, with the schema in words.
    Object,
}

/// How an effort is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wire::openai) enum Reasoning {
    /// Not at all.
    None,
    /// `reasoning_effort`.
    Effort,
    /// `reasoning: { effort }`.
    Object,
}

/// What a host takes. An unknown one is asked with what all take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wire::openai) struct Host {
    /// Which one.
    pub(in crate::wire::openai) kind: Kind,
    /// Whether the limit of output is called `max_completion_tokens`, not `max_tokens`.
    pub(in crate::wire::openai) completion_limit: bool,
    /// Whether models that think are instructed by a `developer`.
    pub(in crate::wire::openai) developer: bool,
    /// Whether `stream_options` asks for the usage: of every host that did not refuse it.
    pub(in crate::wire::openai) usage: bool,
    /// Whether tools may be `strict`.
    pub(in crate::wire::openai) strict: bool,
    /// Whether patterns and bounds may stand in a strict schema.
    pub(in crate::wire::openai) bounds: bool,
    /// Whether it knows `tool_choice`.
    pub(in crate::wire::openai) tool_choice: bool,
    /// Whether it takes files.
    pub(in crate::wire::openai) files: bool,
    /// Whether it takes `prompt_cache_key`.
    pub(in crate::wire::openai) cache_key: bool,
    /// How a schema is given.
    pub(in crate::wire::openai) format: Format,
    /// How an effort is given.
    pub(in crate::wire::openai) reasoning: Reasoning,
}

const CAREFUL: Host = Host {
    kind: Kind::Unknown,
    completion_limit: false,
    developer: false,
    usage: true,
    strict: false,
    bounds: false,
    tool_choice: true,
    files: false,
    cache_key: false,
    format: Format::Schema,
    reasoning: Reasoning::None,
};

impl Host {
    /// The host at an address: by its name, and servers of this machine or network by their customary ports.
    pub(in crate::wire::openai) fn of(base: &Url) -> Self {
        let kind = kind(base);
        let careful = Self { kind, ..CAREFUL };
        let host = match kind {
            Kind::Openai => Self::openai(),
            Kind::Azure => Self { kind, bounds: false, ..Self::openai() },
            Kind::OpenRouter => {
                Self { files: true, format: Format::Strict, reasoning: Reasoning::Object, ..careful }
            }
            Kind::DeepSeek => Self { format: Format::Object, ..careful },
            Kind::Ollama => Self { tool_choice: false, ..careful },
            Kind::Vllm | Kind::LmStudio | Kind::LlamaCpp | Kind::Unknown => careful,
        };
        Self { usage: !plain().contains(&place(base)), ..host }
    }

    fn openai() -> Self {
        Self {
            kind: Kind::Openai,
            completion_limit: true,
            developer: true,
            strict: true,
            bounds: true,
            files: true,
            cache_key: true,
            format: Format::Strict,
            reasoning: Reasoning::Effort,
            ..CAREFUL
        }
    }
}

/// Whether a refusal is about what asks for the usage, as far as hosts name what they do not know.
pub(in crate::wire::openai) fn refuses_usage(message: &str) -> bool {
    const WORDS: [&str; 11] = [
        "stream_options",
        "include_usage",
        "unknown field",
        "unknown name",
        "unknown parameter",
        "unrecognized",
        "unsupported parameter",
        "unexpected",
        "extra fields",
        "extra inputs",
        "additional propert",
    ];
    let message = message.to_lowercase();
    WORDS.iter().any(|word| message.contains(word))
}

/// A host does not take what asks for the usage.
pub(in crate::wire::openai) fn remember_refusal(base: &Url) {
    let mut plain = plain();
    if plain.len() < PLAIN_MOST {
        plain.insert(place(base));
    }
}

fn plain() -> MutexGuard<'static, BTreeSet<String>> {
    PLAIN.lock()
}

fn place(base: &Url) -> String {
    format!("{}:{}", base.host_str().unwrap_or_default(), base.port_or_known_default().unwrap_or_default())
}

fn kind(base: &Url) -> Kind {
    let near = match base.host() {
        Some(Name::Ipv4(address)) => address.is_loopback() || address.is_private(),
        Some(Name::Ipv6(address)) => address.is_loopback(),
        Some(Name::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let below = |domain: &str| name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
            if name == "api.openai.com" {
                return Kind::Openai;
            }
            if ["openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com"]
                .into_iter()
                .any(below)
            {
                return Kind::Azure;
            }
            if name == "openrouter.ai" || below("openrouter.ai") {
                return Kind::OpenRouter;
            }
            if name == "api.deepseek.com" {
                return Kind::DeepSeek;
            }
            !name.contains('.') || below("local")
        }
        None => false,
    };
    match base.port() {
        Some(8_000) if near => Kind::Vllm,
        Some(1_234) if near => Kind::LmStudio,
        Some(8_080) if near => Kind::LlamaCpp,
        Some(11_434) if near => Kind::Ollama,
        _ => Kind::Unknown,
    }
}
