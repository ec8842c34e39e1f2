//! The command that searches everything by name, and sessions by what was said in them.

use domain::Problem;
use protocol::{ContentQuery, SearchHit, SearchKind};

use crate::Conversations;

/// Most hits, and how many when none are asked for.
const MAX_HITS: u32 = 100;
const HITS: u32 = 20;
/// Longest text that is searched for, in characters.
const MAX_QUERY_CHARS: usize = 200;

impl Conversations {
    /// Agents, sources and bases come before sessions: there are few of them, and they are named.
    pub async fn search(&self, text: &str, limit: u32) -> Result<Vec<SearchHit>, Problem> {
        let text: String = text.trim().chars().take(MAX_QUERY_CHARS).collect();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let limit = if limit == 0 { HITS } else { limit.min(MAX_HITS) };
        let words = text.to_lowercase();
        let has = |texts: &[&str]| texts.iter().any(|text| text.to_lowercase().contains(&words));
        let mut hits = Vec::new();
        for agent in self.env.agent_list().await? {
            if has(&[&agent.name, &agent.slug, &agent.description]) {
                hits.push(hit(SearchKind::Agent, &agent.slug, &agent.name, &agent.description));
            }
        }
        for source in self.sources.source_list().await? {
            if has(&[&source.name, &source.slug]) {
                hits.push(hit(SearchKind::Source, &source.slug, &source.name, &source.slug));
            }
        }
        for base in self.library.base_list().await? {
            if has(&[&base.name, &base.title]) {
                hits.push(hit(SearchKind::Base, &base.name, &base.title, &base.name));
            }
        }
        let room = limit.saturating_sub(hits.len() as u32);
        if room > 0 {
            let query = ContentQuery { line: text, limit: room, ..ContentQuery::default() };
            for found in self.sessions.content_search(query).await?.sessions {
                let said = found.messages.first().filter(|_| found.title.is_empty());
                let line = match said {
                    Some(message) => message.text.iter().map(|piece| piece.text.as_str()).collect(),
                    None => found.session.latest.map(|latest| latest.line).unwrap_or_default(),
                };
                hits.push(hit(SearchKind::Session, &found.session.session, &found.session.title, &line));
            }
        }
        hits.truncate(limit as usize);
        Ok(hits)
    }
}

fn hit(kind: SearchKind, id: &str, title: &str, line: &str) -> SearchHit {
    SearchHit { kind, id: id.to_owned(), title: title.to_owned(), line: line.to_owned() }
}
