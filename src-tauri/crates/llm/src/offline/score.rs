//! Relevance: first of a paragraph, by its headings, words and place in the search, then of a sentence in it.

use std::collections::{BTreeMap, BTreeSet};

use super::phrase::clauses;
use super::select::{Pool, Query};
use super::words::{actors, is_actor, quantised, stem, stem_set, stems, words};

/// What a question wants to know, by its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asks {
    /// What something is.
    pub what: bool,
    /// What to do, or how.
    pub action: bool,
    /// What is required.
    pub duty: bool,
}

impl Asks {
    pub(super) fn of(text: &str) -> Self {
        let order = words(text);
        let has = |names: &[&str]| order.iter().any(|word| names.contains(&word.as_str()));
        let action = has(&[
            "how",
            "must",
            "should",
            "do",
            "does",
            "respond",
            "procedure",
            "procedures",
            "steps",
            "needed",
        ]);
        let opens = order
            .first()
            .is_some_and(|word| ["what", "define", "who", "which", "when"].contains(&word.as_str()));
        let what = (opens
            && !has(&["do", "should", "must", "does", "procedure", "procedures", "steps", "needed"]))
            || has(&["define", "definition", "meaning", "mean", "means"]);
        let duty = has(&["must", "should", "do", "needed", "required"]);
        Self { what, action, duty }
    }
}

/// A heading: its own words and those of the headings above it.
pub(super) struct Title {
    pub own: BTreeSet<String>,
    pub all: BTreeSet<String>,
}

impl Title {
    pub(super) fn of(heading: &str) -> Self {
        let own = heading.rsplit(" > ").next().unwrap_or_default();
        Self { own: stem_set(own), all: stem_set(heading) }
    }

    /// Which share of the heading's own words narrows what is asked to something that isn't: `component` in `Component
    /// performance materiality`. A heading that shares no word with the question narrows nothing.
    pub(super) fn narrows(&self, asked: &BTreeSet<String>) -> f64 {
        if self.own.is_disjoint(asked) {
            return 0.0;
        }
        let foreign = self.own.iter().filter(|one| !asked.contains(*one) && !is_vague(one)).count();
        foreign as f64 / self.own.len().max(1) as f64
    }
}

/// Words that qualify a subject without naming one.
const VAGUE: [&str; 20] = [
    "significant",
    "high",
    "low",
    "kind",
    "type",
    "different",
    "important",
    "main",
    "relevant",
    "appropriate",
    "certain",
    "typical",
    "needed",
    "required",
    "particular",
    "common",
    "procedure",
    "step",
    "given",
    "apply",
];

/// What such a word counts, compared with others.
pub(super) const VAGUE_WEIGHT: f64 = 0.35;

/// Whether a stem is of a word that only qualifies, as `significant` does.
pub(super) fn is_vague(one: &str) -> bool {
    VAGUE.iter().any(|word| stem(word) == one)
}

/// Whether a heading promises what the question wants, from -1 to 1: work to do where it asks what to do, meaning where it
/// asks what something is.
pub(super) fn leaning(title: &str, asks: Asks) -> f64 {
    const WORK: [&str; 20] = [
        "respond",
        "response",
        "procedure",
        "test",
        "assessment",
        "evaluate",
        "conclude",
        "communication",
        "direct",
        "supervision",
        "review",
        "report",
        "opinion",
        "effect",
        "obtain",
        "evidence",
        "identify",
        "discussion",
        "work",
        "document",
    ];
    let order = words(title);
    let opens = |names: &[&str]| order.first().is_some_and(|first| names.contains(&first.as_str()));
    let dated = order.iter().any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
    let explains =
        opens(&["what", "why", "who"]) || order.iter().any(|word| word == "basis" || word == "meaning");
    let acts = opens(&["how"])
        || order.first().is_some_and(|first| first.len() > 5 && first.ends_with("ing"))
        || order.iter().any(|word| WORK.iter().any(|work| stem(work) == stem(word)));
    let mut lean = 0.0;
    if asks.action && acts {
        lean += 1.0;
    }
    if asks.what && explains {
        lean += 1.0;
    } else if asks.action && explains && !acts {
        lean -= 0.7;
    }
    if dated || order.iter().any(|word| word == "revision" || word == "mistakes") {
        lean -= 1.0;
    }
    lean
}

/// What a paragraph is worth for the question, about from 0 to 1.
pub(super) fn paragraphs(pool: &Pool<'_>, question: &Query, queries: &[Query]) -> Vec<f64> {
    let asks = Asks::of(&question.text);
    let top = pool.paragraphs.iter().map(|one| one.score).fold(0.0, f64::max);
    pool.paragraphs
        .iter()
        .enumerate()
        .map(|(index, paragraph)| {
            let title = &pool.titles[index];
            let both: BTreeSet<String> = title.all.union(&pool.texts[index]).cloned().collect();
            let inner: BTreeSet<String> = title.own.union(&pool.texts[index]).cloned().collect();
            let near = 0.5 * pool.coverage(question, &both) + 0.5 * pool.coverage(question, &inner);
            let name = paragraph.heading.rsplit(" > ").next().unwrap_or_default();
            let best = queries.iter().map(|query| pool.coverage(query, &both)).fold(0.0, f64::max);
            let place = 1.0 / (1.0 + index as f64 / 8.0);
            let score = if top > 0.0 { (paragraph.score / top).clamp(0.0, 1.0) } else { 0.0 };
            let worth = 0.26 * pool.coverage(question, &title.all)
                + 0.14 * pool.coverage(question, &title.own)
                + 0.32 * near
                + 0.06 * leaning(name, asks)
                + 0.08 * best
                + 0.12 * score
                + 0.08 * place
                - 0.28 * title.narrows(&question.stems)
                - if paragraph.used_before { 0.06 } else { 0.0 };
            worth.max(0.0)
        })
        .collect()
}

