//! Ids and the wall clock.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use domain::{RunId, SessionId};

/// Milliseconds since 1970; 0 when the clock stands before it.
pub(crate) fn now_ms() -> u64 {
    u64::try_from(support::now_ms()).unwrap_or_default()
}

/// Chance from the operating system, as the standard library seeds its hash maps with it.
fn chance() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(now_ms());
    hasher.finish()
}

/// A run id: 48 bits of time and 80 of chance in Crockford's base 32, so that ids sort by time (the layout of a ULID).
pub fn run_id() -> RunId {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let bits = (u128::from(now_ms()) << 80) | (u128::from(chance() as u16) << 64) | u128::from(chance());
    let text: String = (0..26).rev().map(|at| DIGITS[((bits >> (at * 5)) & 31) as usize] as char).collect();
    RunId(format!("run-{text}"))
}

/// A session id: `YYMMDD-adjective-noun`, with a number where that name is taken.
pub(crate) fn session_id(taken: impl Fn(&str) -> bool) -> SessionId {
    const ADJECTIVES: [&str; 24] = [
        "amber", "brisk", "calm", "clear", "deft", "eager", "fair", "fresh", "gentle", "grand", "keen",
        "light", "lucid", "mild", "neat", "noble", "plain", "quick", "quiet", "steady", "swift", "tidy",
        "warm", "wise",
    ];
    const NOUNS: [&str; 24] = [
        "anchor", "arch", "beacon", "birch", "bridge", "brook", "cedar", "cliff", "coast", "delta", "field",
        "fjord", "grove", "harbour", "heron", "lantern", "ledger", "maple", "meadow", "orchard", "quill",
        "ridge", "river", "stone",
    ];
    let (year, month, day) = date((now_ms() / 86_400_000) as i64);
    let bits = chance();
    let adjective = ADJECTIVES[(bits % 24) as usize];
    let noun = NOUNS[((bits >> 8) % 24) as usize];
    let name = format!("{:02}{month:02}{day:02}-{adjective}-{noun}", year.rem_euclid(100));
    let mut id = name.clone();
    let mut number = 2;
    while taken(&id) {
        id = format!("{name}-{number}");
        number += 1;
    }
    SessionId(id)
}

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
pub fn date(days: i64) -> (i64, i64, i64) {
    // Counted in years that begin in March, so that the leap day is the last.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let month_number = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month_number <= 2), month_number, of_year - (153 * month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates_across_leap_years_and_before_1970() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_777, (2026, 11, 20)),
            (-1, (1969, 12, 31)),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn run_ids_differ_and_a_taken_session_name_gets_a_number() {
        assert_ne!(run_id(), run_id());
        let taken = std::cell::Cell::new(true);
        assert!(session_id(|_| taken.replace(false)).as_str().ends_with("-2"));
    }
}
