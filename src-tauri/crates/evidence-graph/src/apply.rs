//! The fold: what each change does to a graph.

use domain::Digest;
use domain::mission::{Closing, ItemId, Settlement};

use crate::change::{CHANGES_VERSION, Change, Changes, Refusal};
use crate::graph::Graph;
use crate::index::{pair, relation_key};
use crate::item::{
    Citation, Claim, ClaimStatus, ConfidenceParts, Contradiction, ContradictionStatus, Gap, GapStatus,
    ItemKind, LeadStatus,
};
use crate::keys::text_key;

impl Graph {
    /// Makes changes, all or none. No changes leave the version as it is.
    ///
    /// # Errors
    /// The changes have another form or were made for another version; or one of them can't be made.
    pub fn apply(&mut self, changes: &Changes) -> Result<(), Refusal> {
        if changes.format != CHANGES_VERSION {
            return Err(Refusal::Format { found: changes.format });
        }
        if changes.from != self.version {
            return Err(Refusal::Version { version: self.version, found: changes.from });
        }
        if changes.changes.is_empty() {
            return Ok(());
        }
        let mut next = self.clone();
        for change in &changes.changes {
            next.change(change)?;
        }
        next.version += 1;
        *self = next;
        Ok(())
    }

    /// Makes one change, and counts no version.
    pub(crate) fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        match change {
            Change::SourceAdded { source } => {
                self.unread(source.object.as_ref())?;
                self.sources.push(source.clone())?;
                self.index.source(source);
            }
            Change::SourceRead { source, object } => {
                self.unread(Some(object))?;
                let source = self.sources.change(source)?;
                // What was cited stays what it was.
                if source.object.is_some() {
                    return Err(Refusal::State(source.id.0.clone()));
                }
                source.object = Some(*object);
                self.index.object(source);
            }
            Change::EntityAdded { entity } => {
                self.unnamed(&entity.key)?;
                self.entities.push(crate::Entity { revision: 0, ..entity.clone() })?;
                self.index.entity(entity);
            }
            Change::EntityNamed { entity, alias } => {
                self.unnamed(&text_key(alias))?;
                let entity = self.entities.change(entity)?;
                entity.aliases.push(alias.clone());
                self.index.entity(entity);
            }
            Change::EntityDescribed { entity, kind, description } => {
                let entity = self.entities.change(entity)?;
                for (known, found) in [(&mut entity.kind, kind), (&mut entity.description, description)] {
                    if known.is_empty() {
                        known.clone_from(found);
                    }
                }
            }
            Change::RelationAdded { relation } => {
                self.entities.known(&relation.from)?;
                self.entities.known(&relation.to)?;
                if let Some(&at) = self.index.relations.get(&relation_key(relation)) {
                    return Err(Refusal::Duplicate(ItemKind::Relation.id(at as usize).0));
                }
                self.relations.push(crate::Relation { citations: Vec::new(), ..relation.clone() })?;
                self.index.relation(relation);
            }
            Change::QuestionAdded { question } => {
                self.questions.push(question.clone())?;
                self.index.question(question);
            }
            Change::QuestionDropped { question, reason } => {
                self.questions.change(question)?.dropped = Some(reason.clone());
            }
            Change::LeadAdded { lead } => {
                self.link(&lead.entities, &[])?;
                self.leads.push(crate::Lead {
                    status: LeadStatus::Open,
                    novelty: 0,
                    score: 0,
                    ..lead.clone()
                })?;
                self.index.lead(lead);
            }
            Change::LeadRated { lead, novelty, score } => {
                let lead = self.leads.change(lead)?;
                (lead.novelty, lead.score) = (*novelty, *score);
            }
            Change::LeadClosed { lead, status } => {
                let lead = self.leads.change(lead)?;
                if lead.status != LeadStatus::Open || *status == LeadStatus::Open {
                    return Err(Refusal::State(lead.id.0.clone()));
                }
                lead.status = status.clone();
            }
            Change::GapOpened { gap } => {
                self.link(&gap.entities, &[])?;
                self.gaps.push(Gap { status: GapStatus::Open, ..gap.clone() })?;
                self.index.gap(gap);
            }
            Change::GapRaised { gap, by } => self.gaps.change(gap)?.raised_by.push(by.clone()),
            Change::GapClosed { gap, closing } => self.close(gap, closing)?,
            Change::GapReopened { gap } => {
                let gap = self.gaps.change(gap)?;
                if gap.is_open() {
                    return Err(Refusal::State(gap.id.0.clone()));
                }
                gap.status = GapStatus::Open;
            }
            Change::ContradictionFound { contradiction } => self.contradict(contradiction)?,
            Change::ContradictionSettled { contradiction, settlement } => {
                self.settle_contradiction(contradiction, settlement)?
            }
            Change::ClaimAdded { .. }
            | Change::ClaimLinked { .. }
            | Change::ClaimWorded { .. }
            | Change::ClaimRestated { .. }
            | Change::ClaimScored { .. }
            | Change::ClaimPinned { .. }
            | Change::ClaimUnpinned { .. }
            | Change::ClaimRejected { .. }
            | Change::CitationAdded { .. }
            | Change::CitationChecked { .. } => self.change_claim(change)?,
        }
        Ok(())
    }

    fn change_claim(&mut self, change: &Change) -> Result<(), Refusal> {
        let claim = match change {
            Change::ClaimAdded { claim } => {
                self.link(&claim.entities, &claim.answers)?;
                self.claims.push(new_claim(claim))?;
                self.index.claim(claim);
                &claim.id
            }
            Change::ClaimLinked { claim, entities, answers } => {
                self.link(entities, answers)?;
                let row = self.claims.change(claim)?;
                let new = |known: &[ItemId], found: &[ItemId]| -> Vec<ItemId> {
                    found.iter().filter(|id| !known.contains(id)).cloned().collect()
                };
                let (more, answered) = (new(&row.entities, entities), new(&row.answers, answers));
                row.entities.extend(more);
                row.answers.extend(answered);
                self.index.links(row);
                claim
            }
            Change::ClaimWorded { claim, wording } => {
                self.claims.change(claim)?.wordings.push(wording.clone());
                return Ok(());
            }
            Change::ClaimRestated { claim, text } => {
                let row = self.claims.change(claim)?;
                if row.pinned {
                    return Err(Refusal::Pinned(claim.0.clone()));
                }
                row.wordings.retain(|wording| wording != text);
                let earlier = std::mem::replace(&mut row.text, text.clone());
                row.wordings.push(earlier);
                self.index.restated(row);
                claim
            }
            Change::ClaimScored { claim, confidence, parts } => {
                let row = self.claims.change(claim)?;
                (row.confidence, row.parts) = (*confidence, *parts);
                return Ok(());
            }
            Change::ClaimPinned { claim } => {
                let row = self.claims.change(claim)?;
                if !row.status.is_live() {
                    return Err(Refusal::State(claim.0.clone()));
                }
                row.pinned = true;
                claim
            }
            Change::ClaimUnpinned { claim } => {
                self.claims.change(claim)?.pinned = false;
                claim
            }
            Change::ClaimRejected { claim, reason } => {
                let row = self.claims.change(claim)?;
                if row.pinned {
                    return Err(Refusal::Pinned(claim.0.clone()));
                }
                row.rejected = Some(reason.clone());
                row.status = ClaimStatus::Rejected;
                let settlement = |other| Settlement::Person { claim: Some(other), reason: reason.clone() };
                self.end_contradictions(claim, settlement)?;
                claim
            }
            Change::CitationAdded { citation } => {
                self.cite(citation)?;
                &citation.of
            }
            Change::CitationChecked { citation, verdict, proof, paragraph } => {
                let row = self.citations.change(citation)?;
                (row.verdict, row.proof) = (*verdict, *proof);
                row.paragraph.clone_from(paragraph);
                &self.citations.known(citation)?.of.clone()
            }
            Change::SourceAdded { .. }
            | Change::SourceRead { .. }
            | Change::EntityAdded { .. }
            | Change::EntityNamed { .. }
            | Change::EntityDescribed { .. }
            | Change::RelationAdded { .. }
            | Change::QuestionAdded { .. }
            | Change::QuestionDropped { .. }
            | Change::GapOpened { .. }
            | Change::GapRaised { .. }
            | Change::GapClosed { .. }
            | Change::GapReopened { .. }
            | Change::ContradictionFound { .. }
            | Change::ContradictionSettled { .. }
            | Change::LeadAdded { .. }
            | Change::LeadRated { .. }
            | Change::LeadClosed { .. } => return Ok(()),
        };
        let claim = claim.clone();
        self.touch(&claim);
        self.refresh(&claim);
        Ok(())
    }

    /// Whether everything that a claim is linked to is there.
    pub(crate) fn link(&self, entities: &[ItemId], answers: &[ItemId]) -> Result<(), Refusal> {
        for entity in entities {
            self.entities.known(entity)?;
        }
        for answered in answers {
            self.questions.known(answered).map(|_| ()).or_else(|_| self.gaps.known(answered).map(|_| ()))?;
        }
        Ok(())
    }

    fn cite(&mut self, citation: &Citation) -> Result<(), Refusal> {
        self.sources.known(&citation.source)?;
        let citations = match self.claims.change(&citation.of) {
            Ok(claim) => &mut claim.citations,
            Err(_) => &mut self.relations.change(&citation.of)?.citations,
        };
        citations.push(citation.id.clone());
        self.citations.push(citation.clone())
    }

    /// Counts a change of a claim, for itself and for what it is about.
    fn touch(&mut self, claim: &ItemId) {
        let Ok(row) = self.claims.change(claim) else { return };
        row.revision += 1;
        for entity in row.entities.clone() {
            if let Ok(entity) = self.entities.change(&entity) {
                entity.revision += 1;
            }
        }
    }

    /// Computes the status of a claim, and of the claims that it contradicts.
    fn refresh(&mut self, claim: &ItemId) {
        let mut touched = vec![claim.clone()];
        touched.extend(self.contradictions_of(claim).map(|one| one.other(claim).clone()));
        for id in touched {
            let Some(row) = self.claims.get(&id).filter(|row| row.status.is_live()) else { continue };
            let status = self.status(row);
            if status != row.status
                && let Ok(row) = self.claims.change(&id)
            {
                row.status = status;
                self.touch(&id);
            }
        }
    }

    /// A contradiction disputes a claim only where both sides have support.
    fn status(&self, claim: &Claim) -> ClaimStatus {
        if !self.is_supported(claim) {
            return ClaimStatus::Unsupported;
        }
        let mut open = self.contradictions_of(&claim.id).filter(|one| one.is_open());
        let disputes = |one: &Contradiction| {
            self.claims
                .get(one.other(&claim.id))
                .is_some_and(|other| other.status.is_live() && self.is_supported(other))
        };
        if !claim.pinned && open.any(disputes) { ClaimStatus::Disputed } else { ClaimStatus::Supported }
    }

    fn contradict(&mut self, contradiction: &Contradiction) -> Result<(), Refusal> {
        let [first, second] = &contradiction.claims;
        self.claims.known(first)?;
        self.claims.known(second)?;
        if first == second {
            return Err(Refusal::Part { of: contradiction.id.0.clone(), claim: second.0.clone() });
        }
        if let Some(&at) = self.index.pairs.get(&pair(&contradiction.claims)) {
            return Err(Refusal::Duplicate(ItemKind::Contradiction.id(at as usize).0));
        }
        let row = Contradiction { status: ContradictionStatus::Open, ..contradiction.clone() };
        self.contradictions.push(row)?;
        self.index.contradiction(contradiction);
        self.refresh(first);
        Ok(())
    }

    /// Closes a gap: by claims that are supported, by the user, or by a gap that stays.
    fn close(&mut self, id: &ItemId, closing: &Closing) -> Result<(), Refusal> {
        let gap = self.gaps.known(id)?;
        if !gap.is_open() {
            return Err(Refusal::State(id.0.clone()));
        }
        match closing {
            Closing::Evidence { claims } => {
                if claims.is_empty() {
                    return Err(Refusal::NoEvidence(id.0.clone()));
                }
                for claim in claims {
                    if self.claims.known(claim)?.status != ClaimStatus::Supported {
                        return Err(Refusal::Unsupported { of: id.0.clone(), evidence: claim.0.clone() });
                    }
                }
            }
            Closing::Person { reason } if reason.trim().is_empty() => {
                return Err(Refusal::NoReason(id.0.clone()));
            }
            Closing::Person { .. } => {}
            Closing::Moot { of } => {
                let is_gone = match (self.claims.get(of), self.questions.get(of)) {
                    (Some(claim), _) => !claim.status.is_live(),
                    (None, Some(question)) => question.dropped.is_some(),
                    (None, None) => false,
                };
                if gap.of.as_ref() != Some(of) || !is_gone {
                    return Err(Refusal::NoEvidence(id.0.clone()));
                }
            }
            Closing::Superseded { other } => {
                let stays = self.gaps.known(other)?;
                if !stays.is_open() || other == id || (gap.critical && !stays.critical) {
                    return Err(Refusal::State(other.0.clone()));
                }
            }
        }
        self.gaps.change(id)?.status = GapStatus::Closed { closing: closing.clone() };
        Ok(())
    }

    fn settle_contradiction(&mut self, id: &ItemId, settlement: &Settlement) -> Result<(), Refusal> {
        let contradiction = self.contradictions.known(id)?.clone();
        if !contradiction.is_open() {
            return Err(Refusal::State(id.0.clone()));
        }
        let stands = match settlement {
            Settlement::Preferred { claim, evidence } => {
                self.evidence(&contradiction, Some(claim), evidence)?;
                Some(claim)
            }
            Settlement::Compatible { evidence } => {
                self.evidence(&contradiction, None, evidence)?;
                None
            }
            Settlement::Person { reason, .. } if reason.trim().is_empty() => {
                return Err(Refusal::NoReason(id.0.clone()));
            }
            Settlement::Person { claim, .. } => claim.as_ref(),
        };
        if let Some(claim) = stands {
            if !contradiction.claims.contains(claim) {
                return Err(Refusal::Part { of: id.0.clone(), claim: claim.0.clone() });
            }
            let loser = contradiction.other(claim).clone();
            let row = self.claims.change(&loser)?;
            if row.pinned {
                return Err(Refusal::Pinned(loser.0));
            }
            if row.status.is_live() {
                row.status = ClaimStatus::Superseded;
                self.touch(&loser);
            }
        }
        self.contradictions.change(id)?.status =
            ContradictionStatus::Settled { settlement: settlement.clone() };
        if let Some(claim) = stands {
            let loser = contradiction.other(claim).clone();
            // What no longer stands contradicts nothing.
            self.end_contradictions(&loser, |other| match settlement {
                Settlement::Preferred { evidence, .. } | Settlement::Compatible { evidence } => {
                    Settlement::Preferred { claim: other, evidence: evidence.clone() }
                }
                Settlement::Person { reason, .. } => {
                    Settlement::Person { claim: Some(other), reason: reason.clone() }
                }
            })?;
        }
        for claim in &contradiction.claims {
            self.refresh(claim);
        }
        Ok(())
    }

    /// Whether evidence may settle a contradiction: other claims that are supported and undisputed, or citations that
    /// support; of the two claims themselves only citations of the one that stands.
    fn evidence(
        &self,
        of: &Contradiction,
        stands: Option<&ItemId>,
        evidence: &[ItemId],
    ) -> Result<(), Refusal> {
        if evidence.is_empty() {
            return Err(Refusal::NoEvidence(of.id.0.clone()));
        }
        for id in evidence {
            let holds = match self.citations.get(id) {
                Some(citation) => {
                    let claim = self.claims.get(&citation.of).is_none_or(|claim| claim.status.is_live());
                    let loses =
                        of.claims.contains(&citation.of) && stands.is_some_and(|claim| *claim != citation.of);
                    citation.supports() && claim && !loses
                }
                None => self.claims.known(id)?.status == ClaimStatus::Supported && !of.claims.contains(id),
            };
            if !holds {
                return Err(Refusal::Unsupported { of: of.id.0.clone(), evidence: id.0.clone() });
            }
        }
        Ok(())
    }

    fn end_contradictions(
        &mut self,
        claim: &ItemId,
        settlement: impl Fn(ItemId) -> Settlement,
    ) -> Result<(), Refusal> {
        let open: Vec<(ItemId, ItemId)> = self
            .contradictions_of(claim)
            .filter(|one| one.is_open())
            .map(|one| (one.id.clone(), one.other(claim).clone()))
            .collect();
        for (id, other) in open {
            let settlement = settlement(other.clone());
            self.contradictions.change(&id)?.status = ContradictionStatus::Settled { settlement };
            self.refresh(&other);
        }
        Ok(())
    }

    /// Whether no source has these bytes.
    fn unread(&self, object: Option<&Digest>) -> Result<(), Refusal> {
        match object.and_then(|object| self.index.objects.get(object)) {
            Some(&at) => Err(Refusal::Duplicate(ItemKind::Source.id(at as usize).0)),
            None => Ok(()),
        }
    }

    /// Whether no entity has this name.
    fn unnamed(&self, key: &str) -> Result<(), Refusal> {
        match self.index.entities.get(key) {
            Some(&at) => Err(Refusal::Duplicate(ItemKind::Entity.id(at as usize).0)),
            None => Ok(()),
        }
    }
}

/// A claim without what is computed.
fn new_claim(claim: &Claim) -> Claim {
    Claim {
        citations: Vec::new(),
        status: ClaimStatus::Unsupported,
        pinned: false,
        rejected: None,
        confidence: 0,
        parts: ConfidenceParts::default(),
        revision: 0,
        ..claim.clone()
    }
}
