//! The unit of a base: one numbered, citable paragraph.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much weight a base's text carries. A lower tier never passes as a standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// A binding or authoritative text.
    Standard,
    /// Guidance that explains a standard.
    Guide,
    /// Pages from the web.
    Web,
    /// An introduction written for this program.
    Primer,
}

impl Tier {
    /// The tier's name as it is written in manifests and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Guide => "guide",
            Self::Web => "web",
            Self::Primer => "primer",
        }
    }

    /// The tier of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Standard, Self::Guide, Self::Web, Self::Primer].into_iter().find(|tier| tier.as_str() == name)
    }
}

/// A cross-reference to another paragraph, or to something outside the base.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reference {
    /// The id referred to, as the source wrote it.
    pub to: String,
    /// What the link means: `related`, `mentions`, `incorporated-into` …
    pub kind: String,
}

/// One paragraph in its canonical form, as `paragraphs.jsonl` stores it, one a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paragraph {
    /// The id as it is cited, unique within the base.
    pub id: String,
    /// The document it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// Section number or name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// Heading directly above it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Headings above it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// What it is in its document: `control`, `recital`, `paragraph`, `item` …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The words.
    pub text: String,
    /// What its words need to be understood alone, such as the title and the names of columns of a table: shown beside them,
    /// no part of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// What it is about, for example the standards it explains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Cross-references out of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
    /// No longer in force.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// Where its content went, when it is withdrawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<String>,
    /// The paragraph whose part this is. Parts are found by id and checked, but searches return the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The file it was taken from, by its place in the manifest's sources.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub file: u32,
    /// Its page in that file, where the format has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
