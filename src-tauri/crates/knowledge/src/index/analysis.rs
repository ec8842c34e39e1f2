//! From text to stems, by the language of each paragraph: words without stop words and single letters, pairs of signs
//! where words have no blanks (`text_analysis`).

use std::collections::{BTreeSet, HashMap};

use text_analysis::{Forms, Kind, Language, Token, each_token, forms, lower};

/// Part of the stored index's version: an index made by another analysis is built again when it is opened.
pub(crate) const ANALYSIS: u32 = 2;
/// Longer runs of ASCII letters (encoded pictures, keys) are no words.
const WORD_BYTES: usize = 64;

/// A stem and where its word stands in the text, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem {
    /// The stem.
    pub stem: String,
    /// Where the word begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryWord {
    /// Its stems in the languages of what is searched, each once; the first is the likeliest.
    pub(crate) forms: Vec<String>,
    /// Whether it is a single sign, which the index has as the beginning of pairs.
    pub(crate) begins: bool,
    /// Where the word begins in the question.
    pub(crate) from: usize,
    /// Where it ends.
    pub(crate) to: usize,
}

/// The stems of a text in order, in its own language, as an index sees them.
pub fn stems(text: &str) -> Vec<Stem> {
    let language = Language::find(text).unwrap_or(Language::ENGLISH);
    let mut all = Vec::new();
    each_stem(text, language, |forms, token| {
        if token.kind != Kind::Last {
            all.push(Stem { stem: forms.main, from: token.from, to: token.to });
        }
    });
    all
}

/// The words of a question that is put to texts in some languages, the commonest of them first.
pub(crate) fn query_words(text: &str, languages: &[Language]) -> Vec<QueryWord> {
    let own = Language::among(text, languages).unwrap_or(Language::ENGLISH);
    let mut all: Vec<QueryWord> = Vec::new();
    each_stem(text, own, |Forms { main, bare }, token| {
        let mut word =
            QueryWord { forms: vec![main], begins: token.kind == Kind::Sign, from: token.from, to: token.to };
        let mut add = |form: String| {
            if !word.forms.contains(&form) {
                word.forms.push(form);
            }
        };
        bare.into_iter().for_each(&mut add);
        let mut scratch = String::new();
        for language in languages.iter().filter(|language| **language != own) {
            let Forms { main, bare } = forms(lower(token.text, &mut scratch), *language);
            std::iter::once(main).chain(bare).for_each(&mut add);
        }
        if token.kind != Kind::Last {
            all.push(word);
        }
    });
    all
}

/// Where a word of a question stands in a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WordRange {
    /// The number of the word.
    pub(crate) word: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Where a text in a language has words of a question, in order.
pub(crate) fn stems_among(text: &str, language: Language, wanted: &[QueryWord]) -> Vec<WordRange> {
    let mut stems: HashMap<&str, usize> = HashMap::new();
    for (number, word) in wanted.iter().enumerate() {
        word.forms.iter().for_each(|form| _ = stems.entry(form).or_insert(number));
    }
    let filter = Beginnings::of(stems.keys().copied(), language);
    let any = |wanted: &[QueryWord], is: &dyn Fn(&QueryWord) -> bool| wanted.iter().position(is);
    let mut found = Vec::new();
    each_filtered(text, language, &filter, |forms, token| {
        let Forms { main, bare } = &forms;
        let same = stems.get(main.as_str()).or_else(|| stems.get(bare.as_deref()?)).copied();
        let begun = || any(wanted, &|word| word.begins && main.starts_with(&word.forms[0]));
        let part = || any(wanted, &|word| word.forms.iter().any(|form| is_compound(main, form)));
        let (from, to) = (token.from, token.to);
        match (token.kind, same) {
            // Of a pair that a single sign begins, the sign is meant.
            (Kind::Pair | Kind::Last, same) => match begun() {
                Some(word) => {
                    found.push(WordRange { word, from, to: text.ceil_char_boundary(from + 1).min(to) })
                }
                None if token.kind == Kind::Pair => {
                    found.extend(same.map(|word| WordRange { word, from, to }))
                }
                None => {}
            },
            (Kind::Word | Kind::Sign, Some(word)) => found.push(WordRange { word, from, to }),
            (Kind::Word, None) if language.has_compounds() => {
                found.extend(part().map(|word| WordRange { word, from, to }));
            }
            (Kind::Word | Kind::Sign, None) => {}
        }
    });
    found
}

