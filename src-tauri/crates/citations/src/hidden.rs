//! What a cut hides: a negation or an exception that the quote leaves out of a sentence it shows.

use knowledge::{Folded, MAYBE_HYPHEN};

use super::quote::is_negation;
use super::sentences::sentence_ends;
use super::signs;

/// Words of the hidden passage that a reason names.
const NAMED_WORDS: usize = 6;
/// Bytes beside a quote in which the next word is looked for.
const BESIDE_BYTES: usize = 120;

/// Negations that only matter here, those of other languages among them.
const NEGATIONS: &[&str] = &[
    "nobody",
    "nowhere",
    "nicht",
    "kein",
    "keine",
    "keinem",
    "keinen",
    "keiner",
    "keines",
    "niemals",
    "weder",
    "ohne",
    "pas",
    "jamais",
    "aucun",
    "aucune",
    "sans",
    "nunca",
    "jamás",
    "ningún",
    "ninguna",
    "ninguno",
    "tampoco",
    "sin",
    "non",
    "nessun",
    "nessuna",
    "nessuno",
    "senza",
    "não",
    "nenhum",
    "nenhuma",
    "sem",
    "niet",
    "geen",
    "nooit",
    "inte",
    "aldrig",
    "ikke",
    "aldri",
    "ei",
    "eivät",
    "nie",
    "nem",
    "nincs",
    "değil",
    "не",
    "нет",
    "без",
    "никогда",
    "δεν",
    "μη",
    "μην",
    "χωρίς",
    "لا",
    "لم",
    "لن",
    "ليس",
    "غير",
    "دون",
    "לא",
    "אין",
    "ללא",
    "नहीं",
];
/// How words of Korean begin that turn the word before them.
const KOREAN: [char; 5] = ['않', '없', '못', '아', '말'];
/// Words that limit or except what is said.
const EXCEPTIONS: [&str; 11] = [
    "unless",
    "except",
    "excepting",
    "excluding",
    "only",
    "solely",
    "rarely",
    "seldom",
    "hardly",
    "scarcely",
    "barely",
];
/// The same in two words: the first, and what it is followed by.
const PHRASES: [(&str, &[&str]); 5] = [
    ("other", &["than"]),
    ("apart", &["from"]),
    ("but", &["for"]),
    ("exception", &["of"]),
    ("save", &["as", "for", "in", "that", "to", "where", "when"]),
];

/// What turns or limits a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hidden {
    Negation,
    Exception,
}

impl Hidden {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Negation => "a negation",
            Self::Exception => "an exception",
        }
    }
}

/// A negation or exception among the words that are left out of a sentence between two bytes of `text`, with the
/// words from there on. A sentence that is left out as a whole may say what it likes.
pub(crate) fn left_out(text: &str, from: usize, to: usize) -> Option<(Hidden, String)> {
    let ends: Vec<usize> =
        sentence_ends(text).into_iter().filter(|&end| from <= end && end <= to && whole(text, end)).collect();
    let pieces = match (ends.first(), ends.last()) {
        (Some(&first), Some(&last)) => [text.get(from..first)?, text.get(last..to)?],
        _ => [text.get(from..to)?, ""],
    };
    pieces.into_iter().find_map(|piece| {
        let piece = plain(piece);
        first_in(&piece).or_else(|| signs::within(&piece))
    })
}

/// Whether a sentence surely ends there: a line that is only broken ends none.
fn whole(text: &str, end: usize) -> bool {
    let Some(line) = text[end..].strip_prefix('\n') else { return true };
    line.trim_start_matches([' ', '\t']).starts_with(['\n', '-', '*', '•', '('])
}

/// A negation or exception directly before byte `at`, in the same clause.
pub(crate) fn directly_before(text: &str, at: usize) -> Option<(Hidden, String)> {
    let from = text.floor_char_boundary(at.saturating_sub(BESIDE_BYTES));
    let before = plain(&text[from..at]);
    let last = before.trim_end_matches(beside);
    if let Some(found) = signs::before(last) {
        return Some(found);
    }
    let words = words_of(last);
    let &(start, word) = words.last().filter(|(start, word)| start + word.len() == last.len())?;
    let two = words.len().checked_sub(2).map(|one| &words[one..]).filter(|two| in_two_words(two));
    match two {
        Some(two) => Some((Hidden::Exception, named(two))),
        None => Some((sort_of(last, &[(start, word)])?, word.to_owned())),
    }
}

/// A negation or exception directly after byte `at`, in the same clause.
pub(crate) fn directly_after(text: &str, at: usize) -> Option<(Hidden, String)> {
    let to = text.ceil_char_boundary((at + BESIDE_BYTES).min(text.len()));
    let after = plain(&text[at..to]);
    let rest = after.trim_start_matches(beside);
    if let Some(found) = signs::after(rest) {
        return Some(found);
    }
    let words = words_of(rest);
    let (start, _) = words.first()?;
    let sort = sort_of(rest, &words).filter(|_| *start == 0)?;
    Some((sort, named(&words)))
}

