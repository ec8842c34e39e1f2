//! What is open: gaps, leads, contradictions.

use domain::mission::{FoundContradiction, FoundGap, FoundLead, ItemId};

use super::draft::{Draft, sorted};
use crate::change::Change;
use crate::index::pair;
use crate::item::{
    ConflictKind, Contradiction, ContradictionStatus, Gap, GapStatus, ItemKind, Lead, LeadStatus,
};
use crate::keys::text_key;

impl Draft<'_> {
    pub(super) fn gaps(&mut self, found: &[FoundGap]) {
        self.bound("gaps_identified", found.len());
        for (at, one) in sorted(found, |gap| (text_key(&gap.question), gap.question.clone())) {
            let place = format!("/gaps_identified/{at}");
            let Some(question) = self.text(&format!("{place}/question"), &one.question) else { continue };
            let key = text_key(question);
            let by = self.context.by.clone();
            if let Some(gap) = self.graph.index.gaps.get(key.as_str()).and_then(|&at| self.graph.gaps.at(at))
            {
                if gap.is_open() && !gap.raised_by.contains(&by) {
                    let gap = gap.id.clone();
                    self.change(&place, Change::GapRaised { gap, by });
                }
                continue;
            }
            let of =
                self.graph.index.questions.get(key.as_str()).map(|&at| ItemKind::Question.id(at as usize));
            let gap = Gap {
                id: self.graph.gaps.next(),
                key,
                question: question.to_owned(),
                critical: one.critical,
                capability: one.capability.clone(),
                entities: self.named(&place, &one.entities),
                of,
                section: None,
                status: GapStatus::Open,
                raised_by: vec![by],
            };
            self.counts.gaps += u32::from(self.change(&place, Change::GapOpened { gap }));
        }
    }

    pub(super) fn leads(&mut self, found: &[FoundLead]) {
        self.bound("suggested_follow_ups", found.len());
        for (at, one) in sorted(found, |lead| (text_key(&lead.text), lead.text.clone())) {
            let place = format!("/suggested_follow_ups/{at}");
            let Some(text) = self.text(&format!("{place}/text"), &one.text) else { continue };
            let key = text_key(text);
            if self.graph.index.leads.contains_key(key.as_str()) {
                continue;
            }
            let lead = Lead {
                id: self.graph.leads.next(),
                key,
                text: text.to_owned(),
                value: one.value.min(100),
                effort: one.effort.min(100),
                capability: one.capability.clone(),
                entities: self.named(&place, &one.entities),
                novelty: 0,
                score: 0,
                status: LeadStatus::Open,
                by: self.context.by.clone(),
            };
            self.counts.leads += u32::from(self.change(&place, Change::LeadAdded { lead }));
        }
    }

    pub(super) fn contradictions(&mut self, found: &[FoundContradiction]) {
        self.bound("contradictions", found.len());
        for (at, one) in sorted(found, |one| (one.first.clone(), one.second.clone())) {
            let place = format!("/contradictions/{at}");
            self.contradiction(&place, [&one.first, &one.second], &one.about);
        }
    }

    fn contradiction(&mut self, place: &str, sides: [&str; 2], about: &str) {
        let claim = |text: &str| {
            let id = ItemId(text.trim().to_owned());
            self.graph.claim(&id).map(|claim| claim.id.clone()).or_else(|| self.stated(text))
        };
        let (Some(first), Some(second)) = (claim(sides[0]), claim(sides[1])) else {
            return self.refuse(place, "no claim has this id or text");
        };
        if first == second {
            return self.refuse(place, format!("both sides are {}", first.0));
        }
        let is_gone = |id: &ItemId| self.graph.claim(id).is_some_and(|claim| !claim.status.is_live());
        if let Some(gone) = [&first, &second].into_iter().find(|id| is_gone(id)) {
            return self.refuse(place, format!("{} no longer stands", gone.0));
        }
        let claims = if ItemKind::place(&first) < ItemKind::place(&second) {
            [first, second]
        } else {
            [second, first]
        };
        if self.graph.index.pairs.contains_key(&pair(&claims)) {
            return;
        }
        let id = self.graph.contradictions.next();
        let contradiction = Contradiction {
            id: id.clone(),
            claims,
            kind: ConflictKind::Stated,
            about: about.trim().to_owned(),
            status: ContradictionStatus::Open,
            by: self.context.by.clone(),
        };
        if self.change(place, Change::ContradictionFound { contradiction }) {
            self.counts.contradictions += 1;
            self.conflicts.push(id);
        }
    }
}
