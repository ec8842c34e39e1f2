//! What of a base's vocabulary a word of a question stands for: its stems, pairs that begin with a single sign, and in languages
//! that write compounds as one word, those that it is a part of and those of which it is made.

use std::collections::BTreeMap;

use crate::index::{FIELDS, Posting, QueryWord, Words, has_room, is_compound};

/// What a compound counts that ends with the word, and one that begins with it.
const TAIL: f64 = 0.5;
const HEAD: f64 = 0.25;
/// Compounds that are taken of each sort, the shortest first.
const MAX_COMPOUNDS: usize = 60;

/// The paragraphs of a base that have a word.
pub(super) enum Found {
    /// By one stem.
    One(usize),
    /// By several terms of the base.
    Several(Merged),
}

/// Several terms as one.
#[derive(Default)]
pub(super) struct Merged {
    /// Those that are the word itself.
    pub(super) own: Vec<usize>,
    /// Compounds, and what each counts.
    compounds: Vec<(usize, f64)>,
    /// How often each field has them, positions ascending.
    pub(super) postings: Vec<(u32, [f64; FIELDS])>,
    /// Paragraphs that have the word itself in each field, or where none has, one of the compounds.
    holding: [u32; FIELDS],
}

impl Found {
    pub(super) fn find(index: &Words, word: &QueryWord, compounds: bool) -> Self {
        let mut own: Vec<usize> = word.forms.iter().filter_map(|form| index.term(form)).collect();
        if word.begins {
            own = word.forms.iter().flat_map(|form| index.beginning(form)).collect();
        }
        let compounds = if compounds { compounds_of(index, word) } else { Vec::new() };
        match (own.as_slice(), compounds.is_empty()) {
            ([only], true) => Self::One(*only),
            _ => Self::Several(Merged::new(index, own, compounds, word.begins)),
        }
    }

    /// Paragraphs that have it in each field.
    pub(super) fn holding(&self, index: &Words) -> [u32; FIELDS] {
        match self {
            Self::One(term) => index.holding(*term),
            Self::Several(merged) => merged.holding,
        }
    }

    /// The terms that are the word itself.
    pub(super) fn own(&self) -> &[usize] {
        match self {
            Self::One(term) => std::slice::from_ref(term),
            Self::Several(merged) => &merged.own,
        }
    }

    /// All its terms, and what each counts.
    pub(super) fn terms(&self) -> impl Iterator<Item = (usize, f64)> {
        let compounds = match self {
            Self::One(_) => &[][..],
            Self::Several(merged) => &merged.compounds,
        };
        self.own().iter().map(|&term| (term, 1.0)).chain(compounds.iter().copied())
    }
}

impl Merged {
    fn new(index: &Words, own: Vec<usize>, compounds: Vec<(usize, f64)>, sum: bool) -> Self {
        let mut counts = Counts::new();
        // Two stems of one word stand for one word of a text; pairs that begin alike stand at different places.
        own.iter().for_each(|&term| add(&mut counts, index, term, 1.0, sum));
        let held = holding(&counts);
        compounds.iter().for_each(|&(term, share)| add(&mut counts, index, term, share, false));
        let holding = if own.is_empty() { holding(&counts) } else { held };
        Self { own, compounds, postings: counts.into_iter().collect(), holding }
    }
}

/// How often each field of some paragraphs has a word.
type Counts = BTreeMap<u32, [f64; FIELDS]>;

fn add(counts: &mut Counts, index: &Words, term: usize, share: f64, sum: bool) {
    for Posting { position, counts: more } in index.postings(term) {
        let all = counts.entry(position).or_default();
        for (all, more) in all.iter_mut().zip(more.map(|count| share * f64::from(count))) {
            *all = if sum { *all + more } else { all.max(more) };
        }
    }
}

fn holding(counts: &Counts) -> [u32; FIELDS] {
    std::array::from_fn(|field| counts.values().filter(|own| own[field] > 0.0).count() as u32)
}

/// Terms that are compounds with a word, and words that it is a compound of.
fn compounds_of(index: &Words, word: &QueryWord) -> Vec<(usize, f64)> {
    let mut found: BTreeMap<usize, f64> = BTreeMap::new();
    for form in &word.forms {
        let terms = index.terms();
        let sized = |number: usize| (terms.get(number).len(), number);
        let ends = (0..terms.len()).filter(|&number| is_compound(terms.get(number), form));
        let tails: Vec<_> = ends.map(sized).collect();
        let begin = index.beginning(form).filter(|&number| has_room(terms.get(number), form));
        let heads: Vec<_> = begin.map(sized).collect();
        let cuts = form.char_indices().skip(1).map(|(at, _)| form.split_at(at));
        let parts = cuts.flat_map(|(head, tail)| [head, tail]).filter(|part| has_room(form, part));
        let parts: Vec<_> = parts.filter_map(|part| index.term(part).map(sized)).collect();
        for (mut list, share) in [(tails, TAIL), (heads, HEAD), (parts, HEAD)] {
            list.sort_unstable();
            for (_, number) in list.into_iter().take(MAX_COMPOUNDS) {
                let known = found.entry(number).or_insert(0.0);
                *known = known.max(share);
            }
        }
    }
    found.retain(|number, _| !word.forms.iter().any(|form| form == index.terms().get(*number)));
    found.into_iter().collect()
}
