//! Numbers, units, bounds and dates as sentences state them. No floating-point number occurs.

/// Digits of a number that is compared; longer ones are words.
const MAX_DIGITS: usize = 24;

/// What a number counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    /// Per cent.
    Share,
    /// Money, by currency code.
    Money(&'static str),
    /// A time, by its unit.
    Time(&'static str),
    /// The stem of the word for what is counted.
    Noun(String),
    /// Nothing follows it that says so.
    Bare,
}

impl Unit {
    /// Whether two different units measure what can't be the same: months and days, euros and dollars.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        let is_measure = |unit: &Self| matches!(unit, Self::Share | Self::Money(_) | Self::Time(_));
        self != other && is_measure(self) && is_measure(other)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Share => "%",
            Self::Money(name) | Self::Time(name) => name,
            Self::Noun(stem) => stem,
            Self::Bare => "",
        }
    }

    /// The unit that a word after a number names.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        const TIMES: [&str; 8] = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
        if matches!(word, "%" | "percent" | "percentage") {
            return Some(Self::Share);
        }
        let single = word.strip_suffix('s').unwrap_or(word);
        let time = TIMES.into_iter().find(|unit| *unit == single).map(Self::Time);
        time.or_else(|| currency(word).map(Self::Money))
    }
}

/// The code of a currency.
pub(crate) fn currency(word: &str) -> Option<&'static str> {
    Some(match word {
        "$" | "usd" | "dollar" | "dollars" => "USD",
        "€" | "eur" | "euro" | "euros" => "EUR",
        "£" | "gbp" | "pound" | "pounds" => "GBP",
        "¥" | "jpy" | "yen" => "JPY",
        "chf" | "franc" | "francs" => "CHF",
        _ => return None,
    })
}

/// The power of ten of a word such as `million`.
pub(crate) fn scale(word: &str) -> Option<i32> {
    Some(match word {
        "hundred" => 2,
        "thousand" | "thousands" | "k" => 3,
        "million" | "millions" | "mn" | "m" => 6,
        "billion" | "billions" | "bn" | "b" => 9,
        "trillion" | "trillions" => 12,
        _ => return None,
    })
}

/// Whether a number is the least or the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bound {
    Least,
    Most,
}

impl Bound {
    /// The bound that the words directly before a number say, and how many words say it.
    pub(crate) fn parse(before: &[&str]) -> Option<(Self, usize)> {
        let last = |count: usize| before.len().checked_sub(count).map(|from| &before[from..]);
        if let Some([negation, more, "than"]) = last(3)
            && matches!(*negation, "not" | "no")
        {
            match *more {
                "less" | "fewer" | "lower" => return Some((Self::Least, 3)),
                "more" | "greater" | "higher" => return Some((Self::Most, 3)),
                _ => {}
            }
        }
        let pair = match last(2) {
            Some(["at", "least"] | ["more" | "greater", "than"] | ["minimum", "of"]) => Some(Self::Least),
            Some(["at", "most"] | ["less" | "fewer", "than"] | ["maximum", "of"] | ["up", "to"]) => {
                Some(Self::Most)
            }
            _ => None,
        };
        if let Some(bound) = pair {
            return Some((bound, 2));
        }
        match last(1) {
            Some(["over" | "exceeding" | "above"]) => Some((Self::Least, 1)),
            Some(["under" | "below"]) => Some((Self::Most, 1)),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Least => "at least ",
            Self::Most => "at most ",
        }
    }
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// The number is `digits` times ten to the power of `exponent`; `digits` has no zeros at its end.
    digits: i128,
    exponent: i32,
    /// The power of ten of the last digit that was stated.
    precision: i32,
    pub(crate) unit: Unit,
    pub(crate) bound: Option<Bound>,
}

/// How two quantities of one unit stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Both can be true.
    Agree,
    /// The numbers exclude each other.
    Differ,
    /// The same number as the other bound.
    Opposed,
}

