//! What is known of a connection's models: the person's words over the provider's list over the shipped table over what
//! is safe to assume.

use domain::connection::{Connection, ModelOverride, ProviderKind};
use parking_lot::RwLock;

use crate::{ModelFeatures, ModelInfo, Price, Prices, ThinkingStyle};

/// What is known now.
pub(super) struct KnownFeatures {
    kind: ProviderKind,
    /// Whether the provider itself is asked, or a host whose prices nobody here knows.
    home: bool,
    /// Whether it stands on this machine or in a private network.
    near: bool,
    flat_rate: bool,
    overrides: Vec<ModelOverride>,
    default_model: Option<String>,
    judge_model: Option<String>,
    listed: RwLock<Vec<ModelInfo>>,
}

impl KnownFeatures {
    pub(super) fn new(connection: &Connection, home: bool, near: bool) -> Self {
        Self {
            kind: connection.provider,
            home,
            near,
            flat_rate: connection.flat_rate,
            overrides: connection.models.clone(),
            default_model: connection.default_model.clone().filter(|model| !model.trim().is_empty()),
            judge_model: connection.judge_model.clone().filter(|model| !model.trim().is_empty()),
            listed: RwLock::new(Vec::new()),
        }
    }

    /// The model that judges statements of a run with `model`: the person's choice, else the small one that the table
    /// names, where it is there and costs less. `None`: that model itself.
    pub(super) fn judge_model(&self, model: &str) -> Option<ModelInfo> {
        if let Some(own) = &self.judge_model {
            return (own != model).then(|| self.model(own));
        }
        let provider = self.home.then(|| listed_under(self.kind)).flatten()?;
        let named = Prices::embedded().judges.get(provider)?;
        let judge = self.all().into_iter().find(|one| one.id == *named)?;
        let asked = self.model(model);
        let cheaper = judge.price.input < asked.price.input && judge.price.output < asked.price.output;
        (asked.priced && cheaper).then_some(judge)
    }

    /// The model that is asked when nobody names one; empty where nothing is known.
    pub(super) fn default_model(&self) -> String {
        let named = || self.overrides.first().map(|model| model.id.clone());
        let shipped = || self.table().next().map(|model| model.id.clone());
        let default = match self.home {
            true => shipped().or_else(named),
            false => named().or_else(shipped),
        };
        let listed = || {
            let listed = self.listed.read();
            listed.first().map(|model| model.id.clone())
        };
        self.default_model.clone().or(default).or_else(listed).unwrap_or_default()
    }

    /// One model.
    pub(super) fn model(&self, name: &str) -> ModelInfo {
        let listed = self.listed.read();
        let known = listed.iter().find(|model| model.id == name).cloned();
        drop(listed);
        self.finished(known.unwrap_or_else(|| self.shipped(name)))
    }

    /// Keeps a list and gives it with what else is known.
    pub(super) fn keep(&self, mut models: Vec<ModelInfo>) -> Vec<ModelInfo> {
        // A list tells names; what an unknown one costs is assumed as without a list.
        for model in models.iter_mut().filter(|model| !model.priced) {
            let assumed = self.assumed(&model.id);
            model.priced = assumed.priced;
            if model.price == Price::default() {
                model.price = assumed.price;
            }
        }
        *self.listed.write() = models;
        self.all()
    }

    /// Every model: those of the last list, or of the table where there is none, and those that the person named.
    pub(super) fn all(&self) -> Vec<ModelInfo> {
        let listed = self.listed.read().clone();
        let mut models: Vec<ModelInfo> =
            if listed.is_empty() { self.table().cloned().collect() } else { listed };
        for own in &self.overrides {
            if !models.iter().any(|model| model.id == own.id) {
                models.push(self.shipped(&own.id));
            }
        }
        models.into_iter().map(|model| self.finished(model)).collect()
    }

