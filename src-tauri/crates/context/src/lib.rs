//! Prompt assembly: templates over earlier outputs, XML sections that no content can break out of, token
//! estimates, and cutting to a budget by relevance.
//!
//! Architecture invariant: pure. No IO, no clock, no randomness; nothing here calls a model or knows an agent, a
//! stage or a tool by name.

pub mod citations;
pub mod sections;
pub mod sentences;
pub mod templates;
pub mod tokens;

pub use citations::{Citation, citations};
pub use sections::{
    Assembled, Body, ContextParagraph, KeyedParagraph, ParsedParagraph, ParsedSection, ParsedWebPage,
    Section, WebReference, assemble, escape, escape_attribute, keyed, parse_sections, unescape,
};
pub use templates::{Scope, TemplateError, Templates};
pub use tokens::{estimate, output_budget, with_margin};

/// Why a context could not be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// What must be said does not fit, even after everything that may go is gone.
    #[error(
        "the context needs {needed} tokens but only {available} are available; shorten the request, choose a lower depth, or use a model with a larger window"
    )]
    TooLong {
        /// Tokens needed at least.
        needed: u64,
        /// Tokens there are.
        available: u64,
    },
    /// A section's name is not upper-case letters, digits and underscores, or is one that the format itself uses.
    #[error(
        "{0:?} is not a section name: use upper-case letters, digits and underscores, starting with a letter, and neither PARAGRAPH nor WEB_PAGE"
    )]
    SectionName(String),
}
