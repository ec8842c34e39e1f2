//! Days of the calendar, in UTC.

/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

/// The day of a time in milliseconds since 1970, as `2026-11-26`.
pub fn day(ms: i64) -> String {
    // Days of the civil calendar from the era of 400 years that begins on the 1st of March of the year 0.
    let days = ms.div_euclid(DAY_MS) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) =
        (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (ms, said) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400_000, "2000-02-29"),
            (951_868_800_000, "2000-03-01"),
            (1_709_251_199_999, "2024-02-29"),
            (1_795_651_200_000, "2026-11-26"),
        ] {
            assert_eq!(day(ms), said);
        }
    }
}
