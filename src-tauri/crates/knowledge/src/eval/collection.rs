//! Documents, queries and judgments of a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::EvalError;
use super::read;

/// Query -> document -> grade; above zero is relevant.
pub type Judgments = BTreeMap<String, BTreeMap<String, i64>>;

/// A judged collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The file of documents.
    pub documents: PathBuf,
    /// The queries that were judged, in the order of their file.
    pub questions: Vec<Question>,
    /// The judgments.
    pub judgments: Judgments,
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
}

const DOCUMENTS: &[&str] = &["docs.jsonl", "corpus.jsonl"];
const JUDGMENTS: &[&str] = &["qrels.jsonl", "qrels/test.tsv", "qrels.tsv", "qrels.txt", "qrels.trec"];

impl Collection {
    /// Reads `docs.jsonl` (or `corpus.jsonl`), `queries.jsonl` and the judgments: `qrels.jsonl`,
    /// `qrels/test.tsv` or `qrels.tsv` (query, document, grade below a header), or `qrels.txt` in TREC's form.
    pub fn read(folder: &Path) -> Result<Self, EvalError> {
        let documents = first(folder, DOCUMENTS, "docs.jsonl")?;
        let queries = first(folder, &["queries.jsonl"], "queries.jsonl")?;
        let judgments = read_judgments(&first(folder, JUDGMENTS, "qrels.jsonl, qrels.tsv or qrels.txt")?)?;
        let questions = rows(&queries)?
            .into_iter()
            .map(|(number, row)| {
                let id = field(&row, &["_id", "id"]);
                let text = field(&row, &["text", "query"]);
                let question = id.zip(text).map(|(id, text)| Question { id, text });
                question.ok_or_else(|| EvalError::line(&queries, number, "a query has \"_id\" and \"text\""))
            })
            .filter(|question| question.as_ref().map_or(true, |one| judgments.contains_key(&one.id)))
            .collect::<Result<_, _>>()?;
        Ok(Self { documents, questions, judgments })
    }

    /// Writes the documents into `folder` with the `refs` that rows of `corpus` with the same id have; gives the file.
    pub(super) fn linked(&self, corpus: &Path, folder: &Path) -> Result<PathBuf, EvalError> {
        let mut links: BTreeMap<String, Value> = BTreeMap::new();
        for (_, mut row) in rows(corpus)? {
            if let (Some(id), Some(refs)) =
                (field(&row, &["id", "_id"]), row.get_mut("refs").map(Value::take))
            {
                links.insert(id, refs);
            }
        }
        let mut lines = String::new();
        for (_, mut row) in rows(&self.documents)? {
            let refs = field(&row, &["_id", "id"]).and_then(|id| links.remove(&id));
            if let (Some(refs), Some(fields)) = (refs, row.as_object_mut()) {
                fields.insert("refs".into(), refs);
            }
            lines.push_str(&row.to_string());
            lines.push('\n');
        }
        let path = folder.join("docs.jsonl");
        std::fs::write(&path, lines).map_err(EvalError::io(&path))?;
        Ok(path)
    }
}

fn first(folder: &Path, names: &[&str], what: &'static str) -> Result<PathBuf, EvalError> {
    let found = names.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| EvalError::Missing { folder: folder.to_owned(), what })
}

fn rows(path: &Path) -> Result<Vec<(usize, Value)>, EvalError> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| match serde_json::from_str(line) {
            Ok(row) => Ok((number, row)),
            Err(error) => Err(EvalError::line(path, number, format!("not JSON: {error}"))),
        })
        .collect()
}

/// The first of these fields, as text.
fn field(row: &Value, names: &[&str]) -> Option<String> {
    match names.iter().find_map(|name| row.get(name))? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn read_judgments(path: &Path) -> Result<Judgments, EvalError> {
    let mut judgments = Judgments::new();
    let mut add = |query: String, document: String, grade: i64| {
        judgments.entry(query).or_default().insert(document, grade);
    };
    if path.extension().is_some_and(|one| one == "jsonl") {
        for (number, row) in rows(path)? {
            let query = field(&row, &["query-id", "query_id", "qid"]);
            let document = field(&row, &["corpus-id", "corpus_id", "doc-id", "doc_id", "docid"]);
            let grade = field(&row, &["score", "relevance", "grade"]).and_then(|text| grade(&text));
            let (Some(query), Some(document), Some(grade)) = (query, document, grade) else {
                let what = "a judgment has \"query-id\", \"corpus-id\" and a whole \"score\"";
                return Err(EvalError::line(path, number, what));
            };
            add(query, document, grade);
        }
        return Ok(judgments);
    }
    for (number, line) in read(path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = match line.contains('\t') {
            true => line.split('\t').map(str::trim).collect(),
            false => line.split_whitespace().collect(),
        };
        let (query, document, last) = match fields[..] {
            [query, document, last] | [query, _, document, last] => (query, document, last),
            _ => return Err(EvalError::line(path, number, "a judgment has 3 or 4 fields")),
        };
        match grade(last) {
            Some(grade) => add(query.to_owned(), document.to_owned(), grade),
            // The header.
            None if number == 0 => {}
            None => return Err(EvalError::line(path, number, format!("'{last}' is no grade"))),
        }
    }
    Ok(judgments)
}

fn grade(text: &str) -> Option<i64> {
    let whole = |value: f64| (value.fract() == 0.0 && value.abs() < 1e9).then_some(value as i64);
    text.parse().ok().or_else(|| whole(text.parse().ok()?))
}
