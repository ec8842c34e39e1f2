//! A graph as JSON and as JSON lines, with sorted keys: the same graph gives the same bytes, and reading them back the
//! same graph.

use domain::canonical;
use domain::mission::ItemId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change::{CHANGES_VERSION, Refusal};
use crate::graph::{Graph, Row, Table};
use crate::item::Item;

/// Why an export can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is no JSON, or has other fields.
    #[error("line {line} is no item of an evidence graph")]
    Json {
        /// The line, from 1.
        line: usize,
        /// What the reader says.
        #[source]
        source: serde_json::Error,
    },
    /// It begins with something else.
    #[error("an export of an evidence graph begins with its header")]
    Header,
    /// It has another form.
    #[error("the export has form {found}; this program reads form {CHANGES_VERSION}")]
    Form {
        /// Its form.
        found: u32,
    },
    /// An item does not fit to the others.
    #[error("the item {id} does not fit to those before it")]
    Item {
        /// Its id.
        id: String,
        /// Why.
        #[source]
        source: Refusal,
    },
    /// A line is longer than any item.
    #[error("line {line} is longer than {MAX_LINE_BYTES} bytes")]
    Long {
        /// The line, from 1.
        line: usize,
    },
    /// An item says something of itself that the others do not bear out.
    #[error("the item {id} claims what the graph does not bear out: {why}")]
    Unfounded {
        /// Its id.
        id: String,
        /// What.
        why: &'static str,
    },
}

/// The longest line of an export from elsewhere.
pub const MAX_LINE_BYTES: usize = 256 * 1024;

/// The first line: the form and the version of the graph.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    version: u64,
}

/// A whole graph.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    format: u32,
    version: u64,
    items: Vec<Item>,
}

/// The graph as one JSON object: `{ "format", "items", "version" }`, items by kind in order of creation.
pub fn to_json(graph: &Graph) -> String {
    let whole = Whole { format: CHANGES_VERSION, version: graph.version, items: graph.items() };
    canonical(&value(&whole))
}

/// The graph as JSON lines: its header, then an item a line, by kind in order of creation.
pub fn to_jsonl(graph: &Graph) -> String {
    let mut lines = canonical(&value(&Header { format: CHANGES_VERSION, version: graph.version }));
    for item in graph.items() {
        lines.push('\n');
        lines.push_str(&canonical(&value(&item)));
    }
    lines.push('\n');
    lines
}

/// Keys are text and numbers are integers: nothing of a graph can't be a value.
fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

/// Reads [`to_json`].
///
/// # Errors
/// The text is no such export, or an item refers to one that is not there.
pub fn from_json(text: &str) -> Result<Graph, ImportError> {
    let whole: Whole =
        serde_json::from_str(text).map_err(|source| ImportError::Json { line: source.line(), source })?;
    let header = Header { format: whole.format, version: whole.version };
    whole.items.into_iter().try_fold(graph(&header)?, |mut graph, item| {
        graph.restore(item)?;
        Ok(graph)
    })
}

/// Reads [`to_jsonl`].
///
/// # Errors
/// As [`from_json`].
pub fn from_jsonl(text: &str) -> Result<Graph, ImportError> {
    let mut lines = text.lines().enumerate();
    let error = |at: usize| move |source| ImportError::Json { line: at + 1, source };
    let (at, first) = lines.next().ok_or(ImportError::Header)?;
    let mut graph = graph(&serde_json::from_str(first).map_err(error(at))?)?;
    for (at, line) in lines {
        graph.restore(serde_json::from_str(line).map_err(error(at))?)?;
    }
    Ok(graph)
}

fn graph(header: &Header) -> Result<Graph, ImportError> {
    if header.format != CHANGES_VERSION {
        return Err(ImportError::Form { found: header.format });
    }
    Ok(Graph { version: header.version, ..Graph::default() })
}

impl Graph {
    /// Every item, by kind, so that each comes after what it refers to, but for citations, which their claims name.
    fn items(&self) -> Vec<Item> {
        fn all<T: Row>(table: &Table<T>) -> impl Iterator<Item = Item> {
            table.iter().map(|row| row.clone().item())
        }
        all(&self.sources)
            .chain(all(&self.entities))
            .chain(all(&self.relations))
            .chain(all(&self.questions))
            .chain(all(&self.gaps))
            .chain(all(&self.claims))
            .chain(all(&self.citations))
            .chain(all(&self.contradictions))
            .chain(all(&self.leads))
            .collect()
    }

    /// Puts an item back, with what was computed of it.
    fn restore(&mut self, item: Item) -> Result<(), ImportError> {
        let id = id(&item).0.clone();
        self.put(item).map_err(|source| ImportError::Item { id, source })
    }

    fn put(&mut self, item: Item) -> Result<(), Refusal> {
        match item {
            Item::Source(row) => {
                self.index.source(&row);
                self.sources.push(row)
            }
            Item::Entity(row) => {
                self.index.entity(&row);
                self.entities.push(row)
            }
            Item::Relation(row) => {
                self.entities.known(&row.from)?;
                self.entities.known(&row.to)?;
                self.index.relation(&row);
                self.relations.push(row)
            }
            Item::Question(row) => {
                self.index.question(&row);
                self.questions.push(row)
            }
            Item::Gap(row) => {
                self.index.gap(&row);
                self.gaps.push(row)
            }
            Item::Claim(row) => {
                self.link(&row.entities, &row.answers)?;
                self.index.claim(&row);
                self.claims.push(row)
            }
            Item::Citation(row) => {
                self.sources.known(&row.source)?;
                let of_claim = self.claims.get(&row.of).map(|claim| &claim.citations);
                let of = of_claim.or_else(|| self.relations.get(&row.of).map(|relation| &relation.citations));
                if !of.is_some_and(|citations| citations.contains(&row.id)) {
                    return Err(Refusal::Unknown(row.of.0));
                }
                self.citations.push(row)
            }
            Item::Contradiction(row) => {
                self.claims.known(&row.claims[0])?;
                self.claims.known(&row.claims[1])?;
                self.index.contradiction(&row);
                self.contradictions.push(row)
            }
            Item::Lead(row) => {
                self.index.lead(&row);
                self.leads.push(row)
            }
        }
    }
}

fn id(item: &Item) -> &ItemId {
    match item {
        Item::Source(row) => &row.id,
        Item::Entity(row) => &row.id,
        Item::Relation(row) => &row.id,
        Item::Question(row) => &row.id,
        Item::Claim(row) => &row.id,
        Item::Citation(row) => &row.id,
        Item::Gap(row) => &row.id,
        Item::Contradiction(row) => &row.id,
        Item::Lead(row) => &row.id,
    }
}
