//! The query plan: what to look up, from the question's own words and the corpus' headings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::material::{Depth, Material};
use super::outline::{Heading, headings, named_standards};
use super::phrase::{clauses, content_phrase, in_words};
use super::score::{Asks, Title, is_vague, leaning};
use super::words::{stem_set, stems};

/// One planned query.
struct Planned {
    query: String,
    role: &'static str,
    standards: Vec<String>,
    stems: BTreeSet<String>,
}

impl Planned {
    fn new(query: String, role: &'static str, standards: Vec<String>) -> Self {
        Self { stems: stem_set(&query), query, role, standards }
    }

    /// A query that names no standard aims at those of the heading it shares most words with.
    fn take_standards(&mut self, ranked: &[Heading]) {
        if !self.standards.is_empty() {
            return;
        }
        let shared =
            |heading: &Heading| heading.all.intersection(&self.stems).filter(|one| !is_vague(one)).count();
        let nearest = ranked.iter().enumerate().max_by_key(|(at, one)| (shared(one), std::cmp::Reverse(*at)));
        if let Some((_, heading)) = nearest.filter(|(_, heading)| shared(heading) > 0) {
            self.standards = heading.standards.clone();
        }
    }
}

/// What the question is, as far as words tell.
struct Reading {
    question: String,
    clauses: Vec<String>,
    terms: BTreeSet<String>,
    headings: Vec<Heading>,
}

pub(crate) fn plan(material: &Material) -> Value {
    let question = material.question();
    let answers = material.remarks("USER_ANSWERS");
    let mut remarks = material.remarks("AMEND_FEEDBACK");
    remarks.extend(material.remarks("GUIDANCE"));
    let prior = material.text("PRIOR_RESEARCH_CONTEXT");
    let reading = read(&question, headings(material));
    let most = material
        .setting("maxSubQueries")
        .map_or(material.depth().queries(), |most| most.clamp(1, 20) as usize);

    let (answered, declined) = sort_remarks(&answers);
    let (wanted, mut unwanted) = sort_remarks(&remarks);
    unwanted.extend(declined);
    let mut ranked = rank(&reading, &answered, &wanted);
    let mut queries = own_queries(&reading);
    for (index, text) in answered.iter().chain(&wanted).enumerate() {
        let phrase = content_phrase(text);
        if !stem_set(&phrase).is_empty() {
            let query = joined(&subject(&reading), &phrase);
            queries.insert((index + 1).min(queries.len()), Planned::new(query, role_of(&phrase), Vec::new()));
        }
    }
    ranked.retain(|heading| !unwanted.iter().any(|stem| heading.own.contains(stem)));
    queries.extend(ranked.iter().map(|heading| from_heading(heading, &reading)));
    let asked = queries.first().map(|query| query.query.clone());
    queries.retain(|query| {
        Some(&query.query) == asked.as_ref() || !unwanted.iter().any(|stem| query.stems.contains(stem))
    });
    let mut queries = distinct(queries, most);
    for query in &mut queries {
        query.take_standards(&ranked);
    }

    let mut standards: Vec<String> = named_standards(&question);
    standards.extend(common_standards(&ranked));
    let mut seen = BTreeSet::new();
    standards.retain(|name| seen.insert(name.clone()));
    standards.truncate(5);

    let (clarity, doubts) = clarity(&reading, &answers, &remarks);
    let unclear = clarity < 0.7;
    let chapters: BTreeSet<&str> = ranked
        .iter()
        .take(most)
        .map(|heading| heading.above.as_str())
        .filter(|above| !above.is_empty())
        .collect();
    let several = standards.len() > 1 || chapters.len() > 1;
    let scope = match (standards.is_empty(), several) {
        (false, true) => "several standards",
        (false, false) => "one standard",
        (true, true) => "several sections",
        (true, false) => "one section",
    };
    let depth = recommended(&reading, &ranked);
    let topic = queries.first().map_or_else(|| question.clone(), |first| first.query.clone());
    let mut searches = vec![topic.clone()];
    searches.extend(standards.first().map(|name| format!("{name} {topic}")));
    json!({
        "original_query": material.request(),
        "clarity_score": clarity,
        "recommended_action": if unclear { "clarify" } else { "proceed" },
        "assumptions": assumptions(&ranked, &reading, prior),
        "alternative_interpretations": alternatives(&ranked, unclear),
        "clarification_questions": if unclear { questions(&reading, &ranked, &doubts) } else { Vec::new() },
        "primary_standards": standards,
        "sub_queries": queries.iter().map(|query| json!({
            "query": query.query, "role": query.role, "target_standards": query.standards,
        })).collect::<Vec<_>>(),
        "depth_mode": depth.name(),
        "scope": scope,
        "authority_sources": { "search_queries": searches },
    })
}

