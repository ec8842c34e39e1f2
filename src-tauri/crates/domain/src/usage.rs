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

/// The amount that a person wrote: `2.50`, `2,50`, `$1,000`, `100,000`. A comma separates thousands where three digits follow it each
/// time, else decimals. `None` for anything else, signs and exponents included.
pub fn amount(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches('$').trim_start();
    let whole = text.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let thousands = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    let plain = match thousands || !text.contains(',') {
        true => text.replace(',', ""),
        false if text.contains('.') => return None,
        false => text.replacen(',', ".", 1),
    };
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let (whole, rest) = plain.split_once('.').unwrap_or((&plain, ""));
    (digits(whole) && digits(rest) && plain.len() > usize::from(plain.contains('.')))
        .then(|| plain.parse().ok())?
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

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn an_amount_is_read_as_people_write_it() {
        for (text, read) in [
            ("2.50", Some(2.5)),
            ("2,50", Some(2.5)),
            ("$1,000", Some(1_000.0)),
            ("1,000.5", Some(1_000.5)),
            ("100,000", Some(100_000.0)),
            (".5", Some(0.5)),
            ("1,00,000", None),
            ("12,3.4", None),
            ("-2", None),
            ("1e9", None),
            ("inf", None),
            ("$", None),
            ("", None),
        ] {
            assert_eq!(amount(text), read, "{text}");
        }
    }
}