/// Whether a stem ends with another one that is long enough to be a word of its own: `kundigungsfrist`, `frist`.
pub(crate) fn is_compound(stem: &str, tail: &str) -> bool {
    stem.ends_with(tail) && has_room(stem, tail)
}

/// Whether a stem is long enough to be a compound of a word and another one.
pub(crate) fn has_room(stem: &str, part: &str) -> bool {
    /// The fewest letters of a word that compounds are made of, and of what is left of them.
    const PART: usize = 4;
    const REST: usize = 3;
    part.len() >= PART && stem.len() >= part.len() + REST && part.chars().all(char::is_alphabetic)
}

/// Which of these stems a text has and at which of its words, in order, and how many words there are.
pub(crate) fn places_among(
    text: &str,
    language: Language,
    wanted: &HashMap<&str, usize>,
) -> (Vec<(usize, usize)>, usize) {
    let filter = Beginnings::of(wanted.keys().copied(), language);
    let (mut places, mut count) = (Vec::new(), 0);
    each_counted(text, language, &filter, &mut count, |forms, at| {
        let bare = forms.bare.as_deref();
        if let Some(number) = wanted.get(forms.main.as_str()).or_else(|| wanted.get(bare?)) {
            places.push((*number, at));
        }
    });
    (places, count)
}

/// The first letters that words have which are worth stemming: English stems keep the first two letters of their words, but for
/// the likes of `dying` and `die`.
struct Beginnings(Option<BTreeSet<[u8; 2]>>);

impl Beginnings {
    fn of<'s>(stems: impl Iterator<Item = &'s str>, language: Language) -> Self {
        Self((language == Language::ENGLISH).then(|| stems.filter_map(beginning).collect()))
    }

    fn admit(&self, word: &str) -> bool {
        let Some(known) = &self.0 else { return true };
        beginning(word).is_none_or(|begins| begins[1] == b'y' || known.contains(&begins))
    }
}

fn beginning(word: &str) -> Option<[u8; 2]> {
    match *word.as_bytes() {
        [first, second, ..] if word.is_ascii() => {
            Some([first.to_ascii_lowercase(), second.to_ascii_lowercase()])
        }
        _ => None,
    }
}

fn each_stem(text: &str, language: Language, each: impl FnMut(Forms, Token<'_>)) {
    each_filtered(text, language, &Beginnings(None), each);
}

fn each_filtered(
    text: &str,
    language: Language,
    filter: &Beginnings,
    mut each: impl FnMut(Forms, Token<'_>),
) {
    let mut scratch = String::new();
    each_token(text, |token| {
        if filter.admit(token.text)
            && let Some(forms) = stem(token.text, language, &mut scratch)
        {
            each(forms, token);
        }
    });
}

fn each_counted(
    text: &str,
    language: Language,
    filter: &Beginnings,
    count: &mut usize,
    mut each: impl FnMut(Forms, usize),
) {
    let mut scratch = String::new();
    each_token(text, |token| {
        if token.kind == Kind::Last {
            return;
        }
        *count += 1;
        if filter.admit(token.text)
            && let Some(forms) = stem(token.text, language, &mut scratch)
        {
            each(forms, *count - 1);
        }
    });
}

fn stem(word: &str, language: Language, scratch: &mut String) -> Option<Forms> {
    // A single letter numbers a list or stands for an apostrophe's rest; a single digit is a number.
    let letter = word.len() == 1 && !word.as_bytes()[0].is_ascii_digit();
    if letter || (word.len() >= WORD_BYTES && word.is_ascii()) {
        return None;
    }
    let word = lower(word, scratch);
    (!language.is_stop(word)).then(|| forms(word, language))
}

/// Numbers of stems in the order they are first met; each word is stemmed once in each language.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// By language: a word as written, and its stems' numbers unless it is a stop word.
    words: HashMap<Language, HashMap<String, Option<Numbers>>>,
    numbers: HashMap<String, u32>,
}

/// The numbers of a word's forms.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    main: u32,
    bare: Option<u32>,
}

