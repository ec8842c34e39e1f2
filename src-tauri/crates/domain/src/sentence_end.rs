//! Where a sentence ends: one rule for every part that cuts texts into sentences.

use crate::MONTHS;

/// Words after which a full stop ends no sentence, in lower case and without it.
const ABBREVIATIONS: [&str; 73] = [
    "etc", "cf", "vs", "viz", "approx", "ca", "al", "seq", "ibid", "resp", "incl", "excl", "est", "dept",
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "hon", "rev", "gen", "lt", "col", "capt", //
    "inc", "ltd", "co", "corp", "plc", "bros", "cie", "gmbh", "mbh", //
    "vgl", "bzw", "ggf", "inkl", "evtl", "bspw", "sog", "usw", "zzgl", "abzgl", //
    "supp", "reg", "stat", "ed", "eds", "ch", "cl", "subd", "para", "paras", "pt", "vol", "vols",
    "pp", //
    "ziff", "rdnr", "rn", "buchst", "tel", "jan", "feb", "aug", "sept", "oct", "nov", "dec",
];
/// Words that are abbreviations where a number, a letter or a section sign follows: `No. 5`, `Art. IV`, `Fig. A`.
const BEFORE_NUMBERS: [&str; 16] = [
    "no", "nos", "art", "arts", "sec", "secs", "sect", "fig", "figs", "abs", "nr", "lit", "tab", "app",
    "ann", "eq",
];
/// German months: `3. Mai`.
const MONATE: [&str; 12] = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];
/// Signs that may close a sentence behind its mark.
const CLOSING: [char; 8] = ['"', '\'', '\u{201D}', '\u{2019}', '\u{BB}', ')', ']', '\u{203A}'];

/// Whether a mark, one of `.`, `!` and `?`, ends the sentence: `before` is what stands before it, `after` what stands
/// behind it. What [`sentence_tail`] names may stand between the mark and the blank.
pub fn ends_sentence(before: &str, mark: char, after: &str) -> bool {
    let after = &after[sentence_tail(after)..];
    let Some(next) = after.chars().next() else { return true };
    if !next.is_whitespace() {
        return false;
    }
    let after = after.trim_start();
    mark != '.' || !(after.starts_with(char::is_lowercase) || is_abbreviation(before, after))
}

/// The bytes behind a sentence's mark that belong to it: signs that close something, signs of emphasis, and numbers of notes,
/// as in `212 metres.[2]`.
pub fn sentence_tail(after: &str) -> usize {
    let mut rest = after;
    loop {
        let closed =
            rest.trim_start_matches(|c| CLOSING.contains(&c) || matches!(c, '*' | '_') || is_raised(c));
        let next = note(closed).map_or(closed, |length| &closed[length..]);
        if next.len() == rest.len() {
            return after.len() - rest.len();
        }
        rest = next;
    }
}

/// The bytes of the mark of an item that a text begins with: `(a)`, `(iv)`, `b)`, `12.`. It is no part of the item's words.
pub fn list_mark(text: &str) -> usize {
    const MAX_MARK: usize = 4;
    let opened = usize::from(text.starts_with('('));
    let label = text[opened..].bytes().take_while(u8::is_ascii_alphanumeric).count();
    let word = &text[opened..opened + label];
    let counts = word.bytes().all(|byte| byte.is_ascii_digit())
        || word.len() == 1
        || word.bytes().all(|byte| b"ivxlcIVXLC".contains(&byte));
    let close = &text[opened + label..];
    let closes = close.starts_with(')')
        || (opened == 0 && close.starts_with('.') && word.bytes().all(|byte| byte.is_ascii_digit()));
    let after = close.get(1..).unwrap_or_default();
    let apart = after.is_empty() || after.starts_with(char::is_whitespace);
    let month = close.starts_with('.') && begins_month(after.trim_start());
    let is_mark = (1..=MAX_MARK).contains(&label) && counts && closes && apart && !month;
    if is_mark { opened + label + 1 } else { 0 }
}

fn is_raised(c: char) -> bool {
    matches!(c, '\u{B9}' | '\u{B2}' | '\u{B3}' | '\u{2070}' | '\u{2074}'..='\u{2079}')
}

/// The length of a note's number in brackets at the start of a text: `[2]`, `[2, 5]`, `[a]`, `[note 3]`.
fn note(text: &str) -> Option<usize> {
    const MAX_BYTES: usize = 24;
    let inside = text.strip_prefix('[')?.split_once(']')?.0;
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, ',' | ';' | '-' | '\u{2013}' | ' ' | '^' | '@' | '.')
    };
    let numbered = inside.contains(|c: char| c.is_ascii_digit()) || is_initial(inside);
    (inside.len() <= MAX_BYTES && numbered && inside.chars().all(plain)).then_some(inside.len() + 2)
}

