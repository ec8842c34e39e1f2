//! What was found for each query, in TREC's form: query, `Q0`, document, rank, score, name of the run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::error::EvalError;
use super::read;

/// What was found for each query, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run(BTreeMap<String, Vec<(String, f64)>>);

impl Run {
    /// Adds a document below those that the query has already; one that it has stays where it is.
    pub fn add(&mut self, query: &str, document: &str, score: f64) {
        let found = self.0.entry(query.to_owned()).or_default();
        if found.iter().all(|(known, _)| known != document) {
            found.push((document.to_owned(), score));
        }
    }

    /// The documents of a query, best first; equal ones as they were added.
    pub fn ranked(&self, query: &str) -> Vec<&str> {
        let mut found: Vec<&(String, f64)> = self.0.get(query).into_iter().flatten().collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.into_iter().map(|(document, _)| document.as_str()).collect()
    }

    /// The lines of the run, named `name`. White space of an id is written as `%20`, since fields end at it.
    pub fn to_trec(&self, name: &str) -> String {
        let mut lines = String::new();
        for (query, found) in &self.0 {
            for (rank, (document, score)) in (1..).zip(found) {
                let (query, document) = (field(query), field(document));
                let _ = writeln!(lines, "{query} Q0 {document} {rank} {score:.6} {name}");
            }
        }
        lines
    }

    /// Reads a file of such lines. A document's id may have spaces in it, or `%20` for them.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        let mut run = Self::default();
        for (number, line) in read(path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let score = fields.len().checked_sub(2).and_then(|at| fields[at].parse::<f64>().ok());
            match (&fields[..], score) {
                ([query, _, document @ .., _, _, _], Some(score))
                    if !document.is_empty() && score.is_finite() =>
                {
                    let known = |field: &str| field.replace("%20", " ");
                    run.add(&known(query), &known(&document.join(" ")), score);
                }
                _ => {
                    let what = "a line of a run has query, Q0, document, rank, score and name";
                    return Err(EvalError::line(path, number, what));
                }
            }
        }
        Ok(run)
    }
}

/// An id as one field of a line.
fn field(id: &str) -> String {
    id.split_whitespace().collect::<Vec<_>>().join("%20")
}
