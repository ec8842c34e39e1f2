//! What tells documents of one title apart: whom they are with, or their dates.

use std::collections::{BTreeMap, BTreeSet};

use answers::HeadingCase;

use super::Found;

/// How the name of a company ends.
const COMPANIES: [&str; 14] = [
    "ag",
    "co",
    "corp",
    "corporation",
    "gmbh",
    "inc",
    "kg",
    "limited",
    "llc",
    "llp",
    "ltd",
    "n.v",
    "plc",
    "s.a",
];
/// Who a party may be called at the beginning of a line.
const ROLES: [&str; 24] = [
    "borrower",
    "buyer",
    "client",
    "company",
    "consultant",
    "contractor",
    "controller",
    "customer",
    "employee",
    "employer",
    "landlord",
    "lender",
    "lessee",
    "lessor",
    "licensee",
    "licensor",
    "processor",
    "provider",
    "purchaser",
    "seller",
    "supplier",
    "tenant",
    "vendor",
    "service provider",
];
/// What may follow the name of a company.
const ENDS: [&str; 15] = [
    " and ",
    ", and ",
    ", a ",
    ", an ",
    ", with ",
    ", having ",
    ", whose ",
    ", of ",
    ", located",
    ", organi",
    ", incorporated",
    ", registered",
    " (",
    ";",
    "\n",
];
/// What follows the name of a person.
const PERSONS: [&str; 3] = [", an individual", ", a natural person", ", residing"];
/// The longest name of a party, in bytes.
const MAX_NAME_BYTES: usize = 120;
/// How far behind one party the other may stand, in bytes: its address and its role stand between them.
const REACH_BYTES: usize = 700;

/// Gives documents of the same title what tells them apart: the parties that not all of them have, with the date where that is not
/// enough, or the date alone. What a document does not say in a form that is known is not guessed: its file tells it.
pub(super) fn tell_apart(found: &mut [Found]) {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, one) in found.iter().enumerate().filter(|(_, one)| !one.exhibit.title.is_empty()) {
        groups.entry(fold(&one.exhibit.title)).or_default().push(at);
    }
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let parties: Vec<Vec<String>> = group.iter().map(|at| parties(&found[*at].head)).collect();
        let is_common =
            |name: &String| parties.iter().all(|names| names.iter().any(|other| fold(other) == fold(name)));
        let forms: Vec<[String; 3]> = parties
            .iter()
            .zip(&group)
            .map(|(names, at)| {
                let date = &found[*at].exhibit.date;
                let dated = if date.is_empty() { String::new() } else { format!("of {date}") };
                let own: Vec<&str> =
                    names.iter().filter(|name| !is_common(name)).map(String::as_str).collect();
                let parties = match own.as_slice() {
                    [one] if names.len() > 1 => format!("with {one}"),
                    [one, other] => format!("between {one} and {other}"),
                    _ => String::new(),
                };
                let both = if parties.is_empty() { String::new() } else { format!("{parties} {dated}") };
                [parties, both, dated]
            })
            .collect();
        for (mine, at) in forms.iter().zip(&group) {
            let is_own = |form: usize| {
                !mine[form].is_empty() && forms.iter().filter(|other| other[form] == mine[form]).count() == 1
            };
            let form = (0..mine.len()).find(|form| is_own(*form));
            found[*at].exhibit.distinction =
                form.map(|form| mine[form].trim().to_owned()).unwrap_or_default();
        }
    }
}

/// Whether a name is that of a company: its last word says so.
pub(super) fn is_company(name: &str) -> bool {
    let last = name.split_whitespace().last().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    COMPANIES.contains(&last.as_str())
}

/// The parties that a document names at its beginning: `between X, a company of …, and Y`, or a line for each with its role.
fn parties(head: &str) -> Vec<String> {
    let small = head.to_ascii_lowercase();
    let between = small.match_indices("between").find_map(|(at, word)| {
        let from = at + word.len();
        let (first, end) = name(head.get(from..)?)?;
        let rest = head.get(from + end..)?;
        let rest = &rest[..rest.floor_char_boundary(REACH_BYTES)];
        let second = rest.match_indices("and").find_map(|(at, word)| {
            let is_word =
                rest[..at].ends_with([' ', '\n']) && rest[at + word.len()..].starts_with([' ', '\n']);
            let found = name(&rest[at + word.len()..]).filter(|_| is_word)?;
            Some(found.0)
        });
        Some(std::iter::once(first).chain(second).collect::<Vec<String>>())
    });
    let of_roles = || {
        let lines = head.lines().filter_map(|line| {
            let (role, rest) = line.trim_start_matches(['|', ' ']).split_once([':', '|'])?;
            let is_role = ROLES.contains(&role.trim().to_ascii_lowercase().as_str());
            name(&format!("{rest}\n")).filter(|_| is_role)
        });
        lines.map(|(name, _)| name).collect()
    };
    let between = between.map(once_each).filter(|names| names.len() > 1);
    let names = between.unwrap_or_else(|| once_each(of_roles()));
    let case = HeadingCase::default();
    names.iter().map(|name| case.display(name).into_owned()).collect()
}

