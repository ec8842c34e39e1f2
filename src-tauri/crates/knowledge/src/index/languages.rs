//! The language of each paragraph of a base: its own where its text tells it, otherwise that of its document or of the base.

use std::collections::HashMap;

use text_analysis::Language;

use crate::paragraph::Paragraph;

/// The language of each paragraph, in order.
pub(super) fn of_each(paragraphs: &[Paragraph]) -> Vec<Language> {
    let own: Vec<Option<Language>> = paragraphs.iter().map(|one| Language::of(&one.text)).collect();
    let mut all = Counts::default();
    let mut documents: HashMap<&str, Counts> = HashMap::new();
    for (paragraph, language) in paragraphs.iter().zip(&own) {
        let Some(language) = *language else { continue };
        all.add(language);
        documents.entry(&paragraph.doc).or_default().add(language);
    }
    let base = all.commonest().unwrap_or(Language::ENGLISH);
    let of_document = |doc: &str| documents.get(doc).and_then(Counts::commonest).unwrap_or(base);
    paragraphs.iter().zip(own).map(|(one, own)| own.unwrap_or_else(|| of_document(&one.doc))).collect()
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

    fn commonest(&self) -> Option<Language> {
        let ranked = self.0.iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
        ranked.map(|(language, _)| *language)
    }
}
