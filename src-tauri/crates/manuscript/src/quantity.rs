//! Quantities as a text states them: exact decimals, their precision, their unit. No floating-point number occurs.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Digits of a number.
pub const MAX_DIGITS: usize = 24;

/// A decimal number: `digits` times ten to the power of minus `scale`, without zeros at its end.
///
/// In JSON an integer, or a string such as `"12.45"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: i128,
    scale: u8,
}

/// Why a text is no decimal number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no decimal number of at most {MAX_DIGITS} digits: write \"1234\" or \"1234.56\"")]
pub struct DecimalError(String);

impl Decimal {
    /// From `digits` times ten to the power of minus `scale`.
    pub fn new(digits: i128, scale: u8) -> Self {
        let (mut digits, mut scale) = (digits, scale);
        while scale > 0 && digits % 10 == 0 {
            (digits, scale) = (digits / 10, scale - 1);
        }
        Self { digits, scale }
    }

    /// Reads `-1,234.56`.
    ///
    /// # Errors
    /// The text is no decimal number, or has more than [`MAX_DIGITS`] digits.
    pub fn parse(text: &str) -> Result<Self, DecimalError> {
        let refused = || DecimalError(crate::text::excerpt(text));
        let trimmed = text.trim();
        let (sign, size) = match trimmed.strip_prefix(['-', '−']) {
            Some(rest) => (-1, rest),
            None => (1, trimmed),
        };
        let size = size.replace(',', "");
        let (whole, decimals) = size.split_once('.').unwrap_or((&size, ""));
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_complete = !whole.is_empty() && (size.find('.').is_none() || !decimals.is_empty());
        if !is_complete
            || !is_digits(whole)
            || !is_digits(decimals)
            || whole.len() + decimals.len() > MAX_DIGITS
        {
            return Err(refused());
        }
        let digits: i128 = format!("{whole}{decimals}").parse().map_err(|_| refused())?;
        Ok(Self::new(sign * digits, u8::try_from(decimals.len()).map_err(|_| refused())?))
    }

    /// This number times ten to the power of `exponent`.
    fn shifted(self, exponent: u8) -> Option<Self> {
        let down = exponent.min(self.scale);
        let factor = 10_i128.checked_pow(u32::from(exponent - down))?;
        Some(Self::new(self.digits.checked_mul(factor)?, self.scale - down))
    }

    /// Both numbers as integers of one scale.
    fn aligned(self, other: Self) -> Option<(i128, i128, u8)> {
        let scale = self.scale.max(other.scale);
        let raise =
            |number: Self| number.digits.checked_mul(10_i128.checked_pow(u32::from(scale - number.scale))?);
        Some((raise(self)?, raise(other)?, scale))
    }

    /// Whether the numbers differ by at most half of the last digit that was stated, ten to the power of `precision`.
    pub fn rounds_to(self, stated: Self, precision: i8) -> bool {
        let Some((this, other, scale)) = self.aligned(stated) else { return self == stated };
        let Some(exponent) =
            i32::from(precision).checked_add(i32::from(scale)).and_then(|sum| u32::try_from(sum).ok())
        else {
            return this == other;
        };
        let unit = 10_i128.checked_pow(exponent).unwrap_or(i128::MAX);
        this.abs_diff(other).checked_mul(2).is_some_and(|twice| twice <= unit.unsigned_abs())
    }

    /// Whether the numbers differ by at most `permille` thousandths of the larger one.
    pub fn is_within(self, other: Self, permille: u32) -> bool {
        let Some((this, that, _)) = self.aligned(other) else { return false };
        let larger = this.unsigned_abs().max(that.unsigned_abs());
        let left = this.abs_diff(that).checked_mul(1_000);
        let right = larger.checked_mul(u128::from(permille));
        matches!((left, right), (Some(left), Some(right)) if left <= right)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.aligned(*other).map(|(this, other, _)| this.cmp(&other))
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let size = self.digits.unsigned_abs();
        let scale = usize::from(self.scale);
        if scale == 0 {
            return write!(f, "{sign}{size}");
        }
        let digits = format!("{size:0width$}", width = scale + 1);
        let (whole, decimals) = digits.split_at(digits.len() - scale);
        write!(f, "{sign}{whole}.{decimals}")
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.digits) {
            Ok(whole) if self.scale == 0 => serializer.serialize_i64(whole),
            Ok(_) | Err(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl Visitor<'_> for Form {
            type Value = Decimal;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an integer, or a decimal number as a string")
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Decimal, E> {
                Ok(Decimal::new(number.into(), 0))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Decimal, E> {
                Ok(Decimal::new(number.into(), 0))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Decimal, E> {
                Decimal::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Form).map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for Decimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["integer", "string"], "pattern": "^-?[0-9][0-9,]*([.][0-9]+)?$" })
    }
}

/// A quantity in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The number, with its scale applied: `5 million` is 5,000,000.
    pub value: Decimal,
    /// The power of ten of the last digit that was stated: 5 for `$1.2 million`.
    pub precision: i8,
    /// A currency code, `%`, `bps` or [`DAY`]; none: a bare number.
    pub unit: Option<&'static str>,
    /// Bytes of the text.
    pub range: Range<usize>,
}

