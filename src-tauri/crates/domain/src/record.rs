//! What is known about each sentence of an answer: which paragraphs stand for it, what was compared with them, and
//! what came of it. Knowledge bases produce these, documents show them, exports check them again.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Digest, Verdict};

/// What checking one sentence found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SentenceVerdict {
    /// Proved by comparison alone: it is one or more whole sentences of what it cites, word for word.
    Verified,
    /// Not proved; a judge that is named read it and found that what it cites supports it.
    JudgedSupported,
    /// A reader has to decide: it is said in other words, or something may contradict it.
    Unverified,
    /// A quote, a named thing or a link that it claims is not in what it cites.
    Mismatch,
    /// It cites a paragraph that is no longer in force.
    Withdrawn,
    /// It cites a paragraph that does not exist.
    Missing,
    /// It cites nothing.
    Uncited,
}

/// How far code alone could carry a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Its own words stand in what it cites.
    Quoted,
    /// What it cites holds the quotes given for it and everything it names. Whether it follows is not decided.
    NamedThings,
    /// Nothing could be shown.
    None,
}

/// How a verdict was reached. Written as a word; a judge's as `judge:<name>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Method {
    /// `lookup`: the citation was looked up.
    Lookup,
    /// `quoted`: words were compared with the paragraph's.
    Quoted,
    /// `named-things`: numbers, dates, terms and standards were looked for in the paragraph.
    NamedThings,
    /// `graph`: a claimed link was looked for among the cross-references.
    Graph,
    /// `conflict-candidate`: a sentence was found that may say the opposite.
    ConflictCandidate,
    /// `no-model`: only a reader can decide, and none was asked.
    NoModel,
    /// `judge:<name>`: somebody's judgement, a model's as a rule.
    Judge(String),
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lookup => "lookup",
            Self::Quoted => "quoted",
            Self::NamedThings => "named-things",
            Self::Graph => "graph",
            Self::ConflictCandidate => "conflict-candidate",
            Self::NoModel => "no-model",
            Self::Judge(name) => return write!(f, "judge:{name}"),
        })
    }
}

impl From<Method> for String {
    fn from(method: Method) -> Self {
        method.to_string()
    }
}

/// A word that is no method.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no way to reach a verdict")]
pub struct NotAMethod(String);

impl TryFrom<String> for Method {
    type Error = NotAMethod;

    fn try_from(text: String) -> Result<Self, NotAMethod> {
        Ok(match text.as_str() {
            "lookup" => Self::Lookup,
            "quoted" => Self::Quoted,
            "named-things" => Self::NamedThings,
            "graph" => Self::Graph,
            "conflict-candidate" => Self::ConflictCandidate,
            "no-model" => Self::NoModel,
            other => match other.strip_prefix("judge:").filter(|name| !name.is_empty()) {
                Some(name) => Self::Judge(name.to_owned()),
                None => return Err(NotAMethod(text.chars().take(80).collect())),
            },
        })
    }
}

/// The document that a paragraph was taken from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceDocument {
    /// The file's name in the base.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: Digest,
}

/// One citation of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CitationRecord {
    /// The citation as the answer wrote it.
    pub source_ref: String,
    /// The base that it was looked up in.
    pub base: String,
    /// That base's generation.
    pub generation: String,
    /// The paragraph, where it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph_id: Option<String>,
    /// The file that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<SourceDocument>,
    /// SHA-256 of the paragraph's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph_sha256: Option<Digest>,
    /// The quote's first character in the paragraph's text and the one after its last, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(usize, usize)>,
    /// The page on which the quote begins, where the file has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How a reader finds the quote, where the citation says less: its file, the item that holds it, its pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The words that were compared: the quote given for the sentence, else the sentence's own where they stand there.
    #[serde(default)]
    pub quote: String,
    /// What comparing found.
    pub verdict: Verdict,
    /// How.
    pub method: Method,
    /// Why, in a sentence.
    pub reason: String,
}

/// A thing that a sentence names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntityRecord {
    /// `number`, `date`, `term`, `defined_term` or `standard`.
    pub kind: String,
    /// As the sentence writes it.
    pub text: String,
    /// The cited paragraph that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_in: Option<String>,
}

/// A link between two paragraphs that a sentence claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelationRecord {
    /// One end.
    pub from: String,
    /// The other end.
    pub to: String,
    /// The words that claim it.
    pub claimed: String,
    /// Whether the graph has it.
    pub exists: bool,
    /// The kinds of the links that the graph has between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
}