impl Quantity {
    /// Reads `1,234.56`, `twelve`.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        const WORDS: [&str; 11] =
            ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
        if let Some(at) = WORDS.iter().position(|one| *one == word) {
            return Some(Self::new(i128::try_from(at).ok()? + 2, 0));
        }
        let plain = word.replace(',', "");
        let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
        let digits = format!("{whole}{decimals}");
        let is_number =
            !whole.is_empty() && digits.len() <= MAX_DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
        let exponent = -i32::try_from(decimals.len()).ok()?;
        is_number.then(|| digits.parse().ok().map(|digits| Self::new(digits, exponent))).flatten()
    }

    fn new(digits: i128, exponent: i32) -> Self {
        let (mut short, mut raised) = (digits, exponent);
        while short != 0 && short % 10 == 0 {
            (short, raised) = (short / 10, raised + 1);
        }
        let raised = if short == 0 { 0 } else { raised };
        Self { digits: short, exponent: raised, precision: exponent, unit: Unit::Bare, bound: None }
    }

    /// This number times ten to a power.
    pub(crate) fn scaled(mut self, power: i32) -> Self {
        self.exponent += if self.digits == 0 { 0 } else { power };
        self.precision += power;
        self
    }

    /// Both numbers at one scale, and half of the last digit of the coarser one, twice.
    fn aligned(&self, other: &Self) -> Option<(i128, i128, i128)> {
        let coarse = self.precision.max(other.precision);
        let low = self.exponent.min(other.exponent).min(coarse);
        let raise = |digits: i128, exponent: i32| {
            digits.checked_mul(10_i128.checked_pow(u32::try_from(exponent - low).ok()?)?)
        };
        Some((raise(self.digits, self.exponent)?, raise(other.digits, other.exponent)?, raise(1, coarse)?))
    }

    /// Whether one number is the other, rounded to the digits that were stated.
    pub(crate) fn is_same_number(&self, other: &Self) -> bool {
        let exact = (self.digits, self.exponent) == (other.digits, other.exponent);
        let rounded = || {
            let (mine, theirs, step) = self.aligned(other)?;
            // Only where one side was rounded: two numbers to one digit are compared to that digit.
            let rounds = self.precision != other.precision;
            mine.checked_sub(theirs)?.checked_abs()?.checked_mul(2).map(|twice| rounds && twice <= step)
        };
        exact || rounded().unwrap_or(false)
    }

    /// Whether another number says this one, which may be rounded, but not more exact.
    pub(crate) fn is_told_by(&self, other: &Self) -> bool {
        let exact = (self.digits, self.exponent) == (other.digits, other.exponent);
        exact || (self.precision > other.precision && self.is_same_number(other))
    }

    /// Compares quantities of one unit.
    pub(crate) fn compare(&self, other: &Self) -> Comparison {
        let same = self.is_same_number(other);
        let below = self.aligned(other).is_some_and(|(mine, theirs, _)| mine < theirs);
        let differs = match (self.bound, other.bound) {
            (Some(Bound::Least), Some(Bound::Most)) | (Some(Bound::Most), Some(Bound::Least)) if same => {
                return Comparison::Opposed;
            }
            (None, None)
            | (Some(Bound::Least), Some(Bound::Least))
            | (Some(Bound::Most), Some(Bound::Most)) => !same,
            (Some(Bound::Least), None | Some(Bound::Most)) | (None, Some(Bound::Most)) => !same && !below,
            (Some(Bound::Most), None | Some(Bound::Least)) | (None, Some(Bound::Least)) => !same && below,
        };
        if differs { Comparison::Differ } else { Comparison::Agree }
    }

    /// The quantity in one form.
    pub(crate) fn shown(&self) -> String {
        let bound = self.bound.map_or("", Bound::name);
        let digits = self.digits.to_string();
        let number = match usize::try_from(self.exponent) {
            Ok(zeros) => format!("{digits}{}", "0".repeat(zeros.min(MAX_DIGITS))),
            Err(_) => {
                let decimals = self.exponent.unsigned_abs() as usize;
                let digits = format!("{digits:0>width$}", width = decimals + 1);
                let (whole, rest) = digits.split_at(digits.len() - decimals);
                format!("{whole}.{rest}")
            }
        };
        let unit = self.unit.name();
        let space = if unit.is_empty() { "" } else { " " };
        format!("{bound}{number}{space}{unit}")
    }
}

/// A date as far as it is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    pub(crate) year: Option<u16>,
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<u8>,
}

impl Date {
    /// Whether a part that both state differs.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        fn apart<T: PartialEq>(mine: Option<T>, theirs: Option<T>) -> bool {
            matches!((mine, theirs), (Some(mine), Some(theirs)) if mine != theirs)
        }
        apart(self.year, other.year) || apart(self.month, other.month) || apart(self.day, other.day)
    }

    /// Whether every part that the other has is stated here, and the same.
    pub(crate) fn states(&self, other: &Self) -> bool {
        fn has<T: PartialEq>(mine: Option<T>, theirs: Option<T>) -> bool {
            theirs.is_none() || mine == theirs
        }
        has(self.year, other.year) && has(self.month, other.month) && has(self.day, other.day)
    }

    pub(crate) fn shown(&self) -> String {
        let year = self.year.map(|year| year.to_string());
        let part = |part: Option<u8>| part.map(|part| format!("{part:02}"));
        let parts = [year, part(self.month), part(self.day)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("-")
    }
}

/// The month that a word in lower case names, from 1.
pub(crate) fn month(word: &str) -> Option<u8> {
    let names = |month: &&str| {
        let length = if word.len() == 3 { 3 } else { month.len() };
        month.get(..length).is_some_and(|name| name.eq_ignore_ascii_case(word))
    };
    let at = domain::MONTHS.iter().position(names)?;
    u8::try_from(at + 1).ok()
}
