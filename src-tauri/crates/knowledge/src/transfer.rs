//! Carrying a base to another machine: a folder with `paragraphs.jsonl` (one paragraph a line, as stored),
//! `manifest.json`, and `vectors.bin` where a model made vectors. The index is built again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::base::Base;
use crate::contents::{self, ParagraphFault};
use crate::error::KnowledgeError;
use crate::generation::{Draft, FORMAT_VERSION, MANIFEST, Manifest, PARAGRAPHS, VECTORS, manifest_at};
use crate::ids::{IdIndex, tight};
use crate::ingest::limits::{BASE_BYTES, ID_BYTES, PARAGRAPH_BYTES};
use crate::paragraph::Paragraph;
use crate::vectors;

impl Base {
    /// Writes the base into `folder`, which must not exist yet.
    pub fn export(&self, folder: &Path) -> Result<(), KnowledgeError> {
        fs::create_dir(folder).map_err(KnowledgeError::io(folder))?;
        let files = [Some(PARAGRAPHS), Some(MANIFEST), self.manifest().vectors.as_ref().map(|_| VECTORS)];
        for name in files.into_iter().flatten() {
            let to = folder.join(name);
            fs::copy(self.folder().join(name), &to).map_err(KnowledgeError::io(&to))?;
        }
        Ok(())
    }
}

/// Takes an exported folder in as a new generation of base `name` and makes it current.
pub fn import(
    home: &Path,
    name: &str,
    folder: &Path,
    created_at_ms: i64,
) -> Result<Manifest, KnowledgeError> {
    let draft = Draft::begin(home, name)?;
    let told = manifest_at(name, &folder.join(MANIFEST))?;
    let damaged = |file: &str, what: String| KnowledgeError::Damaged {
        base: name.to_owned(),
        path: folder.join(file),
        what,
    };
    let path = folder.join(PARAGRAPHS);
    let lines = contents::read_bounded(&path, BASE_BYTES * 4).map_err(KnowledgeError::io(&path))?;
    let (paragraphs, _) = contents::decoded(&lines).map_err(|what| damaged(PARAGRAPHS, what.0))?;
    checked(&paragraphs).map_err(|what| damaged(PARAGRAPHS, what.0))?;
    let wholes = paragraphs.iter().filter(|one| one.part_of.is_none()).count();
    let vectors = match &told.vectors {
        None => None,
        Some(_) => {
            let path = folder.join(VECTORS);
            let read = vectors::read(&path, wholes).map_err(KnowledgeError::io(&path))?;
            Some(read.map_err(|what| damaged(VECTORS, what.to_owned()))?)
        }
    };
    let ids = IdIndex::build(paragraphs.iter(), Vec::new());
    let written = contents::write(draft.path(), &paragraphs, ids, vectors.as_ref(), |_| Ok(()))?;
    let manifest = Manifest {
        format: FORMAT_VERSION,
        base: name.to_owned(),
        generation: draft.generation.clone(),
        created_at_ms,
        digest: written.paragraphs,
        index: Some(written.index),
        vectors: written.vectors,
        counts: written.counts,
        languages: written.languages,
        recipe: None,
        session: None,
        ..told
    };
    draft.publish(&manifest)?;
    Ok(manifest)
}

/// What an ingest guarantees and an edited folder may not: ids unique and short, texts neither empty nor huge,
/// parts with their wholes.
fn checked(paragraphs: &[Paragraph]) -> Result<(), ParagraphFault> {
    let mut ids = BTreeSet::new();
    let wholes: BTreeSet<&str> =
        paragraphs.iter().filter(|one| one.part_of.is_none()).map(|one| one.id.as_str()).collect();
    if paragraphs.is_empty() {
        return Err(ParagraphFault("it holds no paragraph".to_owned()));
    }
    for (line, one) in (1..).zip(paragraphs) {
        let fault = if one.id.is_empty() || one.id.len() > ID_BYTES {
            Some(format!("an id is empty or longer than {ID_BYTES} bytes"))
        } else if one.text.is_empty() || one.text.len() > PARAGRAPH_BYTES {
            Some(format!("a text is empty or longer than {PARAGRAPH_BYTES} bytes"))
        } else if one.part_of.as_deref().is_some_and(|whole| !wholes.contains(whole)) {
            Some("a part without its whole".to_owned())
        } else if !ids.insert(tight(&one.id)) {
            Some("an id that stands there already".to_owned())
        } else {
            None
        };
        if let Some(fault) = fault {
            return Err(ParagraphFault(format!("line {line}: {fault}")));
        }
    }
    Ok(())
}
