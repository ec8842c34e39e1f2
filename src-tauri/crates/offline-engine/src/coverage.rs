//! What the paragraphs have of a question: whether they answer it at all, how sure that is, and what is missing.

use std::collections::BTreeSet;

use super::safe::plain;
use super::score::{Asks, is_vague};
use super::select::{Pool, Query};
use super::words::{asked, stem};

/// The share of the question's key words that one paragraph must have for there to be an answer.
const ANSWERED: f64 = 0.34;
/// The share of a part's words from which on it counts as covered.
const COVERED: f64 = 0.5;
/// The most that the offline engine is sure of an answer.
const CERTAIN: f64 = 0.75;
/// The confidence below which the nearest passages mostly say something else. Of everyday questions 58 of 60 that have an answer reach
/// it, and none of those that have none.
const CLEAR: f64 = 0.4;
/// Words that are named at most.
const MAX_NAMED: usize = 8;

/// Words of everyday questions that a text which answers them need not have.
const LIGHT: [&str; 63] = [
    "allow",
    "allowed",
    "anybody",
    "anyone",
    "ask",
    "asked",
    "become",
    "begin",
    "break",
    "breaking",
    "bring",
    "change",
    "check",
    "differ",
    "difference",
    "different",
    "company",
    "enough",
    "everybody",
    "everyone",
    "exactly",
    "fast",
    "find",
    "found",
    "go",
    "goes",
    "good",
    "happen",
    "happens",
    "help",
    "helped",
    "keep",
    "keeps",
    "kept",
    "kind",
    "know",
    "knows",
    "long",
    "main",
    "mean",
    "means",
    "new",
    "next",
    "number",
    "often",
    "people",
    "person",
    "put",
    "puts",
    "quickly",
    "rule",
    "rules",
    "said",
    "soon",
    "somebody",
    "someone",
    "sure",
    "take",
    "takes",
    "tell",
    "told",
    "work",
    "works",
];

/// What the paragraphs and the passages that open the answer have of the question.
pub(crate) struct Found {
    /// The question's key words that no paragraph has.
    missing: Vec<String>,
    /// Its key words that no quoted passage has, though a paragraph does.
    unquoted: Vec<String>,
    /// All its key words.
    sought: Vec<String>,
    /// The weighted share of them that the nearest paragraph has.
    paragraph: f64,
    /// That the nearest passage of the opening has, and all of them together.
    nearest: f64,
    together: f64,
    /// The largest share of the question's neighbouring words that stand together in a passage of the opening.
    joined: f64,
    /// Whether a time or an amount is asked for, and no passage of the opening names one.
    unmet: bool,
    /// Stems of each passage with its headings.
    passages: Vec<BTreeSet<String>>,
}

impl Found {
    /// `opening` are the passages under the first heading, `all` those of the whole answer.
    pub(crate) fn new(pool: &Pool<'_>, question: &Query, opening: &[usize], all: &[usize]) -> Self {
        let mut words = key_words(&question.text);
        let mut seen = BTreeSet::new();
        words.retain(|word| seen.insert(stem(word)));
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        let paragraphs: Vec<BTreeSet<String>> = pool
            .texts
            .iter()
            .zip(&pool.titles)
            .map(|(text, title)| text.union(&title.all).cloned().collect())
            .collect();
        let quoted: Vec<BTreeSet<String>> =
            all.iter().map(|index| pool.stems_of(&pool.passages[*index])).collect();
        let total: f64 = stems.iter().map(|stem| pool.weight(stem)).sum();
        let share = |has: &dyn Fn(&str) -> f64| {
            let found: f64 = stems.iter().map(|stem| pool.weight(stem) * has(stem)).sum();
            if total > 0.0 { found / total } else { 0.0 }
        };
        // A heading says what a passage is about, but not what it says.
        let by = |own: &BTreeSet<String>, headed: &BTreeSet<String>, stem: &str| {
            if mentions(own, stem) {
                1.0
            } else if mentions(headed, stem) {
                0.7
            } else {
                0.0
            }
        };
        let opened: Vec<(&BTreeSet<String>, BTreeSet<String>)> = opening
            .iter()
            .map(|index| (&pool.passages[*index].stems, pool.stems_of(&pool.passages[*index])))
            .collect();
        let nearest = opened.iter().map(|(own, headed)| share(&|stem| by(own, headed, stem)));
        let together =
            share(&|stem| opened.iter().map(|(own, headed)| by(own, headed, stem)).fold(0.0, f64::max));
        let joined = |index: &usize| {
            let shared = pool.passages[*index].pairs.intersection(&question.pairs).count();
            shared as f64 / question.pairs.len() as f64
        };
        let asks = Asks::of(&question.text);
        let lacks = |sets: &[BTreeSet<String>]| -> Vec<String> {
            let lacking = |word: &&String| !sets.iter().any(|set| mentions(set, &stem(word)));
            words.iter().filter(lacking).take(MAX_NAMED).cloned().collect()
        };
        let missing = lacks(&paragraphs);
        let mut unquoted = lacks(&quoted);
        unquoted.retain(|word| !missing.contains(word));
        Self {
            paragraph: paragraphs
                .iter()
                .map(|set| share(&|stem| f64::from(u8::from(mentions(set, stem)))))
                .fold(0.0, f64::max),
            nearest: nearest.fold(0.0, f64::max),
            joined: if question.pairs.is_empty() {
                1.0
            } else {
                opening.iter().map(joined).fold(0.0, f64::max)
            },
            unmet: !opening.iter().any(|index| asks.met_by(pool.text_of(&pool.passages[*index]))),
            together,
            missing,
            unquoted,
            sought: words,
            passages: quoted,
        }
    }

