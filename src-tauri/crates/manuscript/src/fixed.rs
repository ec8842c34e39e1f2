//! Numbers with a fixed count of decimals, computed as integers and written as JSON numbers.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number with as many decimals as `SCALE` (a power of ten) has zeros.
///
/// Only its JSON form is a floating-point number: the shortest one that names the decimal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fixed<const SCALE: i64>(i64);

/// Points of a score, in thousandths.
pub type Points = Fixed<1_000>;

/// A percentage, in tenths of a percent.
pub type Percent = Fixed<10>;

impl<const SCALE: i64> Fixed<SCALE> {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// From units of `1 / SCALE`.
    pub const fn new(units: i64) -> Self {
        Self(units)
    }

    /// From a whole number.
    pub const fn whole(number: i64) -> Self {
        Self(number.saturating_mul(SCALE))
    }

    /// Units of `1 / SCALE`.
    pub const fn units(self) -> i64 {
        self.0
    }

    /// `count` times this number.
    pub const fn times(self, count: i64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The sum.
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference.
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Percent {
    /// The share of `part` in `whole`, rounded half up; a share of nothing is everything.
    pub fn share(part: u64, whole: u64) -> Self {
        if whole == 0 {
            return Self::whole(100);
        }
        let tenths = (u128::from(part) * 2_000 + u128::from(whole)) / (u128::from(whole) * 2);
        Self(i64::try_from(tenths).unwrap_or(i64::MAX))
    }

    /// Whether `part` of `whole` reaches this percentage, computed without rounding.
    pub fn is_reached(self, part: u64, whole: u64) -> bool {
        whole == 0 || i128::from(part) * 1_000 >= i128::from(whole) * i128::from(self.0)
    }
}

impl<const SCALE: i64> std::iter::Sum for Fixed<SCALE> {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Self::plus)
    }
}

impl<const SCALE: i64> std::fmt::Display for Fixed<SCALE> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let scale = SCALE.unsigned_abs();
        let places = scale.ilog10() as usize;
        let decimals = format!("{:0places$}", size % scale);
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{sign}{}", size / scale),
            decimals => write!(f, "{sign}{}.{decimals}", size / scale),
        }
    }
}

impl<const SCALE: i64> Serialize for Fixed<SCALE> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % SCALE == 0 {
            return serializer.serialize_i64(self.0 / SCALE);
        }
        serializer.serialize_f64(self.0 as f64 / SCALE as f64)
    }
}

/// Beyond this a double no longer tells neighbouring units apart.
const MAX_UNITS: f64 = 1e12;

impl<'de, const SCALE: i64> Deserialize<'de> for Fixed<SCALE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Form::<SCALE>)
    }
}

struct Form<const SCALE: i64>;

impl<const SCALE: i64> Visitor<'_> for Form<SCALE> {
    type Value = Fixed<SCALE>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a number with at most {} decimals", SCALE.unsigned_abs().ilog10())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Fixed<SCALE>, E> {
        let units = number * SCALE as f64;
        let is_whole = (units - units.round()).abs() <= 1e-4;
        if !units.is_finite() || units.abs() > MAX_UNITS || !is_whole {
            return Err(E::invalid_value(serde::de::Unexpected::Float(number), &self));
        }
        Ok(Fixed::new(units.round() as i64))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Fixed<SCALE>, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Fixed<SCALE>, E> {
        self.visit_f64(number as f64)
    }
}

impl<const SCALE: i64> schemars::JsonSchema for Fixed<SCALE> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        f64::json_schema(generator)
    }
}
