//! The language of each paragraph of a base: its own where its text tells it, otherwise that of its document or of the base.

use std::collections::HashMap;

use text_analysis::Language;

use crate::paragraph::Paragraph;

/// A language is one of a base where one in so many paragraphs has it, or most of a document: titles and names in a few
/// paragraphs make no other language of the base.
const ONE_IN: usize = 200;

/// The language of each paragraph, in order.
pub(super) fn of_each(paragraphs: &[Paragraph]) -> Vec<Language> {
    let own: Vec<Option<Language>> = paragraphs.iter().map(|one| Language::find(&one.text)).collect();
    let mut all = Counts::default();
    let mut documents: HashMap<&str, Counts> = HashMap::new();
    for (paragraph, language) in paragraphs.iter().zip(&own) {
        let Some(language) = *language else { continue };
        all.add(language);
        documents.entry(&paragraph.doc).or_default().add(language);
    }
    let base = all.commonest().unwrap_or(Language::ENGLISH);
    let of_document = |doc: &str| documents.get(doc).and_then(Counts::commonest).unwrap_or(base);
    let is_common = |language: Language| all.count_of(language) * ONE_IN >= paragraphs.len();
    let each = paragraphs.iter().zip(own).map(|(one, own)| {
        let document = of_document(&one.doc);
        own.filter(|&own| own == document || is_common(own)).unwrap_or(document)
    });
    each.collect()
}

#[derive(Default)]
struct Counts(Vec<(Language, usize)>);

impl Counts {
    fn add(&mut self, language: Language) {
        match self.0.iter_mut().find(|(known, _)| *known == language) {
            Some((_, count)) => *count += 1,
            None => self.0.push((language, 1)),
        }
    }

    fn count_of(&self, language: Language) -> usize {
        self.0.iter().find(|(known, _)| *known == language).map_or(0, |(_, count)| *count)
    }

    fn commonest(&self) -> Option<Language> {
        let ranked = self.0.iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
        ranked.map(|(language, _)| *language)
    }
}

#[cfg(test)]
mod tests {
    use super::{Paragraph, of_each};

    fn codes(texts: &[(&str, &str)]) -> Vec<&'static str> {
        let paragraph = |(doc, text): &(&str, &str)| Paragraph {
            doc: (*doc).to_owned(),
            text: (*text).to_owned(),
            ..Paragraph::default()
        };
        let paragraphs: Vec<Paragraph> = texts.iter().map(paragraph).collect();
        of_each(&paragraphs).into_iter().map(|one| one.code()).collect()
    }

    #[test]
    fn what_tells_no_language_has_that_of_its_document() {
        let german = "Der Mieter zahlt die Miete am ersten Tag des Monats.";
        let english = "The tenant pays the rent on the first day of the month.";
        assert_eq!(
            codes(&[("a", german), ("a", "Tabelle 3"), ("b", english), ("b", "Table 3")]),
            ["de", "de", "en", "en"]
        );
        assert_eq!(codes(&[("a", "Table 3")]), ["en"]);
        // One paragraph of a thousand makes no other language.
        let mut many = vec![("a", english); 999];
        many.push(("a", german));
        assert!(codes(&many).iter().all(|code| *code == "en"));
        many[999] = ("b", german);
        assert_eq!(codes(&many)[999], "de");
    }
}
