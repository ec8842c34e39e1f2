//! Days and times.

use super::Shown;
use super::code::{Section, Token};

const MILLISECONDS: f64 = 86_400_000.0;
/// The last day of the year 9999.
const LAST_DAY: f64 = 2_958_466.0;
/// From the first day of either calendar to 1970.
const DAYS_1900: i64 = 25_569;
const DAYS_1904: i64 = 24_107;

type Names = [&'static str; 12];
const ENGLISH: Names = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const GERMAN: Names = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];
const FRENCH: Names = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];
const SPANISH: Names = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];
const WEEK: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// A moment in parts.
struct Moment {
    year: i64,
    month: usize,
    day: u32,
    /// Days since 1970.
    days: i64,
    /// Within the day.
    milliseconds: u64,
    /// Since the calendar began.
    all_milliseconds: u64,
}

/// A number as a day or time; none for one that is no day.
pub(super) fn show(section: &Section, number: f64, from_1904: bool) -> Option<Shown> {
    if !(0.0..LAST_DAY).contains(&number) {
        return None;
    }
    use Token::{AmPm, Day, Elapsed, Hour, Literal, Minute, Month, Second, SecondPart, Year};
    let has = |is: fn(&Token) -> bool| section.tokens.iter().any(is);
    let part = section
        .tokens
        .iter()
        .find_map(|token| if let SecondPart(digits) = token { Some(*digits) } else { None });
    let seconds = has(|token| matches!(token, Second(_) | Elapsed('s', _)));
    let moment = moment(number, from_1904, if seconds { Some(part.unwrap_or(0)) } else { None });
    let is_time = has(|token| matches!(token, Hour(_) | Minute(_) | Second(_) | Elapsed(..) | AmPm));
    let (year, day) = (has(|token| matches!(token, Year(_))), has(|token| matches!(token, Day(1 | 2))));
    let named = has(|token| matches!(token, Month(3..) | Day(3..)));
    let numeric = has(|token| matches!(token, Month(1 | 2)));
    let names = names(section.language);
    let time = |seconds: bool| {
        let all = moment.milliseconds / 1_000;
        let minutes = format!("{:02}:{:02}", all / 3_600, all / 60 % 60);
        if seconds { format!("{minutes}:{:02}", all % 60) } else { minutes }
    };
    let day_text = format!("{:04}-{:02}-{:02}", moment.year, moment.month, moment.day);
    // A day in numbers alone, or in a language whose names are not known.
    if day && numeric && !named || named && names.is_none() {
        let text = match (is_time || moment.milliseconds >= 60_000, day || !year) {
            (true, _) => format!("{day_text} {}", time(seconds)),
            (false, true) => day_text,
            (false, false) => day_text[..7].to_owned(),
        };
        return Some(Shown { text, stored: None });
    }
    let names = names.unwrap_or(&ENGLISH);
    let half = has(|token| *token == AmPm);
    let of_day = moment.milliseconds / 1_000;
    let mut text = String::new();
    for token in &section.tokens {
        let (value, width) = match token {
            Year(1 | 2) => (moment.year.unsigned_abs() % 100, 2),
            Year(_) => (moment.year.unsigned_abs(), 4),
            Month(3) => {
                text.extend(names[moment.month.max(1) - 1].chars().take(3));
                continue;
            }
            Month(4) => {
                text.push_str(names[moment.month.max(1) - 1]);
                continue;
            }
            Month(5..) => {
                text.extend(names[moment.month.max(1) - 1].chars().take(1));
                continue;
            }
            Month(width) => (moment.month as u64, *width),
            Day(3) => {
                text.push_str(&WEEK[moment.days.rem_euclid(7) as usize][..3]);
                continue;
            }
            Day(4..) => {
                text.push_str(WEEK[moment.days.rem_euclid(7) as usize]);
                continue;
            }
            Day(width) => (u64::from(moment.day), *width),
            Hour(width) if half => ((of_day / 3_600 + 11) % 12 + 1, *width),
            Hour(width) => (of_day / 3_600, *width),
            Minute(width) => (of_day / 60 % 60, *width),
            Second(width) => (of_day % 60, *width),
            SecondPart(digits) => {
                let part = format!("{:03}", moment.milliseconds % 1_000);
                text.push('.');
                text.push_str(&part[..(*digits).min(3)]);
                continue;
            }
            Elapsed(unit, width) => {
                let all = moment.all_milliseconds / 1_000;
                (
                    all / match unit {
                        'h' => 3_600,
                        'm' => 60,
                        _ => 1,
                    },
                    *width,
                )
            }
            AmPm => {
                text.push_str(if of_day < 43_200 { "AM" } else { "PM" });
                continue;
            }
            Literal(literal) => {
                text.push_str(literal);
                continue;
            }
            Token::Slash => {
                text.push('/');
                continue;
            }
            Token::Comma => {
                text.push(',');
                continue;
            }
            Token::Point => {
                text.push('.');
                continue;
            }
            Token::General | Token::Text | Token::Digit(_) | Token::Percent | Token::Exponent(_) => continue,
        };
        text.push_str(&format!("{value:0width$}"));
    }
    // A day without its year is half a day.
    let stored = (day && !year).then_some(day_text);
    Some(Shown { text: text.trim().to_owned(), stored })
}

/// `seconds`: the digits behind the seconds that are shown, where they are.
fn moment(number: f64, from_1904: bool, seconds: Option<usize>) -> Moment {
    let step = match seconds {
        Some(0) => 1_000.0,
        Some(1) => 100.0,
        Some(2) => 10.0,
        _ => 1.0,
    };
    let all_milliseconds = ((number * MILLISECONDS / step).round() * step) as u64;
    let day = (all_milliseconds / 86_400_000) as i64;
    let milliseconds = all_milliseconds % 86_400_000;
    let at = |year, month, day, days| Moment { year, month, day, days, milliseconds, all_milliseconds };
    // The calendar that counts from 1900 has a day that never was.
    match (from_1904, day) {
        (true, day) => {
            let days = day - DAYS_1904;
            let (year, month, day) = civil(days);
            at(year, month, day, days)
        }
        (false, 0) => at(1900, 1, 0, -DAYS_1900),
        (false, 60) => at(1900, 2, 29, 60 - DAYS_1900),
        (false, day) => {
            let days = day - DAYS_1900 + i64::from(day < 60);
            let (year, month, date) = civil(days);
            // The week of that calendar is a day off before March 1900.
            at(year, month, date, day - DAYS_1900)
        }
    }
}

/// Year, month and day of a day since 1970, in the calendar of Gregory.
fn civil(days: i64) -> (i64, usize, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month as usize, day as u32)
}

/// The names of months in a language; none where they are not known.
fn names(language: Option<u32>) -> Option<&'static Names> {
    match language.map(|language| language & 0x3ff) {
        None | Some(0 | 0x09) => Some(&ENGLISH),
        Some(0x07) => Some(&GERMAN),
        Some(0x0c) => Some(&FRENCH),
        Some(0x0a) => Some(&SPANISH),
        Some(_) => None,
    }
}
