//! How good what is known is, 0 to 100.
//!
//! `30 coverage + 25 citations verified + 20 mean confidence of cited claims + 15 contradictions settled or stated + 10
//! gaps closed`, as a share in millionths. Where no claim is supported there is no quality.

use domain::SentenceVerdict;
use domain::mission::MILLION;

use super::coverage::coverage;
use super::{Requirements, confidence, share};
use crate::graph::Graph;
use crate::item::{Claim, ClaimStatus};

/// What the quality is made of, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QualityInputs {
    /// The share of topics that are covered.
    pub coverage: u32,
    /// The share of citations that comparison proves or a judge supports.
    pub verified: u32,
    /// The mean confidence of claims with a citation.
    pub confidence: u32,
    /// The share of contradictions that are settled or stated; whole without any.
    pub contradictions: u32,
    /// The share of gaps that are closed, open ones of missions before aside; whole without any.
    pub gaps: u32,
    /// The share of claims that are supported. It has no weight of its own: at 0 there is no quality.
    pub supported: u32,
}

impl QualityInputs {
    /// The quality, in millionths.
    pub fn total(&self) -> u32 {
        if self.supported == 0 {
            return 0;
        }
        let points = [
            (30, self.coverage),
            (25, self.verified),
            (20, self.confidence),
            (15, self.contradictions),
            (10, self.gaps),
        ];
        let sum: u64 = points.iter().map(|(weight, value)| weight * u64::from(*value)).sum();
        u32::try_from((sum + 50) / 100).unwrap_or(MILLION)
    }
}

/// The inputs of a graph.
pub fn inputs(graph: &Graph, needs: &Requirements) -> QualityInputs {
    let live: Vec<&Claim> = graph.claims().filter(|claim| claim.status.is_live()).collect();
    let cited = live.iter().flat_map(|claim| graph.cited(&claim.citations));
    let verdicts: Vec<SentenceVerdict> = cited.map(|(citation, _)| citation.verdict).collect();
    let is_verified = |verdict: &SentenceVerdict| {
        matches!(verdict, SentenceVerdict::Verified | SentenceVerdict::JudgedSupported)
    };
    let verified = verdicts.iter().filter(|verdict| is_verified(verdict)).count();
    let cited = live.iter().copied().filter(|claim| !claim.citations.is_empty());
    let handled =
        graph.contradictions().filter(|one| !one.is_open() || needs.stated.contains(&one.id)).count();
    let closed = graph.gaps().filter(|gap| !gap.is_open()).count();
    let open = graph.gaps().filter(|gap| gap.is_open() && !needs.is_earlier_gap(gap)).count();
    let supported = live.iter().filter(|claim| claim.status == ClaimStatus::Supported).count();
    QualityInputs {
        coverage: coverage(graph, needs),
        verified: share(verified, verdicts.len(), 0),
        confidence: confidence::mean(cited),
        contradictions: share(handled, graph.contradictions.len(), MILLION),
        gaps: share(closed, closed + open, MILLION),
        supported: share(supported, live.len(), 0),
    }
}
