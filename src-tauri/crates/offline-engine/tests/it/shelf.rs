//! The shipped primer as material: a small word-overlap search stands in for the knowledge base.

use std::collections::BTreeSet;
use std::path::Path;

use context::{Body, ContextParagraph, Section, assemble};
use llm::{Message, ModelRequest};
use serde_json::{Value, json};

pub struct Shelf(pub Vec<Value>);

impl Shelf {
    /// Every paragraph of the primer.
    pub fn primer() -> Self {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sources/isa-knowledge-base/corpora/primer");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        let rows = files.iter().flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
        });
        Self(rows.collect())
    }

    /// BM25 over heading and text, the heading counted twice.
    fn search(&self, query: &str, limit: usize) -> Vec<(f64, &Value)> {
        let words = |text: &str| -> Vec<String> {
            let lower = text.to_lowercase();
            let all = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
            all.map(|word| word.trim_end_matches('s').to_owned()).collect()
        };
        let field = |row: &Value, name: &str| words(row[name].as_str().unwrap());
        let docs: Vec<Vec<String>> = self
            .0
            .iter()
            .map(|row| {
                [field(row, "title"), field(row, "section"), field(row, "section"), field(row, "text")]
                    .concat()
            })
            .collect();
        let total = docs.len() as f64;
        let mean = docs.iter().map(Vec::len).sum::<usize>() as f64 / total;
        let mut scores = vec![0.0; docs.len()];
        for word in words(query).into_iter().collect::<BTreeSet<_>>() {
            let counts: Vec<f64> =
                docs.iter().map(|doc| doc.iter().filter(|other| **other == word).count() as f64).collect();
            let having = counts.iter().filter(|count| **count > 0.0).count() as f64;
            let rarity = (1.0 + (total - having + 0.5) / (having + 0.5)).ln();
            for (index, count) in counts.into_iter().enumerate() {
                let length = docs[index].len() as f64 / mean;
                scores[index] += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length));
            }
        }
        let mut hits: Vec<(f64, &Value)> =
            scores.into_iter().zip(&self.0).filter(|(score, _)| *score > 0.0).collect();
        hits.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1["id"].as_str().cmp(&b.1["id"].as_str())));
        hits.truncate(limit);
        hits
    }

    /// What the outline tool would give for a question.
    pub fn outline(&self, question: &str) -> Value {
        self.search(question, 24)
            .into_iter()
            .map(|(score, row)| json!({"path": [row["title"], row["section"]], "standards": row["standards"], "paragraphs": 1, "score": score}))
            .collect()
    }

    /// What retrieval would give for a plan.
    pub fn retrieve(&self, queries: &[String], each: usize) -> Vec<ContextParagraph> {
        let mut found: Vec<ContextParagraph> = Vec::new();
        for query in queries {
            for (score, row) in self.search(query, each) {
                let mut hit = row.clone();
                hit["score"] = json!(score);
                hit["ref"] = json!(format!("(Primer {})", row["id"].as_str().unwrap()));
                hit["tier"] = json!("primer");
                let paragraph = ContextParagraph::from_value(&hit).unwrap();
                match found.iter_mut().find(|other| other.id == paragraph.id) {
                    Some(other) => other.score = other.score.max(paragraph.score),
                    None => found.push(paragraph),
                }
            }
        }
        found
    }
}

pub fn schema(name: &str) -> Value {
    schema_of("isa-deep-research", name)
}

/// A schema of a shipped agent.
pub fn schema_of(agent: &str, name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../agents")
        .join(agent)
        .join("schemas")
        .join(format!("{name}.schema.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn request(schema: &str, sections: &[Section]) -> ModelRequest {
    ModelRequest {
        model: "offline-1".into(),
        system: "Read the <REQUEST> section.".into(),
        messages: vec![Message::user(assemble(sections, 1_000_000).unwrap().text)],
        schema: Some(self::schema(schema)),
        max_output_tokens: 64_000,
        ..ModelRequest::default()
    }
}

pub fn text(name: &str, text: &str) -> Section {
    Section::new(name, Body::Text(text.into()))
}

pub fn value(name: &str, value: Value) -> Section {
    Section::new(name, Body::Json(value))
}
