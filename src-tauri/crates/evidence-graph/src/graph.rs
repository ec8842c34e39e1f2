//! The graph: its items and how they are found.

use std::sync::Arc;

use domain::mission::{EarlierItems, GraphCounts, ItemId};

use crate::change::{MAX_ITEMS, Refusal};
use crate::index::{Index, place};
use crate::item::{
    Citation, Claim, ClaimStatus, Contradiction, Entity, Gap, Item, ItemKind, Lead, LeadStatus, Question,
    Relation, Source,
};
use crate::keys::text_key;

/// Items of one kind, in order of creation. Cloning shares them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table<T>(Vec<Arc<T>>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An item that lies in a table.
pub(crate) trait Row: Clone {
    const KIND: ItemKind;
    fn id(&self) -> &ItemId;
    fn item(self) -> Item;
}

macro_rules! rows {
    ($($kind:ident),*) => {
        $(impl Row for $kind {
            const KIND: ItemKind = ItemKind::$kind;
            fn id(&self) -> &ItemId {
                &self.id
            }
            fn item(self) -> Item {
                Item::$kind(self)
            }
        })*
    };
}
rows!(Source, Entity, Relation, Question, Claim, Citation, Gap, Contradiction, Lead);

impl<T: Row> Table<T> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.0.iter().map(Arc::as_ref)
    }

    pub(crate) fn at(&self, at: u32) -> Option<&T> {
        self.0.get(at as usize).map(Arc::as_ref)
    }

    pub(crate) fn get(&self, id: &ItemId) -> Option<&T> {
        let (kind, at) = ItemKind::place(id)?;
        self.0.get(at).filter(|_| kind == T::KIND).map(Arc::as_ref)
    }

    pub(crate) fn known(&self, id: &ItemId) -> Result<&T, Refusal> {
        self.get(id).ok_or_else(|| Refusal::Unknown(id.0.clone()))
    }

    pub(crate) fn change(&mut self, id: &ItemId) -> Result<&mut T, Refusal> {
        let place = ItemKind::place(id).filter(|(kind, _)| *kind == T::KIND);
        let row = place.and_then(|(_, at)| self.0.get_mut(at));
        row.map(Arc::make_mut).ok_or_else(|| Refusal::Unknown(id.0.clone()))
    }

    pub(crate) fn next(&self) -> ItemId {
        T::KIND.id(self.0.len())
    }

    pub(crate) fn push(&mut self, row: T) -> Result<(), Refusal> {
        let expected = self.next();
        if *row.id() != expected {
            return Err(Refusal::Id { found: row.id().0.clone(), expected: expected.0 });
        }
        if self.0.len() >= MAX_ITEMS {
            return Err(Refusal::Full(T::KIND));
        }
        self.0.push(Arc::new(row));
        Ok(())
    }
}

/// What is known of a subject.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub(crate) version: u64,
    pub(crate) sources: Table<Source>,
    pub(crate) entities: Table<Entity>,
    pub(crate) relations: Table<Relation>,
    pub(crate) questions: Table<Question>,
    pub(crate) claims: Table<Claim>,
    pub(crate) citations: Table<Citation>,
    pub(crate) gaps: Table<Gap>,
    pub(crate) contradictions: Table<Contradiction>,
    pub(crate) leads: Table<Lead>,
    pub(crate) index: Index,
}

impl Graph {
    /// How often it was changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Every source, in order of creation.
    pub fn sources(&self) -> impl DoubleEndedIterator<Item = &Source> + ExactSizeIterator {
        self.sources.iter()
    }

    /// Every entity, in order of creation.
    pub fn entities(&self) -> impl DoubleEndedIterator<Item = &Entity> + ExactSizeIterator {
        self.entities.iter()
    }

    /// Every relation, in order of creation.
    pub fn relations(&self) -> impl DoubleEndedIterator<Item = &Relation> + ExactSizeIterator {
        self.relations.iter()
    }

    /// Every question of the plan, in order of creation.
    pub fn questions(&self) -> impl DoubleEndedIterator<Item = &Question> + ExactSizeIterator {
        self.questions.iter()
    }

    /// Every claim, in order of creation.
    pub fn claims(&self) -> impl DoubleEndedIterator<Item = &Claim> + ExactSizeIterator {
        self.claims.iter()
    }

    /// Every citation, in order of creation.
    pub fn citations(&self) -> impl DoubleEndedIterator<Item = &Citation> + ExactSizeIterator {
        self.citations.iter()
    }

    /// Every gap, in order of creation.
    pub fn gaps(&self) -> impl DoubleEndedIterator<Item = &Gap> + ExactSizeIterator {
        self.gaps.iter()
    }

    /// Every contradiction, in order of creation.
    pub fn contradictions(&self) -> impl DoubleEndedIterator<Item = &Contradiction> + ExactSizeIterator {
        self.contradictions.iter()
    }

