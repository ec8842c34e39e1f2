//! The list of corpora and models that can be had by name.

use domain::Digest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What the program knows to fetch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Registry {
    /// When the entries were last looked at, `2026-11-21`.
    pub dated: String,
    /// Texts.
    pub corpora: Vec<Corpus>,
    /// Models for vectors.
    #[serde(default)]
    pub models: Vec<ModelEntry>,
}

/// A text that may be kept and searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Corpus {
    /// The name in `kb add <name>`, and the base's name.
    pub name: String,
    /// Title shown to people.
    pub title: String,
    /// Who publishes it.
    pub publisher: String,
    /// The terms it comes under.
    pub license: License,
    /// Its official files.
    pub files: Vec<RemoteFile>,
    /// The rule set that reads it; empty: found by looking.
    #[serde(default)]
    pub rules: String,
    /// Weight of its text: standard, guide, web or primer.
    pub tier: String,
    /// How a paragraph is cited, with `{id}` in it.
    pub citation: String,
    /// How much it should hold; another amount is reported.
    pub expected: ExpectedCounts,
}

/// Terms of use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct License {
    /// Its usual name.
    pub name: String,
    /// Where it is written.
    pub address: String,
    /// What it means for the person, in a sentence.
    pub summary: String,
}

/// A file at its official address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoteFile {
    /// The address.
    pub address: String,
    /// Name to store it under; may hold one folder, `1_Pooling/config.json`.
    pub name: String,
    /// SHA-256, where the address always gives the same bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
}

/// Counts that an import should come near, from and to, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedCounts {
    /// Paragraphs, without parts.
    pub paragraphs: (u64, u64),
    /// Cross-references.
    pub references: (u64, u64),
}

/// A model for vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelEntry {
    /// Its folder's name below `models/`.
    pub name: String,
    /// Title shown to people.
    pub title: String,
    /// The terms it comes under.
    pub license: License,
    /// Megabytes to download, about.
    pub megabytes: u32,
    /// Its files.
    pub files: Vec<RemoteFile>,
}

/// Why the registry could not be read.
#[derive(Debug, Error)]
#[error("the registry of corpora is damaged: {0}")]
pub struct RegistryError(#[from] serde_json::Error);

/// The registry that ships with the program.
pub fn registry() -> Result<Registry, RegistryError> {
    Ok(serde_json::from_str(include_str!("../../../../sources/knowledge-base/registry.json"))?)
}

impl Registry {
    /// The corpus of that name.
    pub fn corpus(&self, name: &str) -> Option<&Corpus> {
        self.corpora.iter().find(|corpus| corpus.name == name)
    }

    /// The model of that name.
    pub fn model(&self, name: &str) -> Option<&ModelEntry> {
        self.models.iter().find(|model| model.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::allowed;

    #[test]
    fn every_entry_can_be_fetched_and_stored() {
        let registry = registry().unwrap();
        let mut names: Vec<&str> = registry.corpora.iter().map(|one| one.name.as_str()).collect();
        names.extend(registry.models.iter().map(|one| one.name.as_str()));
        for wanted in ["nist-800-53", "ecfr-2-200", "eu-ai-act"] {
            assert!(registry.corpus(wanted).is_some(), "{wanted}");
        }
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "names are unique");
        let licenses = registry.corpora.iter().map(|one| &one.license);
        for license in licenses.chain(registry.models.iter().map(|one| &one.license)) {
            assert!(allowed(&license.address).is_ok(), "{license:?}");
            assert!(!license.summary.is_empty());
        }
        let files = registry.corpora.iter().flat_map(|one| &one.files);
        for file in files.chain(registry.models.iter().flat_map(|one| &one.files)) {
            assert!(allowed(&file.address).is_ok_and(|url| url.scheme() == "https"), "{file:?}");
            let plain = |part: &str| {
                !part.is_empty()
                    && !part.starts_with('.')
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
            };
            let parts: Vec<&str> = file.name.split('/').collect();
            assert!(parts.len() <= 2 && parts.iter().all(|part| plain(part)), "{file:?}");
        }
        for corpus in &registry.corpora {
            assert!(corpus.citation.contains("{id}"));
            assert!(corpus.expected.paragraphs.0 <= corpus.expected.paragraphs.1);
            assert!(["standard", "guide", "document", "web", "primer"].contains(&corpus.tier.as_str()));
        }
    }
}