/// A sentence of a paragraph that may say the opposite; for a reader, never a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictRecord {
    /// `number`, `unit`, `date`, `bound`, `modal` or `negation`.
    pub kind: String,
    /// The paragraph.
    pub paragraph_id: String,
    /// Its sentence.
    pub stated_in: String,
    /// The answer's side of the difference.
    pub claimed: String,
    /// The paragraph's side.
    pub stated: String,
}

/// One sentence of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SentenceRecord {
    /// Its place among the answer's sentences, from 1.
    pub n: usize,
    /// The sentence, citations included.
    pub sentence: String,
    /// The sentence without its citations: what was compared.
    pub claim: String,
    /// Its citations.
    #[serde(default)]
    pub citations: Vec<CitationRecord>,
    /// The things it names.
    #[serde(default)]
    pub entities: Vec<EntityRecord>,
    /// The links it claims.
    #[serde(default)]
    pub relations: Vec<RelationRecord>,
    /// Sentences that may contradict it.
    #[serde(default)]
    pub conflicts: Vec<ConflictRecord>,
    /// What came of it.
    pub verdict: SentenceVerdict,
    /// How far code alone could carry it.
    pub proof: Proof,
    /// How the verdict was reached.
    pub method: Method,
    /// Why, in a sentence.
    pub reason: String,
    /// What a judge found, where one read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

/// What a judge finds when it reads a sentence beside the paragraphs that it cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JudgeFinding")]
pub enum Finding {
    /// The paragraphs say so.
    #[serde(alias = "supported")]
    Entailed,
    /// They say a part of it; the rest is the answer's own.
    #[serde(alias = "partly")]
    Partial,
    /// They don't say it.
    #[serde(alias = "not")]
    Unsupported,
    /// The paragraphs say otherwise.
    Contradicted,
    /// They don't decide it, or the judge can't.
    Unknown,
}

impl SentenceRecord {
    /// Takes a judge's finding in. It changes only what was left to a reader, and never makes it verified: what code
    /// has shown stands, whatever a judge says. Gives whether the record changed.
    pub fn take_judgement(&mut self, judge: &str, finding: Finding, reason: &str) -> bool {
        if self.verdict != SentenceVerdict::Unverified || self.citations.is_empty() {
            return false;
        }
        self.verdict = match finding {
            // What may contradict it stays for a person to read.
            Finding::Entailed if self.conflicts.is_empty() => SentenceVerdict::JudgedSupported,
            Finding::Entailed | Finding::Partial | Finding::Unknown => SentenceVerdict::Unverified,
            Finding::Unsupported | Finding::Contradicted => SentenceVerdict::Mismatch,
        };
        self.finding = Some(finding);
        if !self.conflicts.is_empty() && finding == Finding::Entailed {
            // The reason names the place to read.
            self.method = Method::Judge(judge.to_owned());
            return true;
        }
        self.method = Method::Judge(judge.to_owned());
        self.reason = reason.to_owned();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(verdict: SentenceVerdict) -> SentenceRecord {
        SentenceRecord {
            n: 1,
            sentence: "It is so (1.1).".into(),
            claim: "It is so.".into(),
            citations: vec![CitationRecord {
                source_ref: "1.1".into(),
                base: "b".into(),
                generation: "g000001".into(),
                paragraph_id: None,
                document: None,
                paragraph_sha256: None,
                range: None,
                quote: String::new(),
                label: None,
                page: None,
                verdict: Verdict::Unverified,
                method: Method::Lookup,
                reason: String::new(),
            }],
            entities: Vec::new(),
            relations: Vec::new(),
            conflicts: Vec::new(),
            verdict,
            proof: Proof::NamedThings,
            method: Method::NoModel,
            reason: String::new(),
            finding: None,
        }
    }

    #[test]
    fn a_judge_decides_only_what_was_left_to_a_reader() {
        for verdict in [SentenceVerdict::Verified, SentenceVerdict::Mismatch, SentenceVerdict::Missing] {
            let mut one = record(verdict);
            assert!(!one.take_judgement("small-model", Finding::Entailed, "it says so"));
            assert_eq!(one, record(verdict));
        }
        let mut one = record(SentenceVerdict::Unverified);
        assert!(one.take_judgement("small-model", Finding::Entailed, "it says so"));
        assert_eq!(
            (one.verdict, one.method.to_string().as_str()),
            (SentenceVerdict::JudgedSupported, "judge:small-model")
        );
    }

    #[test]
    fn a_method_survives_its_word() {
        for word in
            ["lookup", "quoted", "named-things", "graph", "conflict-candidate", "no-model", "judge:a:b"]
        {
            let method: Method = serde_json::from_value(word.into()).unwrap();
            assert_eq!(serde_json::to_value(method).unwrap(), word);
        }
        assert!(serde_json::from_value::<Method>("judge:".into()).is_err());
    }
}