/// What may stand between a quote and the word beside it.
fn beside(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '*' | '_')
}

fn plain(text: &str) -> String {
    Folded::of(text).text.replace(MAYBE_HYPHEN, "")
}

fn first_in(text: &str) -> Option<(Hidden, String)> {
    let words = words_of(text);
    (0..words.len()).find_map(|at| Some((sort_of(text, &words[at..])?, named(&words[at..]))))
}

/// Words with their places.
fn words_of(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_alphanumeric() || matches!(c, '\'' | '-');
        match (inside, from) {
            (true, None) => from = Some(at),
            (false, Some(start)) => {
                let word = text[start..at].trim_end_matches(['\'', '-']);
                let bare = word.trim_start_matches(['\'', '-']);
                if !bare.is_empty() {
                    found.push((start + word.len() - bare.len(), bare));
                }
                from = None;
            }
            _ => {}
        }
    }
    found
}

/// What the first of the words is, together with the one after it.
fn sort_of(text: &str, words: &[(usize, &str)]) -> Option<Hidden> {
    let &(at, word) = words.first()?;
    let lower = word.to_lowercase();
    if is_negation(&lower) || NEGATIONS.contains(&lower.as_str()) || is_korean_negation(&lower) {
        return (!(lower == "no" && is_number_sign(&text[at + word.len()..]))).then_some(Hidden::Negation);
    }
    (in_two_words(words) || EXCEPTIONS.contains(&lower.as_str())).then_some(Hidden::Exception)
}

fn is_korean_negation(word: &str) -> bool {
    match word.strip_prefix(KOREAN) {
        Some(rest) if word.starts_with('아') => rest.starts_with('니'),
        Some(rest) if word.starts_with('말') => rest.starts_with('아') || rest.starts_with('것'),
        Some(_) => true,
        None => false,
    }
}

fn in_two_words(words: &[(usize, &str)]) -> bool {
    let [(_, first), (_, next), ..] = words else { return false };
    let (first, next) = (first.to_lowercase(), next.to_lowercase());
    PHRASES.iter().any(|(one, others)| first == *one && others.contains(&next.as_str()))
}

/// `No. 5` is a number, not a negation.
fn is_number_sign(after: &str) -> bool {
    after.strip_prefix('.').is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

fn named(words: &[(usize, &str)]) -> String {
    words.iter().take(NAMED_WORDS).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    /// What is hidden between `[` and `]`.
    fn between(marked: &str) -> Option<String> {
        let from = marked.find('[').unwrap();
        let to = marked.find(']').unwrap() - 1;
        left_out(&marked.replace(['[', ']'], ""), from, to).map(|(_, words)| words)
    }

    #[test]
    fn a_negation_or_exception_of_a_shown_sentence_is_hidden() {
        let cases = [
            ("The keeper shall[, where rain is likely, not open the gate or] sign.", "not open the gate or"),
            (
                "Cover is needed[ for boats, except those of the harbour,] by law.",
                "except those of the harbour",
            ),
            ("Anybody[ other than the clerk] may look.", "other than the clerk"),
            ("The gate stays shut[ and only the clerk may ask. It] opens.", "only the clerk may ask"),
            ("The gate opens[. Doubt is noted. It never] shuts.", "never"),
            ("A wrapped line[ of\nFolk who can-\nnot swim\nGo] home.", "cannot swim Go"),
        ];
        for (marked, words) in cases {
            assert_eq!(between(marked).as_deref(), Some(words), "{marked}");
        }
    }

    #[test]
    fn a_sentence_left_out_as_a_whole_hides_nothing() {
        for marked in [
            "The gate opens[. Nobody may climb, not even the clerk. Then] it shuts.",
            "They keep:\n(a) one list[;\n(b) no second list;\n(c)] a key.",
            "See form [No. 5 of the] harbour.",
        ] {
            assert_eq!(between(marked), None, "{marked}");
        }
    }

    #[test]
    fn words_directly_beside_a_quote_are_seen() {
        let after = |text: &str, at| directly_after(text, at).map(|(_, words)| words);
        let before = |text: &str, at| directly_before(text, at).map(|(_, word)| word);
        assert_eq!(after("may not disclose", 3).as_deref(), Some("not disclose"));
        assert_eq!(after("may **not** disclose", 3).as_deref(), Some("not disclose"));
        assert_eq!(after("may. Not so", 3), None);
        assert_eq!(after("as in No. 5", 5), None);
        assert_eq!(before("they shouldn’t disclose", 17).as_deref(), Some("shouldn't"));
        assert_eq!(before("may not disclose", 8).as_deref(), Some("not"));
        assert_eq!(before("it may not. So", 12), None);
        assert_eq!(before("all other than clerks", 15).as_deref(), Some("other than"));
        assert_eq!(before("darf nicht offengelegt werden", 11).as_deref(), Some("nicht"));
        assert_eq!(after("공개하지 않는다", 12).as_deref(), Some("않는다"));
        assert_eq!(before("承租人不得转让租赁物", 15).as_deref(), Some("不得"));
    }
}
