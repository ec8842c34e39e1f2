//! The dates that documents give themselves.

use domain::MONTHS;

/// How far behind the words that announce it a date may stand, in bytes.
const REACH_BYTES: usize = 24;
/// Words before the date that a document gives itself, the surest first. A bare "dated" often speaks of another document.
const ANNOUNCED: [&str; 9] = [
    "order effective date",
    "effective date",
    "effective as of",
    "entered into as of",
    "made as of",
    "dated as of",
    "as of date",
    "meeting date",
    "as of",
];

/// The date that a document gives itself at its beginning, in its words.
pub(super) fn date(head: &str) -> Option<String> {
    let small = head.to_ascii_lowercase();
    ANNOUNCED.iter().find_map(|announced| {
        small.match_indices(announced).find_map(|(at, _)| {
            // Within a sentence it is the day of a figure.
            let is_own =
                *announced != "as of" || small[..at].is_empty() || small[..at].ends_with(['\n', '(']);
            let from = at + announced.len();
            let mut starts = (from..=from + REACH_BYTES).take_while(|_| is_own);
            starts.find_map(|start| date_at(head.get(start..)?, small.get(start..)?))
        })
    })
}

/// A date that words begin with: `March 1, 2025`, `1 March 2025`, `2025-03-01`, `March 2025`.
fn date_at(words: &str, small: &str) -> Option<String> {
    let number =
        |from: usize| small.get(from..).map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let month = |from: usize| {
        let rest = small.get(from..)?;
        MONTHS
            .iter()
            .find(|month| rest.split_once(' ').is_some_and(|(word, _)| word.eq_ignore_ascii_case(month)))
            .map(|month| month.len())
    };
    let end = if let Some(length) = month(0) {
        let day = length + 1;
        let comma = day + number(day);
        let year = comma + if small.get(comma..)?.starts_with(", ") { 2 } else { 1 };
        match comma - day {
            1 | 2 if number(year) == 4 => year + 4,
            4 => comma,
            _ => return None,
        }
    } else {
        let first = number(0);
        match first {
            1 | 2 => {
                let year = first + 2 + month(first + 1)?;
                (small.get(first..)?.starts_with(' ') && number(year) == 4).then_some(year + 4)?
            }
            4 => {
                let is_date =
                    small.get(4..5)? == "-" && number(5) == 2 && small.get(7..8)? == "-" && number(8) == 2;
                is_date.then_some(10)?
            }
            _ => return None,
        }
    };
    Some(words.get(..end)?.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_date_is_the_one_that_a_document_gives_itself() {
        for (head, date) in [
            (
                "This Agreement is entered into as of March 1, 2025 (the \"Effective Date\") by and between",
                "March 1, 2025",
            ),
            (
                "Order Form No.: 7\nOrder Effective Date: January 1, 2025\nMSA dated December 18, 2024",
                "January 1, 2025",
            ),
            ("Effective Date: 1 June 2025", "1 June 2025"),
            ("Headline Metrics (as of 2026-03-31)", "2026-03-31"),
            ("As of: March 31, 2026", "March 31, 2026"),
            ("Meeting Date: February 2026\nPresenter: A", "February 2026"),
            ("This lease is made as of December 2025, between", "December 2025"),
        ] {
            assert_eq!(super::date(head).as_deref(), Some(date), "{head}");
        }
        for head in [
            "ARR of $41.2M as of March 31, 2026",
            "the Agreement dated 1 March 2025",
            "as of this date",
            "as of May, the term",
            "as of May 20255",
            "",
        ] {
            assert_eq!(super::date(head), None, "{head}");
        }
    }
}
