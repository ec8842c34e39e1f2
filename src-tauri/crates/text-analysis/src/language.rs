//! The language of a text, told by its script and its commonest words.

use std::collections::HashMap;
use std::sync::LazyLock;

use frostem::Algorithm;

use crate::languages::{Entry, JAPANESE, LANGUAGES, OWN_LETTERS, SCRIPTS, Script};
use crate::script::{is_hangul, is_kana};
use crate::stem::lower;
use crate::token::{Kind, each_token};

/// How much of a text is looked at, in bytes.
const SAMPLE: usize = 800;
/// A text is in a language of which it has at least so many of the commonest words, and one in so many of all.
const MIN_COMMON_WORDS: u32 = 2;
const ONE_IN: u32 = 8;
/// With so many of them, the first of two languages that have the same number is taken.
const MANY: u32 = 3;
/// One sign in so many is kana where a text is Japanese.
const KANA_ONE_IN: u32 = 20;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

/// Some languages, the commonest first.
pub type Languages = Vec<Language>;

/// The languages whose commonest words a word is among, a bit each.
static COMMON: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut common = HashMap::new();
    for (number, entry) in LANGUAGES.iter().enumerate() {
        for word in entry.stop.split_whitespace() {
            *common.entry(word).or_insert(0) |= 1 << number;
        }
    }
    common
});

/// The languages that letters are of which hardly another one has.
static LETTERS: LazyLock<HashMap<char, u32>> = LazyLock::new(|| {
    let mut letters = HashMap::new();
    for (number, entry) in LANGUAGES.iter().enumerate() {
        let own = OWN_LETTERS.iter().find(|(code, _)| *code == entry.code);
        for letter in own.into_iter().flat_map(|(_, letters)| letters.chars()) {
            *letters.entry(letter).or_insert(0) |= 1 << number;
        }
    }
    letters
});

impl Language {
    /// What a text is read as of which nothing else is known.
    pub const ENGLISH: Self = Self(0);
    const JAPANESE: Self = Self(LANGUAGES.len() as u8);

    fn entry(self) -> &'static Entry {
        LANGUAGES.get(usize::from(self.0)).unwrap_or(&JAPANESE)
    }

    /// Every language.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=LANGUAGES.len() as u8).map(Self)
    }

    /// As an index stores it.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The language of a stored number.
    pub fn from_number(number: u8) -> Option<Self> {
        (usize::from(number) <= LANGUAGES.len()).then_some(Self(number))
    }

    /// After ISO 639-1: `de`.
    pub fn code(self) -> &'static str {
        self.entry().code
    }

    /// The language of a code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::all().find(|one| one.code() == code)
    }

    /// In English.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    pub(crate) fn algorithm(self) -> Option<Algorithm> {
        self.entry().algorithm
    }

    pub(crate) fn is_latin(self) -> bool {
        self.entry().script == Script::Latin
    }

    /// Whether it writes compounds as one word.
    pub fn has_compounds(self) -> bool {
        self.entry().compounds
    }

    /// Whether a word in lower case carries no topic.
    pub fn is_stop(self, word: &str) -> bool {
        let of = if word.is_ascii() && !self.is_latin() { Self::ENGLISH } else { self };
        of != Self::JAPANESE && COMMON.get(word).is_some_and(|bits| bits & (1 << of.0) != 0)
    }

    /// The language of a text; none where that is not sure.
    pub fn find(text: &str) -> Option<Self> {
        let counts = Counts::of(text);
        let sure = |best, words| best >= MIN_COMMON_WORDS && best * ONE_IN >= words;
        let best = counts.best(|_| true, sure)?;
        // Names and titles in an English text have words of other languages.
        let is_named = best.is_latin() && best != Self::ENGLISH && !counts.surely(best);
        if is_named { sure(counts.common[0], counts.words).then_some(Self::ENGLISH) } else { Some(best) }
    }

    /// Which of some languages a question is in, which may be no more than a few words; none where nothing tells.
    pub fn find_among(text: &str, some: &[Self]) -> Option<Self> {
        match some {
            [only] => Some(*only),
            some => Counts::of(text).best(|one| some.contains(&one), |best, _| best > 0),
        }
        .filter(|one| some.contains(one))
    }

    /// The same; where nothing tells, the first that has the script, or the first.
    pub fn among(text: &str, some: &[Self]) -> Option<Self> {
        Self::find_among(text, some).or_else(|| {
            let script = Counts::of(text).script();
            let written = some.iter().find(|one| script == Some(one.entry().script as usize));
            written.or(some.first()).copied()
        })
    }
}