fn read(question: &str, headings: Vec<Heading>) -> Reading {
    Reading { question: question.to_owned(), clauses: clauses(question), terms: stem_set(question), headings }
}

/// What the whole question is about, in a few words.
fn subject(reading: &Reading) -> String {
    let phrase = reading
        .clauses
        .first()
        .map_or_else(|| content_phrase(&reading.question), |clause| content_phrase(clause));
    phrase.split(' ').take(8).collect::<Vec<_>>().join(" ")
}

/// Two phrases as one query, without words that stand in both.
fn joined(first: &str, second: &str) -> String {
    let have = stem_set(second);
    let kept: Vec<&str> = first
        .split(' ')
        .filter(|word| stems(word).first().is_some_and(|stem| !have.contains(stem)))
        .collect();
    if kept.is_empty() { second.to_owned() } else { format!("{} {second}", kept.join(" ")) }
}

/// One query for each part of the question.
fn own_queries(reading: &Reading) -> Vec<Planned> {
    let mut queries: Vec<Planned> = Vec::new();
    for clause in &reading.clauses {
        let phrase = content_phrase(clause);
        if !phrase.is_empty() {
            let role = if queries.is_empty() { "primary" } else { role_of(&phrase) };
            queries.push(Planned::new(phrase, role, named_standards(clause)));
        }
    }
    if queries.is_empty() {
        let text: String = reading.question.split_whitespace().take(20).collect::<Vec<_>>().join(" ");
        queries.push(Planned::new(
            if text.len() < 2 { "(empty question)".to_owned() } else { text },
            "primary",
            Vec::new(),
        ));
    }
    queries
}

