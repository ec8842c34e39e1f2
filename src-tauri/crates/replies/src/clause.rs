//! A text as clauses of words, each with what it does.

use std::ops::Range;

use domain::agent::OutsideAct;

use crate::lexicon::{Entry, Role, entries, is_form};
use crate::question::is_request;

/// How a clause is joined to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// By nothing, as within a clause.
    None,
    /// By a comma.
    Comma,
    /// By a colon or a dash.
    Colon,
    /// It begins a sentence.
    Stop,
    /// By "and".
    And,
    /// By "or".
    Or,
    /// By "but".
    But,
    /// As a relative clause.
    Relative,
    /// As a reason.
    Because,
    /// As a condition.
    If,
}

/// How conjunctions join.
const CONJUNCTIONS: [(Role, Join); 6] = [
    (Role::And, Join::And),
    (Role::Or, Join::Or),
    (Role::But, Join::But),
    (Role::Relative, Join::Relative),
    (Role::Because, Join::Because),
    (Role::If, Join::If),
];

/// A word, folded, and the bytes of the text that it stands in.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) word: String,
    pub(crate) at: Range<usize>,
    /// What stands before it.
    gap: Join,
    /// Whether its sentence asks something.
    pub(crate) asked: bool,
}

impl Token {
    /// Whether a mark stands before it.
    pub(crate) fn begins_clause(&self) -> bool {
        self.gap != Join::None
    }
}

/// Some words and what they do.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) role: Role,
    /// Its words, by their places among the tokens.
    pub(crate) tokens: Range<usize>,
}

/// A part of a sentence that says one thing.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) join: Join,
    pub(crate) items: Vec<Item>,
    /// Whether it stands in a question.
    pub(crate) asked: bool,
}

