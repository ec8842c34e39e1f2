//! What model calls consume: tokens and money. Both are integers, so that sums are exact.

use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Money in billionths of a US dollar: one token at 1 USD per million tokens costs 1,000.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct NanoUsd(pub u64);

impl NanoUsd {
    /// From dollars; negative and non-finite amounts are zero, fractions below a billionth are cut.
    pub fn from_usd(usd: f64) -> Self {
        Self((usd.max(0.0) * 1e9) as u64)
    }

    /// In dollars, for display.
    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl std::fmt::Display for NanoUsd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.usd() {
            usd if self.0 == 0 || usd >= 0.01 => write!(f, "${usd:.2}"),
            usd if usd >= 0.0001 => write!(f, "${usd:.4}"),
            _ => f.write_str("< $0.0001"),
        }
    }
}

impl Add for NanoUsd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for NanoUsd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for NanoUsd {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), Add::add)
    }
}

/// Tokens of one call or a sum of calls, as the provider reported them. Input excludes cached tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Uncached input tokens.
    pub input: u64,
    /// Output tokens, thinking included.
    pub output: u64,
    /// The part of `output` that was thinking, where the provider says.
    #[serde(skip_serializing_if = "is_zero")]
    pub thinking: u64,
    /// Input tokens read from the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_read: u64,
    /// Input tokens written to the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write: u64,
    /// The part of `cache_write` that is kept for an hour, which costs more.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_long: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Usage {
    /// What was used since an earlier count of the same.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            input: self.input.saturating_sub(before.input),
            output: self.output.saturating_sub(before.output),
            thinking: self.thinking.saturating_sub(before.thinking),
            cache_read: self.cache_read.saturating_sub(before.cache_read),
            cache_write: self.cache_write.saturating_sub(before.cache_write),
            cache_write_long: self.cache_write_long.saturating_sub(before.cache_write_long),
        }
    }

    /// All tokens, input and output.
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write].into_iter().fold(0, u64::saturating_add)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.thinking = self.thinking.saturating_add(other.thinking);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cache_write_long = self.cache_write_long.saturating_add(other.cache_write_long);
    }
}

/// What one call may cost at most, set aside before it starts and released when it ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reserve {
    /// Money.
    pub cost: NanoUsd,
    /// Input and output tokens together.
    pub tokens: u64,
}

impl Add for Reserve {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { cost: self.cost + other.cost, tokens: self.tokens.saturating_add(other.tokens) }
    }
}

impl Reserve {
    /// What is left of it after an amount; nothing where that is more.
    pub fn less(self, amount: Self) -> Self {
        Self {
            cost: NanoUsd(self.cost.0.saturating_sub(amount.cost.0)),
            tokens: self.tokens.saturating_sub(amount.tokens),
        }
    }

    /// Whether it is enough for another, in money and in tokens.
    pub fn covers(self, needed: Self) -> bool {
        needed.cost <= self.cost && needed.tokens <= self.tokens
    }
}

/// The most a run may spend. `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Budget {
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<NanoUsd>,
    /// Tokens, input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Active time in milliseconds; waiting for the person is not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_ms: Option<u64>,
}

impl Budget {
    /// Whether an amount stays within the money and token limits.
    pub fn allows(&self, amount: Reserve) -> bool {
        self.cost.is_none_or(|limit| amount.cost <= limit)
            && self.tokens.is_none_or(|limit| amount.tokens <= limit)
    }
}
