//! Is a claimed link between two paragraphs in the graph?

use knowledge::{Base, KnowledgeError};

/// What is known about a claimed link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationCheck {
    /// One end, by its own id.
    pub from: String,
    /// The other end, by its own id.
    pub to: String,
    /// Whether a link joins them directly.
    pub exists: bool,
    /// The kinds of the links that do, sorted.
    pub kinds: Vec<String>,
    /// Whether one of them leads from `from` to `to`, and not only back.
    pub forward: bool,
    /// Without a direct link: paragraphs that link to both, at most five.
    pub through: Vec<String>,
}

/// Looks for links between two paragraphs, whichever way they lead.
pub fn verify_relation(base: &Base, from: &str, to: &str) -> Result<RelationCheck, KnowledgeError> {
    let from = base.paragraph(from)?.id.clone();
    let to = base.paragraph(to)?.id.clone();
    let near = base.neighbours(&from)?;
    let direct: Vec<_> = near.iter().filter(|one| one.id == to).collect();
    let mut kinds: Vec<String> = direct.iter().map(|one| one.kind.clone()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let exists = !direct.is_empty();
    let forward = direct.iter().any(|one| one.outgoing);
    let mut through = Vec::new();
    if !exists {
        let far: std::collections::BTreeSet<String> =
            base.neighbours(&to)?.into_iter().map(|one| one.id).collect();
        through = near.into_iter().map(|one| one.id).filter(|id| far.contains(id)).collect();
        through.dedup();
        through.truncate(5);
    }
    Ok(RelationCheck { from, to, exists, kinds, forward, through })
}