/// The headings that share words with the question, most first; the order of the outline decides ties.
///
/// The outline was searched for the question, so a word that stands in many of its headings is the subject itself and
/// counts more, and so does the chapter that most of it is from.
fn rank(reading: &Reading, answers: &[String], wanted: &[String]) -> Vec<Heading> {
    let mut terms = reading.terms.clone();
    let mut pairs = neighbours(&reading.question);
    for text in reading.clauses.iter().chain(answers).chain(wanted) {
        terms.extend(stem_set(text));
        pairs.extend(neighbours(text));
    }
    let mut frequency: BTreeMap<&str, usize> = BTreeMap::new();
    let mut chapters: BTreeMap<&str, f64> = BTreeMap::new();
    let place = |index: usize| 1.0 / (1.0 + index as f64 / 6.0);
    for (index, heading) in reading.headings.iter().enumerate() {
        heading.all.iter().for_each(|stem| *frequency.entry(stem).or_default() += 1);
        *chapters.entry(&heading.above).or_default() +=
            place(index) * if heading.all.is_disjoint(&terms) { 0.2 } else { 1.0 };
    }
    let leading = chapters.values().copied().fold(0.0, f64::max);
    let weight = |stem: &String| {
        let weight = 0.6 + 0.4 * (frequency.get(stem.as_str()).copied().unwrap_or(0) as f64).ln_1p();
        if is_vague(stem) { 0.25 * weight } else { weight }
    };
    let asks = Asks::of(&reading.question);
    let mut ranked: Vec<(i64, usize)> = Vec::new();
    for (index, heading) in reading.headings.iter().enumerate() {
        // A heading that repeats its chapter's name is not nearer to the question than its neighbours.
        let above = stem_set(&heading.above);
        let all: f64 = heading.all.intersection(&terms).map(weight).sum();
        let own: f64 =
            heading.own.intersection(&terms).filter(|stem| !above.contains(*stem)).map(weight).sum();
        let joint: BTreeSet<_> =
            neighbours(&heading.above).union(&neighbours(&heading.title)).cloned().collect();
        let joint = joint.intersection(&pairs).count() as f64;
        let chapter = if leading > 0.0 {
            chapters.get(heading.above.as_str()).copied().unwrap_or(0.0) / leading
        } else {
            0.0
        };
        if all > 0.0 {
            let shared: Vec<&String> = heading.own.intersection(&terms).collect();
            let vaguely = !shared.is_empty() && shared.iter().all(|one| is_vague(one));
            let lean = if vaguely { -1.0 } else { leaning(&heading.title, asks) };
            let title = Title { own: heading.own.clone(), all: heading.all.clone() };
            let score = 0.8 * all + 0.4 * own + 1.2 * joint + 2.5 * chapter + 1.5 * place(index) + 1.2 * lean
                - 1.6 * title.narrows(&terms);
            ranked.push((super::words::quantised(score), index));
        }
    }
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|(_, index)| reading.headings[index].clone()).collect()
}

/// Stems that stand side by side.
fn neighbours(text: &str) -> BTreeSet<(String, String)> {
    stems(text).windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

/// A heading as a query: with the heading above it where it would be vague alone.
fn from_heading(heading: &Heading, reading: &Reading) -> Planned {
    let vague = heading.own.intersection(&reading.terms).next().is_none() || heading.own.len() < 2;
    let above = heading.above.rsplit(" > ").next().unwrap_or_default();
    let query = if vague && !above.is_empty() {
        joined(&in_words(above), &in_words(&heading.title))
    } else {
        in_words(&heading.title)
    };
    Planned::new(query, role_of(&heading.title), heading.standards.clone())
}

/// What a query is for, by its words.
fn role_of(text: &str) -> &'static str {
    const ROLES: [(&str, &[&str]); 6] = [
        ("documentation", &["documentation", "file", "record", "archive"]),
        ("reporting", &["report", "opinion", "communicate", "letter", "paragraph", "disclosure", "wording"]),
        (
            "exceptions",
            &[
                "exception",
                "limitation",
                "refusal",
                "modified",
                "disagreement",
                "smaller",
                "special",
                "emergency",
            ],
        ),
        (
            "procedures",
            &[
                "procedure",
                "test",
                "respond",
                "evaluate",
                "obtain",
                "perform",
                "inspect",
                "confirm",
                "sample",
                "review",
                "direct",
                "work",
                "evidence",
            ],
        ),
        (
            "judgement",
            &[
                "judgement",
                "significant",
                "assess",
                "consider",
                "choose",
                "scepticism",
                "doubt",
                "choice",
                "decide",
            ],
        ),
        (
            "requirements",
            &["requirement", "define", "definition", "purpose", "meaning", "responsibility", "objective"],
        ),
    ];
    let stems = stem_set(text);
    ROLES
        .iter()
        .find(|(_, words)| words.iter().any(|word| stems.contains(&super::words::stem(word))))
        .map_or("supporting", |(role, _)| *role)
}

