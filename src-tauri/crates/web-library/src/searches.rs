//! Questions to search services with what they found: `searches/<hash>.json`.

use std::path::PathBuf;

use domain::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::day::{DAY_MS, day};
use crate::error::Refusal;
use crate::files;

/// The largest record, in bytes.
const MAX_SEARCH_BYTES: u64 = 4 << 20;

/// A question with what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchRecord {
    /// The service that was asked.
    pub service: String,
    /// The question.
    pub query: String,
    /// The most results that were asked for.
    pub limit: usize,
    /// When, in milliseconds since 1970.
    pub retrieved_ms: i64,
    /// What was found, before any list of sources.
    pub results: Vec<Value>,
}

impl SearchRecord {
    /// The day on which the service was asked.
    pub fn retrieved(&self) -> String {
        day(self.retrieved_ms)
    }
}

/// The records.
#[derive(Debug, Clone)]
pub struct Searches {
    root: PathBuf,
}

impl Searches {
    /// The records in a folder, which need not be there.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    fn path(&self, service: &str, query: &str, limit: usize) -> PathBuf {
        let query = query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        self.root.join(format!("{}.json", Digest::of_json(&json!([service, query, limit]))))
    }

    /// What a service found for a question within the last so many days.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn fresh(
        &self,
        service: &str,
        query: &str,
        limit: usize,
        max_age_days: u32,
        now_ms: i64,
    ) -> Result<Option<SearchRecord>, Refusal> {
        let age = 0..=i64::from(max_age_days) * DAY_MS;
        match files::read_json::<SearchRecord>(&self.path(service, query, limit), MAX_SEARCH_BYTES) {
            Err(Refusal::Damaged { .. }) => Ok(None),
            Err(refusal) => Err(refusal),
            Ok(record) => Ok(record.filter(|record| age.contains(&(now_ms - record.retrieved_ms)))),
        }
    }

    /// Keeps what was found.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, record: &SearchRecord) -> Result<(), Refusal> {
        files::replace_json(&self.path(&record.service, &record.query, record.limit), record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_question_is_found_again_while_it_is_fresh_and_for_its_service_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        let searches = Searches::new(folder.path().to_owned());
        let record = SearchRecord {
            service: "a".into(),
            query: "Water  composition".into(),
            limit: 5,
            retrieved_ms: 0,
            results: vec![json!({"title": "x"})],
        };
        searches.write(&record).unwrap();
        let fresh = |service, query, limit, now| searches.fresh(service, query, limit, 2, now).unwrap();
        assert_eq!(fresh("a", "water composition", 5, 2 * DAY_MS), Some(record));
        assert_eq!(fresh("a", "water composition", 5, 2 * DAY_MS + 1), None);
        assert_eq!(fresh("b", "water composition", 5, 0), None);
        assert_eq!(fresh("a", "water", 5, 0), None);
        assert_eq!(fresh("a", "water composition", 6, 0), None);
    }
}
