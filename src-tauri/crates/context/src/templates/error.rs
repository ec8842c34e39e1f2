use std::error::Error as _;

/// A template or an expression that is wrong, or could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}{}, in `{excerpt}`", line_of(*line))]
pub struct TemplateError {
    /// The line of the text where it went wrong, at most 160 characters.
    pub excerpt: String,
    /// Its number, from 1; 0 when unknown.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

fn line_of(line: usize) -> String {
    if line == 0 { String::new() } else { format!(" (line {line})") }
}

impl TemplateError {
    pub(super) fn new(source: &str, error: &minijinja::Error) -> Self {
        let mut reason = match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        };
        if error.kind() == minijinja::ErrorKind::OutOfFuel {
            "it does more work than is allowed".clone_into(&mut reason);
        }
        let mut cause = error.source();
        while let Some(inner) = cause {
            reason.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        Self::at(source, error.line().unwrap_or(0), reason)
    }

    pub(super) fn plain(source: &str, reason: impl Into<String>) -> Self {
        Self::at(source, 0, reason)
    }

    pub(super) fn at(source: &str, line: usize, reason: impl Into<String>) -> Self {
        let text = source.lines().nth(line.saturating_sub(1)).unwrap_or(source).trim();
        let mut excerpt: String = text.chars().take(160).collect();
        if excerpt.len() < text.len() {
            excerpt.push('…');
        }
        Self { excerpt, line, reason: reason.into() }
    }
}
