//! Schedules against a walk over the minutes of a calendar.

use automation::{Schedule, ScheduleError, local_minute};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// 2026-01-01T00:00:00Z.
const YEAR_2026: i64 = 1_767_225_600_000;

fn schedule(pattern: &str, zone: &str) -> Schedule {
    Schedule::parse(pattern, zone).unwrap()
}

fn local(ms: i64, zone: &str) -> String {
    let (date, _, minute) = local_minute(ms, zone).unwrap();
    format!("{date} {:02}:{:02}", minute / 60, minute % 60)
}

/// The values of a field that is made of numbers, ranges, lists and steps.
fn values(field: &str, least: u32, most: u32) -> Vec<u32> {
    let mut all = Vec::new();
    for part in field.split(',') {
        let (base, step) =
            part.split_once('/').map_or((part, 1), |(base, step)| (base, step.parse().unwrap()));
        let (from, to) = match base.split_once('-') {
            Some((from, to)) => (from.parse().unwrap(), to.parse().unwrap()),
            None if base == "*" => (least, most),
            None => (base.parse().unwrap(), base.parse().unwrap()),
        };
        all.extend((from..=to).step_by(step));
    }
    all
}

/// Whether a minute of the wall clock is meant.
fn is_meant(pattern: &str, date: &str, weekday: u8, minute: u16) -> bool {
    let fields: Vec<&str> = pattern.split(' ').collect();
    let [_, month, day] = [0, 1, 2].map(|at| date.split('-').nth(at).unwrap().parse::<u32>().unwrap());
    let minute = u32::from(minute);
    let days = values(fields[2], 1, 31).contains(&day);
    let weekdays = values(fields[4], 0, 7).into_iter().any(|one| one % 7 == u32::from(weekday));
    // Where both days are given, one of them is enough.
    let on_day = match (fields[2], fields[4]) {
        ("*", _) | (_, "*") => days && weekdays,
        _ => days || weekdays,
    };
    values(fields[0], 0, 59).contains(&(minute % 60))
        && values(fields[1], 0, 23).contains(&(minute / 60))
        && values(fields[3], 1, 12).contains(&month)
        && on_day
}

/// Every minute after `from` and up to `to` that a pattern means, found by looking at each of them.
fn walked(pattern: &str, zone: &str, from: i64, to: i64) -> Vec<i64> {
    let fixed = {
        let fields: Vec<&str> = pattern.split(' ').collect();
        let single = |field: &str, most: u32| {
            let values: std::collections::BTreeSet<u32> = values(field, 0, most).into_iter().collect();
            !field.contains(['*', '/']) && values.len() == 1
        };
        single(fields[0], 59) && single(fields[1], 23)
    };
    let wall = |at: i64| local_minute(at, zone).unwrap();
    let mut found: Vec<i64> = Vec::new();
    let mut at = (from.div_euclid(MINUTE) + 1) * MINUTE;
    // A clock that was put back repeats what it showed up to three hours before.
    let mut shown: Vec<(String, u16)> =
        (1..=180).map(|back| wall(at - back * MINUTE)).map(|(date, _, minute)| (date, minute)).collect();
    while at <= to {
        let (date, weekday, minute) = wall(at);
        let (before, _, last) = wall(at - MINUTE);
        let again = shown.contains(&(date.clone(), minute));
        let mut meant = is_meant(pattern, &date, weekday, minute) && !(fixed && again);
        let expected = if last == 1_439 { 0 } else { last + 1 };
        // A gap may begin at midnight.
        if fixed && !again && minute > expected && (date == before || expected == 0) {
            meant |= (expected..minute).any(|skipped| is_meant(pattern, &date, weekday, skipped));
        }
        if meant {
            found.push(at);
        }
        shown.push((date, minute));
        if shown.len() > 200 {
            shown.remove(0);
        }
        at += MINUTE;
    }
    found
}

