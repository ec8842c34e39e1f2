//! Numbers as a spreadsheet shows them (ECMA-376 part 1, 18.8.30 and 18.8.31): decimal marks as in English, days as
//! `2026-01-31` unless the format names the month, so that no reader takes a day for a month.

mod code;
mod dates;
mod decimal;

use code::{Section, Token};
use decimal::Decimal;

/// A number whose shown form differs by more than this share of it has lost digits that matter.
const LOSS: f64 = 0.0005;
/// What shows days and times of East Asian calendars.
const EASTERN: [u32; 17] = [27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58];

/// A format of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberFormat {
    sections: Vec<Section>,
}

/// A cell's value as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// As a person sees it; empty for a number that the format hides.
    pub text: String,
    /// The stored value, where the text has lost digits that matter.
    pub stored: Option<String>,
}

impl Shown {
    /// Both in one: `1,235 (1234567)`.
    pub fn whole(self) -> String {
        match self.stored {
            Some(stored) => format!("{} ({stored})", self.text),
            None => self.text,
        }
    }
}

impl Default for NumberFormat {
    fn default() -> Self {
        Self::new("General")
    }
}

impl NumberFormat {
    /// The format of that code.
    pub fn new(code: &str) -> Self {
        Self { sections: code::sections(code) }
    }

    /// A format that every spreadsheet has.
    pub fn built_in(id: u32) -> Self {
        Self::new(match id {
            1 => "0",
            2 => "0.00",
            3 => "#,##0",
            4 => "#,##0.00",
            5 | 6 => "\"$\"#,##0_);(\"$\"#,##0)",
            7 | 8 => "\"$\"#,##0.00_);(\"$\"#,##0.00)",
            9 => "0%",
            10 => "0.00%",
            11 => "0.00E+00",
            12 => "# ?/?",
            13 => "# ??/??",
            14 => "yyyy-mm-dd",
            15 => "d-mmm-yy",
            16 => "d-mmm",
            17 => "mmm-yy",
            18 => "h:mm AM/PM",
            19 => "h:mm:ss AM/PM",
            20 | 32 => "h:mm",
            21 | 33 => "h:mm:ss",
            22 => "yyyy-mm-dd hh:mm",
            37 | 38 => "#,##0_);(#,##0)",
            39 | 40 => "#,##0.00_);(#,##0.00)",
            41 => "#,##0_);(#,##0);\"-\"_)",
            42 => "\"$\"#,##0_);(\"$\"#,##0);\"$\"\"-\"_)",
            43 => "#,##0.00_);(#,##0.00);\"-\"??_)",
            44 => "\"$\"#,##0.00_);(\"$\"#,##0.00);\"$\"\"-\"??_)",
            45 => "mm:ss",
            46 => "[h]:mm:ss",
            47 => "mm:ss.0",
            48 => "##0.0E+0",
            49 => "@",
            id if EASTERN.contains(&id) => "yyyy-mm-dd",
            _ => "General",
        })
    }

    /// Whether it shows days or times.
    pub fn is_date(&self) -> bool {
        self.sections.iter().any(Section::is_date)
    }

    /// A number as it is shown; `from_1904`: the calendar of the workbook.
    pub fn show(&self, number: f64, from_1904: bool) -> Shown {
        let plain = || Shown { text: plain(number), stored: None };
        let Some((section, signed)) = self.section(number) else { return plain() };
        if section.tokens.is_empty() && self.sections.len() > 1 {
            return Shown { text: String::new(), stored: None };
        }
        if section.is_date() {
            return dates::show(section, number, from_1904).unwrap_or_else(plain);
        }
        if section.tokens.contains(&Token::General) || section.tokens.contains(&Token::Text) {
            let bare = plain_of(if signed { number } else { number.abs() });
            return Shown { text: section.with(&bare), stored: None };
        }
        if !section.tokens.iter().any(|token| matches!(token, Token::Digit(_))) {
            let literal = section.with("");
            // A dash for nothing is the number itself; a word in its place is not.
            let stored = (number != 0.0).then(|| plain_of(number));
            return Shown { text: literal, stored };
        }
        let sign = if signed && number < 0.0 { "-" } else { "" };
        let (text, shown) = decimal::show(section, number.abs());
        let lost = (shown - number.abs()).abs() > LOSS * number.abs() || section.scale() > 0 && number != 0.0;
        Shown { text: format!("{sign}{text}"), stored: lost.then(|| plain_of(number)) }
    }