/// Scores of every passage, quantised, and for each part of the question apart.
pub(super) struct Scores {
    pub whole: Vec<i64>,
    /// The share of the question's words that the passage has, half of it with its headings; quantised.
    pub topical: Vec<i64>,
    pub parts: Vec<Vec<i64>>,
}

pub(super) fn passages(pool: &Pool<'_>, question: &Query, worth: &[f64]) -> Scores {
    let parts: Vec<Query> = clauses(&question.text).iter().map(|clause| Query::new(clause)).collect();
    let asks = Asks::of(&question.text);
    let actors = actors(&question.text);
    let mut whole = Vec::with_capacity(pool.passages.len());
    let mut topical = Vec::with_capacity(pool.passages.len());
    let mut by_part = vec![Vec::with_capacity(pool.passages.len()); parts.len()];
    for passage in &pool.passages {
        let text = pool.text_of(passage);
        let length = passage.stems.len() as f64;
        let spread = 1.0 / (1.0 + 0.02 * (length - 14.0).max(0.0));
        let pairs =
            passage.pairs.intersection(&question.pairs).count() as f64 / question.pairs.len().max(1) as f64;
        let title = &pool.titles[passage.paragraph];
        let told = parts.iter().any(|part| Asks::of(&part.text).what && says_what(text, part));
        let form = form(text, question, asks, &actors)
            + if told { 0.25 } else { 0.0 }
            + if passage.sentences.start == 0 { 0.08 } else { 0.0 }
            - leans_back(text, question, title)
            - 0.3 * opens_aside(text, question, title)
            - if passage.sentences.len() > 1 { 0.05 } else { 0.0 }
            - if length < 6.0 { 0.1 } else { 0.0 };
        let base = 0.6 * worth[passage.paragraph] + 0.12 * pairs + form;
        let with_title: BTreeSet<String> = passage.stems.union(&title.all).cloned().collect();
        let bare = pool.coverage(question, &passage.stems);
        let headed = pool.coverage(question, &with_title);
        topical.push(quantised(0.5 * bare + 0.5 * headed));
        let own = spread * (0.75 * bare + 0.25 * headed);
        whole.push(quantised(base + 0.34 * own));
        for (part, scores) in parts.iter().zip(&mut by_part) {
            let fits = spread * pool.coverage(part, &passage.stems);
            let told = Asks::of(&part.text).what && says_what(text, part);
            scores.push(quantised(base + 0.1 * own + 0.3 * fits + if told { 0.15 } else { 0.0 }));
        }
    }
    Scores { whole, topical, parts: by_part }
}

/// What a sentence's form adds: an instruction where one is asked for; examples, pointers and the paperwork lose.
fn form(text: &str, question: &Query, asks: Asks, actors: &BTreeSet<String>) -> f64 {
    let mut value = 0.0;
    if asks.action {
        value += if asks.duty || !actors.is_empty() { 0.22 } else { 0.08 } * says_to_do(text, actors);
        value += 0.1 * opens_on_subject(text, question);
        if !asks.what && defines(text, question) {
            value -= 0.18;
        }
    }
    let paperwork = stem("documentation");
    if !question.stems.contains(&paperwork) && stem_set(text).contains(&paperwork) {
        value -= 0.22;
    }
    if is_example(text) {
        value -= 0.16;
    }
    if text.contains("(see ") || text.starts_with("See ") {
        value -= 0.08;
    }
    if foreign_subject(text, question) {
        value -= 0.25;
    }
    value
}

/// Whether a sentence illustrates rather than states.
pub(super) fn is_example(text: &str) -> bool {
    let first = words(text).into_iter().next().unwrap_or_default();
    let figures = text.split(' ').filter(|word| word.bytes().any(|byte| byte.is_ascii_digit())).count();
    ["assume", "suppose", "imagine", "compare", "with", "had", "examples"].contains(&first.as_str())
        || figures > 3
        || text.contains(" for example ")
        || text.contains("for instance")
}

/// Whether the sentence opens with the question's subject, narrowed by a word the question lacks: `Component performance
/// materiality is …`.
fn foreign_subject(text: &str, question: &Query) -> bool {
    let order = words(text);
    let [first, second, third, ..] = order.as_slice() else { return false };
    let [first, second, third] = [first, second, third].map(|word| stem(word));
    !question.stems.contains(&first)
        && !super::words::is_stop(&order[0])
        && !is_vague(&first)
        && question.pairs.contains(&(second, third))
}

