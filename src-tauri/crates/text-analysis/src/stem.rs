//! The stems of a word.

use frostem::Stemmer;

use crate::fold::without_accents;
use crate::language::Language;
use crate::script::is_paired;

/// A word as an index holds it, without accents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forms {
    /// The stem.
    pub main: String,
    /// The stem that the word has without its accents, or of Hebrew the word without what is written on to it, where that is
    /// another one.
    pub bare: Option<String>,
}

/// The forms of a word in lower case in a language.
pub fn forms(word: &str, language: Language) -> Forms {
    // Pairs of signs have no stems. What of another script stands in a text is mostly English.
    let language = if word.is_ascii() && !language.is_latin() { Language::ENGLISH } else { language };
    let Some(algorithm) = language.algorithm().filter(|_| !word.starts_with(is_paired)) else {
        let main = without_accents(word).into_owned();
        return Forms { bare: without_prefix(&main), main };
    };
    let stemmer = Stemmer::new(algorithm);
    let bare = stemmer.stem(&without_accents(word)).into_owned();
    // Accents are no letters of English: its stems need none.
    if word.is_ascii() || language == Language::ENGLISH {
        return Forms { main: bare, bare: None };
    }
    let main = without_accents(&stemmer.stem(word)).into_owned();
    Forms { bare: (bare != main).then_some(bare), main }
}

/// A Hebrew word without the article, conjunction or preposition that is written on to it.
fn without_prefix(word: &str) -> Option<String> {
    /// The fewest letters of what is left.
    const LEFT: usize = 3;
    let rest = word.strip_prefix(['ה', 'ו', 'ב', 'ל', 'כ', 'מ', 'ש'])?;
    (rest.chars().count() >= LEFT).then(|| rest.to_owned())
}

/// The text of a token in lower case; `into` is overwritten.
pub fn lower<'s>(token: &str, into: &'s mut String) -> &'s str {
    into.clear();
    into.push_str(token);
    into.make_ascii_lowercase();
    into
}
