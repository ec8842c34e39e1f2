//! Files embedded in the program when it was built.

use serde::Deserialize;

/// Every embedded file by its path in the repository, sorted.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// The contents of an embedded file.
pub(crate) fn file(path: &str) -> Option<&'static [u8]> {
    let at = FILES.binary_search_by(|(name, _)| (*name).cmp(path)).ok()?;
    Some(FILES[at].1)
}

/// Embedded files below a folder, each with its path relative to it, sorted.
pub(crate) fn below(folder: &str) -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES
        .iter()
        .filter_map(move |(path, bytes)| Some((path.strip_prefix(folder)?.strip_prefix('/')?, *bytes)))
}

/// Names of the folders right below a folder, sorted.
pub(crate) fn folders(folder: &str) -> Vec<String> {
    let mut names: Vec<String> =
        below(folder).filter_map(|(path, _)| path.split_once('/')).map(|(name, _)| name.to_owned()).collect();
    names.dedup();
    names
}

/// What the program brings by name, and a workspace may put something of its own in the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShippedKind {
    /// Agents and profiles of missions.
    Agent,
    /// Sources.
    Source,
    /// Skills.
    Skill,
}

impl ShippedKind {
    /// The folder of a workspace that holds the person's own.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Agent => "agents",
            Self::Source => "sources",
            Self::Skill => "skills",
        }
    }

    /// Its word in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Source => "source",
            Self::Skill => "skill",
        }
    }
}

/// Slugs of what the program brings, sorted.
pub fn shipped_slugs(kind: ShippedKind) -> Vec<String> {
    folders(match kind {
        ShippedKind::Agent => "agents",
        ShippedKind::Source => "sources",
        ShippedKind::Skill => "prompts/skills",
    })
}

/// The text of a file that the program brings, by its path in the repository: `agents/<slug>/config.json`,
/// `prompts/<slug>/<file>`.
pub fn shipped_text(path: &str) -> Option<&'static str> {
    std::str::from_utf8(file(path)?).ok()
}

/// A corpus that is shipped with a source, ready to be ingested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippedCorpus {
    /// The knowledge base it becomes.
    pub base: String,
    /// Its folder's name.
    pub name: String,
    /// What a person sees.
    pub title: String,
    /// How much its text may claim: `standard`, `guide`, `web` or `primer`.
    pub tier: String,
    /// The form of its citations; `{id}` is the paragraph's id.
    pub citation: String,
    /// What a reader of a document built from it must know.
    pub notice: Option<String>,
    /// Its paragraphs: JSONL files by name, sorted.
    pub files: Vec<(String, &'static [u8])>,
}

#[derive(Deserialize)]
struct CorpusFile {
    base: String,
    title: String,
    tier: String,
    citation: String,
    #[serde(default)]
    notice: Option<String>,
}

/// The corpora that are shipped with any source.
pub fn all_shipped_corpora() -> Vec<ShippedCorpus> {
    folders("sources").iter().flat_map(|source| shipped_corpora(source)).collect()
}

/// The corpora that are shipped with a source, sorted by name; none for a source that has none. A folder without a
/// readable `corpus.json` is left out (a test keeps that from being shipped).
pub fn shipped_corpora(source_slug: &str) -> Vec<ShippedCorpus> {
    let root = format!("sources/{source_slug}/corpora");
    folders(&root)
        .into_iter()
        .filter_map(|name| {
            let folder = format!("{root}/{name}");
            let about: CorpusFile = serde_json::from_slice(file(&format!("{folder}/corpus.json"))?).ok()?;
            let files = below(&folder)
                .filter(|(path, _)| path.ends_with(".jsonl"))
                .map(|(path, bytes)| (path.to_owned(), bytes))
                .collect();
            Some(ShippedCorpus {
                base: about.base,
                name,
                title: about.title,
                tier: about.tier,
                citation: about.citation,
                notice: about.notice,
                files,
            })
        })
        .collect()
}