/// What tells the language of a text.
struct Counts {
    scripts: [u32; SCRIPTS],
    kana: u32,
    words: u32,
    /// Of each language, how many of the words are among its commonest, or have a letter of its own.
    common: [u32; LANGUAGES.len()],
    /// And how many of these are among the commonest of English, too.
    shared: [u32; LANGUAGES.len()],
}

impl Counts {
    fn of(text: &str) -> Self {
        let mut counts = Self {
            scripts: [0; SCRIPTS],
            kana: 0,
            words: 0,
            common: [0; LANGUAGES.len()],
            shared: [0; LANGUAGES.len()],
        };
        let mut word = String::new();
        each_token(&text[..text.floor_char_boundary(SAMPLE)], |token| {
            let Some(first) = token.text.chars().find(|c| c.is_alphabetic()) else { return };
            // A word is about as much as two signs.
            let weight = match token.kind {
                Kind::Word => 2,
                Kind::Pair | Kind::Sign => 1,
                Kind::Last => 0,
            };
            counts.scripts[script(first) as usize] += weight;
            counts.kana += u32::from(is_kana(first));
            if token.kind == Kind::Word {
                counts.words += 1;
                let word = lower(token.text, &mut word);
                // What stands behind an apostrophe is no word.
                let mut bits = if word.len() > 1 { COMMON.get(word).copied().unwrap_or(0) } else { 0 };
                let is_english = bits & 1 != 0;
                if !word.is_ascii() {
                    bits |= word.chars().filter_map(|c| LETTERS.get(&c)).fold(0, |all, own| all | own);
                }
                while bits != 0 {
                    counts.common[bits.trailing_zeros() as usize] += 1;
                    counts.shared[bits.trailing_zeros() as usize] += u32::from(is_english);
                    bits &= bits - 1;
                }
            }
        });
        counts
    }

    /// Whether a text is in a language rather than in English with names of that language.
    fn surely(&self, language: Language) -> bool {
        let shared = self.shared[usize::from(language.0)];
        self.common[usize::from(language.0)] - shared > 2 * (self.common[0] - shared)
    }

    /// The script of most of the text.
    fn script(&self) -> Option<usize> {
        let most = self.scripts.iter().enumerate().max_by_key(|(at, weight)| (**weight, usize::MAX - at));
        most.filter(|(_, weight)| **weight > 0).map(|(script, _)| script)
    }

    /// The likeliest of the languages that `counts` in; of the Latin ones only if `enough` of its words are there.
    fn best(&self, counts: impl Fn(Language) -> bool, enough: impl Fn(u32, u32) -> bool) -> Option<Language> {
        let script = self.script()?;
        if script == Script::Han as usize && self.kana * KANA_ONE_IN >= self.scripts[script] {
            return Some(Language::JAPANESE);
        }
        let own = |one: &Language| {
            usize::from(one.0) < LANGUAGES.len() && one.entry().script as usize == script && counts(*one)
        };
        let mut ranked: Vec<(u32, Language)> =
            Language::all().filter(own).map(|one| (self.common[usize::from(one.0)], one)).collect();
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let &(best, language) = ranked.first()?;
        if script != Script::Latin as usize {
            return Some(language);
        }
        let next = ranked.get(1).map_or(0, |(next, _)| *next);
        (enough(best, self.words) && (best > next || best >= MANY)).then_some(language)
    }
}

fn script(c: char) -> Script {
    if c.is_ascii() {
        return Script::Latin;
    }
    match u32::from(c) {
        0xAA..=0x24F | 0x1E00..=0x1EFF => Script::Latin,
        0x370..=0x3FF | 0x1F00..=0x1FFF => Script::Greek,
        0x400..=0x52F | 0x1C80..=0x1C8F => Script::Cyrillic,
        0x530..=0x58F => Script::Armenian,
        0x590..=0x5FF => Script::Hebrew,
        0x600..=0x6FF | 0x750..=0x77F | 0x8A0..=0x8FF => Script::Arabic,
        0x900..=0x97F => Script::Devanagari,
        0xB80..=0xBFF => Script::Tamil,
        0xE00..=0xE7F => Script::Thai,
        0xE80..=0xEFF => Script::Lao,
        0x1000..=0x109F => Script::Myanmar,
        0x1780..=0x17FF => Script::Khmer,
        0x3005..=0x3007 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0x20000..=0x3FFFF => Script::Han,
        _ if is_kana(c) => Script::Han,
        _ if is_hangul(c) => Script::Hangul,
        _ => Script::Other,
    }
}
