//! A capsule: one run or turn with everything that its answer rests on, to be checked elsewhere without its program's data.
//!
//! `capsule.json` names every other entry with the digests of its bytes and of its bytes as they are packed; `chain.jsonl`
//! is the chain of hashes over the commits of the logs; `runs/` and `blobs/` hold logs and payloads as they are stored;
//! `documents/` the documents; `evidence.jsonl` each cited paragraph; `redaction.json` what looks private in it. Where asked
//! for, `sources.jsonl` names the source documents and attachments, and `sources/` holds them.

mod archive;

use std::collections::{BTreeMap, BTreeSet};

use domain::{Digest, RunId, SourceDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use archive::CapsuleFault;
use archive::{Packed, pack, unpack};

use crate::bundle::RunFile;

/// What `capsule.json` says that the file is.
pub const CAPSULE_FORMAT: &str = "agentnative-capsule";
/// The version of the form that this program writes.
pub const CAPSULE_VERSION: u32 = 1;
/// The entry that names all others.
pub const CAPSULE_MANIFEST: &str = "capsule.json";
/// The entry with the chain.
pub const CHAIN: &str = "chain.jsonl";
/// The entry with the cited paragraphs.
pub const EVIDENCE: &str = "evidence.jsonl";
/// The entry with the source documents and attachments that go along, where they do.
pub const SOURCES: &str = "sources.jsonl";
/// The entry with what looks private.
pub const REDACTION: &str = "redaction.json";

/// What is in a capsule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CapsuleManifest {
    /// [`CAPSULE_FORMAT`].
    pub format: String,
    /// The form's version.
    pub version: u32,
    /// The version of the database that the logs come from.
    pub schema: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// The run or turn that it is of.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// The data directory in which it ran: requests of turns name files below it.
    pub home: String,
    /// The head of the chain over [`Self::tree`]; it stands in `answer.json`, too.
    pub head: Digest,
    /// The run with the turns of its stages.
    pub tree: Vec<RunId>,
    /// All runs and turns in it: those of `tree`, and what a turn follows in its conversation.
    pub runs: Vec<RunId>,
    /// Whether the texts of cited paragraphs are in it, or their digests only.
    pub texts: bool,
    /// Every other entry.
    pub entries: Vec<CapsuleEntry>,
}

/// An entry as `capsule.json` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapsuleEntry {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: Digest,
    /// SHA-256 of its bytes as they are packed.
    pub packed: Digest,
}

/// A commit of a log as the chain holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainLine {
    /// The run or turn.
    pub run: RunId,
    /// The number of its first event.
    pub first: u64,
    /// The number of its last event.
    pub last: u64,
    /// SHA-256 of its events as they are stored.
    pub sha256: Digest,
    /// The head after it.
    pub head: Digest,
}

/// A cited paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitedParagraph {
    /// The knowledge base.
    pub base: String,
    /// Its generation.
    pub generation: String,
    /// The paragraph's id.
    pub id: String,
    /// SHA-256 of its text.
    pub sha256: Digest,
    /// Its text, where the capsule has texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The document that it was taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<SourceDocument>,
    /// The page in it, where there are pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

/// A source document of cited paragraphs, or a file that went with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapsuleSource {
    /// What it is.
    #[serde(flatten)]
    pub of: SourceOf,
    /// Its name: in the base, or as the person had it.
    pub name: String,
    /// SHA-256 of the file: as it was ingested, or as it went with the message.
    pub sha256: Digest,
    /// How it is there.
    pub form: SourceForm,
    /// The entry that holds it.
    pub entry: String,
}

/// What a source is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "of")]
pub enum SourceOf {
    /// A document that cited paragraphs were taken from.
    Base {
        /// The knowledge base.
        base: String,
        /// Its generation.
        generation: String,
    },
    /// A file that went with a message.
    Message {
        /// Its id in the message.
        id: String,
    },
}

/// How a source is in a capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceForm {
    /// The file, byte for byte.
    Original,
    /// The text that the base took from it: the file is not where it was any more, or is another by now. A line of JSON for
    /// each paragraph.
    Text,
}

/// A paragraph of a source that is there as [`SourceForm::Text`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// The paragraph's id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The page in the document, where there are pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

/// What checking a capsule gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CapsuleReport {
    /// Whether everything holds.
    pub holds: bool,
    /// The run or turn.
    pub run: String,
    /// The head of its chain, to be compared with the one in `answer.json`.
    pub head: String,
    /// Runs and turns in it.
    pub runs: u32,
    /// Events that were folded and compared.
    pub events: u64,
    /// Steps that were computed again.
    pub recomputed: u64,
    /// Whether the engine ran again over the recorded answers and gave the same events; turns, and runs
    /// whose minutes ran out, are computed again only.
    pub redriven: bool,
    /// Documents whose bytes came out the same.
    pub documents: u32,
    /// Sentences whose citations were compared with the cited paragraphs.
    pub sentences: u32,
    /// Cited paragraphs in it.
    pub paragraphs: u32,
    /// Source documents and attachments in it.
    pub sources: u32,
    /// What does not hold, with the entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<CapsuleFault>,
    /// Steps that could not be computed again, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// A capsule's entries with its manifest.
#[derive(Debug)]
pub struct Capsule {
    /// What it says of itself.
    pub manifest: CapsuleManifest,
    entries: BTreeMap<String, Vec<u8>>,
}