    /// Every lead, in order of creation.
    pub fn leads(&self) -> impl DoubleEndedIterator<Item = &Lead> + ExactSizeIterator {
        self.leads.iter()
    }

    /// A claim.
    pub fn claim(&self, id: &ItemId) -> Option<&Claim> {
        self.claims.get(id)
    }

    /// A source.
    pub fn source(&self, id: &ItemId) -> Option<&Source> {
        self.sources.get(id)
    }

    /// An entity.
    pub fn entity(&self, id: &ItemId) -> Option<&Entity> {
        self.entities.get(id)
    }

    /// The entity that has a name or an alias, however it is written.
    pub fn entity_named(&self, name: &str) -> Option<&Entity> {
        self.index.entities.get(text_key(name).as_str()).and_then(|&at| self.entities.at(at))
    }

    /// The item that an id names.
    pub fn item(&self, id: &ItemId) -> Option<Item> {
        fn item<T: Row>(table: &Table<T>, id: &ItemId) -> Option<Item> {
            table.get(id).cloned().map(Row::item)
        }
        match ItemKind::place(id)?.0 {
            ItemKind::Source => item(&self.sources, id),
            ItemKind::Entity => item(&self.entities, id),
            ItemKind::Relation => item(&self.relations, id),
            ItemKind::Question => item(&self.questions, id),
            ItemKind::Claim => item(&self.claims, id),
            ItemKind::Citation => item(&self.citations, id),
            ItemKind::Gap => item(&self.gaps, id),
            ItemKind::Contradiction => item(&self.contradictions, id),
            ItemKind::Lead => item(&self.leads, id),
        }
    }

    /// What it holds, as the items of missions before for one that goes on with it.
    pub fn earlier_items(&self) -> EarlierItems {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        EarlierItems {
            questions: count(self.questions.len()),
            gaps: count(self.gaps.len()),
            leads: count(self.leads.len()),
        }
    }

    /// How many of each kind it holds.
    pub fn counts(&self) -> GraphCounts {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let claims =
            |status: &[ClaimStatus]| count(self.claims().filter(|one| status.contains(&one.status)).count());
        let open_gaps: Vec<&Gap> = self.gaps().filter(|gap| gap.is_open()).collect();
        GraphCounts {
            entities: count(self.entities.len()),
            relations: count(self.relations.len()),
            sources: count(self.sources.len()),
            citations: count(self.citations.len()),
            supported_claims: claims(&[ClaimStatus::Supported]),
            unsupported_claims: claims(&[ClaimStatus::Unsupported]),
            disputed_claims: claims(&[ClaimStatus::Disputed]),
            rejected_claims: claims(&[ClaimStatus::Rejected, ClaimStatus::Superseded]),
            open_gaps: count(open_gaps.len()),
            open_critical_gaps: count(open_gaps.iter().filter(|gap| gap.critical).count()),
            closed_gaps: count(self.gaps.len() - open_gaps.len()),
            open_contradictions: count(self.contradictions().filter(|one| one.is_open()).count()),
            open_leads: count(self.leads().filter(|lead| lead.status == LeadStatus::Open).count()),
        }
    }

    /// The citations of a claim or relation with their sources.
    pub(crate) fn cited<'g>(
        &'g self,
        citations: &'g [ItemId],
    ) -> impl Iterator<Item = (&'g Citation, &'g Source)> {
        citations.iter().filter_map(|id| {
            let citation = self.citations.get(id)?;
            Some((citation, self.sources.get(&citation.source)?))
        })
    }

    /// Whether a citation supports a claim.
    pub(crate) fn is_supported(&self, claim: &Claim) -> bool {
        self.cited(&claim.citations).any(|(citation, _)| citation.supports())
    }

    /// The claims that answer a question or a gap.
    pub(crate) fn answers(&self, id: &ItemId) -> impl Iterator<Item = &Claim> {
        let places = self.index.answers.get(id).map(|places| places.as_slice()).unwrap_or_default();
        places.iter().filter_map(|&at| self.claims.at(at))
    }

    /// The contradictions of a claim.
    pub(crate) fn contradictions_of(&self, claim: &ItemId) -> impl Iterator<Item = &Contradiction> {
        let places = self.index.contradictions_of.get(&place(claim));
        let places = places.map(|places| places.as_slice()).unwrap_or_default();
        places.iter().filter_map(|&at| self.contradictions.at(at))
    }
}

/// Two graphs are equal where their versions and items are.
impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version && self.has_items_of(other)
    }
}

impl Graph {
    /// Whether both hold the same items, however often they were changed.
    pub fn has_items_of(&self, other: &Self) -> bool {
        self.sources == other.sources
            && self.entities == other.entities
            && self.relations == other.relations
            && self.questions == other.questions
            && self.claims == other.claims
            && self.citations == other.citations
            && self.gaps == other.gaps
            && self.contradictions == other.contradictions
            && self.leads == other.leads
    }
}