/// What a sentence loses that can't stand alone: it points at something said before, or opens with something that neither
/// the question nor its own heading names.
fn leans_back(text: &str, question: &Query, title: &Title) -> f64 {
    const BACK: [&str; 9] = ["then", "those", "these", "this", "such", "latter", "former", "another", "same"];
    if words(text).iter().take(7).any(|word| BACK.contains(&word.as_str())) {
        return 0.16;
    }
    let known = |one: &String| question.stems.contains(one) || title.all.contains(one);
    if stems(text).iter().take(2).any(known) { 0.0 } else { 0.08 }
}

/// How much of what a sentence opens with is the side issue that its heading narrows the subject to, from 0 to 1.
fn opens_aside(text: &str, question: &Query, title: &Title) -> f64 {
    if title.narrows(&question.stems) == 0.0 {
        return 0.0;
    }
    let aside = |one: &&String| title.own.contains(*one) && !question.stems.contains(*one) && !is_vague(one);
    stems(text).iter().take(4).filter(aside).count() as f64 / 4.0
}

/// Stems of what a sentence is about when it says what that is: `Fraud risk is …`.
fn defined(sentence: &str) -> BTreeSet<String> {
    const VERBS: [&str; 8] = ["is", "are", "means", "mean", "refers", "come", "comes", "exists"];
    let order = words(sentence);
    let verb = order.iter().take(10).position(|word| VERBS.contains(&word.as_str())).unwrap_or(0);
    stem_set(&order[..verb].join(" "))
}

/// Whether a sentence says what something of the question is.
fn defines(sentence: &str, question: &Query) -> bool {
    let subject = defined(sentence);
    !subject.is_empty() && subject.is_subset(&question.stems)
}

/// Whether a sentence says what the question asks the meaning of, or most of it.
fn says_what(sentence: &str, question: &Query) -> bool {
    let asked = question.stems.iter().filter(|one| !is_vague(one)).count();
    defines(sentence, question) && defined(sentence).len() * 5 >= asked.min(4) * 3
}

/// How far a sentence says what someone does or has to do, from 0 to 1; most when the question names that someone.
fn says_to_do(sentence: &str, actors: &BTreeSet<String>) -> f64 {
    let order = words(sentence);
    let duty = order.iter().take(24).any(|word| {
        ["must", "should", "has", "have", "needs", "need", "cannot", "required", "requires"]
            .contains(&word.as_str())
    });
    let actor = |word: &String| is_actor(word) || word == "team" || word == "partner";
    let at = order.iter().take(8).position(actor);
    let acts = at.is_some_and(|at| {
        order.get(at + 1..(at + 4).min(order.len())).unwrap_or_default().iter().any(|word| {
            word.len() > 3
                && word.ends_with('s')
                && !word.ends_with("ss")
                && word != "does"
                && word != "always"
        })
    });
    let named = at.is_some_and(|at| actors.contains(&stem(&order[at])) || order[at] == "team");
    // What must not be done is rarely the answer to what should be.
    let barred = order.windows(2).any(|pair| {
        ["must", "should", "may", "does", "do"].contains(&pair[0].as_str()) && pair[1] == "not"
            || pair[0] == "cannot"
    });
    let conditional = order.first().is_some_and(|first| ["when", "if", "where"].contains(&first.as_str()));
    // Nobody is named: whoever acts is meant, and what has to be done counts without anyone too.
    let full = match (named || actors.is_empty(), at.is_some() && (duty || acts)) {
        (true, true) => 1.0,
        _ if duty => {
            if actors.is_empty() {
                0.8
            } else {
                0.5
            }
        }
        _ => 0.0,
    };
    full * if barred { 0.4 } else { 1.0 } * if conditional { 0.7 } else { 1.0 }
}

/// How much of what a sentence opens with is the question's subject, from 0 to 1.
fn opens_on_subject(text: &str, question: &Query) -> f64 {
    let order = stems(text);
    order.iter().take(3).filter(|one| question.stems.contains(*one)).count() as f64 / 3.0
}

/// How much a word tells: more, the fewer paragraphs have it. Gentler than the usual logarithm: the paragraphs were
/// searched for the question, so what most of them say is its subject, not noise.
pub(super) fn weights(texts: &[BTreeSet<String>], titles: &[Title], question: &str) -> BTreeMap<String, f64> {
    let total = texts.len() as f64;
    let mut seen: BTreeMap<String, f64> = BTreeMap::new();
    for (text, title) in texts.iter().zip(titles) {
        text.union(&title.all).for_each(|stem| *seen.entry(stem.clone()).or_default() += 1.0);
    }
    let actors = actors(question);
    let weight = |stem: &str, count: f64| {
        let missing = if total > 0.0 { 1.0 - count / total } else { 1.0 };
        let rarity = 0.5 + 0.5 * missing * missing;
        rarity
            * if actors.contains(stem) { 0.3 } else { 1.0 }
            * if is_vague(stem) { VAGUE_WEIGHT } else { 1.0 }
    };
    seen.iter().map(|(stem, count)| (stem.clone(), weight(stem, *count))).collect()
}
