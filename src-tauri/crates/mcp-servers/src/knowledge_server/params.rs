//! What the tools take. Numbers may come as text, because templates make text of everything.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchParams {
    /// The question in words, at most 4,000 characters. Ids such as AC-2(1) or 4.12 find their paragraph.
    pub(super) query: String,
    /// Most hits wanted, 1 to 100; 10 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) limit: Option<usize>,
    /// Cross-references to follow from the best hits, 0 to 3; 1 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) hops: Option<usize>,
    /// Only a base of this tier: standard, guide, document, web or primer.
    #[serde(default)]
    pub(super) tier: Option<String>,
    /// Ids never returned.
    #[serde(default)]
    pub(super) exclude: Vec<String>,
    /// Hits passed over, at most 1,000: `next_offset` of the page before.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) offset: Option<usize>,
    /// What decides: auto (words, and meaning where the base has vectors), words or vectors.
    #[serde(default)]
    pub(super) mode: Option<String>,
    /// Only these documents.
    #[serde(default)]
    pub(super) documents: Vec<String>,
    /// Only paragraphs about one of these.
    #[serde(default)]
    pub(super) standards: Vec<String>,
    /// Only these kinds, such as control, requirement or definition.
    #[serde(default)]
    pub(super) kinds: Vec<String>,
    /// Only below one of these headings or ids.
    #[serde(default)]
    pub(super) under: Vec<String>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
    /// Several knowledge bases at once, in place of one.
    #[serde(default)]
    pub(super) bases: Vec<String>,
}

