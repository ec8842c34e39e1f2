//! Questions that a document puts and their brief answers: form, facts, order, and the word that each answer opens with.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::counter::CounterPattern;
use crate::fault::{Fault, Location, Rule};
use crate::parts::Part;
use crate::pattern::{Pattern, any};
use crate::text::{excerpt, heading, prose, words};

/// What is required of questions and their answers. What is left out is not tested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuestionRubric {
    /// Titles of the headings below which the questions stand, as numbered items.
    pub questions: Vec<Pattern>,
    /// Titles of the headings below which their answers stand, under the same numbers.
    pub answers: Vec<Pattern>,
    /// The fewest questions.
    pub min_questions: u32,
    /// A question matches one of these.
    pub forms: Vec<Pattern>,
    /// What counts as a fact of the matter in a question.
    pub facts: Vec<Pattern>,
    /// The fewest different facts of a question.
    pub min_facts: u32,
    /// What a question says of its weight, the gravest first. A question stands before those that weigh less.
    pub weights: Vec<CounterPattern>,
    /// What an answer opens with, by how sure it is.
    pub openings: Vec<CounterPattern>,
    /// The fewest words of an answer.
    pub min_answer_words: u32,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QuestionRow {
    /// The part.
    pub part: String,
    /// Its number in the part.
    pub number: u32,
    /// Its line.
    pub line: u32,
    /// Its beginning.
    pub excerpt: String,
    /// Different facts of the matter that it names.
    pub facts: u32,
    /// Its weight; none: it says none.
    pub weight: Option<String>,
    /// The line of its answer; none: it has none.
    pub answer_line: Option<u32>,
    /// What its answer opens with; none: no opening of the rubric.
    pub opening: Option<String>,
}

/// The questions of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionCensus {
    /// The questions in order.
    pub rows: Vec<QuestionRow>,
    /// Questions with an answer that opens as the rubric says.
    pub answered: u32,
    /// Answers by their opening.
    pub by_opening: BTreeMap<String, u32>,
    /// What does not hold.
    pub faults: Vec<Fault>,
}

/// A numbered item below a heading, with the lines that continue it.
struct Item {
    number: u32,
    line: u32,
    text: String,
}

/// The number of an item and what follows it.
fn numbered(line: &str) -> Option<(u32, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    Some((line[..digits].parse().ok()?, text))
}

/// Whether a line begins a footnote: it is no part of the item above it.
fn is_footnote(line: &str) -> bool {
    line.trim_start().strip_prefix("[^").is_some_and(|rest| rest.contains("]:"))
}

/// The numbered items below the headings with these titles.
fn items(markdown: &str, titles: &[Pattern]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut below: Option<u8> = None;
    let mut is_open = false;
    for line in prose(markdown).lines {
        if let Some((level, title)) = heading(line.text) {
            is_open = false;
            if any(titles, title) {
                below = Some(level);
            } else if below.is_some_and(|above| level <= above) {
                below = None;
            }
        } else if below.is_none() || line.text.trim().is_empty() {
            // What follows a blank line goes on with the item.
            continue;
        } else if is_footnote(line.text) {
            is_open = false;
        } else if let Some((number, text)) = numbered(line.text) {
            items.push(Item { number, line: line.number, text: text.to_owned() });
            is_open = true;
        } else if let Some(item) = items.last_mut().filter(|_| is_open) {
            item.text.push(' ');
            item.text.push_str(line.text.trim());
        }
    }
    items
}

/// The name of the first pattern that a text holds, and its rank.
fn named<'r>(patterns: &'r [CounterPattern], text: &str) -> Option<(usize, &'r str)> {
    let found = patterns.iter().enumerate().find(|(_, entry)| entry.pattern.is_in(text));
    found.map(|(at, entry)| (at, entry.name.as_str()))
}

