//! What tokens cost: a dated table as data, and what follows from it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use domain::agent::Effort;
use domain::{NanoUsd, Reserve, Usage};
use serde::{Deserialize, Serialize};

/// The shipped tables, one a provider.
const FILES: [&str; 4] = [
    include_str!("../prices/offline.json"),
    include_str!("../prices/anthropic.json"),
    include_str!("../prices/openai.json"),
    include_str!("../prices/gemini.json"),
];

/// A table of prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// The day it was made: `YYYY-MM-DD`.
    pub date: String,
    /// The models.
    pub models: Vec<ModelInfo>,
    /// By provider: a small model that is good enough to judge whether a source supports a statement.
    #[serde(default)]
    pub judges: BTreeMap<String, String>,
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// Its id at the provider.
    pub id: String,
    /// The provider.
    pub provider: String,
    /// Input and output tokens that fit together.
    pub context_window: u64,
    /// The most output tokens of one answer.
    pub max_output: u64,
    /// Whether the provider can be given a JSON Schema for the answer.
    pub structured: bool,
    /// Whether it can think.
    pub thinking: bool,
    /// What its tokens cost.
    pub price: Price,
    /// Whether that is known. Where it is not, `price` is nothing, and what calls cost can't be told.
    #[serde(default = "known", skip_serializing_if = "is_known")]
    pub priced: bool,
    /// What they cost when the input is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
    /// What else it can do.
    #[serde(default)]
    pub abilities: ModelFeatures,
}

fn known() -> bool {
    true
}

fn is_known(priced: &bool) -> bool {
    *priced
}

/// What a model can do and wants, besides what [`ModelInfo`] has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelFeatures {
    /// Whether it calls tools.
    pub tools: bool,
    /// Whether a call can be forced.
    pub forced_tools: bool,
    /// Whether it reads images.
    pub images: bool,
    /// Whether it reads PDF documents.
    pub documents: bool,
    /// How thinking is asked for.
    pub thinking: ThinkingStyle,
    /// Whether thinking can be switched off.
    pub thinking_off: bool,
    /// The efforts it knows; empty: none is sent.
    pub efforts: Vec<Effort>,
    /// The shortest prefix, in tokens, that its provider keeps in a cache.
    pub cache_min: u64,
    /// Whether the person pays by a flat rate: costs are an equivalent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flat_rate: bool,
}

/// How a model is asked to think.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingStyle {
    /// It can't, or nothing is known.
    #[default]
    None,
    /// Anthropic's adaptive thinking.
    Adaptive,
    /// Anthropic's thinking with a budget of tokens.
    Budget,
    /// An effort (OpenAI).
    Effort,
    /// A level (Gemini 3 and later).
    Level,
    /// A budget of tokens (Gemini 2.5).
    TokenBudget,
    /// On or off (Ollama).
    Switch,
}

impl Default for ModelFeatures {
    fn default() -> Self {
        Self {
            tools: true,
            forced_tools: false,
            images: false,
            documents: false,
            thinking: ThinkingStyle::None,
            thinking_off: true,
            efforts: Vec::new(),
            cache_min: 1_024,
            flat_rate: false,
        }
    }
}

/// US dollars per million tokens. Thinking is billed as output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Price {
    /// Uncached input.
    pub input: f64,
    /// Output, thinking included.
    pub output: f64,
    /// Input read from the cache.
    pub cache_read: f64,
    /// Input written to the cache.
    pub cache_write: f64,
    /// Input written to the cache for an hour; without it as `cache_write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_long: Option<f64>,
}

/// Prices of the whole call when its input is longer than a bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LongPrice {
    /// Input tokens, cached ones included.
    pub above: u64,
    /// The prices then.
    pub price: Price,
}

impl Price {
    /// The cost of a call's tokens, rounded up to a billionth of a dollar.
    pub fn cost(&self, usage: &Usage) -> NanoUsd {
        let long = usage.cache_write_long.min(usage.cache_write);
        [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write - long, self.cache_write),
            (long, self.cache_write_long.unwrap_or(self.cache_write)),
        ]
        .into_iter()
        .map(|(tokens, per_million)| part(tokens, per_million))
        .sum()
    }
}

/// Exact over integers: a price is whole billionths of a dollar per million tokens.
fn part(tokens: u64, per_million: f64) -> NanoUsd {
    let nano = (per_million.max(0.0) * 1e9).round() as u128;
    NanoUsd(u64::try_from((u128::from(tokens) * nano).div_ceil(1_000_000)).unwrap_or(u64::MAX))
}

impl ModelInfo {
    /// A model that costs nothing and of which nothing else is known.
    pub fn free(
        id: impl Into<String>,
        provider: impl Into<String>,
        context_window: u64,
        max_output: u64,
    ) -> Self {
        Self {
            id: id.into(),
            provider: provider.into(),
            context_window,
            max_output,
            structured: true,
            thinking: false,
            price: Price::default(),
            priced: true,
            long: None,
            abilities: ModelFeatures::default(),
        }
    }

    /// The cost of a call.
    pub fn cost(&self, usage: &Usage) -> NanoUsd {
        let input = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
        match self.long {
            Some(long) if input > long.above => long.price.cost(usage),
            Some(_) | None => self.price.cost(usage),
        }
    }

