//! Relevance: first of a paragraph, by its headings, words and place in the search, then of a sentence in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::passages::points_back;
use super::phrase::clauses;
use super::select::{Pool, Query};
use super::words::{quantised, stem, stem_set, stems, words};

/// What a question wants to know, by its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asks {
    /// What something is.
    pub what: bool,
    /// What to do, or how.
    pub action: bool,
    /// What is required or allowed.
    pub duty: bool,
    /// When, how long, how often.
    pub time: bool,
    /// How often: a time, too.
    pub often: bool,
    /// How much or how many.
    pub amount: bool,
    /// In which way.
    pub way: bool,
}

impl Asks {
    pub(crate) fn of(text: &str) -> Self {
        let order = words(text);
        let has = |names: &[&str]| order.iter().any(|word| names.contains(&word.as_str()));
        let after_how = |names: &[&str]| {
            order.windows(2).any(|pair| pair[0] == "how" && names.contains(&pair[1].as_str()))
        };
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
        let yes_or_no = order.first().is_some_and(|word| {
            ["is", "are", "do", "does", "may", "can", "must", "should", "has", "have"]
                .contains(&word.as_str())
        });
        let duty = yes_or_no
            || has(&["must", "should", "do", "needed", "need", "needs", "required", "have", "has", "rules"]);
        let time = has(&["when", "deadline", "date", "frequency", "period"])
            || after_how(&["long", "soon", "often", "quickly", "fast", "early", "late", "frequently"]);
        let often = after_how(&["often", "frequently"]) || has(&["frequency"]);
        let amount = after_how(&["high", "much", "many", "large", "big", "long"])
            || has(&["percentage", "number", "amount", "threshold", "limit"]);
        let way = has(&["how"]) && !time && !amount;
        Self { what, action, duty, time, often, amount, way }
    }

    fn timed(self, text: &str) -> bool {
        if self.often { says_how_often(text) } else { says_when(text) }
    }

    /// Whether a text has the kind of thing that is asked for; every text has, where none is.
    pub(crate) fn met_by(self, text: &str) -> bool {
        match (self.time, self.amount) {
            (false, false) => true,
            (time, amount) => (time && self.timed(text)) || (amount && has_digit(text)),
        }
    }
}

/// A heading: its own words and those of the headings above it.
pub(crate) struct Title {
    pub own: BTreeSet<String>,
    pub all: BTreeSet<String>,
}

impl Title {
    /// `reference`: how the paragraph is cited. The name of a file there says what it is about, as a heading does.
    pub(crate) fn new(heading: &str, reference: &str) -> Self {
        let own = heading.rsplit(" > ").next().unwrap_or_default();
        let words = reference.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() > 2);
        let mut all = stem_set(heading);
        all.extend(words.flat_map(stem_set));
        // So does the number of a work: `ISA 999` in `(ISA 999.3)`.
        let numbers = reference.split(|c: char| !c.is_ascii_digit()).filter(|number| number.len() > 2);
        all.extend(numbers.flat_map(stem_set));
        Self { own: stem_set(own), all }
    }

    /// Which share of the heading's own words narrows what is asked to something that isn't: `component` in `Component
    /// performance materiality`. A heading that shares no word with the question narrows nothing.
    pub(crate) fn narrows(&self, asked: &BTreeSet<String>) -> f64 {
        if self.own.is_disjoint(asked) {
            return 0.0;
        }
        let foreign = self.own.iter().filter(|one| !asked.contains(*one) && !is_vague(one)).count();
        foreign as f64 / self.own.len().max(1) as f64
    }
}

/// Words that qualify a subject without naming one.
const VAGUE: [&str; 22] = [
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
    "date",
    "deadline",
];

/// What such a word counts, compared with others.
pub(crate) const VAGUE_WEIGHT: f64 = 0.35;

