//! What sort of thing a cell holds.

/// The sort of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nothing, a dash for nothing, a currency alone.
    Empty,
    /// A number, with its sign, currency or per cent.
    Number,
    /// `2024`, `2024/25`, `FY2024`.
    Year,
    /// `2024-01-31`, `31 Dec 2025`.
    Date,
    /// `Q1 2024`, `Mar 25`, `March`.
    Period,
    /// Yes, no, a mark.
    YesNo,
    /// Anything else.
    Text,
}

impl Kind {
    /// Whether values of the sort are no names.
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Self::Number | Self::Year | Self::Date | Self::YesNo)
    }
}

/// Beginnings of the names of months in English, German, French and Spanish.
const MONTHS: [&str; 26] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär", "mai", "okt",
    "dez", "fév", "avr", "juin", "juil", "août", "déc", "ene", "abr", "ago", "dic",
];
/// Words that say yes or no.
const YES_NO: [&str; 16] =
    ["yes", "no", "true", "false", "ja", "nein", "oui", "non", "sí", "y", "n", "x", "✓", "✗", "☑", "☐"];
/// What stands for nothing.
const NOTHING: [&str; 8] = ["-", "–", "—", "−", "n/a", "N/A", "NA", "…"];
/// Signs and words of currencies.
const CURRENCIES: [&str; 16] =
    ["$", "€", "£", "¥", "₹", "₽", "%", "‰", "US$", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "Fr."];

/// What a cell holds.
pub fn kind(cell: &str) -> Kind {
    let cell = cell.trim();
    if cell.is_empty()
        || NOTHING.contains(&cell)
        || !cell.contains(char::is_alphanumeric) && CURRENCIES.contains(&cell)
    {
        return Kind::Empty;
    }
    // A formula stands where its value would.
    if cell.len() > 1 && cell.starts_with('=') {
        return Kind::Number;
    }
    let lower = cell.to_lowercase();
    if YES_NO.contains(&lower.as_str()) {
        return Kind::YesNo;
    }
    if is_year(cell) {
        return Kind::Year;
    }
    if cell.chars().count() > 40 || !cell.chars().any(|c| c.is_ascii_digit()) {
        return if is_month(&lower) { Kind::Period } else { Kind::Text };
    }
    if is_date(&lower) {
        return Kind::Date;
    }
    if number(cell).is_some() {
        return Kind::Number;
    }
    if is_period(&lower) { Kind::Period } else { Kind::Text }
}

fn is_year(cell: &str) -> bool {
    let bare = cell.strip_prefix("FY").or_else(|| cell.strip_prefix("CY")).unwrap_or(cell).trim_start();
    let bare = bare.strip_suffix(['A', 'E', 'F', 'B', 'P']).unwrap_or(bare);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let year = |text: &str| text.len() == 4 && digits(text) && ("1600".."2200").contains(&text);
    match bare.split_once(['/', '-', '–']) {
        None => year(bare),
        Some((first, second)) => year(first) && digits(second) && (second.len() == 2 || year(second)),
    }
}

fn is_month(lower: &str) -> bool {
    let word = lower.trim_end_matches('.');
    word.chars().count() <= 10
        && word.chars().all(char::is_alphabetic)
        && MONTHS.iter().any(|month| {
            word.strip_prefix(month).is_some_and(|rest| {
                [
                    "", "t", "e", "y", "i", "ch", "il", "il", "ly", "ust", "uar", "ruar", "uary", "ruary",
                    "tember", "ober",
                ]
                .contains(&rest)
                    || [
                        "ember", "z", "rz", "r", "s", "let", "tembre", "obre", "embre", "vier", "rier", "ro",
                        "rero", "zo", "io", "sto", "iembre",
                    ]
                    .contains(&rest)
            })
        })
}

fn is_date(lower: &str) -> bool {
    let day = lower.split([' ', 't']).next().unwrap_or_default();
    for sign in ['-', '.', '/'] {
        let parts: Vec<&str> = day.split(sign).collect();
        if parts.len() == 3 {
            let numbers: Vec<u32> = parts.iter().filter_map(|part| part.parse().ok()).collect();
            let sizes: Vec<usize> = parts.iter().map(|part| part.len()).collect();
            let named = parts.iter().any(|part| is_month(part));
            let fits = numbers.len() == 3 && numbers.iter().filter(|number| **number <= 31).count() >= 2
                || numbers.len() == 2 && named;
            if fits
                && sizes.iter().all(|size| *size <= 9)
                && numbers.iter().any(|number| (1..=12).contains(number))
            {
                return true;
            }
            if fits && named {
                return true;
            }
        }
    }
    let words: Vec<&str> = lower.split([' ', ',', '.']).filter(|word| !word.is_empty()).collect();
    let is_day = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<u32>().is_ok_and(|day| (1..=31).contains(&day))
    };
    match words.as_slice() {
        [day, month, year] | [month, day, year] if is_month(month) && is_day(day) => is_year(year),
        [day, month] | [month, day] if is_month(month) => is_day(day) && lower.contains([',', '.']),
        _ => false,
    }
}