/// The first of those that ask for nearly the same.
fn distinct(queries: Vec<Planned>, most: usize) -> Vec<Planned> {
    let mut kept: Vec<Planned> = Vec::new();
    for query in queries {
        let known = kept.iter().any(|other| {
            let shared = other.stems.intersection(&query.stems).count();
            shared * 10 >= other.stems.union(&query.stems).count() * 7
        });
        if !known && kept.len() < most {
            kept.push(query);
        }
    }
    kept
}

/// The standards of the best headings, most frequent first.
fn common_standards(ranked: &[Heading]) -> Vec<String> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (index, heading) in ranked.iter().take(8).enumerate() {
        for name in &heading.standards {
            counts.entry(name).or_insert((0, index)).0 += 1;
        }
    }
    let mut names: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
    names.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.1.1.cmp(&b.1.1)));
    names.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Remarks that want something, and stems of what others don't want.
fn sort_remarks(remarks: &[String]) -> (Vec<String>, BTreeSet<String>) {
    const UNWANTED: [&str; 18] = [
        "remove", "drop", "without", "exclude", "skip", "omit", "ignore", "except", "not", "don", "dont",
        "no", "never", "nicht", "kein", "keine", "keinen", "ohne",
    ];
    /// How something is said, which is nothing to look up.
    const MANNER: [&str; 24] = [
        "keep",
        "short",
        "brief",
        "briefly",
        "concise",
        "concisely",
        "detailed",
        "simple",
        "simply",
        "plain",
        "table",
        "bullets",
        "mind",
        "please",
        "be",
        "it",
        "answer",
        "write",
        "bitte",
        "kurz",
        "fassen",
        "knapp",
        "tabelle",
        "einfach",
    ];
    const ASKING: [&str; 22] = [
        "add",
        "include",
        "focus",
        "also",
        "cover",
        "look",
        "emphasise",
        "emphasize",
        "query",
        "queries",
        "part",
        "remove",
        "drop",
        "without",
        "exclude",
        "skip",
        "omit",
        "ignore",
        "except",
        "instead",
        "topic",
        "question",
    ];
    let mut wanted = Vec::new();
    let mut unwanted = BTreeSet::new();
    for part in remarks
        .iter()
        .flat_map(|remark| remark.split([';', '\n']))
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split(" but "))
    {
        let words = super::words::words(part);
        let says =
            |word: &&String| ![&ASKING[..], &MANNER[..], &UNWANTED[..]].concat().contains(&word.as_str());
        let kept: Vec<String> = words.iter().filter(says).cloned().collect();
        let text = kept.join(" ");
        if words.iter().any(|word| UNWANTED.contains(&word.as_str())) {
            unwanted.extend(stem_set(&text));
        } else if !stem_set(&text).is_empty() {
            wanted.push(text);
        }
    }
    (wanted, unwanted)
}

/// Why the question may not be clear.
#[derive(PartialEq)]
enum ClarityDoubt {
    Short,
    Unknown,
    Scattered,
}

/// How clear the question is, from 0 to 1, and why not.
fn clarity(reading: &Reading, answers: &[String], remarks: &[String]) -> (f64, Vec<ClarityDoubt>) {
    let mut doubts = Vec::new();
    let mut score = 0.92;
    match reading.terms.len() {
        0 | 1 => {
            score -= 0.35;
            doubts.push(ClarityDoubt::Short);
        }
        2 => score -= 0.12,
        _ => {}
    }
    if !reading.headings.is_empty() {
        let known = reading
            .terms
            .iter()
            .filter(|term| reading.headings.iter().any(|heading| heading.all.contains(*term)))
            .count();
        let share = known as f64 / reading.terms.len().max(1) as f64;
        if known == 0 {
            score -= 0.45;
            doubts.push(ClarityDoubt::Unknown);
        } else {
            score -= 0.2 * (1.0 - share).max(0.0) * if share < 0.5 { 1.0 } else { 0.5 };
        }
    } else {
        // The outline tool found nothing near, so nothing says that the knowledge base knows the subject.
        score -= if reading.terms.is_empty() { 0.9 } else { 0.27 };
        doubts.push(ClarityDoubt::Unknown);
    }
    if scattered(reading) {
        score -= 0.27;
        doubts.push(ClarityDoubt::Scattered);
    }
    if answers.iter().chain(remarks).any(|text| !stem_set(text).is_empty()) {
        score += 0.25;
    }
    ((score.clamp(0.05, 0.97) * 100.0).round() / 100.0, doubts)
}