/// Different facts of the matter in a text.
fn facts(text: &str, patterns: &[Pattern]) -> u32 {
    let found: BTreeSet<String> = patterns
        .iter()
        .flat_map(|pattern| pattern.regex().find_iter(text))
        .map(|fact| fact.as_str().trim().to_lowercase())
        .filter(|fact| !fact.is_empty())
        .collect();
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

/// The questions of a document and their answers.
pub fn census(parts: &[Part], rubric: &QuestionRubric) -> QuestionCensus {
    let mut census = QuestionCensus::default();
    for part in parts {
        let answers = items(&part.markdown, &rubric.answers);
        let questions = items(&part.markdown, &rubric.questions);
        let mut gravest_left: Option<(usize, u32)> = None;
        for question in &questions {
            let answer = answers.iter().find(|answer| answer.number == question.number);
            let weight = named(&rubric.weights, &question.text);
            let row = tested(part, question, answer, weight.map(|(_, name)| name), rubric, &mut census);
            if let Some((rank, name)) = weight {
                match gravest_left {
                    Some((before, number)) if rank < before => {
                        let said = format!("{name}, after question {number} that weighs less");
                        let place = Location::line(&part.id, question.line);
                        census.faults.push(Fault::new(place, Rule::QuestionOrder, said));
                    }
                    _ => gravest_left = Some((rank, question.number)),
                }
            }
            census.rows.push(row);
        }
        let known: BTreeSet<u32> = questions.iter().map(|question| question.number).collect();
        for answer in answers.iter().filter(|answer| !known.contains(&answer.number)) {
            let place = Location::line(&part.id, answer.line);
            census.faults.push(Fault::new(place, Rule::AnswerUnasked, excerpt(&answer.text)));
        }
    }
    let count = census.rows.len();
    if count < rubric.min_questions as usize {
        let said = format!("{count} questions; at least {}", rubric.min_questions);
        census.faults.push(Fault::new(Location::whole(), Rule::QuestionsTooFew, said));
    }
    census
}

/// One question with its answer; what does not hold is added to the faults.
fn tested(
    part: &Part,
    question: &Item,
    answer: Option<&Item>,
    weight: Option<&str>,
    rubric: &QuestionRubric,
    census: &mut QuestionCensus,
) -> QuestionRow {
    let mut say = |line: u32, rule: Rule, found: String| {
        census.faults.push(Fault::new(Location::line(&part.id, line), rule, found));
    };
    if !rubric.forms.is_empty() && !any(&rubric.forms, &question.text) {
        say(question.line, Rule::QuestionForm, excerpt(&question.text));
    }
    let facts = facts(&question.text, &rubric.facts);
    if facts < rubric.min_facts {
        say(question.line, Rule::QuestionFacts, format!("{facts} facts; at least {}", rubric.min_facts));
    }
    if !rubric.weights.is_empty() && weight.is_none() {
        say(question.line, Rule::QuestionOrder, "no weight is named".into());
    }
    let opening = answer.and_then(|answer| named(&rubric.openings, &answer.text)).map(|(_, name)| name);
    match answer {
        None => say(question.line, Rule::AnswerMissing, format!("question {}", question.number)),
        Some(answer) => {
            let count = words(&answer.text);
            if opening.is_none() {
                say(answer.line, Rule::AnswerOpening, excerpt(&answer.text));
            }
            if count < rubric.min_answer_words {
                let said = format!("{count} words; at least {}", rubric.min_answer_words);
                say(answer.line, Rule::TooShort, said);
            }
        }
    }
    if let Some(opening) = opening {
        census.answered += 1;
        *census.by_opening.entry(opening.to_owned()).or_default() += 1;
    }
    QuestionRow {
        part: part.id.clone(),
        number: question.number,
        line: question.line,
        excerpt: excerpt(&question.text),
        facts,
        weight: weight.map(str::to_owned),
        answer_line: answer.map(|answer| answer.line),
        opening: opening.map(str::to_owned),
    }
}
