//! The sources of a report, with their addresses.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use domain::mission::ItemId;

use super::one_line;
use super::statements::{named, notes_at};
use crate::graph::Graph;
use crate::item::Source;

/// A report that an agent wrote, with the sources that its statements rest on above its notes. An agent is shown titles alone.
pub fn with_sources(markdown: &str, graph: &Graph) -> String {
    let claims: BTreeSet<ItemId> = named(markdown).into_iter().flat_map(|(_, claims)| claims).collect();
    let claims = claims.iter().filter_map(|id| graph.claim(id));
    let cited = claims.flat_map(|claim| graph.cited(&claim.citations)).filter(|(one, _)| one.supports());
    let used: BTreeSet<&ItemId> = cited.map(|(_, source)| &source.id).collect();
    let sources = list(graph.sources().filter(|source| used.contains(&source.id)));
    if sources.is_empty() {
        return markdown.to_owned();
    }
    let (body, notes) = markdown.split_at(notes_at(markdown));
    format!("{}\n\n{sources}{notes}", body.trim_end())
}

/// A section with each source, its address and the digest of what was read; nothing where there is none.
pub(super) fn list<'g>(sources: impl Iterator<Item = &'g Source>) -> String {
    let mut out = String::new();
    for source in sources {
        let digest = source.object.map(|object| format!(", SHA-256 {}", object.short())).unwrap_or_default();
        let _ = writeln!(out, "- {} ({}{digest})", one_line(&source.title), one_line(&source.address));
    }
    if out.is_empty() { out } else { format!("## Sources\n\n{out}\n") }
}