const UNITS: [(&str, &str); 22] = [
    ("$", "USD"),
    ("us$", "USD"),
    ("usd", "USD"),
    ("dollar", "USD"),
    ("dollars", "USD"),
    ("€", "EUR"),
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("£", "GBP"),
    ("gbp", "GBP"),
    ("pounds", "GBP"),
    ("chf", "CHF"),
    ("¥", "JPY"),
    ("jpy", "JPY"),
    ("%", "%"),
    ("percent", "%"),
    ("per cent", "%"),
    ("percentage points", "%"),
    ("bps", "bps"),
    ("basis points", "bps"),
    ("bp", "bps"),
];

const SCALES: [(&str, u8); 13] = [
    ("k", 3),
    ("thousand", 3),
    ("thousands", 3),
    ("000s", 3),
    ("m", 6),
    ("mm", 6),
    ("mn", 6),
    ("million", 6),
    ("millions", 6),
    ("b", 9),
    ("bn", 9),
    ("billion", 9),
    ("trillion", 12),
];

/// The code of a unit's name or sign, in lower case.
pub(crate) fn unit(name: &str) -> Option<&'static str> {
    UNITS.iter().find(|(other, _)| *other == name).map(|(_, code)| *code)
}

fn scale(name: &str) -> Option<u8> {
    SCALES.iter().find(|(other, _)| *other == name).map(|(_, exponent)| *exponent)
}

static QUANTITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?P<before>us\$|[$€£¥]|\b(?:usd|eur|gbp|chf|jpy)[ \u{a0}]?)?(?P<sign>[-−])?(?P<inside>[$€£¥])?",
        r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)",
        r"(?:[ \u{a0}-]?(?P<word>thousand|million|billion|trillion|bn|mn|mm)\b|(?P<letter>[kmb])\b)?",
        r"(?:[ \u{a0}]?(?P<after>%|(?:percentage points|percent|per cent|basis points|bps|bp|usd|eur|gbp|chf|jpy|dollars?|euros?|pounds)\b))?",
    ))
    .ok()
});

/// The quantities of a text, in order.
///
/// Left out: ranges and dates (`5-7`, `2026-03-31`), numbers that are part of a name (`Q1`, `IV.2`, `3rd`, `[^4]`), and
/// letters for a scale without a currency (`5m`).
pub fn quantities(text: &str) -> Vec<Quantity> {
    let Some(pattern) = QUANTITY.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for hit in pattern.captures_iter(text) {
        let (Some(whole), Some(number)) = (hit.get(0), hit.name("number")) else { continue };
        let group = |name: &str| hit.name(name).map(|group| group.as_str().trim().to_lowercase());
        let before = text[..whole.start()].chars().next_back();
        let after = text[whole.end()..].chars().next();
        let second = text[whole.end()..].chars().nth(1);
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let glued = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '^' | '.' | '/' | '_' | ','))
            || after.is_some_and(|c| c.is_alphanumeric() || c == '_')
            || (after.is_some_and(|c| matches!(c, '-' | '–' | '/' | '.' | ':')) && is_digit(second));
        let ranges = before.is_some_and(|c| matches!(c, '-' | '–' | ':'))
            && is_digit(text[..whole.start()].chars().rev().nth(1));
        if glued || ranges {
            continue;
        }
        let unit = ["before", "inside", "after"].iter().find_map(|name| unit(&group(name)?));
        let word = group("word");
        let letter = group("letter");
        if letter.is_some() && !unit.is_some_and(|code| code.len() == 3 && code != "bps") {
            continue;
        }
        let exponent = word.or(letter).and_then(|name| scale(&name)).unwrap_or(0);
        let sign = if hit.name("sign").is_some() { "-" } else { "" };
        let Ok(value) = Decimal::parse(&format!("{sign}{}", number.as_str())) else { continue };
        let decimals = number.as_str().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let (Some(value), Ok(decimals)) = (value.shifted(exponent), i8::try_from(decimals)) else { continue };
        let precision = i8::try_from(exponent).unwrap_or_default() - decimals;
        found.push(Quantity { value, precision, unit, range: whole.range() });
    }
    found
}