    /// Whether any paragraph has enough of the question to answer it.
    pub(crate) fn answers(&self) -> bool {
        !self.passages.is_empty() && self.paragraph >= ANSWERED
    }

    /// Whether what was found is near enough to be shown, though it is no answer.
    pub(crate) fn is_near(&self) -> bool {
        self.paragraph >= ANSWERED / 2.0
    }

    /// The share of the question's words that the opening has, in all and in its nearest passage, and of those that stand
    /// together there; never near certainty, since words in common are not yet an answer.
    pub(crate) fn confidence(&self) -> f64 {
        if !self.answers() {
            return 0.0;
        }
        let covered = 0.25 * self.together + 0.45 * self.nearest + 0.3 * self.joined;
        let unmet = if self.unmet { 0.7 } else { 1.0 };
        (covered.min(1.0) * unmet * CERTAIN * 100.0).round() / 100.0
    }

    /// What the answer says before it quotes anything: that nothing was found, or nothing clear, or what of the question nothing
    /// mentions.
    pub(crate) fn headline(&self, pool: &Pool<'_>) -> Option<String> {
        if self.answers() {
            let unclear = self.confidence() < CLEAR;
            let unclear = unclear
                .then_some("**No clear answer found.** These passages are the nearest to the question.");
            let missing = self.unmentioned();
            let said: Vec<&str> = unclear.into_iter().chain(missing.as_deref()).collect();
            return (!said.is_empty()).then(|| format!("> {}\n\n", said.join(" ")));
        }
        let from = sources(pool);
        let read = match pool.paragraphs.len() {
            0 if self.sought.is_empty() => "The search found no paragraph.".to_owned(),
            0 => format!("The search for {} found no paragraph.", listed(&self.sought, "and")),
            1 => format!("The only paragraph found{from} does not answer the question."),
            count => format!("None of the {count} paragraphs found{from} answers the question."),
        };
        let lacking = self.unmentioned().filter(|_| !pool.paragraphs.is_empty());
        let lacking = lacking.map_or_else(String::new, |lacking| format!(" {lacking}"));
        Some(format!("> **Not found.** {read}{lacking}\n\n"))
    }

    /// Which words of the question no paragraph has, as a sentence.
    fn unmentioned(&self) -> Option<String> {
        let some = !self.missing.is_empty();
        some.then(|| format!("No paragraph found mentions {}.", listed(&self.missing, "or")))
    }

    /// What the person asked for and no passage has. `own` are the parts of the question and the remarks, as they were written
    /// and as they are meant.
    pub(crate) fn gaps(&self, pool: &Pool<'_>, own: &[(String, Query)]) -> Vec<String> {
        let best =
            |query: &Query| self.passages.iter().map(|stems| pool.coverage(query, stems)).fold(0.0, f64::max);
        let mut gaps: Vec<String> = own
            .iter()
            .filter(|(_, query)| best(query) < COVERED)
            .take(8)
            .map(|(written, _)| {
                format!("No passage was found that answers \u{201c}{}\u{201d}.", plain(written, 160))
            })
            .collect();
        gaps.extend(self.unmentioned());
        if !self.unquoted.is_empty() {
            gaps.push(format!("No quoted passage mentions {}.", listed(&self.unquoted, "or")));
        }
        gaps.push(
            "What follows from the quoted passages (the answer was written offline and draws no conclusion)."
                .to_owned(),
        );
        gaps
    }
}

/// The words of a question that a text which answers it has; where there are none, all that say something.
fn key_words(question: &str) -> Vec<String> {
    let all = asked(question);
    let key: Vec<String> = all
        .iter()
        .filter(|word| !LIGHT.contains(&word.as_str()) && !is_vague(&stem(word)))
        .cloned()
        .collect();
    if key.is_empty() { all } else { key }
}

/// Whether a stem is among some, in this form or in a longer or shorter one: stems are rough.
fn mentions(stems: &BTreeSet<String>, stem: &str) -> bool {
    const ROOT: usize = 5;
    let like = |one: &String| {
        one.len() >= ROOT && stem.len() >= ROOT && (one.starts_with(stem) || stem.starts_with(one.as_str()))
    };
    stems.contains(stem) || stems.iter().any(like)
}

/// Words in a row, safe to stand in Markdown: `“a”, “b” or “c”`.
fn listed(words: &[String], joint: &str) -> String {
    let quoted = |word: &String| format!("\u{201c}{}\u{201d}", plain(word, 60));
    let words: Vec<String> = words.iter().take(MAX_NAMED).map(quoted).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {joint} {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Where the paragraphs are from, by name.
fn sources(pool: &Pool<'_>) -> String {
    let mut names: Vec<String> = Vec::new();
    for paragraph in &pool.paragraphs {
        let name = plain(&paragraph.source, 80);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [] => String::new(),
        [first, second, _, _, ..] => format!(" in {first}, {second} and {} others", names.len() - 2),
        few => format!(" in {}", few.join(", ")),
    }
}