/// Names without those that were named before.
fn once_each(mut names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(fold(name)));
    names
}

/// The name of a company, or of a person who is said to be one, with which words begin, and where it ends.
fn name(words: &str) -> Option<(String, usize)> {
    let start =
        words.len() - words.trim_start_matches([' ', '\n', ':', '-', '*', '\u{2022}', '\u{201c}', '"']).len();
    let window = &words[start..];
    let window = &window[..window.floor_char_boundary(MAX_NAME_BYTES)];
    if !window.starts_with(char::is_uppercase) {
        return None;
    }
    let ends = |words: &[&str]| -> Vec<usize> {
        let mut ends: Vec<usize> =
            words.iter().flat_map(|end| window.match_indices(end)).map(|(at, _)| at).collect();
        ends.sort_unstable();
        ends
    };
    let company = ends(&ENDS).into_iter().find(|end| is_company(&window[..*end]));
    let person = ends(&PERSONS).into_iter().next().filter(|end| {
        let words: Vec<&str> = window[..*end].split_whitespace().collect();
        (2..=5).contains(&words.len()) && words.iter().all(|word| word.starts_with(char::is_uppercase))
    });
    let end = person.or(company)?;
    // `Hall and Sons Ltd` is one party; of longer words nobody knows whether they are two.
    let is_clear = window[..end].split_once(" and ").is_none_or(|(first, _)| !first.contains(' '));
    is_clear.then(|| (window[..end].trim().to_owned(), start + end))
}

/// Words without case and signs.
fn fold(words: &str) -> String {
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinctions(documents: &[(&str, &str, &str)]) -> Vec<String> {
        let mut found: Vec<Found> = documents
            .iter()
            .map(|(title, date, head)| {
                let mut one = Found::new("a.pdf", "a.pdf", String::new());
                (one.exhibit.title, one.exhibit.date) = ((*title).to_owned(), (*date).to_owned());
                one.head = (*head).to_owned();
                one
            })
            .collect();
        tell_apart(&mut found);
        found.into_iter().map(|one| one.exhibit.distinction).collect()
    }

    #[test]
    fn documents_of_one_title_are_told_by_the_party_that_the_others_do_not_have() {
        let told = distinctions(&[
            (
                "MASTER AGREEMENT",
                "",
                "This agreement is made by and between:\nLarkspur Analytics, Inc., a Delaware corporation with offices at 1 Main Street \
                 (\"Provider\"); and\nQuarry Stone Co., an Ohio corporation (\"Customer\").",
            ),
            (
                "Master Agreement",
                "",
                "Provider: LARKSPUR ANALYTICS, INC., a Delaware corporation\nCustomer: Orchard Foods, LLC, with offices at 2 High \
                 Street\nThis agreement is made between Provider and Customer.\n| Customer | Orchard Foods, LLC |",
            ),
            (
                "Master agreement",
                "",
                "between Larkspur Analytics, Inc. (\"Provider\") and Smith and Sons Ltd, having its seat in London",
            ),
            (
                "MASTER AGREEMENT",
                "",
                "between Larkspur Analytics, Inc., a company (the \"Company\"), and the other party; and Ann B. Hall, an individual",
            ),
            ("Board report", "", "between Larkspur Analytics, Inc. and Quarry Stone Co., a company"),
        ]);
        assert_eq!(
            told,
            [
                "with Quarry Stone Co.",
                "with Orchard Foods, LLC",
                "with Smith and Sons Ltd",
                "with Ann B. Hall",
                ""
            ]
        );
    }

    #[test]
    fn what_a_document_does_not_say_is_not_guessed() {
        let same = "between Larkspur Analytics, Inc., a company, and Quarry Stone Co., a company";
        let told = distinctions(&[
            ("Lease", "March 1, 2025", "Words of the hall, between the lines and more."),
            ("Lease", "May 2025", "between Provider and Customer"),
            ("Lease", "", "between Ann Hall and Granite Holdings and Partners LLC, a company"),
            ("Order", "March 1, 2025", same),
            ("Order", "May 2025", same),
            ("Order", "", "between Larkspur Analytics, Inc., a company, and Orchard Foods, LLC, a company"),
        ]);
        assert_eq!(
            told,
            [
                "of March 1, 2025",
                "of May 2025",
                "",
                "with Quarry Stone Co. of March 1, 2025",
                "with Quarry Stone Co. of May 2025",
                "with Orchard Foods, LLC"
            ]
        );
    }
}
