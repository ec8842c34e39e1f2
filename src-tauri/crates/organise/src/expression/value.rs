//! Values of expressions.

use std::borrow::Cow;

/// A value. True and false are the numbers 1 and 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Nothing,
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
}

impl<'a> Value<'a> {
    pub fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    pub fn texts(texts: &'a [String]) -> Self {
        Self::List(texts.iter().map(|text| Self::text(text)).collect())
    }

    pub fn flag(flag: bool) -> Self {
        Self::Number(f64::from(u8::from(flag)))
    }

    /// Zero, not-a-number, nothing and an empty text are false.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            Self::List(_) => true,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Nothing | Self::Text(_) | Self::List(_) => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nothing | Self::Number(_) | Self::List(_) => None,
        }
    }

    /// Its values: those of a list, or itself alone.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            Self::Nothing | Self::Number(_) | Self::Text(_) => std::slice::from_ref(self),
        }
    }
}

/// A number as a text, as JavaScript writes the usual ones.
pub(crate) fn written(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    // Negative zero has no sign there.
    if number == 0.0 { "0".to_owned() } else { number.to_string() }
}
