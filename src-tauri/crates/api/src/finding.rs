//! The command that searches the titles of everything.

use domain::Problem;
use store::{Latest, RunFilter, SessionFilter, Shelf};

use crate::local::Local;
use crate::wire::{SearchHit, SearchKind};

/// Most hits, and how many when none are asked for.
const MOST_HITS: u32 = 100;
const HITS: u32 = 20;
/// Longest text that is searched for, in characters.
const LONGEST: usize = 200;

impl Local {
    /// Agents, sources and bases come before sessions: there are few of them, and they are named.
    pub(crate) async fn search(&self, text: &str, limit: u32) -> Result<Vec<SearchHit>, Problem> {
        let text: String = text.trim().chars().take(LONGEST).collect();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let limit = if limit == 0 { HITS } else { limit.min(MOST_HITS) };
        let words = text.to_lowercase();
        let has = |texts: &[&str]| texts.iter().any(|text| text.to_lowercase().contains(&words));
        let mut hits = Vec::new();
        for agent in self.agent_list().await? {
            if has(&[&agent.name, &agent.slug, &agent.description]) {
                hits.push(hit(SearchKind::Agent, &agent.slug, &agent.name, &agent.description));
            }
        }
        for source in self.source_list().await? {
            if has(&[&source.name, &source.slug]) {
                hits.push(hit(SearchKind::Source, &source.slug, &source.name, &source.slug));
            }
        }
        for base in self.base_list().await? {
            if has(&[&base.name, &base.title]) {
                hits.push(hit(SearchKind::Base, &base.name, &base.title, &base.name));
            }
        }
        for shelf in [Shelf::Open, Shelf::Archive] {
            let filter = SessionFilter {
                shelf,
                latest: Latest::Any,
                text: Some(text.clone()),
                ..SessionFilter::default()
            };
            let room = limit.saturating_sub(hits.len() as u32);
            if room == 0 {
                break;
            }
            for session in self.store().list_sessions(&filter, None, room).await?.sessions {
                let line = if has(&[&session.title]) {
                    session.latest.map(|latest| latest.line).unwrap_or_default()
                } else {
                    self.question(&session.id, &text).await?
                };
                hits.push(hit(SearchKind::Session, &session.id, &session.title, &line));
            }
        }
        hits.truncate(limit as usize);
        Ok(hits)
    }

    /// The first line of the newest question of a session that holds a text.
    async fn question(&self, session: &str, text: &str) -> Result<String, Problem> {
        let filter = RunFilter {
            session: Some(session.to_owned()),
            text: Some(text.to_owned()),
            ..RunFilter::default()
        };
        Ok(self.store().latest_run(&filter).await?.map(|run| run.title).unwrap_or_default())
    }
}

fn hit(kind: SearchKind, id: &str, title: &str, line: &str) -> SearchHit {
    SearchHit { kind, id: id.to_owned(), title: title.to_owned(), line: line.to_owned() }
}
