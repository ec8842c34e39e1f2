//! Answering calls that look things up.

use std::sync::Arc;

use knowledge::{
    Base, ContextParagraph, Filter, Gather, Gathered, GatheredHit, Hit, HitOrigin, KnowledgeError,
    MAX_OFFSET, Mode, Query, SubQuery, Tier, search_many,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::params::{
    BaseParams, GatherParams, HopParams, IdsParams, NoParams, OutlineParams, ParagraphParams, SearchParams,
    WebParams, Words,
};
use super::results::{
    BaseOut, ContextOut, GatherOut, GatheredOut, HeadingOut, HitOut, HopOut, HopsOut, ListOut, NeighbourOut,
    OneParagraphOut, OutlineOut, ParagraphOut, SearchOut, StandardsOut, WebOut, tags,
};
use super::table::{Call, Operation};
use super::work::Work;
use super::{Shared, checks, merge};

/// Why a call was not answered, as the model reads it.
#[derive(Debug, Error)]
pub(crate) enum ToolError {
    /// The arguments do not have the tool's shape.
    #[error("wrong arguments: {0}")]
    Arguments(#[from] serde_json::Error),
    /// An argument is over its bound.
    #[error("{what}: {found} is too much, at most {most}")]
    TooMuch {
        /// The argument.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The bound.
        most: usize,
    },
    /// No such tier.
    #[error("there is no tier '{0}'; there are: standard, guide, document, web, primer")]
    UnknownTier(String),
    /// No such mode.
    #[error("there is no mode '{0}'; there are: auto, words, vectors")]
    UnknownMode(String),
    /// The knowledge base refused.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The client does not want the answer any more.
    #[error("cancelled")]
    Cancelled,
    /// The call panicked; the message went to stderr.
    #[error("the call failed inside the server")]
    Failed,
}

pub(super) const QUERY_CHARS: usize = 4_000;
pub(super) const LIST: usize = 200;
const HITS: usize = 100;
/// Characters that make named places whole: as given by default, and at most.
const PLACE_CHARS: usize = 8_000;
const MAX_PLACE_CHARS: usize = 200_000;
/// Queries of one gathering, and targets of each.
const SUB_QUERIES: usize = 40;
const WEB_QUERIES: usize = 20;
const WEB_RESULTS: usize = 10;
/// Text of paragraphs in one result; beyond it paragraphs are cut.
pub(super) const TEXT_BYTES: usize = 512 << 10;
/// The same in a result about a whole document; a result of 8 MiB is taken.
const DOCUMENT_TEXT_BYTES: usize = 3 << 20;

pub(super) fn answer(work: &Work<'_>, call: Call, arguments: Value) -> Result<Value, ToolError> {
    match call.operation {
        Operation::Search => search(work, call, parsed(arguments)?),
        Operation::Gather => gather(work, call, parsed(arguments)?),
        Operation::Hop => hop(work, call, parsed(arguments)?),
        Operation::Context => context(work, call, parsed(arguments)?),
        Operation::Citations => checks::citations(work, call, parsed(arguments)?),
        Operation::Entities => checks::entities(work, call, parsed(arguments)?),
        Operation::Relations => checks::relations(work, call, parsed(arguments)?),
        Operation::Contradictions => checks::contradictions(work, call, parsed(arguments)?),
        Operation::Answer => checks::answer(work, call, parsed(arguments)?),
        Operation::Paragraph => paragraph(work, call, parsed(arguments)?),
        Operation::Outline => outline(work, call, parsed(arguments)?),
        Operation::Standards => standards(work, call, parsed(arguments)?),
        Operation::List => list(work, parsed(arguments)?),
        // Answered asynchronously by `web`.
        Operation::Web => Err(ToolError::Failed),
    }
}

fn parsed<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolError> {
    Ok(serde_json::from_value(arguments)?)
}

pub(super) fn written<T: Serialize>(result: &T) -> Result<Value, ToolError> {
    Ok(serde_json::to_value(result)?)
}

pub(super) fn bounded(what: &'static str, found: usize, most: usize) -> Result<(), ToolError> {
    if found > most { Err(ToolError::TooMuch { what, found, most }) } else { Ok(()) }
}

/// The base a call is about: tools bound to the default base never read another.
pub(super) fn base_of(work: &Work<'_>, call: Call, named: Option<&str>) -> Result<Arc<Base>, ToolError> {
    Ok(work.bases.get(named.filter(|_| call.any_base))?)
}

/// The bases a call asks: the one that it names, else those of attached documents and the default one, which is the last.
/// Tools bound to the default base never read another that is named.
pub(super) fn bases_of(
    work: &Work<'_>,
    call: Call,
    named: Option<&str>,
) -> Result<Vec<Arc<Base>>, ToolError> {
    Ok(work.bases.asked(named.filter(|_| call.any_base))?)
}

/// The base of a paragraph: the first that knows it, else the last.
fn base_with(work: &Work<'_>, call: Call, named: Option<&str>, id: &str) -> Result<Arc<Base>, ToolError> {
    let mut bases = bases_of(work, call, named)?;
    let known = bases.iter().position(|base| base.paragraph(id).is_ok());
    let at = known.unwrap_or(bases.len().saturating_sub(1));
    Ok(bases.swap_remove(at))
}

/// Cuts texts once a result holds enough.
pub(super) struct ResultAllowance(usize);

impl ResultAllowance {
    pub(super) fn new() -> Self {
        Self(TEXT_BYTES)
    }

    /// For the citations of a whole document.
    pub(super) fn of_document() -> Self {
        Self(DOCUMENT_TEXT_BYTES)
    }

    pub(super) fn fit(&mut self, text: &str) -> (String, bool) {
        let end = text.floor_char_boundary(text.len().min(self.0.max(400)));
        self.0 = self.0.saturating_sub(end);
        (text[..end].to_owned(), end < text.len())
    }
}

fn shown(one: ContextParagraph, room: &mut ResultAllowance) -> ParagraphOut {
    let (text, truncated) = room.fit(&one.text);
    ParagraphOut {
        id: one.id,
        reference: one.citation,
        title: one.title,
        path: one.path,
        tier: one.tier.as_str().into(),
        source: one.source,
        standards: one.tags,
        text,
        context: one.context,
        truncated,
        withdrawn: one.withdrawn,
        page: one.page,
        file: one.file,
        edition: one.edition,
        date: one.date,
    }
}

fn search(work: &Work<'_>, call: Call, params: SearchParams) -> Result<Value, ToolError> {
    bounded("query, in characters", params.query.chars().count(), QUERY_CHARS)?;
    bounded("exclude", params.exclude.len(), LIST * 5)?;
    let tiers = match params.tier.as_deref().filter(|tier| !tier.is_empty()) {
        None => Vec::new(),
        Some(name) => {
            vec![Tier::parse(name).ok_or_else(|| ToolError::UnknownTier(name.chars().take(40).collect()))?]
        }
    };
    let mode = match params.mode.as_deref().unwrap_or_default() {
        "" | "auto" => Mode::Auto,
        "words" => Mode::Words,
        "vectors" => Mode::Vectors,
        other => return Err(ToolError::UnknownMode(other.chars().take(40).collect())),
    };
    let filter =
        Filter { docs: params.documents, tags: params.standards, kinds: params.kinds, under: params.under };
    let listed = [&filter.docs, &filter.tags, &filter.kinds, &filter.under, &params.bases];
    bounded("names of one filter", listed.map(Vec::len).into_iter().max().unwrap_or(0), LIST)?;
    let mut bases = Vec::new();
    for name in params.bases.iter().filter(|_| call.any_base) {
        bases.push(base_of(work, call, Some(name))?);
    }
    let named = !bases.is_empty();
    if !named {
        bases = bases_of(work, call, params.base.as_deref())?;
    }
    let limit = params.limit.unwrap_or(10).clamp(1, HITS);
    let offset = params.offset.unwrap_or(0);
    let refs: Vec<&Base> = bases.iter().map(AsRef::as_ref).collect();
    let vector = match (mode, &work.meaning) {
        (Mode::Auto | Mode::Vectors, Some(meaning)) => {
            refs.iter().find_map(|base| meaning.vector(base, &params.query))
        }
        _ => None,
    };
    let query = Query {
        text: params.query,
        limit,
        offset,
        tiers,
        exclude: params.exclude,
        hops: params.hops.unwrap_or(1).min(3),
        withdrawn: false,
        filter,
        mode,
        plain: false,
        vector,
    };
    let mut room = ResultAllowance::new();
    let mut hits = Vec::new();
    for (place, hit) in search_many(&refs, &query)? {
        hits.push(found(refs[place], hit, &mut room)?);
    }
    let (name, generation) = stamp(if named { refs[0] } else { own(&bases)? });
    let next_offset = (hits.len() == limit && offset + limit <= MAX_OFFSET).then_some(offset + limit);
    written(&SearchOut { hits, next_offset, base: name, generation })
}

fn found(base: &Base, hit: Hit, room: &mut ResultAllowance) -> Result<HitOut, KnowledgeError> {
    let via = match hit.via {
        HitOrigin::Words => "words".to_owned(),
        HitOrigin::Similarity => "meaning".to_owned(),
        HitOrigin::Id => "id".to_owned(),
        HitOrigin::Link { from, kind } => format!("link: {kind} from {from}"),
    };
    Ok(HitOut {
        paragraph: shown(base.context_of(base.paragraph(&hit.id)?), room),
        score: hit.score,
        snippet: hit.snippet,
        matched: hit.matched,
        via,
        base: base.manifest().base.clone(),
        similarity: hit.why.similarity,
        scope: hit.why.scope,
        duplicates: hit.why.duplicates,
    })
}

fn gather(work: &Work<'_>, call: Call, params: GatherParams) -> Result<Value, ToolError> {
    bounded("question, in characters", params.question.chars().count(), QUERY_CHARS)?;
    bounded("queries", params.queries.len(), SUB_QUERIES)?;
    let mut queries = Vec::new();
    for one in params.queries {
        bounded("query, in characters", one.query.chars().count(), QUERY_CHARS)?;
        let targets: Vec<String> = one.targets.into_iter().chain(one.target_standards).collect();
        bounded("targets of one query", targets.len(), SUB_QUERIES)?;
        queries.push(SubQuery { text: one.query, targets });
    }
    let bases = bases_of(work, call, params.base.as_deref())?;
    let asked = Gather {
        question: params.question,
        queries,
        limit: params.limit.unwrap_or(24).clamp(1, HITS),
        top_k: params.top_k.unwrap_or(8).clamp(1, HITS),
        hop_depth: params.hop_depth.unwrap_or(1).min(3),
        hop_limit: params.hop_limit.unwrap_or(6).min(HITS),
        place_chars: params.place_chars.unwrap_or(PLACE_CHARS).min(MAX_PLACE_CHARS),
    };
    let mut parts = Vec::with_capacity(bases.len());
    for (at, base) in bases.iter().enumerate() {
        let vector = |text: &str| work.meaning.as_ref().and_then(|meaning| meaning.vector(base, text));
        let mut step = |done: usize, of: usize| {
            work.step(at * of + done, of * bases.len()).map_err(|_| KnowledgeError::Cancelled)
        };
        match base.gather(&asked, &vector, &mut step) {
            Err(KnowledgeError::Cancelled) => return Err(ToolError::Cancelled),
            gathered => parts.push((base.as_ref(), gathered?)),
        }
    }
    let (hits, Gathered { missing, left_out, searched, .. }) = merge::gathered(parts, asked.limit);
    let mut room = ResultAllowance::new();
    let mut shown = Vec::with_capacity(hits.len());
    for (base, GatheredHit { hit, wanted_by, place }) in hits {
        shown.push(GatheredOut { hit: found(base, hit, &mut room)?, wanted_by, place });
    }
    let (name, generation) = stamp(own(&bases)?);
    written(&GatherOut { hits: shown, missing_targets: missing, left_out, searched, base: name, generation })
}

fn hop(work: &Work<'_>, call: Call, params: HopParams) -> Result<Value, ToolError> {
    let base = base_with(work, call, params.base.as_deref(), &params.paragraph_id)?;
    let start = base.paragraph(&params.paragraph_id)?.id.clone();
    let mut room = ResultAllowance::new();
    let mut hits = Vec::new();
    for hit in
        base.hop(&start, params.depth.unwrap_or(1).clamp(1, 3), params.limit.unwrap_or(10).clamp(1, HITS))?
    {
        let paragraph = shown(base.context_of(base.paragraph(&hit.id)?), &mut room);
        hits.push(HopOut { paragraph, score: hit.score, depth: hit.depth, kind: hit.kind, from: hit.from });
    }
    let (name, generation) = stamp(&base);
    written(&HopsOut { start, hits, base: name, generation })
}

fn context(work: &Work<'_>, call: Call, params: IdsParams) -> Result<Value, ToolError> {
    bounded("paragraph_ids", params.paragraph_ids.len(), LIST)?;
    let bases = bases_of(work, call, params.base.as_deref())?;
    let base = own(&bases)?;
    let mut known = vec![Vec::new(); bases.len()];
    let (mut missing, mut first_error) = (Vec::new(), None);
    for id in params.paragraph_ids {
        let of = bases.iter().enumerate().find_map(|(at, base)| Some((at, base.paragraph(&id).ok()?)));
        if let Some((at, paragraph)) = of {
            known[at].push(paragraph.id.clone());
        } else if let Err(error) = base.paragraph(&id) {
            missing.push(id.chars().take(200).collect());
            first_error.get_or_insert(error);
        }
    }
    if let (true, Some(error)) = (known.iter().all(Vec::is_empty), first_error) {
        return Err(error.into());
    }
    let mut room = ResultAllowance::new();
    let mut paragraphs = Vec::new();
    for (base, known) in bases.iter().zip(&known) {
        paragraphs.extend(base.format_context(known)?.into_iter().map(|one| shown(one, &mut room)));
    }
    let (name, generation) = stamp(base);
    written(&ContextOut { paragraphs, missing, base: name, generation })
}

fn paragraph(work: &Work<'_>, call: Call, params: ParagraphParams) -> Result<Value, ToolError> {
    let base = base_with(work, call, params.base.as_deref(), &params.id)?;
    let found = base.paragraph(&params.id)?;
    let neighbours = base
        .neighbours(&found.id)?
        .into_iter()
        .take(HITS)
        .map(|one| NeighbourOut { id: one.id, kind: one.kind, outgoing: one.outgoing })
        .collect();
    let (name, generation) = stamp(&base);
    written(&OneParagraphOut {
        paragraph: shown(base.context_of(found), &mut ResultAllowance::new()),
        neighbours,
        superseded_by: found.superseded_by.clone(),
        base: name,
        generation,
    })
}

fn outline(work: &Work<'_>, call: Call, params: OutlineParams) -> Result<Value, ToolError> {
    bounded("query, in characters", params.query.chars().count(), QUERY_CHARS)?;
    let bases = bases_of(work, call, params.base.as_deref())?;
    let limit = params.limit.unwrap_or(10).clamp(1, HITS);
    let mut outlines = Vec::with_capacity(bases.len());
    for base in &bases {
        outlines.push(base.outline(&params.query, limit)?);
    }
    let headings = merge::in_turn(outlines)
        .take(limit)
        .map(|one| HeadingOut {
            source: one.doc,
            path: one.path,
            paragraphs: one.paragraphs,
            found: one.found,
            score: one.score,
            ids: one.ids,
            standards: one.standards,
        })
        .collect();
    let (name, generation) = stamp(own(&bases)?);
    written(&OutlineOut { headings, base: name, generation })
}

fn standards(work: &Work<'_>, call: Call, params: BaseParams) -> Result<Value, ToolError> {
    let base = base_of(work, call, params.base.as_deref())?;
    let (name, generation) = stamp(&base);
    written(&StandardsOut { standards: tags(base.stats().tags), base: name, generation })
}

fn list(work: &Work<'_>, _: NoParams) -> Result<Value, ToolError> {
    let bases = work
        .bases
        .list()?
        .into_iter()
        .map(|base| BaseOut {
            default: work.bases.is_default(&base),
            name: base.name,
            title: base.manifest.title,
            tier: base.manifest.tier.as_str().into(),
            generation: base.manifest.generation,
            citation: base.manifest.citation,
            paragraphs: base.manifest.counts.paragraphs,
            digest: base.manifest.digest.to_string(),
        })
        .collect();
    written(&ListOut { bases })
}

/// Runs web queries one after the other; a failed one becomes a warning.
pub(super) async fn web(shared: &Shared, arguments: Value) -> Result<Value, ToolError> {
    let params: WebParams = parsed(arguments)?;
    bounded("queries", params.queries.len(), WEB_QUERIES)?;
    let mut out =
        WebOut { results: Vec::new(), queries_executed: Vec::new(), warnings: Vec::new(), unavailable: None };
    let Some(service) = &shared.web else {
        out.warnings.push(
            "no web search is set up: give a key or an address under Settings > Credentials, or skip the web search"
                .into(),
        );
        out.unavailable = Some("no_key".into());
        return written(&out);
    };
    let mut failed = None;
    for query in params.queries.into_iter().map(Words::into_text).filter(|query| !query.trim().is_empty()) {
        bounded("query, in characters", query.chars().count(), QUERY_CHARS)?;
        match service.search(&query, WEB_RESULTS).await {
            Ok(results) => {
                out.results.extend(results.into_iter().take(WEB_RESULTS));
                out.queries_executed.push(query);
            }
            Err(error) => {
                out.warnings.push(format!("\"{query}\": {error}"));
                let last = error.is_final();
                failed = Some(error.as_str());
                if last {
                    break;
                }
            }
        }
    }
    // Some answers are answers; without any, the word says why.
    out.unavailable = failed.filter(|_| out.queries_executed.is_empty()).map(str::to_owned);
    written(&out)
}

/// The base that a result is said to be of.
pub(super) fn own(bases: &[Arc<Base>]) -> Result<&Base, ToolError> {
    bases.last().map(AsRef::as_ref).ok_or(ToolError::Failed)
}

pub(super) fn stamp(base: &Base) -> (String, String) {
    (base.manifest().base.clone(), base.manifest().generation.clone())
}
