//! How urgent something is, 1 to 10: a contradiction 10, a gap 7 to 9, a lead 4 to 6, what would be nice to have 1 to 3. What
//! a mission before left open has 0.
//!
//! Source: the levels of the priority queue in the mission design.

use crate::graph::Graph;
use crate::item::{Gap, Lead, Question};

/// What a mission before left open.
pub const EARLIER: u8 = 0;
/// A contradiction.
pub const CONTRADICTION: u8 = 10;
/// A question that the objective needs.
const REQUIRED: u8 = 8;
/// A question that it does not need.
const NICE: u8 = 3;

/// 7, and 2 more where it is critical, 1 where a required question depends on it, 1 where two raised it; at most 9. A
/// section that no question is for has 7: the questions of the plan come first, and what answers them may be all that there
/// is to look for.
pub fn of_gap(graph: &Graph, gap: &Gap) -> u8 {
    if gap.of.is_none() && gap.section.is_some() {
        return 7;
    }
    let is_required = |question: &Question| question.required;
    let needed = gap.of.as_ref().and_then(|of| graph.questions.get(of)).is_some_and(is_required);
    let more = 2 * u8::from(gap.critical) + u8::from(needed) + u8::from(gap.raised_by.len() > 1);
    (7 + more).min(9)
}

/// By score, in millionths: 6 from 2, 5 from 1, 4 from 0.5; less is nice to have: 3 from 0.25, 2 from 0.1, else 1.
pub fn of_lead(lead: &Lead) -> u8 {
    const LEVELS: [(u32, u8); 5] = [(2_000_000, 6), (1_000_000, 5), (500_000, 4), (250_000, 3), (100_000, 2)];
    LEVELS.into_iter().find(|(score, _)| lead.score >= *score).map_or(1, |(_, priority)| priority)
}

/// 8 where the objective needs it, else 3.
pub fn of_question(question: &Question) -> u8 {
    if question.required { REQUIRED } else { NICE }
}
