//! What was found last, in short.

use domain::mission::{ItemId, percent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::item::{Claim, ClaimStatus, ItemKind};
use crate::report::many;

/// A claim in short: what it says, how sure it is and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewestClaim {
    /// The claim.
    pub claim: ItemId,
    /// What it says.
    pub text: String,
    /// How far it is.
    pub status: ClaimStatus,
    /// How sure it is, in millionths; absent until that was computed.
    pub confidence: Option<u32>,
    /// The titles of the sources that it cites, each once.
    pub sources: Vec<String>,
    /// Whether the user keeps it.
    pub pinned: bool,
}

impl NewestClaim {
    /// The claim in a line: its id, how sure it is, what it says, where it comes from.
    pub fn line(&self) -> String {
        let standing = match (self.status, self.confidence) {
            (ClaimStatus::Supported, Some(confidence)) => format!("{} %", percent(confidence)),
            (status, _) => status.name().to_owned(),
        };
        let from =
            if self.sources.is_empty() { String::new() } else { format!(" ({})", self.sources.join(", ")) };
        format!("{} [{standing}] {}{from}", self.claim.0, self.text)
    }

    /// Those of the newest claims that came after one, a line each, the oldest first; before them how many more came.
    pub fn lines_after(newest: &[Self], after: Option<&ItemId>) -> Vec<String> {
        let at = |id: &ItemId| ItemKind::place(id).map_or(0, |(_, at)| at + 1);
        let known = after.map_or(0, at);
        let new: Vec<&Self> = newest.iter().rev().filter(|claim| at(&claim.claim) > known).collect();
        let skipped = new.first().map_or(0, |first| at(&first.claim) - known - 1);
        let mut lines = Vec::new();
        if skipped > 0 && new.len() == newest.len() {
            lines.push(format!("{} before these", many(skipped as u32, "claim")));
        }
        lines.extend(new.iter().map(|claim| claim.line()));
        lines
    }
}

impl Graph {
    /// The claims that were found last, the newest first. Those that another one replaced are left out.
    pub fn newest_claims(&self, most: usize) -> Vec<NewestClaim> {
        let claims = self.claims().rev().filter(|claim| claim.status != ClaimStatus::Superseded);
        claims.take(most).map(|claim| self.newest_claim(claim)).collect()
    }

    fn newest_claim(&self, claim: &Claim) -> NewestClaim {
        let mut sources: Vec<String> = Vec::new();
        for (_, source) in self.cited(&claim.citations) {
            if !sources.contains(&source.title) {
                sources.push(source.title.clone());
            }
        }
        let is_computed = claim.status == ClaimStatus::Unsupported || claim.parts.origins > 0;
        NewestClaim {
            claim: claim.id.clone(),
            text: claim.text.clone(),
            status: claim.status,
            confidence: is_computed.then_some(claim.confidence),
            sources,
            pinned: claim.pinned,
        }
    }
}