impl Capsule {
    /// The file of a capsule; `entries` in this order after its manifest.
    pub fn write(
        manifest: CapsuleManifest,
        entries: Vec<(String, Vec<u8>)>,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let packed: Vec<Packed> =
            entries.into_iter().map(|(name, bytes)| Packed::new(&name, bytes)).collect();
        let listed = packed.iter().map(|entry| CapsuleEntry {
            name: entry.name.clone(),
            bytes: entry.bytes.len() as u64,
            sha256: Digest::of(&entry.bytes),
            packed: entry.packed_digest(),
        });
        let manifest = CapsuleManifest { entries: listed.collect(), ..manifest };
        let first = Packed::plain(CAPSULE_MANIFEST, serde_json::to_vec(&manifest)?);
        Ok(pack(&[vec![first], packed].concat()))
    }

    /// Reads the file of a capsule: every byte of it belongs to an entry that its manifest names, and every entry has the
    /// digests that stand there. `schema` is the newest version of the database that is understood.
    ///
    /// # Errors
    /// The first entry that is not what it must be.
    pub fn read(file: &[u8], schema: u32) -> Result<Self, CapsuleFault> {
        let mut packed = unpack(file)?.into_iter();
        let first = packed.next().filter(|first| first.name == CAPSULE_MANIFEST);
        let fault = |why: String| CapsuleFault::new(CAPSULE_MANIFEST, why);
        let first = first.ok_or_else(|| fault("it is not the first entry".to_owned()))?;
        let manifest: CapsuleManifest = serde_json::from_slice(&first.bytes)
            .map_err(|error| fault(format!("it is not understood: {error}")))?;
        if manifest.format != CAPSULE_FORMAT {
            return Err(fault("it names another format".to_owned()));
        }
        if manifest.version > CAPSULE_VERSION || manifest.schema > schema {
            return Err(fault("it was written by a newer version of the program".to_owned()));
        }
        let mut listed = manifest.entries.iter();
        let mut entries = BTreeMap::new();
        for entry in packed {
            let Some(said) = listed.next().filter(|said| said.name == entry.name) else {
                return Err(CapsuleFault::new(entry.name, "the manifest does not name it in this place"));
            };
            if said.packed != entry.packed_digest() {
                return Err(CapsuleFault::new(
                    entry.name,
                    "its packed bytes are not those that the manifest names",
                ));
            }
            if said.bytes != entry.bytes.len() as u64 || said.sha256 != Digest::of(&entry.bytes) {
                return Err(CapsuleFault::new(entry.name, "its bytes are not those that the manifest names"));
            }
            entries.insert(entry.name, entry.bytes);
        }
        match listed.next() {
            Some(missing) => {
                Err(CapsuleFault::new(&missing.name, "the manifest names it, and it is not there"))
            }
            None => Ok(Self { manifest, entries }),
        }
    }

    /// An entry's bytes.
    ///
    /// # Errors
    /// When there is none.
    pub fn entry(&self, name: &str) -> Result<&[u8], CapsuleFault> {
        let bytes = self.entries.get(name).ok_or_else(|| CapsuleFault::new(name, "it is not there"))?;
        Ok(bytes)
    }

    /// Whether there is an entry of that name.
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The lines of an entry, each a JSON value.
    ///
    /// # Errors
    /// When there is none, or it says something else.
    pub fn lines<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, CapsuleFault> {
        let bytes = self.entry(name)?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines
            .map(|line| {
                serde_json::from_slice(line).map_err(|error| CapsuleFault::new(name, error.to_string()))
            })
            .collect()
    }

    /// A run's row, log and payloads.
    ///
    /// # Errors
    /// When they are not there, or those of another run.
    pub fn run(&self, id: &RunId) -> Result<RunFile, CapsuleFault> {
        let name = run_entry(id);
        let file: RunFile = serde_json::from_slice(self.entry(&name)?)
            .map_err(|error| CapsuleFault::new(&name, error.to_string()))?;
        if file.id == id.0 { Ok(file) } else { Err(CapsuleFault::new(name, "it is that of another run")) }
    }

    /// A payload.
    ///
    /// # Errors
    /// When it is not there, or not what its name says.
    pub fn payload(&self, digest: Digest) -> Result<Vec<u8>, CapsuleFault> {
        let name = blob_entry(digest);
        let bytes = self.entry(&name)?;
        if Digest::of(bytes) == digest {
            return Ok(bytes.to_vec());
        }
        Err(CapsuleFault::new(name, "it is not what its name says"))
    }

    /// Entries that nothing of the capsule refers to.
    pub fn unused(&self, used: &BTreeSet<String>) -> Vec<CapsuleFault> {
        let unused = self.entries.keys().filter(|name| !used.contains(*name));
        unused.map(|name| CapsuleFault::new(name, "nothing of the capsule refers to it")).collect()
    }
}

/// The entry of a run.
pub fn run_entry(run: &RunId) -> String {
    format!("runs/{run}.json")
}

/// The entry of a payload.
pub fn blob_entry(digest: Digest) -> String {
    format!("blobs/{digest}")
}

/// The entry of a source.
pub fn source_entry(sha256: Digest, form: SourceForm) -> String {
    match form {
        SourceForm::Original => format!("sources/{sha256}"),
        SourceForm::Text => format!("sources/{sha256}.jsonl"),
    }
}

/// The entry of a document.
pub fn document_entry(run: &RunId) -> String {
    format!("documents/{run}.md")
}

/// A value a line.
///
/// # Errors
/// Those of writing JSON.
pub fn json_lines<T: Serialize>(values: &[T]) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    for value in values {
        serde_json::to_writer(&mut out, value)?;
        out.push(b'\n');
    }
    Ok(out)
}