/// One of the queries that a question was divided into, as plans carry it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SubQueryParam {
    /// Its words; phrases between commas are also searched one by one.
    pub(super) query: String,
    /// Places that it names: ids, citations, numbers of headings (AU-9, Art. 5, 7.7), standards, headings.
    #[serde(deserialize_with = "names")]
    pub(super) targets: Vec<String>,
    /// The same, as plans call it.
    #[serde(deserialize_with = "names")]
    pub(super) target_standards: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GatherParams {
    /// The question in words, at most 4,000 characters; it is searched as it is.
    #[serde(default)]
    pub(super) question: String,
    /// Queries that it was divided into, at most 40.
    #[serde(default)]
    pub(super) queries: Vec<SubQueryParam>,
    /// Most paragraphs wanted, 1 to 100; 24 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) limit: Option<usize>,
    /// Hits of each search that take part, 1 to 100; 8 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) top_k: Option<usize>,
    /// Cross-references to follow from the best, 0 to 3; 1 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) hop_depth: Option<usize>,
    /// Paragraphs that each of the best may lead to; 6 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) hop_limit: Option<usize>,
    /// Characters of further paragraphs that named headings and sections bring beyond the limit, until they are whole; 8,000
    /// when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) place_chars: Option<usize>,
    /// The knowledge base; the default one when absent.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct HopParams {
    /// The paragraph to start from.
    pub(super) paragraph_id: String,
    /// Hops, 1 to 3; 1 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) depth: Option<usize>,
    /// Most paragraphs wanted, 1 to 100; 10 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) limit: Option<usize>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct IdsParams {
    /// Ids of paragraphs, at most 200.
    pub(super) paragraph_ids: Vec<String>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ParagraphParams {
    /// The paragraph's id in any usual notation.
    #[serde(alias = "paragraph_id")]
    pub(super) id: String,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct OutlineParams {
    /// What the headings should be about, at most 4,000 characters.
    pub(super) query: String,
    /// Most headings wanted, 1 to 100; 10 when absent.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) limit: Option<usize>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BaseParams {
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NoParams {}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CitationParam {
    /// The citation as the answer wrote it, for example (Primer 4.12).
    pub(super) source_ref: String,
    /// The words that are said to be there.
    #[serde(default)]
    pub(super) quote: Option<String>,
    /// The statement that the citation supports; tells which sentence a quote is for.
    #[serde(default)]
    pub(super) claim: Option<String>,
    /// The paragraph's id, where it is known: it stands above the citation's words.
    #[serde(default)]
    pub(super) paragraph_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CitationsParams {
    /// The citations to check, at most 20,000.
    pub(super) citations: Vec<CitationParam>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ClaimParam {
    /// The sentence.
    #[serde(alias = "claim", alias = "sentence")]
    pub(super) text: String,
    /// Citations that stand for it.
    #[serde(default)]
    pub(super) source_refs: Vec<String>,
    /// One more citation, as answers carry it.
    #[serde(default)]
    pub(super) source_ref: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ClaimsParams {
    /// Sentences with what they cite, at most 200.
    #[serde(alias = "citations")]
    pub(super) claims: Vec<ClaimParam>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

/// A sentence of an answer, cut out already.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SentenceParam {
    /// The sentence without its citations.
    #[serde(alias = "claim", alias = "sentence")]
    pub(super) text: String,
    /// Its citations, each with the words that it is said to rest on.
    #[serde(default)]
    pub(super) citations: Vec<CitationParam>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AnswerParams {
    /// The answer's Markdown, with citations in parentheses. Its sentences are found in it.
    #[serde(default)]
    pub(super) synthesis: String,
    /// The citations that the answer lists, at most 20,000: their quotes are compared.
    #[serde(default)]
    pub(super) citations: Vec<CitationParam>,
    /// Sentences instead of Markdown, at most 20,000.
    #[serde(default)]
    pub(super) sentences: Vec<SentenceParam>,
    /// Further paragraphs that may contradict what is said, at most 20,000.
    #[serde(default)]
    pub(super) paragraph_ids: Vec<String>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
    /// Further knowledge bases, at most 8; a citation belongs to the first that knows it.
    #[serde(default)]
    pub(super) bases: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PairParam {
    /// One paragraph.
    pub(super) from: String,
    /// The other.
    pub(super) to: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PairsParams {
    /// Pairs that are said to be linked, at most 200.
    #[serde(alias = "relations")]
    pub(super) pairs: Vec<PairParam>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

/// Text, or an object that holds it as answers and plans do.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Words {
    /// The text itself.
    Plain(String),
    /// A citation or query that holds it.
    Held {
        /// The text.
        #[serde(alias = "claim", alias = "sentence", alias = "query")]
        text: String,
    },
}

impl Words {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Plain(text) | Self::Held { text } => text,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ContradictionParams {
    /// Sentences to compare, at most 200.
    #[serde(alias = "citations")]
    pub(super) claims: Vec<Words>,
    /// Paragraphs to compare them with, at most 200.
    pub(super) paragraph_ids: Vec<String>,
    /// The knowledge base; without it the default one, which kb_list marks.
    #[serde(default)]
    pub(super) base: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WebParams {
    /// Search queries, at most 20.
    pub(super) queries: Vec<Words>,
}

/// Names in a list; one name alone, and nothing, are lists too.
fn names<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        List(Vec<String>),
        One(String),
        Nothing(()),
    }
    Ok(match Written::deserialize(input)? {
        Written::List(names) => names,
        Written::One(name) => vec![name],
        Written::Nothing(()) => Vec::new(),
    })
}

/// A whole number, also when it is written as text; empty text is no number given.
fn number<'de, D: Deserializer<'de>>(input: D) -> Result<Option<usize>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u32),
        Whole(f64),
        Text(String),
        Nothing(()),
    }
    let refused = |what: String| serde::de::Error::custom(format!("expected a whole number, found {what}"));
    match Written::deserialize(input)? {
        Written::Number(number) => Ok(Some(number as usize)),
        Written::Whole(number) if number.fract() == 0.0 && (0.0..1e6).contains(&number) => {
            Ok(Some(number as usize))
        }
        Written::Whole(number) => Err(refused(number.to_string())),
        Written::Text(text) if text.trim().is_empty() => Ok(None),
        Written::Text(text) => {
            let text = text.trim();
            text.parse()
                .map(Some)
                .map_err(|_| refused(format!("\"{}\"", text.chars().take(40).collect::<String>())))
        }
        Written::Nothing(()) => Ok(None),
    }
}
