//! Days of the calendar, without a clock.

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;

/// A day as days since 1970-01-01, from `YYYY-MM-DD`; `None` when there is no such day.
pub(crate) fn day(text: &str) -> Option<i64> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let number = |text: &str, digits: usize| {
        let right = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        right.then(|| text.parse::<i64>().ok()).flatten()
    };
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    ((1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day))
        .then(|| days_from_civil(year, month, day))
}

/// How many days a month has.
pub(crate) fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of days since 1970-01-01.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days - era * 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// When a day begins in a time zone, in milliseconds since 1970.
pub(crate) fn begins(days: i64, offset_minutes: i32) -> i64 {
    days * DAY_MS - i64::from(offset_minutes) * 60_000
}

/// The day that it is in a time zone.
pub(crate) fn today(now_ms: i64, offset_minutes: i32) -> i64 {
    now_ms.saturating_add(i64::from(offset_minutes) * 60_000).div_euclid(DAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_from_the_first_of_1970() {
        assert_eq!(day("1970-01-01"), Some(0));
        assert_eq!(day("2000-02-29"), Some(11_016));
        assert_eq!(day("2026-05-01"), Some(20_574));
        for wrong in ["2026-02-29", "2026-13-01", "2026-5-1", "26-05-01", "2026-05-01 ", "", "٢٠٢٦-05-01"]
        {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_comes_back() {
        for days in -80_000..80_000 {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
            assert!((1..=days_of(year, month)).contains(&day));
        }
    }

    #[test]
    fn a_day_begins_where_the_person_is() {
        assert_eq!(begins(1, 120), DAY_MS - 7_200_000);
        assert_eq!(today(begins(1, 120), 120), 1);
        assert_eq!(today(begins(1, 120) - 1, 120), 0);
        assert_eq!(today(-1, 0), -1);
    }
}
