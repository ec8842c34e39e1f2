//! The inverted index: one segment, English stems, no stored text (the paragraphs are in memory anyway).

use std::path::Path;
use std::sync::LazyLock;

use tantivy::directory::MmapDirectory;
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{
    Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
    TokenStream, TokenizerManager,
};
use tantivy::{Index, IndexReader, ReloadPolicy, TantivyDocument};

use crate::error::KnowledgeError;
use crate::paragraph::Paragraph;

const ANALYZER: &str = "english";
/// Arena of the one writer; it grows beyond this when it must, because one segment is wanted.
const WRITER_BYTES: usize = 64 << 20;

/// Words that carry no topic. Negations and modals are kept out of the index too: what a paragraph obliges
/// someone to do is checked on its text, never by search.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "may", "must", "no",
    "not", "of", "on", "or", "shall", "should", "so", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "was", "were", "what", "when", "where", "which", "who",
    "why", "will", "with", "would", "you",
];

pub(crate) struct Fields {
    pub(crate) position: Field,
    pub(crate) title: Field,
    pub(crate) path: Field,
    pub(crate) tags: Field,
    pub(crate) text: Field,
}

impl Fields {
    fn schema() -> (Schema, Self) {
        let mut builder = Schema::builder();
        let words = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(ANALYZER)
                .set_index_option(IndexRecordOption::WithFreqs)
                .set_fieldnorms(true),
        );
        let fields = Self {
            position: builder.add_u64_field("position", FAST),
            title: builder.add_text_field("title", words.clone()),
            path: builder.add_text_field("path", words.clone()),
            tags: builder.add_text_field("tags", words.clone()),
            text: builder.add_text_field("text", words),
        };
        (builder.build(), fields)
    }
}

fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(64))
        .filter(LowerCaser)
        .filter(StopWordFilter::remove(STOP_WORDS.iter().map(|&word| word.to_owned())))
        .filter(Stemmer::new(Language::English))
        .build()
}

fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(ANALYZER, analyzer());
    tokenizers
}

/// A stem and where its word stands in the text, in bytes.
pub(crate) struct Stem {
    pub(crate) stem: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// The stems of a text in order, as the index sees them.
pub(crate) fn stems(text: &str) -> Vec<Stem> {
    static ANALYSIS: LazyLock<TextAnalyzer> = LazyLock::new(analyzer);
    let mut analyzer = ANALYSIS.clone();
    let mut stream = analyzer.token_stream(text);
    let mut found = Vec::new();
    while stream.advance() {
        let token = stream.token();
        found.push(Stem { stem: token.text.clone(), from: token.offset_from, to: token.offset_to });
    }
    found
}

/// Writes the index of `paragraphs` into the empty folder `path`.
pub(crate) fn write<'p>(
    path: &Path,
    paragraphs: impl Iterator<Item = &'p Paragraph>,
    mut step: impl FnMut(usize) -> Result<(), KnowledgeError>,
) -> Result<(), KnowledgeError> {
    std::fs::create_dir(path).map_err(KnowledgeError::io(path))?;
    let (schema, fields) = Fields::schema();
    let directory = MmapDirectory::open(path).map_err(tantivy::TantivyError::from)?;
    let mut writer = Index::builder()
        .schema(schema)
        .tokenizers(tokenizers())
        .single_segment_index_writer::<TantivyDocument>(directory, WRITER_BYTES)?;
    for (position, paragraph) in paragraphs.enumerate() {
        if paragraph.part_of.is_some() {
            continue;
        }
        let mut document = TantivyDocument::new();
        document.add_u64(fields.position, position as u64);
        document.add_text(fields.title, &paragraph.title);
        document.add_text(fields.path, paragraph.path.join(" "));
        document.add_text(fields.tags, paragraph.tags.join(" "));
        document.add_text(fields.text, &paragraph.text);
        writer.add_document(document)?;
        step(position)?;
    }
    writer.finalize()?;
    Ok(())
}

pub(crate) struct Reader {
    pub(crate) fields: Fields,
    reader: IndexReader,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self, KnowledgeError> {
        let directory = MmapDirectory::open(path).map_err(tantivy::TantivyError::from)?;
        let mut index = Index::open(directory)?;
        index.set_tokenizers(tokenizers());
        let (expected, fields) = Fields::schema();
        if index.schema() != expected {
            return Err(tantivy::TantivyError::SchemaError("fields differ from this program's".into()).into());
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { fields, reader })
    }

    pub(crate) fn searcher(&self) -> tantivy::Searcher {
        self.reader.searcher()
    }
}
