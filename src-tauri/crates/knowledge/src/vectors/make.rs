//! Making the vectors of a generation: only texts that the generation before did not have go to the model.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use embeddings::{Embedder, Purpose};
use sha2::{Digest as _, Sha256};

use super::{Vectors, normalised};
use crate::base::Base;
use crate::error::KnowledgeError;
use crate::paragraph::Paragraph;

/// Texts that go to a model at once.
const BATCH: usize = 64;

/// What a model reads of a paragraph.
fn passage(paragraph: &Paragraph) -> String {
    if paragraph.title.is_empty() {
        paragraph.text.clone()
    } else {
        format!("{}\n{}", paragraph.title, paragraph.text)
    }
}

/// A vector for each whole paragraph. `progress` is told how many there are and how many are wanted; `previous`
/// is the generation before, whose vectors serve again where model and text are the same.
pub(crate) fn make(
    paragraphs: &[Paragraph],
    embedder: &dyn Embedder,
    previous: Option<&Base>,
    progress: &mut dyn FnMut(usize, usize),
    cancel: &AtomicBool,
) -> Result<Vectors, KnowledgeError> {
    let model = embedder.model();
    let dimensions = model.dimensions;
    let wholes: Vec<&Paragraph> = paragraphs.iter().filter(|one| one.part_of.is_none()).collect();
    let known = known(previous, model);
    let mut rows = vec![0.0; wholes.len() * dimensions];
    let mut missing: Vec<(usize, String)> = Vec::new();
    for (number, paragraph) in wholes.iter().enumerate() {
        let text = passage(paragraph);
        match known.get(&fingerprint(&text)).and_then(|&row| previous?.vectors().ok()??.row(row)) {
            Some(row) => rows[number * dimensions..(number + 1) * dimensions].copy_from_slice(row),
            None => missing.push((number, text)),
        }
    }
    let mut done = wholes.len() - missing.len();
    // Alike in length, a batch has little padding.
    missing.sort_by_key(|(number, text)| (text.len(), *number));
    for batch in missing.chunks(BATCH) {
        if cancel.load(Ordering::Relaxed) {
            return Err(KnowledgeError::Cancelled);
        }
        progress(done, wholes.len());
        let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
        let made = embedder.embed(&texts, Purpose::Passage).map_err(|error| match error {
            embeddings::EmbedError::Cancelled => KnowledgeError::Cancelled,
            error => KnowledgeError::Embedding(error),
        })?;
        let fits = made.len() == batch.len() && made.iter().all(|vector| vector.len() == dimensions);
        if !fits {
            return Err(KnowledgeError::WrongVectors { model: model.id.clone(), dimensions });
        }
        for ((number, _), vector) in batch.iter().zip(&made) {
            rows[number * dimensions..(number + 1) * dimensions].copy_from_slice(&normalised(vector));
        }
        done += batch.len();
    }
    progress(done, wholes.len());
    Ok(Vectors { model: model.id.clone(), dimensions, rows })
}

fn fingerprint(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Texts that have a vector of this model already, with its row.
fn known(previous: Option<&Base>, model: &embeddings::Model) -> HashMap<[u8; 32], usize> {
    let Some(previous) = previous else { return HashMap::new() };
    let stored = previous.manifest().vectors.as_ref();
    if stored.is_none_or(|stored| stored.model != model.id || stored.dimensions != model.dimensions) {
        return HashMap::new();
    }
    let paragraphs = previous.paragraphs();
    let wholes = previous.wholes().iter().enumerate();
    wholes.map(|(row, &at)| (fingerprint(&passage(&paragraphs.read(at as usize))), row)).collect()
}
