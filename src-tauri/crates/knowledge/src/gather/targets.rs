//! The paragraphs that a named place stands for.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::Base;
use crate::error::KnowledgeError;
use crate::ids::Resolved;
use crate::search::{MAX_HITS, Query, named_in};

/// Paragraphs of one target.
const MAX_PARAGRAPHS_PER_TARGET: usize = 3;
/// Longest code before the words of a heading.
const CODE_BYTES: usize = 6;
/// Pieces that one target is divided into.
const PIECES: usize = 12;

/// The paragraphs of a place, the first to be read first; so many of them have a seat.
#[derive(Debug, Clone, Default)]
pub(super) struct TargetParagraphs {
    pub(super) positions: Vec<usize>,
    pub(super) seats: usize,
    /// The others below a heading or of a section, those first that the query finds.
    pub(super) rest: Vec<usize>,
}

impl TargetParagraphs {
    fn new(positions: impl IntoIterator<Item = usize>, seats: usize) -> Self {
        let mut first = Vec::new();
        for position in positions {
            if first.len() < MAX_PARAGRAPHS_PER_TARGET && !first.contains(&position) {
                first.push(position);
            }
        }
        Self { seats: seats.min(first.len()), positions: first, rest: Vec::new() }
    }

    /// The place with what else belongs to it.
    fn with_rest(mut self, members: impl IntoIterator<Item = usize>) -> Self {
        let seated = &self.positions[..self.seats];
        self.rest = members.into_iter().filter(|position| !seated.contains(position)).collect();
        self
    }

    pub(super) fn exists(&self) -> bool {
        !self.positions.is_empty()
    }
}

/// Finds places, and what each query finds in the whole base, once.
pub(super) struct TargetFinder<'b> {
    base: &'b Base,
    found: BTreeMap<String, Vec<usize>>,
}

impl<'b> TargetFinder<'b> {
    pub(super) fn new(base: &'b Base) -> Self {
        Self { base, found: BTreeMap::new() }
    }

    /// The target, or each of the places it lists, with its paragraphs, the first to be read first. A place that
    /// does not exist has none.
    pub(super) fn find(
        &mut self,
        target: &str,
        query: &str,
    ) -> Result<Vec<(String, TargetParagraphs)>, KnowledgeError> {
        let whole = self.named_exactly(target, query)?;
        if whole.exists() {
            return Ok(vec![(target.to_owned(), whole)]);
        }
        let pieces: Vec<&str> = target
            .split([',', ';'])
            .flat_map(|piece| piece.split(" and "))
            .flat_map(|piece| piece.split(" or "))
            .map(str::trim)
            .filter(|piece| !piece.is_empty())
            .take(PIECES)
            .collect();
        let mut places = Vec::new();
        for piece in pieces.iter().filter(|_| pieces.len() > 1) {
            let place = self.named_exactly(piece, query)?;
            let place = if place.exists() { place } else { self.named_within(piece) };
            places.push(((*piece).to_owned(), place));
        }
        if places.iter().any(|(_, place)| place.exists()) {
            return Ok(places);
        }
        Ok(vec![(target.to_owned(), self.named_within(target))])
    }

    fn named_exactly(&mut self, target: &str, query: &str) -> Result<TargetParagraphs, KnowledgeError> {
        let exact = self.by_id(target);
        if exact.exists() {
            if exact.rest.len() > 1 {
                let members: BTreeSet<usize> = exact.rest.iter().copied().collect();
                self.best_among(&members, query, target)?;
                let rest = self.by_query(members, query, target);
                return Ok(TargetParagraphs { rest, ..exact });
            }
            return Ok(exact);
        }
        let below = self.below(target);
        if !below.is_empty() {
            // The beginning says what the place is about; what the query looks for may stand further on.
            let first = below.iter().copied().min();
            let best = self.best_among(&below, query, target)?;
            let rest = self.by_query(below, query, target);
            return Ok(TargetParagraphs::new(first.into_iter().chain(best), 2).with_rest(rest));
        }
        let tagged = self.tagged(target);
        if !tagged.is_empty() {
            let first = tagged.iter().copied().min();
            let best = self.best_among(&tagged, query, target)?;
            return Ok(TargetParagraphs::new(best.into_iter().chain(first), 1));
        }
        Ok(TargetParagraphs::default())
    }

    fn named_within(&self, target: &str) -> TargetParagraphs {
        // An id with words around it: a title, a label.
        let named = named_in(self.base, target);
        if !named.is_empty() {
            return TargetParagraphs::new(named.into_iter().flat_map(|position| self.in_force(position)), 1);
        }
        // A point of a paragraph stands in that paragraph.
        let point = target.trim_end().strip_suffix(')').and_then(|head| head.rsplit_once('('));
        let lettered = point.filter(|(_, point)| !point.is_empty() && point.chars().all(char::is_alphabetic));
        lettered.map_or_else(TargetParagraphs::default, |(head, _)| self.by_id(head))
    }