    /// A text as it is shown.
    pub fn show_text(&self, text: &str) -> String {
        let section = self.sections.iter().find(|section| section.tokens.contains(&Token::Text));
        section.map_or_else(|| text.to_owned(), |section| section.with(text))
    }

    /// The section for a number, and whether it still has to show the sign.
    fn section(&self, number: f64) -> Option<(&Section, bool)> {
        let numeric = || {
            self.sections
                .iter()
                .take(3)
                .filter(|one| !one.tokens.contains(&Token::Text) || self.sections.len() == 1)
        };
        if numeric().any(|one| one.condition.is_some()) {
            let found = numeric().find(|one| one.condition.is_none_or(|condition| condition.holds(number)));
            let section = found.or_else(|| numeric().next_back())?;
            let below = section.condition.is_some_and(|condition| condition.is_negative());
            return Some((section, !below));
        }
        let all: Vec<&Section> = numeric().collect();
        match (all.as_slice(), number) {
            ([], _) => None,
            ([_, negative, ..], number) if number < 0.0 => Some((negative, false)),
            ([_, _, zero, ..], 0.0) => Some((zero, false)),
            ([first, ..], _) => Some((first, true)),
        }
    }
}

/// A number with the fifteen digits that a spreadsheet keeps.
pub fn plain(number: f64) -> String {
    plain_of(number)
}