/// The one quantity that a text is, such as `$12.4 million` or `1,247`.
pub fn quantity(text: &str) -> Option<Quantity> {
    let text = text.trim();
    let found = quantities(text);
    match found.as_slice() {
        [only] if only.range == (0..text.len()) => Some(only.clone()),
        _ => None,
    }
}

/// What the heading of a column says of the bare numbers below it: unit and power of ten.
pub(crate) fn column_unit(heading: &str) -> (Option<&'static str>, u8) {
    let text = heading.to_lowercase();
    let split = |c: char| {
        c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | ';' | ':' | '/' | '*' | '\'')
    };
    let mut code = None;
    let mut exponent = 0;
    for word in text.split(split).filter(|word| !word.is_empty()) {
        let (sign, rest) = match word.chars().next().filter(|c| matches!(c, '$' | '€' | '£' | '¥' | '%'))
        {
            Some(sign) => word.split_at(sign.len_utf8()),
            None => ("", word),
        };
        code = code.or_else(|| unit(sign)).or_else(|| unit(rest));
        // A single letter is a scale only behind a currency: `$m`.
        if rest.len() > 1 || !sign.is_empty() {
            exponent = scale(rest).unwrap_or(exponent);
        }
    }
    (code, exponent)
}

impl Quantity {
    /// The quantity with the unit and the scale of its column, where it has none itself.
    pub(crate) fn in_column(self, heading: &str) -> Self {
        if self.unit.is_some() {
            return self;
        }
        let (code, exponent) = column_unit(heading);
        let Some(value) = self.value.shifted(exponent) else { return self };
        Self {
            value,
            precision: self.precision + i8::try_from(exponent).unwrap_or_default(),
            unit: code,
            ..self
        }
    }
}

/// The unit of a day: its number is the day as `YYYYMMDD`.
pub const DAY: &str = "date";

static DAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const MONTH: &str = "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
    Regex::new(&format!(
        r"(?i)\b(?:{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {MONTH}\.?,? \d{{4}}|\d{{4}}-\d{{2}}-\d{{2}})\b"
    ))
    .ok()
});

/// The days of a text, in order, as quantities with the unit [`DAY`].
pub fn days(text: &str) -> Vec<Quantity> {
    let found = DAYS.as_ref().into_iter().flat_map(|pattern| pattern.find_iter(text));
    found.filter_map(|found| day_quantity(found.as_str(), found.range())).collect()
}

fn day_quantity(text: &str, range: Range<usize>) -> Option<Quantity> {
    let (year, month, day) = day(text)?;
    let digits = i128::from(year) * 10_000 + i128::from(month) * 100 + i128::from(day);
    Some(Quantity { value: Decimal::new(digits, 0), precision: 0, unit: Some(DAY), range })
}

/// The one figure that a text is: a day, else a quantity.
pub fn figure(text: &str) -> Option<Quantity> {
    let text = text.trim();
    day_quantity(text, 0..text.len()).or_else(|| quantity(text))
}

/// A figure of a register in words: `2026-03-15`, `7500000 USD`.
pub(crate) fn shown(value: Decimal, unit: &str) -> String {
    let digits = value.to_string();
    match unit {
        DAY if digits.len() == 8 => format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]),
        _ => format!("{digits} {unit}").trim_end().to_owned(),
    }
}

/// The day that a text is, as year, month and day: `2026-03-15`, `March 15, 2026`, `15 March 2026`.
pub fn day(text: &str) -> Option<(u16, u8, u8)> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let text = text.trim().to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let [first, second, third] = words[..] else { return None };
    let month = |word: &str| {
        let at = MONTHS.iter().position(|month| word.starts_with(month))?;
        u8::try_from(at + 1).ok()
    };
    let (year, month, day) = match (month(first), month(second)) {
        (Some(month), None) => (third, month, second),
        (None, Some(month)) => (third, month, first),
        (None, None) if first.len() == 4 && text.contains('-') => (first, second.parse().ok()?, third),
        (None | Some(_), _) => return None,
    };
    let day: u8 = day.trim_end_matches(char::is_alphabetic).parse().ok()?;
    let year: u16 = year.parse().ok().filter(|year| (1000..=9999).contains(year))?;
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
}