    fn by_id(&self, target: &str) -> TargetParagraphs {
        match self.base.resolve(target) {
            Some(Resolved::Paragraph(position)) => TargetParagraphs::new(self.in_force(position), 1),
            Some(Resolved::Section(members)) => {
                let in_force = members.iter().filter(|&&one| !self.base.columns().withdrawn(one));
                let mut wholes: Vec<usize> = in_force.map(|&one| self.base.whole(one)).collect();
                wholes.dedup();
                let place = TargetParagraphs::new(wholes.iter().copied(), 1).with_rest(wholes);
                if place.exists() { place } else { TargetParagraphs::new(members, 1) }
            }
            None => TargetParagraphs::default(),
        }
    }

    /// The paragraph, or those that its content went to when it is withdrawn.
    fn in_force(&self, position: usize) -> Vec<usize> {
        let whole = self.base.whole(position);
        if !self.base.columns().withdrawn(whole) {
            return vec![whole];
        }
        let moved: Vec<usize> = self.base.paragraphs()[whole]
            .superseded_by
            .iter()
            .filter_map(|id| match self.base.resolve(id)? {
                Resolved::Paragraph(position) => Some(self.base.whole(position)),
                Resolved::Section(members) => members.first().copied(),
            })
            .collect();
        if moved.is_empty() { vec![whole] } else { moved }
    }

    /// Paragraphs whose id goes on from the target, or that stand below a heading of that name or number.
    fn below(&self, target: &str) -> BTreeSet<usize> {
        let (base, columns) = (self.base, self.base.columns());
        let wanted = target.to_lowercase();
        let numbered = wanted.contains(|c: char| c.is_ascii_digit());
        let heading = |name: &str| {
            let name = name.to_lowercase();
            // `AU Audit and Accountability` by its words, `7.7 Changes` by its number.
            let words = name.split_once(' ').filter(|(code, _)| code.len() <= CODE_BYTES);
            let rest = name.strip_prefix(&wanted);
            words.is_some_and(|(_, words)| words == wanted)
                || rest.is_some_and(|rest| {
                    rest.is_empty() || (numbered && rest.starts_with([' ', ':', '—', '–', '\t']))
                })
        };
        let headings: BTreeSet<u32> = columns.numbers(heading).into_iter().collect();
        let under = base.wholes().iter().map(|&position| position as usize).filter(|&position| {
            !headings.is_empty() && columns.headings(position).iter().any(|one| headings.contains(one))
        });
        let ids = base.below(target).into_iter().map(|position| base.whole(position));
        under.chain(ids).filter(|&position| !columns.withdrawn(position)).collect()
    }

    /// Paragraphs that are about the target, or of the document of that name.
    fn tagged(&self, target: &str) -> BTreeSet<usize> {
        let columns = self.base.columns();
        let names: BTreeSet<u32> =
            columns.numbers(|name| name.eq_ignore_ascii_case(target)).into_iter().collect();
        let about = |position: usize| {
            names.contains(&columns.doc(position))
                || columns.tags(position).iter().any(|tag| names.contains(tag))
        };
        let wholes = self.base.wholes().iter().map(|&position| position as usize);
        wholes.filter(|&one| !names.is_empty() && !columns.withdrawn(one) && about(one)).collect()
    }

    /// These paragraphs in the order in which the query finds them, then those that it does not find.
    fn by_query(&self, members: BTreeSet<usize>, query: &str, target: &str) -> Vec<usize> {
        let text = if query.trim().is_empty() { target } else { query };
        let found = self.found.get(text).map(Vec::as_slice).unwrap_or_default();
        let first = found.iter().copied().filter(|position| members.contains(position));
        let rest = members.iter().copied().filter(|position| !found.contains(position));
        first.chain(rest).collect()
    }

    /// The one of these paragraphs that the query finds first.
    fn best_among(
        &mut self,
        members: &BTreeSet<usize>,
        query: &str,
        target: &str,
    ) -> Result<Option<usize>, KnowledgeError> {
        let text = if query.trim().is_empty() { target } else { query };
        if !self.found.contains_key(text) {
            let query = Query { text: text.to_owned(), limit: MAX_HITS, ..Query::default() };
            let hits = self.base.search(&query)?;
            let positions = hits.iter().filter_map(|hit| self.base.position(&hit.id)).collect();
            self.found.insert(text.to_owned(), positions);
        }
        let found = self.found.get(text).map(Vec::as_slice).unwrap_or_default();
        Ok(found.iter().copied().find(|position| members.contains(position)))
    }
}