fn is_period(lower: &str) -> bool {
    let words: Vec<&str> =
        lower.split([' ', '-', '/', '\'', '’', '.', ',']).filter(|word| !word.is_empty()).collect();
    let numbered = |word: &str| {
        ["q", "h", "fy", "cy", "w", "kw", "wk", "t", "s"].iter().any(|mark| {
            let bare = word.strip_prefix(mark).or_else(|| word.strip_suffix(mark));
            bare.is_some_and(|digits| {
                !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit())
            })
        }) || word
            .split_once('q')
            .is_some_and(|(a, b)| a.len() == 1 && b.len() == 2 && number(a).is_some() && number(b).is_some())
    };
    let year =
        |word: &str| is_year(word) || word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    match words.as_slice() {
        [one] => numbered(one),
        [one, other] => {
            (numbered(one) || is_month(one)) && (year(other) || numbered(other))
                || is_year(one) && (numbered(other) || is_month(other))
        }
        _ => false,
    }
}

/// The number that a cell holds: `1,234.50`, `1.234,50`, `(12)`, `-3 %`, `$ 5`.
pub fn number(cell: &str) -> Option<f64> {
    let mut text = cell.trim();
    let mut negative = false;
    loop {
        let before = text;
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            (text, negative) = (inner.trim(), !negative);
        }
        for sign in CURRENCIES {
            text = text.strip_prefix(sign).or_else(|| text.strip_suffix(sign)).unwrap_or(text).trim();
        }
        if let Some(rest) = text.strip_prefix(['-', '−', '–']) {
            (text, negative) = (rest.trim(), !negative);
        }
        text = text.strip_prefix('+').unwrap_or(text);
        if text == before {
            break;
        }
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',') {
        return None;
    }
    let number = plain(text)?;
    Some(if negative { -number } else { number })
}

/// A number without sign: by which of the two marks comes last it is known which is the decimal one.
fn plain(text: &str) -> Option<f64> {
    let text: String =
        text.chars().filter(|c| !matches!(c, '\u{a0}' | '\u{202f}' | '\'' | '’' | ' ')).collect();
    let (last_comma, last_stop) = (text.rfind(','), text.rfind('.'));
    let grouped = |mark: char| {
        let mut parts = text.split(mark);
        let first = parts.next().unwrap_or_default();
        (1..=3).contains(&first.len()) && parts.clone().count() > 0 && parts.all(|part| part.len() == 3)
    };
    let decimal = match (last_comma, last_stop) {
        (Some(comma), Some(stop)) if comma > stop => ',',
        (Some(_), None) if !grouped(',') => ',',
        (None, Some(_)) if text.matches('.').count() > 1 => ',',
        _ => '.',
    };
    let thousands = if decimal == ',' { '.' } else { ',' };
    let (whole, rest) = text.split_once(decimal).unwrap_or((&text, ""));
    let mut groups = whole.split(thousands).rev();
    let last = groups.next().unwrap_or_default();
    let fits = !whole.contains(thousands)
        || last.len() == 3 && groups.clone().all(|group| (1..=3).contains(&group.len()));
    if !fits || rest.contains(thousands) || rest.contains(decimal) {
        return None;
    }
    let bare: String =
        text.chars().filter(|c| *c != thousands).map(|c| if c == decimal { '.' } else { c }).collect();
    let shape = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    (bare.chars().all(shape) && bare.chars().any(|c| c.is_ascii_digit())).then(|| bare.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn cells_are_told_apart() {
        let table: [(Kind, &[&str]); 7] = [
            (Kind::Empty, &["", " ", "–", "n/a"]),
            (
                Kind::Number,
                &[
                    "1", "-2.5", "1,234", "1.234,50", "(12)", "$ 5", "12 %", "1e5", "1 234", "US$3.10",
                    "€ -4", "3000",
                ],
            ),
            (Kind::Year, &["2019", "2024/25", "FY2024", "2023A", "1999-2000"]),
            (
                Kind::Date,
                &[
                    "2024-01-31",
                    "31.12.2025",
                    "1/31/2024",
                    "31 Dec 2025",
                    "December 31, 2025",
                    "31-Dec-25",
                    "2024-01-31 10:00",
                ],
            ),
            (
                Kind::Period,
                &[
                    "Q1", "Q1 2024", "1Q24", "FY24", "Mar 25", "March", "Okt", "2024 Q3", "H1", "Mar-25",
                    "Dezember",
                ],
            ),
            (Kind::YesNo, &["Yes", "x", "FALSE", "☑"]),
            (
                Kind::Text,
                &["Acme", "A1", "ISO 9001", "May be late", "3 to 5", "192.168.0.1", "no answer", "Rate 2024"],
            ),
        ];
        for (kind_of, cells) in table {
            for cell in cells {
                assert_eq!(kind(cell), kind_of, "{cell}");
            }
        }
    }

    #[test]
    fn numbers_are_read_in_either_spelling() {
        for (cell, value) in [
            ("1,234.5", 1234.5),
            ("1.234,5", 1234.5),
            ("1,5", 1.5),
            ("1,500", 1500.0),
            ("1.234.567", 1_234_567.0),
            ("(1 200)", -1200.0),
            ("-$3", -3.0),
            ("$ -3", -3.0),
            ("(842) $", -842.0),
            ("(28)%", -28.0),
            ("12'000", 12000.0),
            (".5", 0.5),
        ] {
            assert_eq!(number(cell), Some(value), "{cell}");
        }
        for cell in ["", "a", "1a", "1-2", "12:30", "1.2.3.4x", "%"] {
            assert_eq!(number(cell), None, "{cell}");
        }
    }
}
