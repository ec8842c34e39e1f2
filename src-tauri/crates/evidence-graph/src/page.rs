//! Lists of items, page by page.

use domain::mission::{ItemId, SourceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::{Graph, Row, Table};
use crate::index::place;
use crate::item::{Claim, ClaimStatus, ContradictionStatus, GapStatus, Item, ItemKind, LeadStatus, Source};
use crate::keys::text_key;

/// Items of a page.
pub const MAX_PAGE_ITEMS: usize = 500;

/// Which items, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    /// The kind.
    pub kind: ItemKind,
    /// The status by its name, such as `supported`, `open`, `closed`; every status without it.
    #[serde(default)]
    pub status: Option<String>,
    /// Words that all have to stand in the item's text; compared without case and punctuation.
    #[serde(default)]
    pub text: String,
    /// What is shown.
    #[serde(default)]
    pub scope: Scope,
    /// In which order.
    #[serde(default)]
    pub sort: Sorting,
    /// The last item of the page before.
    #[serde(default)]
    pub after: Option<ItemId>,
    /// How many items, at most [`MAX_PAGE_ITEMS`].
    pub limit: usize,
}

impl PageQuery {
    /// The first items of a kind.
    pub fn new(kind: ItemKind) -> Self {
        Self {
            kind,
            status: None,
            text: String::new(),
            scope: Scope::default(),
            sort: Sorting::default(),
            after: None,
            limit: 100,
        }
    }
}

/// In which order items are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sorting {
    /// As they were found.
    #[default]
    Found,
    /// The newest first.
    Newest,
    /// Claims by their confidence, the surest first; other items as they were found.
    Confidence,
}

/// The items of a table in the order that is asked for.
fn ordered<T: Row>(table: &Table<T>, sort: Sorting) -> Vec<&T> {
    match sort {
        Sorting::Found | Sorting::Confidence => table.iter().collect(),
        Sorting::Newest => table.iter().rev().collect(),
    }
}

/// What is looked at. It hides, and never deletes: a wider scope shows everything again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scope {
    /// Only what is about one of these entities; everything where there are none.
    pub entities: Vec<ItemId>,
    /// Only what rests on sources of these kinds; on any where there are none.
    pub kinds: Vec<SourceKind>,
    /// Only what rests on sources of these origins; on any where there are none.
    pub origins: Vec<String>,
}

impl Scope {
    fn admits_source(&self, source: &Source) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&source.kind))
            && (self.origins.is_empty() || self.origins.contains(&source.origin))
    }

    fn admits_entities(&self, entities: &[ItemId]) -> bool {
        self.entities.is_empty() || entities.iter().any(|id| self.entities.contains(id))
    }

    fn admits_citations(&self, graph: &Graph, citations: &[ItemId]) -> bool {
        let any = self.kinds.is_empty() && self.origins.is_empty();
        any || graph.cited(citations).any(|(_, source)| self.admits_source(source))
    }

    /// Whether a claim is shown.
    pub fn admits(&self, graph: &Graph, claim: &Claim) -> bool {
        self.admits_entities(&claim.entities) && self.admits_citations(graph, &claim.citations)
    }
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Page {
    /// The version of the graph.
    pub version: u64,
    /// The items, in the order that was asked for.
    pub items: Vec<Item>,
    /// How many items there are on all pages.
    pub total: usize,
    /// What to ask for `after`, where there are more.
    pub next: Option<ItemId>,
}