/// Letters as they are compared: lower case, umlauts written out, one form of apostrophe.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'ä' => out.push_str("ae"),
            'ö' => out.push_str("oe"),
            'ü' => out.push_str("ue"),
            'ß' => out.push_str("ss"),
            '\u{308}' => out.push('e'),
            '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{2032}' | '\u{ff07}' | '`' | '´' => out.push('\''),
            '\u{ad}' | '\u{200b}' | '\u{200d}' | '\u{fe0f}' => {}
            _ => out.push(c),
        }
    }
    out
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{2032}' | '\u{ff07}' | '`' | '´')
}

/// The words of a text. Contractions are written out.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut gap = Join::Stop;
    let mut begun = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let is_letter = |at: usize| {
        chars.get(at).is_some_and(|(_, c)| c.is_alphanumeric() || matches!(c, '\u{308}' | '\u{ad}'))
    };
    let mut at = 0;
    while let Some(&(start, c)) = chars.get(at) {
        if is_letter(at) {
            let mut end = at + 1;
            let within = |end: usize| {
                let joins = chars.get(end).is_some_and(|(_, c)| is_apostrophe(*c) || matches!(c, '.' | ','));
                let digits = |at: usize| chars.get(at).is_some_and(|(_, c)| c.is_ascii_digit());
                let apostrophe = chars.get(end).is_some_and(|(_, c)| is_apostrophe(*c));
                joins && is_letter(end + 1) && (apostrophe || digits(end - 1) && digits(end + 1))
            };
            while is_letter(end) || within(end) {
                end += 1;
            }
            let bytes = start..chars.get(end).map_or(text.len(), |(byte, _)| *byte);
            for word in written_out(&folded(&text[bytes.clone()])) {
                found.push(Token { word, at: bytes.clone(), gap, asked: false });
                gap = Join::None;
            }
            at = end;
            continue;
        }
        let lone = |at: usize| !at.checked_sub(1).is_some_and(is_letter) || !is_letter(at + 1);
        let next = match c {
            '\u{1f44d}' | '\u{1f44c}' | '\u{2705}' | '\u{2714}' => {
                found.push(Token {
                    word: "yes".to_owned(),
                    at: start..start + c.len_utf8(),
                    gap,
                    asked: false,
                });
                Join::None
            }
            '\u{1f44e}' | '\u{274c}' | '\u{1f6ab}' => {
                found.push(Token {
                    word: "no".to_owned(),
                    at: start..start + c.len_utf8(),
                    gap,
                    asked: false,
                });
                Join::None
            }
            ',' => Join::Comma,
            ':' | '–' | '—' => Join::Colon,
            '-' if lone(at) => Join::Colon,
            '.' | '!' | ';' | '?' | '\n' | '(' | ')' | '[' | ']' | '…' | '•' => Join::Stop,
            _ => Join::None,
        };
        if c == '?' {
            let sentence: Vec<&str> = found[begun..].iter().map(|token| token.word.as_str()).collect();
            let asked = !is_request(&sentence);
            found[begun..].iter_mut().for_each(|token| token.asked = asked);
        }
        if next == Join::Stop {
            begun = found.len();
        }
        // The strongest of several marks counts.
        gap = match (gap, next) {
            (Join::Stop, _) | (_, Join::Stop) => Join::Stop,
            (Join::Colon, _) | (_, Join::Colon) => Join::Colon,
            (now, Join::None) => now,
            (_, next) => next,
        };
        at += 1;
    }
    found
}

/// "don't" as "do not", "let's" as "let".
fn written_out(word: &str) -> Vec<String> {
    const JOINED: [(&str, &str); 20] = [
        ("dont", "do not"),
        ("doesnt", "does not"),
        ("didnt", "did not"),
        ("wont", "will not"),
        ("cant", "can not"),
        ("cannot", "can not"),
        ("shouldnt", "should not"),
        ("wouldnt", "would not"),
        ("couldnt", "could not"),
        ("isnt", "is not"),
        ("arent", "are not"),
        ("neednt", "need not"),
        ("mustnt", "must not"),
        ("havent", "have not"),
        ("aint", "is not"),
        ("lets", "let us"),
        ("gonna", "going to"),
        ("wanna", "want to"),
        ("gotta", "got to"),
        ("gehts", "geht"),
    ];
    let joined = JOINED.iter().find(|(joined, _)| *joined == word).map(|(_, apart)| (*apart).to_owned());
    let apart = joined.unwrap_or_else(|| match word.strip_suffix("n't") {
        Some("ca") => "can not".to_owned(),
        Some("wo") => "will not".to_owned(),
        Some("sha") => "shall not".to_owned(),
        Some("ai") => "is not".to_owned(),
        Some(verb) => format!("{verb} not"),
        None => match word.split_once('\'') {
            Some(("let", _)) => "let us".to_owned(),
            Some((first, _)) => first.to_owned(),
            None => word.to_owned(),
        },
    });
    apart.split_whitespace().map(str::to_owned).collect()
}

/// The clauses of a text. `own` are words of the choices that are offered; of acts the ones in `acts` are looked for.
pub(crate) fn clauses(tokens: &[Token], own: &[Entry], acts: &[OutsideAct]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let (role, length) = longest(&tokens[at..], own, acts);
        let item = Item { role, tokens: at..at + length };
        let begins = if token.gap == Join::None { None } else { Some(token.gap) };
        at += length;
        // At the beginning of a sentence a conjunction joins to what was said before.
        let joins = CONJUNCTIONS.iter().find(|(conjunction, _)| *conjunction == role).map(|(_, join)| *join);
        let nor = tokens[item.tokens.start].word == "nor";
        if let Some(join) = joins.or(begins) {
            clauses.push(Clause { join, items: Vec::new(), asked: token.asked });
        }
        match joins {
            Some(_) if nor => push(&mut clauses, Item { role: Role::Not, ..item }),
            Some(_) => {}
            None => push(&mut clauses, item),
        }
    }
    clauses.retain(|clause| !clause.items.is_empty());
    clauses.iter_mut().for_each(|clause| leave_out(clause, tokens));
    clauses.into_iter().flat_map(|clause| apart(clause, tokens)).collect()
}

fn push(clauses: &mut [Clause], item: Item) {
    if let Some(clause) = clauses.last_mut() {
        clause.items.push(item);
    }
}

/// The longest entry that the tokens begin with, and how many of them are its.
fn longest(tokens: &[Token], own: &[Entry], acts: &[OutsideAct]) -> (Role, usize) {
    let fits =
        |words: &[String]| {
            words.len() <= tokens.len()
                && words.iter().zip(tokens).enumerate().all(|(at, (word, token))| {
                    is_form(&token.word, word) && (at == 0 || token.gap == Join::None)
                })
        };
    let mut best = (Role::Word, 0);
    for (words, role) in own.iter().chain(entries()) {
        // Where files are changed, "no changes" may mean those.
        let unclear = *role == Role::Content && acts.contains(&OutsideAct::Files);
        let looked_for = if let Role::Act(act) = role { acts.contains(act) } else { !unclear };
        if looked_for && words.len() > best.1 && fits(words) {
            best = (*role, words.len());
        }
    }
    // A letter or digit says something at the beginning of a clause alone: "y", not "for x in y".
    let is_short = tokens.first().is_some_and(|token| token.word.chars().count() == 1);
    let within = tokens.first().is_some_and(|token| token.gap == Join::None);
    match best {
        (_, 0) if is_short => (Role::Fill, 1),
        (Role::Yes, 1) if is_short && within => (Role::Fill, 1),
        (_, 0) => (Role::Word, 1),
        found => found,
    }
}

/// Verbs whose second half stands at the end: "leave the web out", "mach bitte weiter".
fn leave_out(clause: &mut Clause, tokens: &[Token]) {
    const PAIRS: [(&[&str], &[&str], Role); 8] = [
        (
            &["leave", "leaving", "left", "keep", "keeping", "cut", "count", "opt", "rule"],
            &["out", "off", "aside", "alone", "away"],
            Role::Skip,
        ),
        (&["stay", "staying"], &["off", "away", "out"], Role::Skip),
        (&["turn", "switch", "switched", "turned", "call", "hold"], &["off"], Role::Skip),
        (&["set", "put", "push"], &["aside"], Role::Skip),
        (
            &["lass", "lasse", "lassen", "lasst"],
            &["weg", "sein", "aus", "bleiben", "beiseite", "raus", "draussen", "aussen", "fallen"],
            Role::Skip,
        ),
        (
            &[
                "schalte", "schalt", "mach", "mache", "sieh", "sehen", "sehe", "stell", "stelle", "rate",
                "raten",
            ],
            &["aus", "ab"],
            Role::Skip,
        ),
        (&["mach", "mache", "macht", "machen", "geh", "gehe", "gehen"], &["weiter"], Role::Go),
        (&["fahr", "fahre", "fahren", "fahrt"], &["fort"], Role::Go),
    ];
    let word = |item: &Item| tokens[item.tokens.start].word.as_str();
    // "web search off", "Internet aus"
    let named = clause.items.iter().any(|item| matches!(item.role, Role::Act(_)));
    if named
        && let Some(last) = clause.items.last_mut()
        && matches!(word(last), "off" | "out" | "aus" | "weg" | "raus")
        && last.role == Role::Fill
    {
        last.role = Role::Skip;
    }
    for (verbs, ends, role) in PAIRS {
        let Some(verb) = clause.items.iter().position(|item| verbs.contains(&word(item))) else { continue };
        let end = clause.items.iter().rposition(|item| ends.contains(&word(item)));
        if let Some(end) = end.filter(|end| *end > verb && clause.items[*end].role != Role::Skip) {
            clause.items[verb].role = Role::Fill;
            clause.items[end].role = role;
            return;
        }
    }
}

/// "Yes" and "no" at the beginning of a clause as clauses of their own: "no do search", "ja bitte ohne Web".
fn apart(clause: Clause, tokens: &[Token]) -> Vec<Clause> {
    let said = clause.items.iter().position(|item| item.role != Role::Fill);
    let Some(first) = said.filter(|first| *first + 1 < clause.items.len()) else { return vec![clause] };
    let next = clause.items[first + 1].role;
    let said = &clause.items[first];
    let rest = &clause.items[first + 1..];
    // "no web search" is about the search, "no do search" answers.
    let determines = || {
        tokens[said.tokens.start].word == "no"
            && (tokens[rest[0].tokens.start].word == "to"
                || matches!(next, Role::Act(_) | Role::Word | Role::Search | Role::Local | Role::Offline)
                || matches!(next, Role::Own(_) | Role::Only)
                || next == Role::Fill && is_determined(rest, tokens))
    };
    let is_answer = said.role == Role::Yes || said.role == Role::No && !determines();
    if !is_answer {
        return vec![clause];
    }
    let rest = Clause { join: Join::Comma, items: clause.items[first + 1..].to_vec(), asked: clause.asked };
    let answer = Clause { items: clause.items[..=first].to_vec(), ..clause };
    [vec![answer], apart(rest, tokens)].concat()
}

/// Whether words between "no" and a noun only say more about the noun: "no further web search".
fn is_determined(items: &[Item], tokens: &[Token]) -> bool {
    const SAYS_MORE: [&str; 8] = ["more", "further", "additional", "extra", "other", "such", "kind", "sort"];
    let noun = items.iter().find(|item| !SAYS_MORE.contains(&tokens[item.tokens.start].word.as_str()));
    let says_more =
        items.first().is_some_and(|item| SAYS_MORE.contains(&tokens[item.tokens.start].word.as_str()));
    says_more
        && noun.is_some_and(|item| matches!(item.role, Role::Act(_) | Role::Search | Role::Word | Role::Fill))
}