    /// The most that a call can cost: all input at its dearest rate and every output token used.
    pub fn reserve(&self, input_tokens: u64, max_output: u64) -> Reserve {
        let worst = |price: &Price| {
            let written = price.cache_write.max(price.cache_write_long.unwrap_or_default());
            let input = price.input.max(written).max(price.cache_read);
            part(input_tokens, input) + part(max_output, price.output)
        };
        let cost = worst(&self.price);
        let cost = match &self.long {
            Some(long) if input_tokens > long.above => cost.max(worst(&long.price)),
            Some(_) | None => cost,
        };
        Reserve { cost, tokens: input_tokens.saturating_add(max_output) }
    }
}

impl Prices {
    /// The table that ships with the program.
    pub fn embedded() -> &'static Self {
        static TABLE: OnceLock<Prices> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut table = Prices { date: String::new(), models: Vec::new(), judges: BTreeMap::new() };
            for file in FILES {
                // A test keeps the shipped files readable; without one its models would not be known.
                if let Ok(part) = serde_json::from_str::<Prices>(file) {
                    table.date = table.date.max(part.date);
                    table.models.extend(part.models);
                    table.judges.extend(part.judges);
                }
            }
            table
        })
    }

    /// A model by its id, with or without the date that providers append (`-20261020`, `-2026-10-20`).
    pub fn model(&self, id: &str) -> Option<&ModelInfo> {
        let find = |wanted: &str| self.models.iter().find(|model| model.id == wanted);
        find(id).or_else(|| find(undated(id)?))
    }
}

/// An id without the date at its end; `None` where it has none.
fn undated(id: &str) -> Option<&str> {
    const FORMS: [&str; 2] = ["-dddddddd", "-dddd-dd-dd"];
    let has = |form: &str, tail: &str| {
        form.bytes()
            .zip(tail.bytes())
            .all(|(want, byte)| if want == b'd' { byte.is_ascii_digit() } else { byte == want })
    };
    FORMS.iter().find_map(|form| {
        let (head, tail) = id.split_at_checked(id.len().checked_sub(form.len())?)?;
        has(form, tail).then_some(head)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_shipped_table_reads_and_knows_the_offline_engine() {
        let table = Prices::embedded();
        for file in FILES {
            assert!(serde_json::from_str::<Prices>(file).is_ok_and(|part| !part.models.is_empty()));
        }
        assert_eq!(
            table.model("offline-1").unwrap().cost(&Usage { input: 9, output: 9, ..Usage::default() }),
            NanoUsd(0)
        );
        assert_eq!(table.model("claude-opus-5-5-20261020").unwrap().id, "claude-opus-5-5");
        assert_eq!(table.model("gpt-5-mini-2025-08-07").unwrap().id, "gpt-5-mini");
        assert_eq!(table.model("gpt-6.1"), None);
        assert_eq!(table.judges.keys().collect::<Vec<_>>(), ["anthropic", "gemini", "openai"]);
        for (provider, judge) in &table.judges {
            assert!(
                table
                    .models
                    .iter()
                    .any(|one| one.provider == *provider && one.id == *judge && one.structured)
            );
        }
        for odd in ["", "-20261020", "é-2026-10-20", "gpt-5-2025-08-0x"] {
            assert_eq!(table.model(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_call_costs_the_sum_of_its_parts() {
        let model = Prices::embedded().model("claude-opus-5-5").unwrap();
        let usage = Usage {
            input: 1_000_000,
            output: 100_000,
            thinking: 40_000,
            cache_read: 1_000_000,
            cache_write: 100_000,
            cache_write_long: 0,
        };
        assert_eq!(model.cost(&usage), NanoUsd::from_usd(4.0 + 2.0 + 0.2 + 0.5));
    }

    #[test]
    fn long_input_is_billed_at_its_own_price() {
        let model = Prices::embedded().model("claude-haiku-5-5").unwrap();
        assert_eq!(model.cost(&Usage { input: 100_000, ..Usage::default() }), NanoUsd(10_000_000));
        assert_eq!(
            model.cost(&Usage { input: 50_000, cache_read: 50_001, ..Usage::default() }),
            NanoUsd(25_000_000 + 2_500_050)
        );
    }

    #[test]
    fn no_way_of_using_the_tokens_costs_more_than_the_reserve() {
        for model in &Prices::embedded().models {
            for input in [0u64, 999, 150_000, 300_000] {
                let reserve = model.reserve(input, 8_000);
                for (plain, read, write) in
                    [(input, 0, 0), (0, input, 0), (0, 0, input), (input / 2, input / 4, input / 4)]
                {
                    let usage = Usage {
                        input: plain,
                        output: 8_000,
                        cache_read: read,
                        cache_write: write,
                        thinking: 0,
                        cache_write_long: 0,
                    };
                    assert!(model.cost(&usage) <= reserve.cost, "{} {input}", model.id);
                }
            }
        }
    }

    #[test]
    fn absurd_usage_saturates_instead_of_wrapping() {
        let model = Prices::embedded().model("claude-opus-5").unwrap();
        let usage = Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() };
        assert_eq!(model.cost(&usage), NanoUsd(u64::MAX));
    }
}
