//! What finds items without looking at all of them. Computed from the items, never stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::Digest;
use domain::mission::ItemId;

use crate::item::{Claim, Contradiction, Entity, Gap, ItemKind, Lead, Question, Relation, Source};
use crate::keys::{address_key, text_key};
use crate::statement::Statement;

/// Places of items, in order.
type Positions = Arc<Vec<u32>>;

#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// Names and aliases of entities; the first to have a name keeps it.
    pub(crate) entities: BTreeMap<Arc<str>, u32>,
    pub(crate) relations: BTreeMap<(ItemId, ItemId, String), u32>,
    pub(crate) relations_of: BTreeMap<u32, Positions>,
    pub(crate) objects: BTreeMap<Digest, u32>,
    pub(crate) addresses: BTreeMap<Arc<str>, Positions>,
    pub(crate) questions: BTreeMap<Arc<str>, u32>,
    pub(crate) gaps: BTreeMap<Arc<str>, u32>,
    pub(crate) leads: BTreeMap<Arc<str>, u32>,
    pub(crate) claims: BTreeMap<Arc<str>, Positions>,
    /// The claims that answer a question or a gap.
    pub(crate) answers: BTreeMap<ItemId, Positions>,
    pub(crate) claims_of: BTreeMap<u32, Positions>,
    pub(crate) claims_with: BTreeMap<Arc<str>, Positions>,
    pub(crate) statements: Vec<Arc<Statement>>,
    /// What pages search in, one text a claim.
    pub(crate) texts: Vec<Arc<str>>,
    pub(crate) pairs: BTreeMap<(u32, u32), u32>,
    pub(crate) contradictions_of: BTreeMap<u32, Positions>,
}

/// The place of an item whose id was checked before.
pub(crate) fn place(id: &ItemId) -> u32 {
    ItemKind::place(id).and_then(|(_, at)| u32::try_from(at).ok()).unwrap_or(u32::MAX)
}

fn add<K: Ord>(map: &mut BTreeMap<K, Positions>, key: K, at: u32) {
    let places = Arc::make_mut(map.entry(key).or_default());
    if let Err(before) = places.binary_search(&at) {
        places.insert(before, at);
    }
}

/// The key of a pair of claims, whichever comes first.
pub(crate) fn pair(claims: &[ItemId; 2]) -> (u32, u32) {
    let (a, b) = (place(&claims[0]), place(&claims[1]));
    (a.min(b), a.max(b))
}

impl Index {
    pub(crate) fn source(&mut self, source: &Source) {
        let at = place(&source.id);
        self.object(source);
        add(&mut self.addresses, Arc::from(address_key(&source.address)), at);
    }

    pub(crate) fn object(&mut self, source: &Source) {
        if let Some(object) = source.object {
            self.objects.entry(object).or_insert(place(&source.id));
        }
    }

    pub(crate) fn entity(&mut self, entity: &Entity) {
        let at = place(&entity.id);
        self.entities.entry(Arc::from(entity.key.as_str())).or_insert(at);
        for alias in &entity.aliases {
            self.entities.entry(Arc::from(text_key(alias))).or_insert(at);
        }
    }

    pub(crate) fn relation(&mut self, relation: &Relation) {
        let at = place(&relation.id);
        self.relations.entry(relation_key(relation)).or_insert(at);
        add(&mut self.relations_of, place(&relation.from), at);
        add(&mut self.relations_of, place(&relation.to), at);
    }

    /// A question that is asked again takes the place of the one that was dropped.
    pub(crate) fn question(&mut self, question: &Question) {
        let (key, at) = (Arc::from(question.key.as_str()), place(&question.id));
        match question.dropped {
            None => drop(self.questions.insert(key, at)),
            Some(_) => drop(self.questions.entry(key).or_insert(at)),
        }
    }

    pub(crate) fn gap(&mut self, gap: &Gap) {
        self.gaps.entry(Arc::from(gap.key.as_str())).or_insert(place(&gap.id));
    }

    pub(crate) fn lead(&mut self, lead: &Lead) {
        self.leads.entry(Arc::from(lead.key.as_str())).or_insert(place(&lead.id));
    }

    pub(crate) fn claim(&mut self, claim: &Claim) {
        let at = place(&claim.id);
        let statement = Statement::of(&claim.text);
        for stem in statement.content() {
            add(&mut self.claims_with, Arc::from(stem.as_str()), at);
        }
        self.statements.push(Arc::new(statement));
        self.texts.push(Arc::from(text_key(&claim.text)));
        add(&mut self.claims, Arc::from(claim.key.as_str()), at);
        self.links(claim);
    }

    pub(crate) fn links(&mut self, claim: &Claim) {
        let at = place(&claim.id);
        for entity in &claim.entities {
            add(&mut self.claims_of, place(entity), at);
        }
        for answered in &claim.answers {
            add(&mut self.answers, answered.clone(), at);
        }
    }

    pub(crate) fn restated(&mut self, claim: &Claim) {
        let at = place(&claim.id) as usize;
        if let (Some(statement), Some(text)) = (self.statements.get_mut(at), self.texts.get_mut(at)) {
            *statement = Arc::new(Statement::of(&claim.text));
            *text = Arc::from(text_key(&claim.text));
        }
    }

    pub(crate) fn contradiction(&mut self, contradiction: &Contradiction) {
        let at = place(&contradiction.id);
        self.pairs.entry(pair(&contradiction.claims)).or_insert(at);
        for claim in &contradiction.claims {
            add(&mut self.contradictions_of, place(claim), at);
        }
    }
}

/// What makes two relations one.
pub(crate) fn relation_key(relation: &Relation) -> (ItemId, ItemId, String) {
    (relation.from.clone(), relation.to.clone(), text_key(&relation.kind))
}