/// Whether the full stop behind `before` belongs to its last word, where `after` follows.
pub fn is_abbreviation(before: &str, after: &str) -> bool {
    let opens = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '(' | '['
                    | '{'
                    | '"'
                    | '\''
                    | '*'
                    | '_'
                    | '\u{201C}'
                    | '\u{201E}'
                    | '\u{2018}'
                    | '\u{AB}'
                    | '/'
            )
    };
    let word = before.rsplit(opens).next().unwrap_or_default();
    let lower = word.to_lowercase();
    // An initial, and `e.g`, `U.S.C`, `z.B`: single letters with full stops between them.
    let letters = !word.is_empty() && lower.split('.').all(is_initial);
    letters
        || ABBREVIATIONS.contains(&lower.as_str())
        || (BEFORE_NUMBERS.contains(&lower.as_str()) && begins_number(after))
        || (is_day(word) && begins_month(after))
}

fn is_initial(piece: &str) -> bool {
    let mut letters = piece.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// Whether a text begins with what numbers a thing: `5`, `IV`, `A`, `A-12`, `§ 4`, `(a)`.
fn begins_number(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let roman = bare.bytes().all(|byte| b"IVXLC".contains(&byte));
    word.starts_with(['§', '#', '('])
        || bare.contains(|c: char| c.is_ascii_digit())
        || (!bare.is_empty() && (roman || is_initial(bare)))
}

fn is_day(word: &str) -> bool {
    (1..=2).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn begins_month(text: &str) -> bool {
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    MONATE.contains(&word.as_str()) || MONTHS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::ends_sentence;

    fn pieces(text: &str) -> Vec<&str> {
        let mut from = 0;
        let ends = text.char_indices().filter(|(at, c)| {
            matches!(c, '.' | '!' | '?') && ends_sentence(&text[..*at], *c, &text[at + 1..])
        });
        let ends: Vec<usize> = ends.map(|(at, _)| at + 1).collect();
        ends.into_iter()
            .map(|end| {
                let piece = text[from..end].trim();
                from = end;
                piece
            })
            .collect()
    }

    #[test]
    fn abbreviations_of_companies_laws_and_dates_end_no_sentence() {
        for whole in [
            "Acme Inc. The Buyer and Beta Ltd. Holding sign it.",
            "See No. 5 and Nos. XII to XIV of it.",
            "It rests on 18 U.S.C. § 1030 and 42 U.S.C. Section 1983 alone.",
            "Nach Art. 5 Abs. 2 Nr. 3 gilt z. B. Folgendes und z.B. Anderes.",
            "Am 3. Mai und am 31. Dezember wird gezahlt.",
            "Roe et al. Paper is cited (Smith J. Paper of May).",
            "Alpha v. Beta was decided by St. Gallen's court, cf. Fig. A of it.",
            "Prof. Dr. Meier und Mr. Brown unterschreiben.",
        ] {
            assert_eq!(pieces(whole), [whole]);
        }
    }

    #[test]
    fn marks_of_items_are_told_from_words() {
        for (text, mark) in [
            ("(a) the auditor shall", "(a)"),
            ("(iv) it is", "(iv)"),
            ("b) keep logs", "b)"),
            ("12. The auditor", "12."),
            ("(12)", "(12)"),
        ] {
            assert_eq!(&text[..super::list_mark(text)], mark);
        }
        for text in [
            "(see) it",
            "A man",
            "3. Mai 2024",
            "1.5 million",
            "12 months",
            "(a)x",
            "",
            "(",
            "No. 5 is",
            "(the) x",
        ] {
            assert_eq!(super::list_mark(text), 0, "{text}");
        }
    }

    #[test]
    fn other_full_stops_do() {
        for two in [
            "The answer is no. The next one is yes.",
            "It is the state of the art. The auditor knows it.",
            "It costs 30. Nobody pays.",
            "He said \"Stop!\" Then he left.",
            "Is it so? Yes it is.",
            "The rule (see 4.2). Another.",
            "They drew a fig. The end.",
            "He left in May. Maybe not.",
        ] {
            assert_eq!(pieces(two).len(), 2, "{two}");
        }
        for noted in [
            "It is 212 metres deep.[2] Nobody dived.",
            "So it is.[a][note 3] No more.",
            "He left.\u{B2} She stayed.",
        ] {
            assert_eq!(pieces(noted).len(), 2, "{noted}");
        }
        assert_eq!(super::sentence_tail("\u{201d}[2, 5])* Next"), "\u{201d}[2, 5])*".len());
        assert_eq!(super::sentence_tail(" [2] Next"), 0);
        assert_eq!(super::sentence_tail("[see there] Next"), 0);
        assert_eq!(pieces("It was 8.0 million, e.g. stock.").len(), 1);
    }
}
