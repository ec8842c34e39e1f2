//! Where a claim and a paragraph may say opposite things. Candidates for a reader or a judge, never verdicts:
//! shared words can tell that two sentences are about the same thing, not that one denies the other. A pair is a
//! candidate only when most of the claim's words are there and the difference stands between the same neighbours.

use knowledge::{Base, Folded, KnowledgeError, quantised};

use super::clipped;
use super::sentences::sentences;
use super::statement::Statement;

/// What two sentences differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConflictKind {
    /// They give different numbers for the same thing.
    Number,
    /// They give the same number of different things: months and days, euros and dollars, a share and an amount.
    Unit,
    /// They give different dates.
    Date,
    /// The same number is the least for one and the most for the other.
    Bound,
    /// One obliges where the other permits or recommends the same.
    Modal,
    /// One negates what the other does not.
    Negation,
    /// One says of all, or only of some, what the other does not.
    Quantity,
}

impl ConflictKind {
    /// Its name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Unit => "unit",
            Self::Date => "date",
            Self::Bound => "bound",
            Self::Modal => "modal",
            Self::Negation => "negation",
            Self::Quantity => "quantity",
        }
    }
}

/// A pair of sentences to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Which claim, counted from 0.
    pub claim: usize,
    /// The paragraph.
    pub paragraph_id: String,
    /// The paragraph's sentence.
    pub sentence: String,
    /// What they differ in.
    pub kind: ConflictKind,
    /// The claim's side of the difference.
    pub claimed: String,
    /// The paragraph's side of the difference.
    pub stated: String,
    /// Share of the claim's content words that the sentence has, quantised to 1e-6.
    pub overlap: f64,
}

/// Least share of the claim's content words that the other sentence has.
const OVERLAP: f64 = 0.6;
/// Fewest content words that two sentences share.
const MIN_SHARED_WORDS: usize = 3;
const MAX_CANDIDATES: usize = 50;
const MAX_CANDIDATES_PER_CLAIM: usize = 3;
const MAX_SENTENCES: usize = 2_000;
const CLAIM_CHARS: usize = 4_000;

struct Candidates<'b> {
    id: &'b str,
    folded: String,
    sentences: Vec<(&'b str, Statement)>,
}

/// Compares every sentence of the claims with every sentence of the paragraphs; the most alike first, at most three
/// a claim. A paragraph that holds the claim's sentence word for word is not compared with it.
pub fn check_contradictions<S: AsRef<str>>(
    base: &Base,
    claims: &[S],
    ids: &[S],
) -> Result<Vec<Candidate>, KnowledgeError> {
    let mut found = candidates(base, claims, ids, &[])?;
    sort(&mut found);
    found.truncate(MAX_CANDIDATES);
    Ok(found)
}

/// The candidates of every claim, claim by claim. `cited` are the paragraphs that each claim cites, where it is known:
/// what these say as the claim does is no conflict with a third paragraph, which speaks of another case.
pub(crate) fn candidates<S: AsRef<str>>(
    base: &Base,
    claims: &[S],
    ids: &[S],
    cited: &[Vec<String>],
) -> Result<Vec<Candidate>, KnowledgeError> {
    let mut room = MAX_SENTENCES;
    let mut material = Vec::new();
    for id in ids {
        let paragraph = base.paragraph(id.as_ref())?;
        let sentences: Vec<_> =
            sentences(&paragraph.text).into_iter().take(room).map(|one| (one, Statement::of(one))).collect();
        room -= sentences.len();
        material.push(Candidates { id: &paragraph.id, folded: Folded::of(&paragraph.text).text, sentences });
    }
    let mut found = Vec::new();
    for (number, claim) in claims.iter().enumerate() {
        let mut of_claim = Vec::new();
        for part in sentences(clipped(claim.as_ref(), CLAIM_CHARS)) {
            let cited = cited.get(number).map_or(&[][..], Vec::as_slice);
            compare(number, part, cited, &material, &mut of_claim);
        }
        sort(&mut of_claim);
        of_claim.truncate(MAX_CANDIDATES_PER_CLAIM);
        found.extend(of_claim);
    }
    Ok(found)
}

fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| {
        b.overlap
            .total_cmp(&a.overlap)
            .then_with(|| (a.claim, &a.paragraph_id, a.kind).cmp(&(b.claim, &b.paragraph_id, b.kind)))
    });
}

fn compare(
    number: usize,
    part: &str,
    cited: &[String],
    material: &[Candidates<'_>],
    found: &mut Vec<Candidate>,
) {
    let claimed = Statement::of(part);
    if claimed.content.len() < MIN_SHARED_WORDS {
        return;
    }
    let folded = Folded::of(part).text;
    let words = folded.trim_matches(|c: char| !c.is_alphanumeric());
    for paragraph in material.iter().filter(|one| !one.folded.contains(words)) {
        for (sentence, stated) in &paragraph.sentences {
            let shared = claimed.content.intersection(&stated.content).count();
            let overlap = shared as f64 / claimed.content.len() as f64;
            if shared < MIN_SHARED_WORDS || overlap < OVERLAP {
                continue;
            }
            if let Some((kind, ours, theirs)) = claimed.conflict(stated) {
                // `should be required` on both sides obliges alike.
                let require = |word: &str| word.starts_with("require");
                let both = kind == ConflictKind::Modal
                    && (require(&ours) || require(&theirs))
                    && claimed.says(&theirs)
                    && stated.says(&ours);
                let is_cited = cited.iter().any(|id| id == paragraph.id);
                let told = kind == ConflictKind::Number && own_sentence_has_all(&claimed, cited, material);
                if both || told || (!is_cited && own_source_says(&claimed, &ours, cited, material)) {
                    continue;
                }
                found.push(Candidate {
                    claim: number,
                    paragraph_id: paragraph.id.to_owned(),
                    sentence: (*sentence).to_owned(),
                    kind,
                    claimed: ours,
                    stated: theirs,
                    overlap: quantised(overlap),
                });
            }
        }
    }
}

/// Whether one sentence of what the claim cites has all of its numbers, two at least, and says the same: the sentence beside
/// it, with other numbers, speaks of another case.
fn own_sentence_has_all(claimed: &Statement, cited: &[String], material: &[Candidates<'_>]) -> bool {
    let numbers = claimed.numbers();
    let own = material.iter().filter(|one| cited.iter().any(|id| id == one.id));
    numbers.len() > 1
        && own.flat_map(|one| &one.sentences).any(|(_, stated)| {
            let shared = claimed.content.intersection(&stated.content).count();
            shared as f64 >= OVERLAP * claimed.content.len() as f64
                && numbers.is_subset(&stated.numbers())
                && claimed.conflict(stated).is_none()
        })
}

/// Whether a paragraph that the claim cites has its side of a difference, in a sentence about the same.
fn own_source_says(claimed: &Statement, ours: &str, cited: &[String], material: &[Candidates<'_>]) -> bool {
    let own = material.iter().filter(|one| cited.iter().any(|id| id == one.id));
    own.flat_map(|one| &one.sentences).any(|(_, stated)| {
        let shared = claimed.content.intersection(&stated.content).count();
        let overlap = shared as f64 / claimed.content.len() as f64;
        shared >= MIN_SHARED_WORDS
            && overlap >= OVERLAP / 2.0
            && stated.says(ours)
            && claimed.conflict(stated).is_none()
    })
}
