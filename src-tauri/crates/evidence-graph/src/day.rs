//! Days as numbers, so that ages can be counted without a clock.

use std::str::FromStr;

/// A day, as days since 1970-01-01. Read from `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i32);

/// A text that is no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no day: write YYYY-MM-DD")]
pub struct DayError(String);

impl Day {
    /// Days from an earlier day to this one; 0 where it is not earlier.
    pub fn since(self, earlier: Self) -> u32 {
        u32::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

impl FromStr for Day {
    type Err = DayError;

    fn from_str(text: &str) -> Result<Self, DayError> {
        read(text).ok_or_else(|| DayError(text.chars().take(40).collect()))
    }
}

fn read(text: &str) -> Option<Day> {
    let mut parts = text.split('-');
    let mut part = |digits: usize| {
        let part =
            parts.next().filter(|part| part.len() == digits && part.bytes().all(|b| b.is_ascii_digit()));
        part.and_then(|part| part.parse::<i32>().ok())
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if parts.next().is_some() || !(1..=length).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let before = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(Day(before + day_of_year - 719_468))
}
