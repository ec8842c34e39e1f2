//! What the services want and answer (their references of November 2026).

use embeddings::{Purpose, Service};
use serde::Deserialize;
use serde_json::{Value, json};

/// Where a service is, and the variable that holds its key; Ollama wants none on this machine.
pub(super) fn home(service: Service) -> (&'static str, Option<&'static str>) {
    match service {
        Service::Ollama => ("http://127.0.0.1:11434", None),
        Service::OpenAi => ("https://api.openai.com/v1", Some("OPENAI_API_KEY")),
        Service::Voyage => ("https://api.voyageai.com/v1", Some("VOYAGE_API_KEY")),
        Service::Gemini => ("https://generativelanguage.googleapis.com/v1beta", Some("GEMINI_API_KEY")),
    }
}

/// The segments of a call's path after the service's address.
pub(super) fn path(service: Service, model: &str) -> Vec<String> {
    match service {
        Service::Ollama => vec!["api".into(), "embed".into()],
        Service::OpenAi | Service::Voyage => vec!["embeddings".into()],
        Service::Gemini => vec!["models".into(), format!("{model}:batchEmbedContents")],
    }
}

/// The body of a call.
pub(super) fn request(service: Service, model: &str, texts: &[&str], purpose: Purpose) -> Value {
    match service {
        Service::Ollama => json!({ "model": model, "input": texts, "truncate": true }),
        Service::OpenAi => json!({ "model": model, "input": texts, "encoding_format": "float" }),
        Service::Voyage => {
            let kind = match purpose {
                Purpose::Query => "query",
                Purpose::Passage => "document",
            };
            json!({ "model": model, "input": texts, "input_type": kind, "truncation": true })
        }
        Service::Gemini => {
            let kind = match purpose {
                Purpose::Query => "RETRIEVAL_QUERY",
                Purpose::Passage => "RETRIEVAL_DOCUMENT",
            };
            let one = |text: &&str| {
                json!({
                    "model": format!("models/{model}"),
                    "content": { "parts": [{ "text": text }] },
                    "taskType": kind,
                })
            };
            json!({ "requests": texts.iter().map(one).collect::<Vec<_>>() })
        }
    }
}

#[derive(Deserialize)]
struct Numbered {
    data: Vec<NumberedRow>,
}

#[derive(Deserialize)]
struct NumberedRow {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Contents {
    embeddings: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    values: Vec<f32>,
}

#[derive(Deserialize)]
struct Plain {
    embeddings: Vec<Vec<f32>>,
}

/// The vectors of an answer in the order of the texts; `None` when it is not in the documented form.
pub(super) fn vectors(service: Service, body: &[u8]) -> Option<Vec<Vec<f32>>> {
    match service {
        Service::Ollama => Some(serde_json::from_slice::<Plain>(body).ok()?.embeddings),
        Service::OpenAi | Service::Voyage => {
            let mut rows = serde_json::from_slice::<Numbered>(body).ok()?.data;
            rows.sort_by_key(|row| row.index);
            let numbered = rows.iter().enumerate().all(|(n, row)| row.index == n);
            numbered.then(|| rows.into_iter().map(|row| row.embedding).collect())
        }
        Service::Gemini => {
            let rows = serde_json::from_slice::<Contents>(body).ok()?.embeddings;
            Some(rows.into_iter().map(|row| row.values).collect())
        }
    }
}
