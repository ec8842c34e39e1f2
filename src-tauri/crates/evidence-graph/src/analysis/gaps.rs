//! What is missing: opened where too little is known, closed by evidence.
//!
//! A gap is opened for
//! - a question that claims answer, but not supported by enough independent origins (a question that nobody answered is
//!   on the agenda itself);
//! - a required section that no question of the plan is for, as soon as there is a plan or a claim;
//! - a supported claim with too few origins, where it answers a required question or the user pinned it.
//!
//! A gap is closed where a supported claim answers it, and what it was opened for has enough. It is reopened where none
//! of the claims that closed it has support any more.

use domain::mission::{Closing, ItemId};

use super::coverage::{answers, claims_of_section, is_covered, supported};
use super::origins::origins;
use super::{BY, Requirements};
use crate::change::Change;
use crate::graph::Graph;
use crate::item::{Claim, ClaimStatus, Gap, GapStatus, ItemKind};
use crate::keys::text_key;

/// Gaps for claims with too few sources that are open at a time.
pub const MAX_CLAIM_GAPS: usize = 20;

/// Gaps to close and to reopen.
pub fn closings(graph: &Graph, needs: &Requirements) -> Vec<Change> {
    graph
        .gaps()
        .filter_map(|gap| match &gap.status {
            GapStatus::Open => {
                closing(graph, gap, needs).map(|closing| Change::GapClosed { gap: gap.id.clone(), closing })
            }
            GapStatus::Closed { closing: Closing::Evidence { claims } } => {
                let stands = |id: &ItemId| {
                    let status = graph.claim(id).map(|claim| claim.status);
                    matches!(status, Some(ClaimStatus::Supported | ClaimStatus::Disputed))
                };
                (!claims.iter().any(stands)).then(|| Change::GapReopened { gap: gap.id.clone() })
            }
            GapStatus::Closed {
                closing: Closing::Person { .. } | Closing::Superseded { .. } | Closing::Moot { .. },
            } => None,
        })
        .collect()
}

/// Why an open gap can be closed, if it can.
fn closing(graph: &Graph, gap: &Gap, needs: &Requirements) -> Option<Closing> {
    let evidence = |claims: Vec<&Claim>| {
        let claims: Vec<ItemId> = claims.into_iter().map(|claim| claim.id.clone()).collect();
        (!claims.is_empty()).then_some(Closing::Evidence { claims })
    };
    let moot = |of: &ItemId| Some(Closing::Moot { of: of.clone() });
    if let Some(of) = &gap.of {
        if let Some(claim) = graph.claim(of) {
            if !claim.status.is_live() {
                return moot(of);
            }
            let enough = origins(graph, claim).len() >= needs.min_sources_per_claim as usize;
            return evidence(supported(&[claim])).filter(|_| enough);
        }
        let question = graph.questions.get(of)?;
        if question.dropped.is_some() {
            return moot(of);
        }
        let claims = answers(graph, question);
        return evidence(supported(&claims)).filter(|_| is_covered(graph, &claims, needs));
    }
    if let Some(section) = &gap.section {
        let claims = claims_of_section(graph, section);
        return evidence(supported(&claims)).filter(|_| is_covered(graph, &claims, needs));
    }
    evidence(supported(&graph.answers(&gap.id).collect::<Vec<_>>()))
}

/// Gaps to open.
pub fn openings(graph: &Graph, needs: &Requirements) -> Vec<Change> {
    let mut opened = Opened { graph, changes: Vec::new() };
    for question in graph.questions().filter(|question| question.dropped.is_none()) {
        let claims = answers(graph, question);
        let tried = claims.iter().any(|claim| claim.status.is_live());
        if tried && !is_covered(graph, &claims, needs) {
            let critical = question.required;
            let gap = Gap { capability: question.capability.clone(), ..gap(&question.text, critical) };
            opened.open(Gap { of: Some(question.id.clone()), section: question.section.clone(), ..gap });
        }
    }
    let begun = graph.questions.len() + graph.claims.len() > 0;
    for section in needs.required_sections.iter().filter(|_| begun) {
        let key = text_key(section);
        let is_asked = graph.questions().any(|question| {
            question.dropped.is_none() && question.section.as_ref().is_some_and(|name| text_key(name) == key)
        });
        if !is_asked && !is_covered(graph, &claims_of_section(graph, section), needs) {
            let gap = gap(&format!("What is known for the section \"{section}\"?"), true);
            opened.open(Gap { section: Some(section.clone()), ..gap });
        }
    }
    let open = graph
        .gaps()
        .filter(|gap| gap.is_open() && gap.of.as_ref().is_some_and(|of| graph.claim(of).is_some()));
    let room = MAX_CLAIM_GAPS.saturating_sub(open.count());
    let few = graph.claims().filter(|claim| {
        claim.status == ClaimStatus::Supported
            && (claim.pinned || answers_required(graph, claim))
            && origins(graph, claim).len() < needs.min_sources_per_claim as usize
    });
    let few: Vec<&Claim> = few.filter(|claim| !opened.is_known(&claim_question(claim))).take(room).collect();
    for claim in few {
        let gap = gap(&claim_question(claim), false);
        opened.open(Gap { of: Some(claim.id.clone()), entities: claim.entities.clone(), ..gap });
    }
    opened.changes
}

fn claim_question(claim: &Claim) -> String {
    format!("Which other, independent source says: {}", claim.text)
}

fn answers_required(graph: &Graph, claim: &Claim) -> bool {
    claim.answers.iter().any(|id| graph.questions.get(id).is_some_and(|question| question.required))
}

fn gap(question: &str, critical: bool) -> Gap {
    Gap {
        id: ItemId(String::new()),
        key: text_key(question),
        question: question.to_owned(),
        critical,
        capability: None,
        entities: Vec::new(),
        of: None,
        section: None,
        status: GapStatus::Open,
        raised_by: vec![BY.to_owned()],
    }
}

struct Opened<'g> {
    graph: &'g Graph,
    changes: Vec<Change>,
}

impl Opened<'_> {
    /// A question that was asked once is not asked again: a closed gap stays closed, or is reopened.
    fn is_known(&self, question: &str) -> bool {
        self.graph.index.gaps.contains_key(text_key(question).as_str())
    }

    fn open(&mut self, gap: Gap) {
        let of = |known: &Gap| gap.of.is_some() && known.of == gap.of;
        if self.is_known(&gap.question) || self.graph.gaps().any(of) {
            return;
        }
        let id = ItemKind::Gap.id(self.graph.gaps.len() + self.changes.len());
        self.changes.push(Change::GapOpened { gap: Gap { id, ..gap } });
    }
}
