//! What can go wrong with a base as a whole. Faults of single files and lines are reported, not raised:
//! see [`crate::ingest::FileProblem`].

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a base could not be opened, searched or written.
#[derive(Debug, Error)]
pub enum KnowledgeError {
    /// The name is not usable as a folder name.
    #[error(
        "'{name}' is not a base name: use 1 to 64 lower-case letters, digits, '-', '_' or '.', beginning with a letter or digit"
    )]
    BadName {
        /// The name as given.
        name: String,
    },
    /// No base of that name has been ingested.
    #[error("there is no knowledge base '{name}'{}", others(.existing))]
    UnknownBase {
        /// The name asked for.
        name: String,
        /// The bases that whoever asks may see.
        existing: Vec<String>,
    },
    /// A base that this workspace reads and may not change.
    #[error("{}", foreign(.name, .owner.as_deref()))]
    Foreign {
        /// Its name here.
        name: String,
        /// The slug of the workspace that shares it; none for a published text.
        owner: Option<String>,
    },
    /// The base exists, the generation does not.
    #[error("knowledge base '{base}' has no generation '{generation}': it was removed or made again since")]
    UnknownGeneration {
        /// The base.
        base: String,
        /// The generation asked for.
        generation: String,
    },
    /// Written by a newer version of the program.
    #[error(
        "knowledge base '{base}' has format {found}, and this program reads up to format {supported}: update the program or ingest the base again"
    )]
    NewerFormat {
        /// The base.
        base: String,
        /// The format in its manifest.
        found: u32,
        /// The newest format that is understood.
        supported: u32,
    },
    /// A generation's files contradict each other or cannot be read.
    #[error("knowledge base '{base}' is damaged ({}: {what}): ingest it again", path.display())]
    Damaged {
        /// The base.
        base: String,
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// Another process is writing this base.
    #[error("another ingest of knowledge base '{base}' is running: wait until it has finished")]
    Busy {
        /// The base.
        base: String,
    },
    /// There was nothing to ingest.
    #[error("nothing could be ingested from {sources}: {problems}")]
    Nothing {
        /// The files and folders given.
        sources: String,
        /// The first problems found.
        problems: String,
    },
    /// The inputs are larger than a base may be.
    #[error("the sources hold more than {limit} {what}: split them into several bases")]
    TooLarge {
        /// The bound.
        limit: u64,
        /// What is counted: paragraphs or bytes.
        what: &'static str,
    },
    /// The caller asked to stop; the current generation is unchanged.
    #[error("the ingest was cancelled; the base is unchanged")]
    Cancelled,
    /// No paragraph answers to that id.
    #[error("there is no paragraph '{id}'; {}", ids_or_none(.nearest))]
    UnknownParagraph {
        /// The id as given.
        id: String,
        /// Ids that look alike.
        nearest: Vec<String>,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Vectors were asked for where there are none.
    #[error(
        "knowledge base '{base}' has no vectors: ingest it again with an embedding model, or search by words"
    )]
    NoVectors {
        /// The base.
        base: String,
    },
    /// A question's vector was made by another model than the base's.
    #[error(
        "the question's vector has {found} dimensions and those of knowledge base '{base}' have {expected}: embed it with {model}"
    )]
    OtherVector {
        /// The base.
        base: String,
        /// The model that made the base's vectors.
        model: String,
        /// Its dimensions.
        expected: usize,
        /// Those of the question's vector.
        found: usize,
    },
    /// The embedding model refused.
    #[error("embedding: {0}")]
    Embedding(#[from] embeddings::EmbedError),
    /// The embedding model did not do what it says of itself.
    #[error("the embedding model {model} did not return one vector of {dimensions} numbers for each text")]
    WrongVectors {
        /// The model.
        model: String,
        /// What it says its dimensions are.
        dimensions: usize,
    },
    /// A rule set cannot be used.
    #[error(transparent)]
    Rules(#[from] crate::rules::RuleError),
    /// A record could not be written as JSON.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl KnowledgeError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

fn foreign(name: &str, owner: Option<&str>) -> String {
    match owner {
        Some(owner) => {
            format!("the knowledge base '{name}' is shared by the workspace {owner}, which alone changes it")
        }
        None => {
            format!("'{name}' is the name of a published text that every workspace has: choose another name")
        }
    }
}

fn others(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; there are: {}", names.join(", ")) }
}

fn ids_or_none(ids: &[String]) -> String {
    if ids.is_empty() { "no id looks like it".into() } else { format!("nearest: {}", ids.join(", ")) }
}