/// The items that a query names.
pub fn page(graph: &Graph, query: &PageQuery) -> Page {
    let scope = &query.scope;
    let about = |entities: &[ItemId], citations: &[ItemId]| {
        scope.admits_entities(entities) && scope.admits_citations(graph, citations)
    };
    match query.kind {
        ItemKind::Source => list(graph, query, ordered(&graph.sources, query.sort), |row| Shown {
            status: None,
            text: Text::Raw(&row.title, &row.address),
            is_admitted: scope.admits_source(row),
        }),
        ItemKind::Entity => list(graph, query, ordered(&graph.entities, query.sort), |row| Shown {
            status: None,
            text: if row.aliases.is_empty() {
                Text::Key(&row.key)
            } else {
                Text::List(&row.key, &row.aliases)
            },
            is_admitted: scope.entities.is_empty() || scope.entities.contains(&row.id),
        }),
        ItemKind::Relation => list(graph, query, ordered(&graph.relations, query.sort), |row| Shown {
            status: None,
            text: Text::Raw(&row.kind, &row.note),
            is_admitted: about(&[row.from.clone(), row.to.clone()], &row.citations),
        }),
        ItemKind::Question => list(graph, query, ordered(&graph.questions, query.sort), |row| Shown {
            status: Some(if row.dropped.is_some() { "dropped" } else { "open" }),
            text: Text::Key(&row.key),
            is_admitted: true,
        }),
        ItemKind::Claim => {
            let mut claims = ordered(&graph.claims, query.sort);
            if query.sort == Sorting::Confidence {
                claims.sort_by_key(|claim| std::cmp::Reverse(claim.confidence));
            }
            list(graph, query, claims, |row| Shown {
                status: Some(claim_status(row.status)),
                text: Text::Key(graph.index.texts.get(place(&row.id) as usize).map_or("", AsRef::as_ref)),
                is_admitted: scope.admits(graph, row),
            })
        }
        ItemKind::Citation => list(graph, query, ordered(&graph.citations, query.sort), |row| Shown {
            status: None,
            text: Text::Raw(&row.quote, ""),
            is_admitted: graph.source(&row.source).is_some_and(|source| scope.admits_source(source))
                && graph.claim(&row.of).is_none_or(|claim| scope.admits_entities(&claim.entities)),
        }),
        ItemKind::Gap => list(graph, query, ordered(&graph.gaps, query.sort), |row| Shown {
            status: Some(match row.status {
                GapStatus::Open => "open",
                GapStatus::Closed { .. } => "closed",
            }),
            text: Text::Key(&row.key),
            is_admitted: scope.admits_entities(&row.entities),
        }),
        ItemKind::Contradiction => {
            list(graph, query, ordered(&graph.contradictions, query.sort), |row| Shown {
                status: Some(match row.status {
                    ContradictionStatus::Open => "open",
                    ContradictionStatus::Settled { .. } => "settled",
                }),
                text: Text::Raw(&row.about, ""),
                is_admitted: row
                    .claims
                    .iter()
                    .any(|id| graph.claim(id).is_some_and(|claim| scope.admits(graph, claim))),
            })
        }
        ItemKind::Lead => list(graph, query, ordered(&graph.leads, query.sort), |row| Shown {
            status: Some(match row.status {
                LeadStatus::Open => "open",
                LeadStatus::Followed => "followed",
                LeadStatus::Duplicate { .. } => "duplicate",
                LeadStatus::Dropped { .. } => "dropped",
            }),
            text: Text::Key(&row.key),
            is_admitted: scope.admits_entities(&row.entities),
        }),
    }
}

fn claim_status(status: ClaimStatus) -> &'static str {
    match status {
        ClaimStatus::Unsupported => "unsupported",
        ClaimStatus::Supported => "supported",
        ClaimStatus::Disputed => "disputed",
        ClaimStatus::Rejected => "rejected",
        ClaimStatus::Superseded => "superseded",
    }
}

/// What a query looks at in an item.
struct Shown<'r> {
    status: Option<&'static str>,
    text: Text<'r>,
    is_admitted: bool,
}

enum Text<'r> {
    /// Already in the form that is compared.
    Key(&'r str),
    Raw(&'r str, &'r str),
    List(&'r str, &'r [String]),
}

impl Text<'_> {
    fn has(&self, words: &[&str]) -> bool {
        let raw = match self {
            Self::Key(key) => return words.iter().all(|word| key.contains(word)),
            Self::Raw(first, second) => format!("{first} {second}"),
            Self::List(first, rest) => format!("{first} {}", rest.join(" ")),
        };
        words.is_empty() || {
            let key = text_key(&raw);
            words.iter().all(|word| key.contains(word))
        }
    }
}

fn list<'g, T: Row>(
    graph: &Graph,
    query: &PageQuery,
    rows: Vec<&'g T>,
    shown: impl Fn(&'g T) -> Shown<'g>,
) -> Page {
    let words = text_key(&query.text);
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let mut is_after = query.after.is_none();
    let limit = query.limit.clamp(1, MAX_PAGE_ITEMS);
    let mut page = Page { version: graph.version, items: Vec::new(), total: 0, next: None };
    let mut last = None;
    for row in rows {
        let was_after = is_after;
        is_after |= query.after.as_ref() == Some(row.id());
        let shown = shown(row);
        let is_status = query.status.is_none() || query.status.as_deref() == shown.status;
        if !(is_status && shown.is_admitted && shown.text.has(&words)) {
            continue;
        }
        page.total += 1;
        if was_after && page.items.len() < limit {
            last = Some(row.id().clone());
            page.items.push(row.clone().item());
        } else if was_after {
            page.next.clone_from(&last);
        }
    }
    page
}