    /// The table's models of this provider; of a host that only speaks its protocol none.
    fn table(&self) -> impl Iterator<Item = &'static ModelInfo> {
        let provider = self.home.then(|| listed_under(self.kind)).flatten();
        Prices::embedded().models.iter().filter(move |model| provider == Some(model.provider.as_str()))
    }

    /// A model as the table has it, else what is safe to assume. A gateway is asked for the provider's models by their
    /// names, so that the table counts there too.
    fn shipped(&self, name: &str) -> ModelInfo {
        match Prices::embedded()
            .model(name)
            .filter(|model| listed_under(self.kind) == Some(model.provider.as_str()))
        {
            Some(model) => ModelInfo { id: name.to_owned(), ..model.clone() },
            None => self.assumed(name),
        }
    }

    /// Windows that are small, abilities that every model of the kind has, and at the provider itself the dearest of its
    /// prices: not known, but a budget is rather kept than broken.
    fn assumed(&self, name: &str) -> ModelInfo {
        let (window, output, structured) = match self.kind {
            ProviderKind::Anthropic => (200_000, 32_000, true),
            ProviderKind::Openai => (128_000, 16_384, true),
            ProviderKind::Gemini => (128_000, 8_192, true),
            ProviderKind::OpenaiChat => (32_768, 4_096, false),
            ProviderKind::Ollama => (8_192, 4_096, true),
            ProviderKind::Offline => (8_192, 4_096, false),
        };
        let mut price = Price::default();
        for model in self.table() {
            let long = model.long.map(|long| long.price);
            for other in [Some(model.price), long].into_iter().flatten() {
                let write_long = other.cache_write_long.unwrap_or(other.cache_write);
                price.input = price.input.max(other.input);
                price.output = price.output.max(other.output);
                price.cache_read = price.cache_read.max(other.cache_read);
                price.cache_write = price.cache_write.max(other.cache_write);
                price.cache_write_long = Some(price.cache_write_long.unwrap_or_default().max(write_long));
            }
        }
        ModelInfo {
            id: name.to_owned(),
            provider: self.kind.as_str().to_owned(),
            context_window: window,
            max_output: output,
            structured,
            thinking: false,
            price,
            // What runs on a machine of one's own costs nothing.
            priced: self.near,
            long: None,
            abilities: ModelFeatures::default(),
        }
    }

    /// With the person's words.
    fn finished(&self, mut model: ModelInfo) -> ModelInfo {
        if let Some(own) = self.overrides.iter().find(|own| own.id == model.id) {
            apply(&mut model, own, self.kind);
        }
        model.abilities.flat_rate |= self.flat_rate;
        model
    }
}

/// The table's word for a kind.
fn listed_under(kind: ProviderKind) -> Option<&'static str> {
    match kind {
        ProviderKind::Anthropic => Some("anthropic"),
        ProviderKind::Openai | ProviderKind::OpenaiChat => Some("openai"),
        ProviderKind::Gemini => Some("gemini"),
        ProviderKind::Ollama | ProviderKind::Offline => None,
    }
}

fn apply(model: &mut ModelInfo, own: &ModelOverride, kind: ProviderKind) {
    model.context_window = own.context_window.unwrap_or(model.context_window);
    model.max_output = own.max_output.unwrap_or(model.max_output);
    model.structured = own.structured.unwrap_or(model.structured);
    model.thinking = own.thinking.unwrap_or(model.thinking);
    model.abilities.tools = own.tools.unwrap_or(model.abilities.tools);
    model.abilities.images = own.images.unwrap_or(model.abilities.images);
    model.abilities.documents = own.documents.unwrap_or(model.abilities.documents);
    match own.thinking {
        Some(true) if model.abilities.thinking == ThinkingStyle::None => {
            model.abilities.thinking = match kind {
                ProviderKind::Anthropic => ThinkingStyle::Adaptive,
                ProviderKind::Openai | ProviderKind::OpenaiChat => ThinkingStyle::Effort,
                ProviderKind::Gemini => ThinkingStyle::Level,
                ProviderKind::Ollama => ThinkingStyle::Switch,
                ProviderKind::Offline => ThinkingStyle::None,
            };
        }
        Some(false) => model.abilities.thinking = ThinkingStyle::None,
        Some(true) | None => {}
    }
    if let Some(price) = own.price {
        model.long = None;
        model.priced = true;
        model.price = Price {
            input: price.input,
            output: price.output,
            cache_read: price.cache_read.unwrap_or(price.input),
            cache_write: price.cache_write.unwrap_or(price.input),
            cache_write_long: None,
        };
    }
}