fn plain_of(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    Decimal::of(number.abs()).plain(number < 0.0)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn shown(code: &str, number: f64) -> String {
        NumberFormat::new(code).show(number, false).whole()
    }

    #[test]
    fn numbers_are_rounded_and_grouped_as_they_are_shown() {
        for (code, number, text) in [
            ("General", 0.300_000_000_000_000_04, "0.3"),
            ("General", 1e21, "1000000000000000000000"),
            ("General", -1.5e-7, "-0.00000015"),
            ("0", 7.0, "7"),
            ("00000", 123.0, "00123"),
            ("0.00", 1.005, "1.01 (1.005)"),
            ("0.00", 2.345, "2.35 (2.345)"),
            ("0.00", -1234.5, "-1234.50"),
            ("#,##0", 1_234_567.0, "1,234,567"),
            ("#,##0.00", 0.5, "0.50"),
            ("#.##", 0.5, ".5"),
            ("0.0#", 3.0, "3.0"),
            ("#,##0,", 1_234_567.0, "1,235 (1234567)"),
            ("#,##0,", 1_999_999.0, "2,000 (1999999)"),
            ("0.0,,\" m\"", 1_250_000.0, "1.3 m (1250000)"),
            ("0%", 0.285, "29% (0.285)"),
            ("0.0%", 0.125, "12.5%"),
            ("0.00E+00", 12_345.0, "1.23E+04 (12345)"),
            ("##0.0E+0", 12_345.0, "12.3E+3 (12345)"),
            ("# ?/?", 1.5, "1 1/2"),
            ("# ??/??", 0.3, "3/10"),
            ("0 \"of 10\"", 3.0, "3 of 10"),
            ("000-00-0000", 123_456_789.0, "123-45-6789"),
            ("0\\ \\d", 7.0, "7 d"),
            ("0 \"days\"", 7.0, "7 days"),
        ] {
            assert_eq!(shown(code, number), text, "{code} of {number}");
        }
    }

    #[test]
    fn sections_are_chosen_by_sign_and_condition() {
        for (code, number, text) in [
            ("0;(0)", -5.0, "(5)"),
            ("0;(0);\"nil\"", 0.0, "nil"),
            ("0;-0;;@", 0.0, ""),
            (";;;", 12.0, ""),
            ("[<100]0.0;[>=100]#,##0", 99.5, "99.5"),
            ("[<100]0.0;[>=100]#,##0", 1000.0, "1,000"),
            ("[Red][<0](0);0", -3.0, "(3)"),
            ("[>=1000000]0.0,,\"M\";0", 5.0, "5"),
            ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
            ("#,##0.00\\ [$€-1]", 1234.5, "1,234.50 €"),
            ("\"$\"#,##0_);(\"$\"#,##0)", -1234.0, "($1,234)"),
            ("_(* #,##0_);_(* (#,##0);_(* \"-\"_);_(@_)", 0.0, "-"),
            ("[=1]\"yes\";[=0]\"no\"", 1.0, "yes (1)"),
            ("@", 12.0, "12"),
        ] {
            assert_eq!(shown(code, number), text, "{code} of {number}");
        }
        assert_eq!(NumberFormat::new("0;0;0;\"Mr. \"@").show_text("Blue"), "Mr. Blue");
        assert_eq!(NumberFormat::new("0.00").show_text("Blue"), "Blue");
    }

    #[test]
    fn days_and_times_are_shown_without_a_doubt() {
        for (code, number, text) in [
            ("dd\\.mm\\.yyyy;@", 46_053.0, "2026-01-31"),
            ("m/d/yy", 46_053.0, "2026-01-31"),
            ("yyyy-mm-dd", 46_053.75, "2026-01-31 18:00"),
            ("d/m/yyyy h:mm", 46_053.75, "2026-01-31 18:00"),
            ("yyyy\\-mm\\-dd hh:mm", 44_927.999_998_842_6, "2023-01-01 23:59"),
            ("h:mm", 0.395_833_333_333_333, "9:30"),
            ("hh:mm", 0.395_833_333_333_333, "09:30"),
            ("h:mm AM/PM", 0.75, "6:00 PM"),
            ("[h]:mm", 1.520_833_333_333_33, "36:30"),
            ("[mm]:ss", 0.05, "72:00"),
            ("mm:ss.0", 0.000_5, "00:43.2"),
            ("h:mm:ss", 0.999_999, "0:00:00"),
            ("mmmm", 45_717.0, "March"),
            ("mmm-yy", 45_717.0, "Mar-25"),
            ("[$-407]mmmm yyyy", 45_717.0, "März 2025"),
            ("[$-40C]d mmmm yyyy", 45_717.0, "1 mars 2025"),
            ("[$-411]mmmm yyyy", 45_717.0, "2025-03"),
            ("d-mmm", 45_717.0, "1-Mar (2025-03-01)"),
            ("dddd", 45_717.0, "Saturday"),
            ("yyyy", 45_717.0, "2025"),
            ("mm/yyyy", 45_717.0, "03/2025"),
            ("yyyy-mm-dd", 59.0, "1900-02-28"),
            ("yyyy-mm-dd", 60.0, "1900-02-29"),
            ("yyyy-mm-dd", 61.0, "1900-03-01"),
            ("yyyy-mm-dd", -1.0, "-1"),
            ("yyyy\"年\"m\"月\"d\"日\"", 46_053.0, "2026-01-31"),
        ] {
            assert_eq!(shown(code, number), text, "{code} of {number}");
        }
        let of_1904 = |number| NumberFormat::built_in(14).show(number, true).text;
        assert_eq!((of_1904(0.0), of_1904(1.0)), ("1904-01-01".to_owned(), "1904-01-02".to_owned()));
        assert_eq!(NumberFormat::built_in(20).show(0.5, false).text, "12:00");
        assert!(NumberFormat::built_in(57).is_date() && !NumberFormat::new("0\\ \\d \"my\"").is_date());
    }
}
