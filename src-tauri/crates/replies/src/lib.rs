//! What a person's words at a pause mean: which choice they take, which they forbid, what is left for the agent. Words and
//! rules decide, never a model. Words that forbid what a choice does never take it; words that name no choice take none
//! that acts outside.

#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod clause;
mod lexicon;
mod question;
mod speech;

use domain::agent::{Choice, OutsideAct};
use regex::RegexBuilder;

pub use question::is_question;

use crate::clause::{folded, tokens};
use crate::lexicon::{Entry, Role, words_of};
use crate::speech::Speech;

/// The most bytes of a compiled pattern of a choice.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Bytes that two forms of a word begin with: "retrieve" and "retrieves".
const MIN_STEM_BYTES: usize = 6;

/// A choice that a pause offers.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    /// The choice.
    pub choice: &'a Choice,
    /// Why it can't do what it says.
    pub unavailable: Option<&'a str>,
}

/// What a text means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// The choice at this place, and what is said besides.
    Choice {
        /// The choice's place among the offered ones.
        at: usize,
        /// Words for the agent.
        rest: Option<String>,
    },
    /// A question; it decides nothing.
    Question,
    /// No choice has the id that was given.
    Unknown,
    /// Nothing is decided.
    Open(Open),
}

/// Why nothing is decided, and what was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// In sentences.
    pub why: String,
    /// Words that would go along with a choice.
    pub rest: Option<String>,
    /// The place of the choice that is taken where nobody can be asked: it does nothing outside and is not forbidden.
    /// `None` where going on is refused.
    pub less: Option<usize>,
}

/// Reads a reply: a choice's id, what is said, and what is answered to questions. Words never make a choice do what they
/// forbid, and of words beside a choice only what is said of the subject goes along.
pub fn meaning<'t>(
    choice: Option<&str>,
    text: &str,
    answers: impl Iterator<Item = &'t str>,
    offered: &[Offered<'_>],
) -> Meaning {
    let answers: Vec<&str> = answers.collect();
    let found = match choice {
        Some(id) => match offered.iter().position(|one| one.choice.id == id) {
            Some(at) => match beside(text, at, offered) {
                Ok(rest) => take(at, rest, offered),
                Err(open) => Meaning::Open(open),
            },
            None => Meaning::Unknown,
        },
        None => read(text, offered),
    };
    let Meaning::Choice { at, .. } = found else { return found };
    match answers.into_iter().find_map(|answer| beside(answer, at, offered).err()) {
        Some(open) => Meaning::Open(Open { rest: None, ..open }),
        None => found,
    }
}