/// Whether a stem is of a word that only qualifies, as `significant` does.
pub(crate) fn is_vague(one: &str) -> bool {
    static STEMS: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| VAGUE.iter().map(|word| stem(word)).collect());
    STEMS.contains(one)
}

/// Whether a heading promises what the question wants, from -1 to 1: how something is done where it asks what to do,
/// meaning where it asks what something is.
pub(crate) fn leaning(title: &str, asks: Asks) -> f64 {
    let order = words(title);
    let opens = |names: &[&str]| order.first().is_some_and(|first| names.contains(&first.as_str()));
    let explains =
        opens(&["what", "why", "who"]) || order.iter().any(|word| word == "basis" || word == "meaning");
    let acts =
        opens(&["how"]) || order.first().is_some_and(|first| first.len() > 5 && first.ends_with("ing"));
    let mut lean = 0.0;
    if asks.action && acts {
        lean += 1.0;
    }
    if asks.what && explains {
        lean += 1.0;
    } else if asks.action && explains && !acts {
        lean -= 0.7;
    }
    lean
}

/// What a paragraph is worth for the question, about from 0 to 1. Its sentences weigh more: see [`passages`].
pub(crate) fn paragraphs(pool: &Pool<'_>, question: &Query, queries: &[Query]) -> Vec<f64> {
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
            let worth = 0.14 * pool.coverage(question, &title.all)
                + 0.16 * pool.coverage(question, &title.own)
                + 0.34 * near
                + 0.06 * leaning(name, asks)
                + 0.06 * best
                + 0.14 * score
                + 0.12 * place
                + if has_below(pool, index) { 0.2 } else { 0.0 }
                - 0.28 * title.narrows(&question.stems)
                - if paragraph.used_before { 0.06 } else { 0.0 };
            worth.max(0.0)
        })
        .collect()
}

/// Whether a question names the work that a paragraph is cited as: `ISA 999` and `(ISA 999.3)`. A file that has the number in its
/// name, as in `(ISA 999 memo:p1)`, only speaks of it.
pub(crate) fn is_of_named_work(question: &str, reference: &str) -> bool {
    let cited = reference.trim_start_matches('(');
    let Some((name, rest)) = cited.split_once(' ') else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_work = name.len() > 1 && name.bytes().all(|c| c.is_ascii_uppercase()) && digits > 0;
    let behind = &rest[digits..];
    if !is_work
        || cited.contains(':')
        || ![".", ")", " (", " §", " ¶", " App", " fn"].iter().any(|end| behind.starts_with(end))
    {
        return false;
    }
    let mut words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case(name) && words.peek() == Some(&&rest[..digits]) {
            return true;
        }
    }
    false
}

/// Whether other paragraphs stand below one, as `(AC-7(2))` and `(AC-7#D)` do below `(AC-7)`: then it is the rule, and
/// they say more of it.
fn has_below(pool: &Pool<'_>, index: usize) -> bool {
    let own = pool.paragraphs[index].reference.trim_end_matches(')');
    pool.paragraphs
        .iter()
        .any(|other| other.reference.strip_prefix(own).is_some_and(|rest| rest.starts_with(['(', '#'])))
}

/// Scores of every passage, quantised, and for each part of the question apart.
pub(crate) struct Scores {
    pub whole: Vec<i64>,
    /// The share of the question's words that the passage has, a tenth of it with its headings; quantised.
    pub topical: Vec<i64>,
    pub parts: Vec<Vec<i64>>,
}