impl Vocabulary {
    /// The numbers of a text's stems, in order, and whether each counts as a word of its own: the last sign of a run and a stem
    /// without accents do not.
    pub(crate) fn numbers(&mut self, text: &str, language: Language, mut each: impl FnMut(u32, bool)) {
        let Self { words, numbers } = self;
        let words = words.entry(language).or_default();
        let mut scratch = String::new();
        each_token(text, |token| {
            let found = match words.get(token.text) {
                Some(&known) => known,
                None => {
                    let found = stem(token.text, language, &mut scratch).map(|forms| {
                        let mut number = |stem: String| {
                            let next = numbers.len() as u32;
                            *numbers.entry(stem).or_insert(next)
                        };
                        Numbers { main: number(forms.main), bare: forms.bare.map(number) }
                    });
                    words.insert(token.text.to_owned(), found);
                    found
                }
            };
            if let Some(Numbers { main, bare }) = found {
                each(main, token.kind != Kind::Last);
                bare.into_iter().for_each(|bare| each(bare, false));
            }
        });
    }

    /// Every stem with its number, by stem.
    pub(crate) fn sorted(self) -> Vec<(String, u32)> {
        let mut sorted: Vec<_> = self.numbers.into_iter().collect();
        sorted.sort_unstable();
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Vocabulary, query_words, stems, stems_among};

    fn german() -> Language {
        Language::from_code("de").unwrap()
    }

    #[test]
    fn words_are_stemmed_where_they_stand() {
        let found: Vec<(String, usize, usize)> = stems("The Auditors’ 2nd über-controls")
            .into_iter()
            .map(|one| (one.stem, one.from, one.to))
            .collect();
        let expected = [("auditor", 4, 12), ("2nd", 16, 19), ("uber", 20, 25), ("control", 26, 34)];
        assert_eq!(found, expected.map(|(stem, from, to)| (stem.to_owned(), from, to)));
    }

    #[test]
    fn words_are_found_by_stems_however_they_begin() {
        let text = "Dying plans, a plan; planning. ÜBERS and über's lie, skies: no sky. x y";
        let all = stems(text);
        for one in &all {
            let expected: Vec<_> = all.iter().filter(|other| other.stem == one.stem).cloned().collect();
            let words = query_words(&text[one.from..one.to], &[Language::ENGLISH]);
            let found = stems_among(text, Language::ENGLISH, &words);
            let found: Vec<_> = found.iter().map(|place| (place.from, place.to)).collect();
            assert_eq!(found, expected.iter().map(|one| (one.from, one.to)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_question_has_the_stems_of_every_language_at_hand() {
        let words = query_words("Wie lang sind die Fristen?", &[Language::ENGLISH, german()]);
        let forms: Vec<&[String]> = words.iter().map(|word| word.forms.as_slice()).collect();
        assert_eq!(forms, [["frist", "fristen"]]);
        let words = query_words("notice periods", &[Language::ENGLISH, german()]);
        assert_eq!(words[1].forms, ["period"]);
    }

    #[test]
    fn long_runs_count_unless_they_are_ascii() {
        let long = "ä".repeat(80);
        assert_eq!(stems(&long).len(), 1);
        assert_eq!(stems(&"a".repeat(80)), []);
    }

    #[test]
    fn a_single_sign_is_found_in_pairs_and_at_the_end_of_a_run() {
        let language = Language::from_code("zh").unwrap();
        let words = query_words("款", &[language]);
        let places: Vec<(usize, usize)> =
            stems_among("付款期限。借款", language, &words).iter().map(|one| (one.from, one.to)).collect();
        assert_eq!(places, [(3, 6), (18, 21)]);
    }

    #[test]
    fn accents_and_last_signs_add_stems_and_no_length() {
        let (mut vocabulary, mut all) = (Vocabulary::default(), Vec::new());
        vocabulary
            .numbers("sécurité 付款", Language::from_code("fr").unwrap(), |_, counts| all.push(counts));
        assert_eq!(all, [true, false, true, false]);
    }
}