/// Reads a text against the choices that a pause offers. Empty words take the first choice that goes on.
fn read(text: &str, offered: &[Offered<'_>]) -> Meaning {
    let text = text.trim();
    let ways: Vec<usize> = (0..offered.len()).filter(|at| offered[*at].choice.goes_on()).collect();
    if text.is_empty() {
        return match ways.first() {
            Some(at) => take(*at, None, offered),
            None => open("No choice was named.", None, None),
        };
    }
    if let Some(at) = named(text, offered) {
        return take(at, None, offered);
    }
    if is_question(text) {
        return Meaning::Question;
    }
    let said = speech(text, offered);
    Reading { offered, ways, said }.meaning(text)
}

/// What words that come with a choice taken by its button say against it; and what of them goes along.
///
/// # Errors
///
/// Why the choice is not taken: the words forbid what it does.
fn beside(text: &str, at: usize, offered: &[Offered<'_>]) -> Result<Option<String>, Open> {
    let text = text.trim();
    let choice = offered[at].choice;
    if text.is_empty() || !choice.goes_on() {
        return Ok(Some(text.to_owned()).filter(|text| !text.is_empty()));
    }
    let said = speech(text, offered);
    if let Some(act) = acts_of(choice).into_iter().find(|act| said.act(*act) == Some(false)) {
        let reading = Reading { offered, ways: Vec::new(), said };
        let why = format!("Your words say no to what \"{}\" does: it {}.", choice.label, does(act));
        return Err(Open { why, rest: reading.said.rest.clone(), less: None });
    }
    Ok(if said.decides_nothing() { Some(text.to_owned()) } else { said.rest })
}

/// Whether a text consents and says nothing else: "yes", "go ahead, please", "ja".
pub fn is_agreement(text: &str) -> bool {
    let said = Speech::read(text, &[], OutsideAct::ALL);
    !is_question(text)
        && said.goes_on == Some(true)
        && said.rest.is_none()
        && said.acts.is_empty()
        && !(said.is_refused || said.is_unsure || said.disapproves || said.skips || said.amends)
}

/// Whether a text says no and nothing else: "no", "please don't", "lieber nicht".
pub fn is_refusal(text: &str) -> bool {
    let said = Speech::read(text, &[], OutsideAct::ALL);
    (said.is_refused || said.goes_on == Some(false))
        && said.goes_on != Some(true)
        && said.rest.is_none()
        && !said.is_unsure
}

/// Whether a text consents to what costs or changes something: by a plain yes, by `words` that name it, or by an amount where
/// one is asked for. It is no consent where anything in it says no.
pub fn consents(text: &str, words: &[&str], acts: &[OutsideAct]) -> bool {
    let own: Vec<Entry> = words.iter().map(|word| (words_of(word), Role::Own(0))).collect();
    let said = Speech::read(text, &own, acts);
    let refuses =
        said.is_refused || said.is_unsure || said.goes_on == Some(false) || said.own(0) == Some(false);
    let amount =
        text.contains(|c: char| c.is_ascii_digit()) && acts.contains(&OutsideAct::Money) && !said.negates;
    let clear = !is_question(text) && !refuses && !said.acts.iter().any(|(_, wanted)| !*wanted);
    clear && (said.goes_on == Some(true) && said.rest.is_none() || said.own(0) == Some(true) || amount)
}

/// The one of some choices that a text names by `words` of theirs, and does not refuse.
pub fn by_words(text: &str, words: &[&[&str]]) -> Option<usize> {
    let entry = |at: usize| move |word: &&str| (words_of(word), Role::Own(at));
    let own: Vec<Entry> =
        words.iter().enumerate().flat_map(|(at, words)| words.iter().map(entry(at))).collect();
    let said = Speech::read(text, &own, &[]);
    if is_question(text) || said.is_unsure || said.is_refused || said.goes_on == Some(false) {
        return None;
    }
    match said.own.as_slice() {
        [(at, true)] => Some(*at),
        _ => None,
    }
}

/// What a text says of its subject: without words that decide something, such as consent, or that the web is left out.
pub fn subject(text: &str) -> Option<String> {
    let said = Speech::read(text, &[], &[OutsideAct::Web]);
    if said.decides_nothing() {
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    } else {
        said.rest
    }
}

/// What a choice does outside: what its agent declares, else what its label says.
pub fn acts_of(choice: &Choice) -> Vec<OutsideAct> {
    if !choice.acts.is_empty() {
        return choice.acts.clone();
    }
    let label = Speech::read(&choice.label, &[], &[OutsideAct::Web]);
    let wanted = label.acts.iter().filter(|(_, wanted)| *wanted);
    if choice.goes_on() { wanted.map(|(act, _)| *act).collect() } else { Vec::new() }
}

fn does(act: OutsideAct) -> &'static str {
    match act {
        OutsideAct::Web => "searches the web",
        OutsideAct::Money => "costs money",
        OutsideAct::Files => "changes files",
    }
}

fn noun(act: OutsideAct) -> &'static str {
    match act {
        OutsideAct::Web => "the web",
        OutsideAct::Money => "spending money",
        OutsideAct::Files => "changing files",
    }
}

