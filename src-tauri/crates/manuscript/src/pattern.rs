//! Regular expressions as data.

use regex::{Regex, RegexBuilder};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};

/// Bytes of an expression.
pub const MAX_PATTERN_BYTES: usize = 4_096;

/// Bytes of a compiled expression.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// A regular expression of a rubric, compiled when it is read.
///
/// `^` and `$` match at lines. Matching takes time linear in the text, whatever the expression.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(into = "String")]
#[schemars(with = "String")]
pub struct Pattern(Regex);

/// Why an expression is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// More than [`MAX_PATTERN_BYTES`].
    #[error("a pattern of {0} bytes is too long: at most {MAX_PATTERN_BYTES}")]
    TooLong(usize),
    /// It matches everywhere.
    #[error("an empty pattern matches everywhere: write one, or leave it out")]
    Empty,
    /// It does not compile.
    #[error("the pattern {pattern:?} is no regular expression: {problem}")]
    Invalid {
        /// The expression.
        pattern: String,
        /// What the compiler says, in one line.
        problem: String,
    },
}

impl Pattern {
    /// Compiles an expression.
    ///
    /// # Errors
    /// The expression is empty, too long, or not a regular expression.
    pub fn new(expression: &str) -> Result<Self, PatternError> {
        if expression.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLong(expression.len()));
        }
        if expression.is_empty() {
            return Err(PatternError::Empty);
        }
        let compiled = RegexBuilder::new(expression).multi_line(true).size_limit(MAX_COMPILED_BYTES).build();
        compiled.map(Self).map_err(|problem| PatternError::Invalid {
            pattern: expression.to_owned(),
            problem: problem.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        })
    }

    /// The compiled expression.
    pub fn regex(&self) -> &Regex {
        &self.0
    }

    /// Whether a text holds a match.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// The first match of several patterns in a text.
pub(crate) fn first<'t>(patterns: &[Pattern], text: &'t str) -> Option<&'t str> {
    patterns.iter().find_map(|pattern| Some(pattern.0.find(text)?.as_str()))
}

/// Whether one of several patterns matches in a text.
pub(crate) fn any(patterns: &[Pattern], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_in(text))
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A visitor, so that the error has the position of the expression and not of what follows it.
        struct Expression;
        impl Visitor<'_> for Expression {
            type Value = Pattern;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a regular expression")
            }

            fn visit_str<E: serde::de::Error>(self, expression: &str) -> Result<Pattern, E> {
                Pattern::new(expression).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Expression)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}
