//! What model calls consume: tokens and money. Both are integers, so that sums are exact.

use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::ChildBudget;

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

    /// The budget of a run that has used so much and may use this share on top, below the most of its whole life.
    pub fn beyond(self, used: Reserve, active_ms: u64, most: &ChildBudget) -> Self {
        let least = |share: Option<u64>, used: u64, most: Option<u64>| match (share, most) {
            (Some(share), Some(most)) => Some(used.saturating_add(share).min(most)),
            (share, most) => share.map(|share| used.saturating_add(share)).or(most),
        };
        let most_usd = most.usd.map(|usd| NanoUsd::from_usd(usd).0);
        let most_ms = most.minutes.map(|minutes| (minutes.max(0.0) * 60_000.0) as u64);
        Self {
            cost: least(self.cost.map(|cost| cost.0), used.cost.0, most_usd).map(NanoUsd),
            tokens: least(self.tokens, used.tokens, most.tokens),
            active_ms: least(self.active_ms, active_ms, most_ms),
        }
    }

    /// The budget that a text raises it to: `$2.50`, `200000 tokens`, `30 min`; without any, every limit is doubled.
    pub fn raised(self, text: &str) -> Self {
        let mut raised = self;
        let mut named = false;
        let words: Vec<&str> = text.split_whitespace().collect();
        for (index, word) in words.iter().enumerate() {
            let Some(number) = amount(word) else { continue };
            let unit = words.get(index + 1).copied().unwrap_or_default().to_lowercase();
            named = true;
            if unit.starts_with("tok") {
                raised.tokens = Some(number.max(0.0) as u64);
            } else if unit.starts_with("min") {
                raised.active_ms = Some((number.max(0.0) * 60_000.0) as u64);
            } else {
                raised.cost = Some(NanoUsd::from_usd(number));
            }
        }
        if !named {
            raised.cost = self.cost.map(|cost| NanoUsd(cost.0.saturating_mul(2)));
            raised.tokens = self.tokens.map(|tokens| tokens.saturating_mul(2));
            raised.active_ms = self.active_ms.map(|ms| ms.saturating_mul(2));
        }
        raised
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, NanoUsd, amount};

    #[test]
    fn a_raised_budget_is_read_from_words_and_doubled_without_them() {
        let budget = Budget { cost: Some(NanoUsd::from_usd(1.0)), tokens: Some(1_000), active_ms: None };
        assert_eq!(budget.raised("").tokens, Some(2_000));
        assert_eq!(budget.raised("$2.50").cost, Some(NanoUsd::from_usd(2.5)));
        assert_eq!(budget.raised("200,000 tokens and 30 min").tokens, Some(200_000));
        assert_eq!(budget.raised("200,000 tokens and 30 min").active_ms, Some(1_800_000));
        assert_eq!(budget.raised("$2").tokens, Some(1_000));
    }

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