pub(crate) fn passages(pool: &Pool<'_>, question: &Query, worth: &[f64]) -> Scores {
    let parts: Vec<Query> = clauses(&question.text).iter().map(|clause| Query::new(clause)).collect();
    let asks: Vec<Asks> = parts.iter().map(|part| Asks::of(&part.text)).collect();
    let all = Asks::of(&question.text);
    let mut whole = Vec::with_capacity(pool.passages.len());
    let mut topical = Vec::with_capacity(pool.passages.len());
    let mut by_part = vec![Vec::with_capacity(pool.passages.len()); parts.len()];
    for passage in &pool.passages {
        let text = pool.text_of(passage);
        let title = &pool.titles[passage.paragraph];
        let pairs =
            passage.pairs.intersection(&question.pairs).count() as f64 / question.pairs.len().max(1) as f64;
        let told = parts.iter().zip(&asks).any(|(part, asks)| asks.what && says_what(text, part));
        let base = PARAGRAPH * worth[passage.paragraph]
            + PAIRS * pairs
            + form(text, question, all)
            + if is_of_named_work(&question.text, &pool.paragraphs[passage.paragraph].reference) {
                NAMED
            } else {
                0.0
            }
            + if passage.segments.start == 0 || passage.leads == [0] { 0.06 } else { 0.0 }
            - leans_back(text, question, title)
            - 0.3 * opens_aside(text, question, title)
            - if passage.stems.len() < 5 { 0.1 } else { 0.0 };
        let with_title: BTreeSet<String> = passage.stems.union(&title.all).cloned().collect();
        let bare = pool.coverage(question, &passage.stems);
        let headed = pool.coverage(question, &with_title);
        let spread = spread(passage.stems.len());
        topical.push(quantised(0.9 * bare + 0.1 * headed + answers(text, all)));
        let own = spread * (OWN * bare + HEADED * headed);
        whole.push(quantised(base + own + if told { 0.2 } else { 0.0 } + answers(text, all)));
        for ((part, asks), scores) in parts.iter().zip(&asks).zip(&mut by_part) {
            let fits = spread
                * (OWN * pool.coverage(part, &passage.stems) + HEADED * pool.coverage(part, &with_title));
            let told = asks.what && says_what(text, part);
            scores.push(quantised(
                base + 0.3 * own + 0.7 * fits + if told { 0.25 } else { 0.0 } + answers(text, *asks),
            ));
        }
    }
    Scores { whole, topical, parts: by_part }
}

/// What the paragraph, neighbouring words, the passage's own words and those of its headings weigh.
const PARAGRAPH: f64 = 0.3;
const PAIRS: f64 = 0.1;
/// What a passage gains whose work the question names.
const NAMED: f64 = 0.2;
const OWN: f64 = 0.5;
const HEADED: f64 = 0.2;

/// What a passage's words keep of their weight: long ones have many by chance.
fn spread(length: usize) -> f64 {
    1.0 / (1.0 + 0.006 * (length as f64 - 18.0).max(0.0))
}