#[cfg(test)]
mod tests {
    use domain::connection::PriceOverride;
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_persons_words_count_before_the_list_and_that_before_the_table() {
        let mut connection = Connection::new("mine", ProviderKind::Anthropic);
        connection.flat_rate = true;
        connection.models = vec![
            ModelOverride {
                id: "claude-opus-5-5".into(),
                max_output: Some(9),
                price: Some(PriceOverride {
                    input: 1.0,
                    output: 2.0,
                    cache_read: Some(0.5),
                    cache_write: None,
                }),
                ..ModelOverride::default()
            },
            ModelOverride { id: "house-model".into(), thinking: Some(true), ..ModelOverride::default() },
        ];
        let known = KnownFeatures::new(&connection, true, false);
        let before = known.model("claude-opus-5-5");
        assert_eq!((before.max_output, before.price.cache_read, before.price.cache_write), (9, 0.5, 1.0));
        assert!(before.abilities.flat_rate);
        let mut listed = before.clone();
        (listed.context_window, listed.max_output) = (77, 88);
        let all = known.keep(vec![listed]);
        assert_eq!(
            all.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(),
            ["claude-opus-5-5", "house-model"]
        );
        let after = known.model("claude-opus-5-5");
        assert_eq!((after.context_window, after.max_output), (77, 9));
        assert_eq!(known.model("house-model").abilities.thinking, ThinkingStyle::Adaptive);
    }

    #[test]
    fn a_listed_model_without_a_price_is_reserved_like_an_unknown_one() {
        let listed = ModelInfo { priced: false, ..ModelInfo::free("gpt-next", "openai", 128_000, 16_384) };
        let home = KnownFeatures::new(&Connection::new("mine", ProviderKind::Openai), true, false);
        home.keep(vec![listed.clone()]);
        assert_eq!(home.model("gpt-next").price, home.assumed("gpt-next").price);
        assert!(!home.model("gpt-next").priced);
        let near = KnownFeatures::new(&Connection::new("mine", ProviderKind::OpenaiChat), false, true);
        near.keep(vec![listed]);
        assert!(near.model("gpt-next").priced);
    }

    #[test]
    fn an_unknown_model_of_the_provider_is_as_dear_as_its_dearest() {
        let known = KnownFeatures::new(&Connection::new("mine", ProviderKind::Anthropic), true, false);
        let unknown = known.model("claude-next");
        let usage = domain::Usage {
            input: 1_000,
            output: 1_000,
            cache_read: 50,
            cache_write: 50,
            ..Default::default()
        };
        for model in known.table() {
            assert!(unknown.cost(&usage) >= model.cost(&usage), "{}", model.id);
        }
        assert_eq!(unknown.abilities, ModelFeatures::default());
    }

    #[test]
    fn the_judge_is_what_the_person_chose_else_a_small_model_of_the_provider() {
        let mut connection = Connection::new("a", ProviderKind::Anthropic);
        let judge = |connection: &Connection, home: bool, model: &str| {
            KnownFeatures::new(connection, home, false).judge_model(model).map(|judge| judge.id)
        };
        let small = Prices::embedded().judges["anthropic"].clone();
        assert_eq!(judge(&connection, true, "claude-opus-5-5"), Some(small.clone()));
        assert_eq!(judge(&connection, true, &small), None, "nothing is cheaper than itself");
        assert_eq!(judge(&connection, true, "unheard-of"), None, "nobody knows what that one costs");
        assert_eq!(judge(&connection, false, "claude-opus-5-5"), None, "a host of others may not have it");
        let known = KnownFeatures::new(&connection, true, false);
        known.keep(vec![known.model("claude-opus-5-5")]);
        assert_eq!(known.judge_model("claude-opus-5-5"), None, "the provider does not list it");
        connection.judge_model = Some("own".to_owned());
        assert_eq!(judge(&connection, false, "claude-opus-5-5"), Some("own".to_owned()));
        assert_eq!(judge(&connection, true, "own"), None);
    }

    #[test]
    fn a_host_that_only_speaks_the_protocol_brings_no_models_and_no_prices() {
        let mut connection = Connection::new("box", ProviderKind::OpenaiChat);
        let known = KnownFeatures::new(&connection, false, false);
        assert_eq!(known.all(), []);
        assert_eq!(known.default_model(), "");
        assert_eq!((known.model("qwen").price, known.model("qwen").priced), (Price::default(), false));
        assert!(KnownFeatures::new(&connection, false, true).model("qwen").priced);
        connection.models = vec![ModelOverride { id: "qwen".into(), ..ModelOverride::default() }];
        assert_eq!(KnownFeatures::new(&connection, false, false).default_model(), "qwen");
    }
}