/// Whether the parts of the question have nothing to do with each other: three or more, without a shared word.
fn scattered(reading: &Reading) -> bool {
    let parts: Vec<BTreeSet<String>> =
        reading.clauses.iter().map(|clause| stem_set(clause)).filter(|part| !part.is_empty()).collect();
    parts.len() >= 3
        && parts
            .iter()
            .enumerate()
            .all(|(index, part)| parts[index + 1..].iter().all(|other| part.is_disjoint(other)))
}

fn recommended(reading: &Reading, ranked: &[Heading]) -> Depth {
    match (reading.clauses.len(), ranked.len()) {
        (0 | 1, _) if reading.terms.len() <= 3 => Depth::Quick,
        (parts, near) if parts >= 3 || (parts == 2 && near >= 12) => Depth::Deep,
        _ => Depth::Standard,
    }
}

fn assumptions(ranked: &[Heading], reading: &Reading, prior: &str) -> Vec<String> {
    let mut out = Vec::new();
    let near: Vec<String> =
        ranked.iter().take(2).map(|heading| format!("\u{201c}{}\u{201d}", heading.title)).collect();
    if near.is_empty() {
        out.push("No heading of the knowledge base shares a word with the question; the search goes by its words alone.".to_owned());
    } else {
        out.push(format!(
            "The question belongs to what the knowledge base says under {}.",
            near.join(" and ")
        ));
    }
    if reading.clauses.len() > 1 {
        out.push(format!(
            "The question has {} parts, which are looked up one by one.",
            reading.clauses.len()
        ));
    }
    if !prior.is_empty() {
        out.push("It continues the earlier question.".to_owned());
    }
    out.push("Planned offline from words and headings, without a language model.".to_owned());
    out
}

/// Other readings, named only where the question leaves room for them.
fn alternatives(ranked: &[Heading], unclear: bool) -> Vec<String> {
    let near = ranked.iter().skip(1).take(if unclear { 2 } else { 0 });
    near.map(|heading| format!("It could be about \u{201c}{}\u{201d}.", in_words(&heading.title))).collect()
}

fn questions(reading: &Reading, ranked: &[Heading], doubts: &[ClarityDoubt]) -> Vec<String> {
    let mut out = Vec::new();
    let near: Vec<&Heading> = if ranked.is_empty() {
        reading.headings.iter().take(3).collect()
    } else {
        ranked.iter().take(3).collect()
    };
    let titles = near
        .iter()
        .map(|heading| format!("\u{201c}{}\u{201d}", heading.title))
        .collect::<Vec<_>>()
        .join(", ");
    if doubts.contains(&ClarityDoubt::Scattered) {
        let parts: Vec<String> = reading
            .clauses
            .iter()
            .take(4)
            .map(|clause| format!("\u{201c}{}\u{201d}", content_phrase(clause)))
            .collect();
        out.push(format!(
            "The question names several subjects ({}). Which of them matters most?",
            parts.join(", ")
        ));
    }
    if doubts.contains(&ClarityDoubt::Unknown) {
        out.push("None of the question's words is a heading of this knowledge base. Which other words would its texts use?".to_owned());
    }
    if !titles.is_empty() {
        out.push(format!("Which of these is meant, if any: {titles}?"));
    }
    if doubts.contains(&ClarityDoubt::Short) || out.is_empty() {
        out.push("What should the answer be for: what it means, what work it asks for, or how it is documented and reported?".to_owned());
    }
    out
}