/// What a passage gains that has the kind of thing which is asked for: a time, an amount.
fn answers(text: &str, asks: Asks) -> f64 {
    let mut value = 0.0;
    if asks.time && asks.timed(text) {
        value += 0.12;
    }
    if asks.amount && has_digit(text) {
        value += 0.1;
    }
    // What has neither is rarely the answer, however much it is about the subject.
    if value == 0.0 && !asks.met_by(text) {
        value -= 0.06;
    }
    value
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a text names a frequency.
fn says_how_often(text: &str) -> bool {
    const OFTEN: [&str; 11] = [
        "annual",
        "annually",
        "continuously",
        "daily",
        "every",
        "frequency",
        "monthly",
        "once",
        "quarterly",
        "regularly",
        "weekly",
    ];
    words(text).iter().any(|word| OFTEN.contains(&word.as_str()) || word.starts_with("periodic"))
}

/// Whether a text names a time: a period, a date, a frequency.
fn says_when(text: &str) -> bool {
    const UNITS: [&str; 8] = ["minute", "hour", "day", "week", "month", "year", "period", "frequency"];
    const TIMES: [&str; 9] = [
        "immediately",
        "annually",
        "annual",
        "daily",
        "weekly",
        "monthly",
        "within",
        "periodically",
        "deadline",
    ];
    let is_month = |word: &String| domain::MONTHS.iter().any(|month| month.eq_ignore_ascii_case(word));
    let order = words(text);
    let number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let dated = order
        .windows(2)
        .any(|pair| is_month(&pair[0]) && number(&pair[1]) || is_month(&pair[1]) && number(&pair[0]));
    dated
        || order.iter().any(|word| {
            let bare = word.strip_suffix('s').unwrap_or(word);
            UNITS.contains(&bare) || TIMES.contains(&word.as_str())
        })
}

/// What a sentence's form adds: a rule where one is asked for; examples and pointers lose.
fn form(text: &str, question: &Query, asks: Asks) -> f64 {
    let mut value = 0.0;
    if asks.action || asks.duty {
        // What must not be done is rarely the answer to how something is.
        let barred = if asks.way && bars(text) { 0.3 } else { 1.0 };
        value += if asks.duty { 0.12 } else { 0.08 } * binds(text) * barred;
        value += 0.1 * opens_on_subject(text, question);
        if !asks.what && defines(text, question) {
            value -= 0.12;
        }
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
    if only_lists(text) {
        value -= 0.3;
    }
    if opens_with_code(text) {
        value -= 0.2;
    }
    value
}

/// How far a sentence binds whom it speaks to, from 0 to 1: most with `shall` or `must`.
pub(crate) fn binds(text: &str) -> f64 {
    let order = words(text);
    let early = |names: &[&str]| order.iter().take(40).any(|word| names.contains(&word.as_str()));
    if early(&["shall", "must", "prohibited", "required", "requires"]) {
        1.0
    } else if instructs(text) {
        0.9
    } else if early(&["should", "has", "have", "needs", "need", "cannot", "ensure", "ensures"]) {
        0.6
    } else if early(&["may", "can"]) {
        0.3
    } else {
        0.0
    }
}

/// Whether a sentence illustrates rather than states.
pub(crate) fn is_example(text: &str) -> bool {
    let first = words(text).into_iter().next().unwrap_or_default();
    ["assume", "suppose", "imagine", "examples"].contains(&first.as_str())
        || text.contains(" for example ")
        || text.contains("for instance")
}

/// Verbs that a sentence which states something nearly always has one of.
const VERBS: [&str; 20] = [
    "is", "are", "was", "were", "be", "has", "have", "must", "shall", "should", "may", "can", "cannot",
    "will", "do", "does", "means", "includes", "include", "applies",
];

/// Whether a text only lists things: many pieces with nothing said of them, or pieces after a label of one word.
pub(crate) fn only_lists(text: &str) -> bool {
    let labelled =
        text.split_once(": ").is_some_and(|(label, rest)| !label.contains(' ') && rest.contains(';'));
    let pieces = text.split(';').collect::<Vec<_>>();
    // A sentence that leads into its pieces says something of them.
    let led = pieces[0].split_once(':').is_some_and(|(lead, _)| lead.split_whitespace().count() > 3);
    let verb = || words(text).iter().any(|word| VERBS.contains(&word.as_str()));
    labelled || (pieces.len() > 3 && !led && !verb())
}

/// Whether a text begins with a code of its own, as `AC-02(01) accounts are …` does.
pub(crate) fn opens_with_code(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first.starts_with(|c: char| c.is_ascii_uppercase())
        && first.contains('-')
        && first.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the sentence opens with the question's subject, narrowed by a word the question lacks: `Component performance
/// materiality is …`.
pub(crate) fn foreign_subject(text: &str, question: &Query) -> bool {
    let order = words(text);
    let [first, second, third, ..] = order.as_slice() else { return false };
    let [first, second, third] = [first, second, third].map(|word| stem(word));
    let (second, third) = if second < third { (second, third) } else { (third, second) };
    !instructs(text)
        && !question.stems.contains(&first)
        && !super::words::is_stop(&order[0])
        && !is_vague(&first)
        && question.pairs.contains(&(second, third))
}

/// What a sentence loses that can't stand alone: it points at something said before or to another provision, or opens with
/// something that neither the question nor its own heading names.
fn leans_back(text: &str, question: &Query, title: &Title) -> f64 {
    const BACK: [&str; 7] = ["those", "these", "such", "latter", "former", "another", "same"];
    const AWAY: [&str; 8] = [
        "paragraph",
        "paragraphs",
        "point",
        "points",
        "notwithstanding",
        "derogation",
        "prejudice",
        "subparagraph",
    ];
    let order = words(text);
    let early =
        |names: &[&str], count: usize| order.iter().take(count).any(|word| names.contains(&word.as_str()));
    if points_back(text) || early(&BACK, 7) {
        return 0.16;
    }
    if early(&AWAY, 2) {
        return 0.12;
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

/// Whether a sentence forbids.
fn bars(text: &str) -> bool {
    words(text).windows(2).any(|pair| {
        ["must", "shall", "should", "may", "can"].contains(&pair[0].as_str()) && pair[1] == "not"
            || pair[0] == "cannot"
    })
}

/// Whether a sentence is an instruction, as `Retain records for a year.` is: no verb but the first word, which is none of
/// the forms that a noun or a participle has.
fn instructs(text: &str) -> bool {
    let bare = text.split_once([' ', '\t']).map_or(text, |(first, rest)| {
        if first.ends_with(['.', ')']) && first.len() <= 5 { rest } else { text }
    });
    let first = bare.split(' ').next().unwrap_or_default();
    first.len() > 2
        && first.starts_with(|c: char| c.is_uppercase())
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !["s", "ed", "ing", "ion", "ity"].iter().any(|ending| first.ends_with(ending))
        && !words(bare).iter().take(12).any(|word| VERBS.contains(&word.as_str()))
}

/// How much of what a sentence opens with is the question's subject, from 0 to 1.
fn opens_on_subject(text: &str, question: &Query) -> f64 {
    let order = stems(text);
    order.iter().take(3).filter(|one| question.stems.contains(*one)).count() as f64 / 3.0
}

/// How much a word tells: more, the fewer paragraphs have it; and what one tells that none has. Gentler than the usual
/// logarithm: the paragraphs were searched for the question, so what most of them say is its subject, not noise.
pub(crate) fn weights(texts: &[BTreeSet<String>], titles: &[Title]) -> (BTreeMap<String, f64>, f64) {
    let total = texts.len() as f64;
    let mut seen: BTreeMap<String, f64> = BTreeMap::new();
    for (text, title) in texts.iter().zip(titles) {
        text.union(&title.all).for_each(|stem| *seen.entry(stem.clone()).or_default() += 1.0);
    }
    let rarity = |count: f64| (1.0 + total / count.max(0.5)).ln().sqrt();
    let weight = |stem: &str, count: f64| rarity(count) * if is_vague(stem) { VAGUE_WEIGHT } else { 1.0 };
    let weights = seen.iter().map(|(stem, count)| (stem.clone(), weight(stem, *count))).collect();
    (weights, rarity(1.0))
}

#[cfg(test)]
mod tests {
    use super::is_of_named_work;

    #[test]
    fn a_question_names_the_work_that_is_cited_and_no_file_that_speaks_of_it() {
        let asked = "What does ISA 999 require, and RFC 9110?";
        for reference in ["(ISA 999.3)", "(ISA 999 (2016).A1)", "(RFC 9110 §5 ¶1)"] {
            assert!(is_of_named_work(asked, reference), "{reference}");
        }
        for reference in [
            "(ISA 999 - Memo Client Alpha:requirements/p1)",
            "(ISA 999 (Revised) summary:p1)",
            "(ISA 9990.3)",
            "(ISA 99.3)",
            "(Rule 999)",
            "(1.2)",
            "",
        ] {
            assert!(!is_of_named_work(asked, reference), "{reference}");
        }
    }
}
