//! A published model against vectors that another implementation made of it.

use std::fs;
use std::path::{Path, PathBuf};

use embeddings::{Embedder as _, LocalEncoder, Purpose};
use serde_json::Value;

/// The numbers of a NumPy file of 32-bit floats.
fn numbers(path: &Path) -> Vec<f32> {
    let file = fs::read(path).unwrap();
    let header = usize::from(u16::from_le_bytes([file[8], file[9]]));
    file[10 + header..].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[test]
fn vectors_equal_the_published_model() {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    // The collections lie beside the corpora, or with them in one folder.
    let judged = folder("AGENTNATIVE_CORPORA").and_then(|corpora| {
        [corpora.join("judged"), corpora.join("../judged")].into_iter().find(|one| one.is_dir())
    });
    let (Some(model), Some(judged)) = (folder("AGENTNATIVE_MODEL"), judged) else {
        println!("skipped: AGENTNATIVE_MODEL and AGENTNATIVE_CORPORA name no folders");
        return;
    };
    let encoder = LocalEncoder::open(&model).unwrap();
    let dimensions = encoder.model().dimensions;
    for collection in ["nist-csf", "cranfield"] {
        let folder = judged.join(collection);
        for (texts, vectors, purpose) in [
            ("docs.jsonl", "emb_docs.npy", Purpose::Passage),
            ("queries.jsonl", "emb_queries.npy", Purpose::Query),
        ] {
            let file = fs::read_to_string(folder.join(texts)).unwrap();
            let texts: Vec<String> = file
                .lines()
                .map(|line| {
                    let row: Value = serde_json::from_str(line).unwrap();
                    let parts = [&row["title"], &row["text"]].map(|part| part.as_str().unwrap_or_default());
                    parts.join(" ")
                })
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let expected = numbers(&folder.join(vectors));
            assert_eq!(expected.len(), texts.len() * dimensions);
            let found = encoder.embed(&texts, purpose).unwrap();
            for ((text, found), expected) in texts.iter().zip(found).zip(expected.chunks_exact(dimensions)) {
                let cosine: f64 =
                    found.iter().zip(expected).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                assert!((1.0 - cosine).abs() < 1e-5, "{collection}, {cosine}: {text}");
            }
        }
    }
}