fn speech(text: &str, offered: &[Offered<'_>]) -> Speech {
    let own: Vec<Entry> = offered
        .iter()
        .enumerate()
        .flat_map(|(at, one)| {
            one.choice.words.iter().map(move |words| (words_of(&folded(words)), Role::Own(at)))
        })
        .collect();
    let mut acts = vec![OutsideAct::Web];
    acts.extend(offered.iter().flat_map(|one| one.choice.acts.iter().copied()));
    Speech::read(text, &own, &acts)
}

/// The choice that a text names by its id, its label, or its pattern where that is all it says.
fn named(text: &str, offered: &[Offered<'_>]) -> Option<usize> {
    let flat = |text: &str| tokens(text).into_iter().map(|token| token.word).collect::<Vec<_>>().join(" ");
    let bare = |text: &str| {
        let words = flat(text);
        let words = words.trim_start_matches("please ").trim_start_matches("bitte ");
        words.trim_end_matches(" please").trim_end_matches(" bitte").to_owned()
    };
    let said = bare(text);
    let exact = |one: &Offered<'_>| said == flat(&one.choice.id) || said == flat(&one.choice.label);
    let cancels = |one: &Offered<'_>| {
        matches!(one.choice.action, domain::agent::ChoiceAction::Cancel)
            && matches!(said.as_str(), "abbrechen" | "abort")
    };
    offered.iter().position(|one| !text.contains('?') && (exact(one) || cancels(one)))
}

fn take(at: usize, rest: Option<String>, offered: &[Offered<'_>]) -> Meaning {
    match offered[at].unavailable {
        None => Meaning::Choice { at, rest },
        Some(why) => {
            let less = less(offered, |_| true);
            let why = format!("\"{}\" can't be taken. {why}", offered[at].choice.label);
            Meaning::Open(Open { why, rest, less })
        }
    }
}

fn open(why: impl Into<String>, rest: Option<String>, less: Option<usize>) -> Meaning {
    Meaning::Open(Open { why: why.into(), rest, less })
}

/// The first choice that goes on and does nothing outside.
fn less(offered: &[Offered<'_>], allowed: impl Fn(usize) -> bool) -> Option<usize> {
    (0..offered.len()).find(|at| {
        let one = &offered[*at];
        one.choice.goes_on() && one.unavailable.is_none() && acts_of(one.choice).is_empty() && allowed(*at)
    })
}

/// A text that was read, and the choices.
struct Reading<'a> {
    offered: &'a [Offered<'a>],
    /// The choices that go on, by their places.
    ways: Vec<usize>,
    said: Speech,
}

impl Reading<'_> {
    fn choice(&self, at: usize) -> &Choice {
        self.offered[at].choice
    }

    fn forbids(&self, at: usize) -> bool {
        acts_of(self.choice(at)).into_iter().any(|act| self.said.act(act) == Some(false))
            || self.said.own(at) == Some(false)
            || self.says_no_to(&self.choice(at).next)
    }

    /// Whether the words say no to what a choice does next, in its own words: "don't retrieve anything".
    fn says_no_to(&self, next: &str) -> bool {
        let alike =
            |one: &str, other: &str| one.get(..MIN_STEM_BYTES).is_some_and(|stem| other.starts_with(stem));
        let next = tokens(next);
        self.said.unwanted.iter().any(|word| next.iter().any(|token| alike(word, &token.word)))
    }

    fn wants(&self, at: usize) -> bool {
        acts_of(self.choice(at)).into_iter().any(|act| self.said.act(act) == Some(true))
            || self.said.own(at) == Some(true)
    }

    fn acts(&self, at: usize) -> bool {
        !acts_of(self.choice(at)).is_empty()
    }

    fn less(&self) -> Option<usize> {
        less(self.offered, |at| !self.forbids(at))
    }

    fn meaning(&self, text: &str) -> Meaning {
        let said = &self.said;
        let rest = said.rest.clone();
        let refuses = said.goes_on == Some(false);
        if said.amends && said.goes_on.is_none() && !said.acts.iter().any(|(_, wanted)| *wanted) {
            let amend = |one: &Offered<'_>| matches!(one.choice.action, domain::agent::ChoiceAction::Amend);
            if let Some(at) = self.offered.iter().position(amend) {
                return Meaning::Choice { at, rest: Some(text.to_owned()) };
            }
        }
        if refuses {
            return open(
                format!("{}Your words say that the run is not to go on yet.", self.understood()),
                rest,
                None,
            );
        }
        // A word of a choice that does not go on takes it as well: "one more attempt".
        let wanted =
            (0..self.offered.len()).filter(|at| self.wants(*at) && !self.forbids(*at)).collect::<Vec<_>>();
        if let Some(at) = wanted.first().copied() {
            let clear = !said.is_unsure || !self.acts(at);
            return match clear {
                true => take(at, rest, self.offered),
                false => self.ask_back(),
            };
        }
        let clear = self.ways.iter().copied().filter(|at| !self.forbids(*at)).collect::<Vec<_>>();
        let idle = clear.iter().copied().find(|at| !self.acts(*at));
        let forbids = said.acts.iter().any(|(_, wanted)| !*wanted);
        let wants_other = said.acts.iter().any(|(_, wanted)| *wanted);
        if said.goes_on == Some(true) {
            let least = said.is_refused || said.is_direct || said.skips || forbids;
            let at = if least { idle.or(clear.first().copied()) } else { clear.first().copied() };
            let at = at.filter(|at| !(wants_other || self.acts(*at) && said.is_unsure));
            return at.map_or_else(|| self.ask_back(), |at| take(at, rest, self.offered));
        }
        if said.skips && !said.is_unsure {
            let skip = |at: &usize| matches!(self.choice(*at).action, domain::agent::ChoiceAction::Skip);
            if let Some(at) = clear.iter().copied().find(skip).filter(|at| !self.acts(*at)) {
                return take(at, rest, self.offered);
            }
        }
        if forbids && let Some(at) = idle {
            return take(at, rest, self.offered);
        }
        if let Some(at) = self.pattern(text) {
            return take(at, None, self.offered);
        }
        if said.is_refused {
            return open(format!("{}It is not clear what your no is about.", self.understood()), rest, None);
        }
        // What stands for a choice that does nothing outside goes along with it.
        let takes = |at: &usize| !self.acts(*at) && !self.forbids(*at);
        let default = self.ways.first().copied().filter(takes);
        let subject = rest.is_some() && !said.disapproves && !wants_other;
        default.filter(|_| subject).map_or_else(|| self.ask_back(), |at| take(at, rest, self.offered))
    }

    /// The choice whose pattern a text matches. Two choices that both claim a text leave it undecided.
    fn pattern(&self, text: &str) -> Option<usize> {
        let any = |patterns: &[String]| {
            let compiled = |pattern: &String| {
                RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_PATTERN_BYTES).build().ok()
            };
            patterns.iter().filter_map(compiled).any(|pattern| pattern.is_match(text))
        };
        let claims = |at: &usize| {
            let choice = self.choice(*at);
            !matches!(choice.action, domain::agent::ChoiceAction::Cancel)
                && !self.forbids(*at)
                && any(&choice.matches)
                && !any(&choice.never)
        };
        let mut hits = (0..self.offered.len()).filter(claims);
        match (hits.next(), hits.next()) {
            (Some(at), None) => Some(at),
            _ => None,
        }
    }

    /// What the words want and forbid, in a sentence.
    fn understood(&self) -> String {
        let said = |wanted: bool| {
            let acts = self.said.acts.iter().filter(|(_, is_wanted)| *is_wanted == wanted);
            acts.map(|(act, _)| noun(*act)).collect::<Vec<_>>().join(", ")
        };
        match (said(true), said(false)) {
            (wanted, forbidden) if wanted.is_empty() && forbidden.is_empty() => String::new(),
            (wanted, forbidden) if forbidden.is_empty() => format!("Understood: {wanted}. "),
            (wanted, forbidden) if wanted.is_empty() => format!("Understood: not {forbidden}. "),
            (wanted, forbidden) => format!("Understood: {wanted}, but not {forbidden}. "),
        }
    }

    fn ask_back(&self) -> Meaning {
        let mut why = self.understood();
        let done =
            |act: OutsideAct| (0..self.offered.len()).any(|at| acts_of(self.choice(at)).contains(&act));
        if let Some((act, _)) = self.said.acts.iter().find(|(act, wanted)| *wanted && !done(*act)) {
            why.push_str(&format!("No choice here {}. ", does(*act)));
        }
        why.push_str(match self.said.is_unsure {
            true => "Your words leave open which choice is meant: a doubt, a condition or a contradiction is in them.",
            false => "Your words name no choice.",
        });
        let acting = self.ways.first().filter(|at| self.acts(**at));
        if let Some(at) = acting {
            let acts: Vec<&str> = acts_of(self.choice(*at)).into_iter().map(does).collect();
            let label = &self.choice(*at).label;
            why.push_str(&format!(" \"{label}\" {}, so it has to be meant.", acts.join(" and ")));
        }
        if let Some(rest) = &self.said.rest {
            why.push_str(&format!(" What you said besides goes along with the choice you take: \"{rest}\"."));
        }
        open(why, self.said.rest.clone(), self.less())
    }
}