fn field(least: u32, most: u32) -> impl Strategy<Value = String> {
    let one = (least..=most).prop_map(|value| value.to_string());
    let range = (least..=most)
        .prop_flat_map(move |from| (Just(from), from..=most))
        .prop_map(|(from, to)| format!("{from}-{to}"));
    let step = (1..=most.max(2) / 2).prop_map(|step| format!("*/{step}"));
    let list = (least..=most, least..=most).prop_map(|(one, other)| format!("{one},{other}"));
    prop_oneof![3 => Just("*".to_owned()), 3 => one, 1 => range, 1 => step, 1 => list]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_schedule_finds_what_a_walk_over_all_minutes_finds(
        (minute, hour) in (field(0, 59), field(0, 23)),
        (day, weekday) in (field(1, 31), field(0, 6)),
        zone in prop_oneof![
            Just("Europe/Budapest"), Just("America/New_York"), Just("Asia/Kolkata"), Just("Australia/Lord_Howe"),
            Just("UTC"), Just("America/Santiago"), Just("Asia/Kathmandu"),
        ],
        // Days around which clocks change somewhere in 2026, and others.
        start in prop_oneof![Just(66), Just(86), Just(93), Just(247), Just(297), Just(304), 0_i64..365],
    ) {
        let pattern = format!("{minute} {hour} {day} * {weekday}");
        let from = YEAR_2026 + start * DAY;
        let to = from + 3 * DAY;
        let schedule = schedule(&pattern, zone);
        let wanted = walked(&pattern, zone, from, to);
        let mut found = Vec::new();
        let mut at = from;
        while let Ok(next) = schedule.next(at) {
            if next > to {
                break;
            }
            found.push(next);
            at = next;
        }
        let shown = |times: &[i64]| times.iter().map(|at| local(*at, zone)).collect::<Vec<_>>();
        prop_assert_eq!(shown(&found), shown(&wanted), "{} in {}", pattern, zone);
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn no_text_makes_it_panic_or_hang(text in "\\PC{0,60}", zone in "[A-Za-z/_]{0,20}") {
        if let Ok(schedule) = Schedule::parse(&text, "UTC") {
            let _ = schedule.next(YEAR_2026);
            let _ = schedule.words();
        }
        let _ = Schedule::parse("0 9 * * *", &zone);
    }

    #[test]
    fn no_pattern_of_the_usual_characters_makes_it_panic_or_hang(text in "[0-9*/,#LW? -]{1,40}") {
        if let Ok(schedule) = Schedule::parse(&text, "Europe/Budapest")
            && let Ok(next) = schedule.next(YEAR_2026)
        {
            prop_assert!(next > YEAR_2026);
        }
    }
}

#[test]
fn a_time_that_a_clock_leaves_out_comes_right_after_the_gap() {
    let next = schedule("30 2 * * *", "Europe/Budapest").next(YEAR_2026 + 86 * DAY + 4 * HOUR).unwrap();
    assert_eq!(local(next, "Europe/Budapest"), "2026-03-29 03:00");
    let after = schedule("30 2 * * *", "Europe/Budapest").next(next).unwrap();
    assert_eq!(local(after, "Europe/Budapest"), "2026-03-30 02:30");
}

#[test]
fn a_time_that_a_clock_repeats_comes_once_and_steps_come_twice() {
    let day = YEAR_2026 + 297 * DAY - HOUR;
    let fixed = schedule("30 2 25 10 *", "Europe/Budapest").missed(day, day + DAY).unwrap();
    assert_eq!(fixed.count, 1);
    let steps = schedule("*/30 2 25 10 *", "Europe/Budapest").missed(day, day + DAY).unwrap();
    assert_eq!(steps.count, 4);
}

#[test]
fn what_never_comes_is_said_to() {
    for pattern in ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "59 23 31 11 *"] {
        assert_eq!(schedule(pattern, "UTC").next(YEAR_2026), Err(ScheduleError::Never), "{pattern}");
    }
    let rare = schedule("0 0 29 2 *", "UTC").next(YEAR_2026).unwrap();
    assert_eq!(local(rare, "UTC"), "2028-02-29 00:00");
}

#[test]
fn a_time_far_in_the_past_or_future_is_no_failure() {
    for at in [i64::MIN, i64::MAX, -62_135_596_800_000, 253_402_300_799_999] {
        let _ = schedule("* * * * *", "UTC").next(at);
    }
}

#[test]
fn missed_times_are_counted_up_to_a_bound() {
    let every = schedule("* * * * *", "UTC");
    assert_eq!(every.missed(YEAR_2026, YEAR_2026 + 90_000).map(|missed| missed.count), Some(1));
    assert_eq!(every.missed(YEAR_2026, YEAR_2026 + 30_000), None);
    let year = every.missed(YEAR_2026, YEAR_2026 + 365 * DAY + 30_000).unwrap();
    assert_eq!((year.count, year.last), (10_000, YEAR_2026 + 365 * DAY));
    // Dense in one month of the year only: the last one is long before the end.
    let january = schedule("* * * 1 *", "UTC").missed(YEAR_2026, YEAR_2026 + 300 * DAY).unwrap();
    assert_eq!((january.count, january.last), (10_000, YEAR_2026 + 31 * DAY - MINUTE));
}

#[test]
fn names_ranges_and_nicknames_say_the_same_as_numbers() {
    for (one, other) in [
        ("0 9 * JAN-MAR mon-FRI", "0 9 * 1-3 1-5"),
        ("@daily", "0 0 * * *"),
        ("0 0 ? * SUN", "0 0 * * 0"),
        ("0 0 * * 7", "0 0 * * 0"),
        ("0 0 * * FRI-SUN", "0 0 * * 0,5,6"),
        (" 0  0 * * * ", "0 0 * * *"),
    ] {
        let times = |pattern: &str| schedule(pattern, "Europe/Budapest").following(YEAR_2026, 20);
        assert_eq!(times(one), times(other), "{one}");
    }
    let fifth = schedule("0 0 L * *", "UTC").following(YEAR_2026, 2);
    assert_eq!(
        fifth.iter().map(|at| local(*at, "UTC")).collect::<Vec<_>>(),
        ["2026-01-31 00:00", "2026-02-28 00:00"]
    );
}

#[test]
fn a_wrong_pattern_says_which_field_is_wrong() {
    let words = |pattern: &str, zone: &str| Schedule::parse(pattern, zone).unwrap_err().to_string();
    for (pattern, part) in [
        ("", "empty"),
        ("* * * *", "has 4 fields"),
        ("0 0 9 * * *", "seconds and years are not taken"),
        ("60 * * * *", "the minute"),
        ("* 24 * * *", "the hour"),
        ("* * 0 * *", "the day of the month"),
        ("* * * FOO *", "the month"),
        ("* * * * 8", "the day of the week"),
        ("5/10 * * * *", "a step stands after"),
        ("*/0 * * * *", "a step is a number"),
        ("10MON * * * *", "the minute"),
        ("* * * * 5-1", "from 5 down to 1"),
    ] {
        let said = words(pattern, "UTC");
        assert!(said.contains(part), "{pattern}: {said}");
    }
    assert!(words("* * * * *", "Mars/Olympus").contains("no time zone"));
    assert!(words(&"1,".repeat(200), "UTC").contains("longer"));
}

#[test]
fn it_says_in_words_what_it_means() {
    assert_eq!(
        schedule("0 9 * * 1-5", "UTC").words(),
        "At 09:00, on Monday, Tuesday, Wednesday, Thursday, and Friday."
    );
}
