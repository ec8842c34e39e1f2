//! What a rule set says, as its file holds it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::paragraph::Tier;

/// Variables with the values they must have: `""` for not set, `"*"` for set to anything.
pub type Conditions = BTreeMap<String, String>;

/// How documents of one kind number, name and cite their paragraphs.
///
/// Patterns are regular expressions of the `regex` crate; named groups set variables. Templates hold variables in
/// braces. Where several templates are listed, the first whose variables are all set is used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleSet {
    /// The schema this file follows, for editors.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Its name: lower-case letters, digits and hyphens.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// For which documents it is made.
    pub description: String,
    /// The weight such texts usually have; a suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// How paragraphs are cited, with `{id}` in it, unless the person says otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub citation: String,
    /// Words that may precede an id in a citation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Signs by which such a document is recognised; 100 points and the most of all sets are needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detect: Vec<Sign>,
    /// Patterns searched for in the title, the file's name and the first blocks; their groups hold everywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Templates of a paragraph's document; else the file's title.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub document: Vec<String>,
    /// Templates of a paragraph's section; else the heading's name as it stands in ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub section: Vec<String>,
    /// Headings that mean something, first match first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<HeadingRule>,
    /// Numbers of paragraphs, first match first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<NumberRule>,
    /// Marks of items within a numbered paragraph; the first rule whose conditions hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemRule>,
    /// Templates of the id of a paragraph without number; `{count}` counts those that are alike else.
    pub unnumbered: Vec<String>,
    /// Templates of a footnote's id, with `{count}` or `{label}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub footnotes: Vec<String>,
    /// Which blocks without number go along with the paragraph before them.
    #[serde(default)]
    pub join: Join,
    /// Whether references in words that any manual uses (`section 4.2`, `see Title`) are looked for, too.
    #[serde(default)]
    pub general_references: bool,
    /// Cross-references in the text, first match first; what one matched the next ones don't see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<ReferenceRule>,
}

/// A sign that a document is of this kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sign {
    /// What is looked for.
    pub pattern: String,
    /// Where.
    #[serde(rename = "in")]
    pub place: SignPlace,
    /// Points for each place where it is found.
    pub points: u32,
    /// Places that count at most.
    #[serde(default = "one")]
    pub most: u32,
    /// What such a document has of its own, such as `title` or `header`: without one of the signs that have the same word here
    /// it only speaks of such a document, and the set does not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// Whether a document with this sign is none of this kind: a memorandum on a standard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub against: bool,
}

fn one() -> u32 {
    1
}

/// Where a sign is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SignPlace {
    /// In headings, and in blocks short enough to be one.
    Heading,
    /// In a block's number or mark: its label, or how its text begins.
    Number,
    /// In the first 200 blocks.
    Text,
    /// In the file's name or the document's title.
    Name,
}

/// A heading that means something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeadingRule {
    /// The whole heading, its number first. The group `title` is its title; other groups set variables for what is
    /// below it.
    pub pattern: String,
    /// Its level in this kind of document, 1 outermost. Such a heading ends only at another one with a level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// What must hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: Conditions,
    /// Whether a short block that no format marked as a heading may be one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmarked: bool,
    /// Variables that it sets, as templates over its groups; `""` unsets. `kind` is the kind of the paragraphs below.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// Templates of the paragraph that it opens: text and items without number below belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opens: Vec<String>,
    /// Whether the next block is its title.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub title_follows: bool,
    /// A variable whose numbers begin at 1 again in appendices: each new series gets a letter, `B:1.2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// Whether it only adds its variables to the heading before it, such as a line below an appendix's name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adds: bool,
    /// Whether everything below is left out, such as a table of contents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip: bool,
}

/// The number of a paragraph, as its label or at the beginning of its text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NumberRule {
    /// The number alone. Groups set variables for this paragraph.
    pub pattern: String,
    /// What must hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: Conditions,
    /// A group whose numbers only grow below one heading, so that a number that begins a sentence is not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grows: Option<Growth>,
    /// Templates of the id.
    pub id: Vec<String>,
    /// The paragraph's kind; else the variable `kind`, else `paragraph`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Templates of its section, before those of the rule set. `{parent}` is the id without its last number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub section: Vec<String>,
    /// A term that it defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<TermRule>,
}

/// Numbers that only grow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Growth {
    /// The group.
    pub group: String,
    /// The variable whose heading begins a new series.
    pub below: String,
}

/// Marks of items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ItemRule {
    /// What must hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: Conditions,
    /// The first mark of each level, outermost first: `(a)`, `(i)`, `(A)`, `1.`.
    pub marks: Vec<String>,
    /// What an item becomes.
    #[serde(rename = "as")]
    pub becomes: ItemsAre,
    /// Templates of the id: `{whole}` is the paragraph's, `{marks}` is `(a)(1)`, `{letters}` is `a1`.
    pub id: Vec<String>,
    /// The item's kind; else `item` for parts, else the variable `kind`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// A term that it defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<TermRule>,
}

/// What the items of a paragraph become.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ItemsAre {
    /// Parts: found by id and checked; searches return the whole paragraph, which holds their text, too.
    #[default]
    Parts,
    /// Paragraphs of their own.
    Paragraphs,
}

/// How a defined term is recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TermRule {
    /// Matches the beginning of the text; the group `term` becomes a tag of the paragraph.
    pub pattern: String,
    /// The kind of a paragraph that defines a term.
    pub kind: String,
}

/// Which blocks without number join the paragraph before them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Join {
    /// List items, tables and indented text.
    #[default]
    Items,
    /// Everything up to the next number or heading.
    All,
}

/// A cross-reference in running text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReferenceRule {
    /// What it looks like. A group `list` holds several targets: each match of `item` in it is one, and a dash or
    /// `to` between two numbers means all those between.
    pub pattern: String,
    /// One target within `list`; its group `item`, or all of it, is the variable `{item}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The variable that is searched instead of the text, such as a heading's reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// What must hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: Conditions,
    /// Templates of the target's id, the first that is in the base. None: it only takes the words, for what leads
    /// elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// What the link means.
    #[serde(default = "mentions")]
    pub kind: String,
    /// Whether a reference that leads outside of the base is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
}

fn mentions() -> String {
    "mentions".into()
}

/// The JSON Schema of a rule set, as it is shipped in `sources/knowledge-base/rules/rules.schema.json`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(RuleSet).to_value()
}
