//! Which text is said to require something: `ISA 330 requires …`, beside a citation of another text.

use std::sync::LazyLock;

use domain::ConflictRecord;
use knowledge::tight;
use regex::Regex;

use super::records::BaseParagraph;

/// What a sentence lends to a text that it does not cite: the text named, where every paragraph cited belongs to another.
pub(crate) fn misattributed(places: &[BaseParagraph<'_>], claim: &str) -> Option<ConflictRecord> {
    static SAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?x)\b(?P<name>
                (?:ISA|ISQM|ISRE|ISAE|IFRS|IAS)\s+\d{1,4}[A-Z]?
                | (?:Art\.|Article|Recital|Section|Annex)\s+(?:\d{1,4}[a-z]?|[IVX]{1,6})(?:\(\d+\))?
                | [A-Z]{2}-\d{1,3}(?:\(\d+\))?
            )\s+(?P<verb>requires?|demands?|prescribes?|mandates?|obliges?|stipulates?|forbids?|prohibits?|permits?|allows?)\b",
        )
        .ok()
    });
    let found = SAYS.as_ref()?.captures(claim)?;
    let named = found.name("name")?.as_str();
    let wanted = comparable(named);
    let belongs = |(base, at): &BaseParagraph<'_>| {
        let paragraph = &base.paragraphs()[*at];
        let own = [base.citation(&paragraph.id), paragraph.id.clone(), paragraph.doc.clone()];
        own.iter().map(|name| comparable(name)).any(|name| within(&name, &wanted))
            || base.manifest().title.to_lowercase().contains(&named.to_lowercase())
    };
    let (base, at) = places.first()?;
    if places.iter().any(belongs) {
        return None;
    }
    let paragraph = &base.paragraphs()[*at];
    Some(ConflictRecord {
        kind: "attribution".to_owned(),
        paragraph_id: paragraph.id.clone(),
        stated_in: super::sentences::sentences(&paragraph.text)
            .first()
            .copied()
            .unwrap_or_default()
            .to_owned(),
        claimed: found.get(0)?.as_str().to_owned(),
        stated: format!("{} of {}", base.citation(&paragraph.id), base.manifest().title),
    })
}

pub(crate) fn comparable(name: &str) -> String {
    let name = name.trim_matches(['(', ')']).to_lowercase();
    tight(&name.replace("article", "art."))
}

/// Whether a name is the wanted one or a place within it: `art.6` holds `art.6(2)`, not `art.60`.
pub(crate) fn within(name: &str, wanted: &str) -> bool {
    name.strip_prefix(wanted).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}
