//! Limits on money as people type them and as they are shown.

use domain::SpendLimits;
use domain::connection::{Auth, Connection, ProviderKind};
use protocol::LimitReport;

/// What one limit is, in words.
fn amount(usd: Option<f64>) -> String {
    usd.map_or_else(|| "no limit".to_owned(), |usd| format!("${usd:.2}"))
}

/// The three limits in one line.
pub(crate) fn in_words(limits: &SpendLimits) -> String {
    let SpendLimits { run, day, month } = limits;
    format!("a run {}, a day {}, a month {}", amount(*run), amount(*day), amount(*month))
}

/// The limits and what is used of them; `only`: those of one connection beside those of all.
pub fn limits_table(report: &LimitReport, only: Option<&str>) -> String {
    let settings = &report.settings;
    let mut lines =
        vec![format!("{:<28} {:<12} {:>12} {:>12} {:>12}", "", "", "limit", "spent", "set aside")];
    let own = settings.connections.iter().map(|(slug, limits)| (Some(slug.as_str()), limits));
    for (connection, limits) in std::iter::once((None, &settings.all)).chain(own) {
        if only.is_some() && connection.is_some() && only != connection {
            continue;
        }
        let name = connection.unwrap_or("all connections");
        lines.push(format!("{name:<28} {:<12} {:>12}", "each run", amount(limits.run)));
        for used in report.uses.iter().filter(|used| used.connection.as_deref() == connection) {
            let limit = used.limit.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string());
            let (spent, held) = (used.spent.to_string(), used.held.to_string());
            lines.push(format!("{:<28} {:<12} {limit:>12} {spent:>12} {held:>12}", "", used.of));
        }
    }
    lines.push(String::new());
    lines.push(
        "At 80 % you are told; at 100 % a run pauses and asks, and a conversation ends its turn with what it has."
            .to_owned(),
    );
    lines.push("Local models, flat rates and the offline engine cost nothing and have no limit.".to_owned());
    lines.join("\n")
}

/// Whether calls over a connection are paid by use.
pub(crate) fn is_paid(connection: &Connection) -> bool {
    let local = matches!(connection.provider, ProviderKind::Ollama | ProviderKind::Offline);
    !connection.flat_rate && !local && connection.auth != Auth::None
}

/// Three limits as they were typed; nothing keeps those that hold.
pub fn limits_typed(line: &str, now: &SpendLimits) -> Option<SpendLimits> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.is_empty() {
        return Some(*now);
    }
    let one = |word: &str| match word.eq_ignore_ascii_case("none") {
        true => Some(None),
        false => domain::amount(word).filter(|usd| *usd <= domain::MAX_LIMIT_USD).map(Some),
    };
    match words.as_slice() {
        [all] if all.eq_ignore_ascii_case("none") => Some(SpendLimits::default()),
        [run, day, month] => Some(SpendLimits { run: one(run)?, day: one(day)?, month: one(month)? }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_people_type_them() {
        let now = SpendLimits::DEFAULT;
        assert_eq!(limits_typed("\n", &now), Some(now));
        assert_eq!(
            limits_typed("2 $10 1,000\n", &now),
            Some(SpendLimits { run: Some(2.0), day: Some(10.0), month: Some(1_000.0) })
        );
        assert_eq!(limits_typed("none 10 None", &now).and_then(|limits| limits.day), Some(10.0));
        assert_eq!(limits_typed("none", &now), Some(SpendLimits::default()));
        for wrong in ["5", "5 20", "5 20 -1", "a b c", "1 2 3 4", "1 2 9999999"] {
            assert_eq!(limits_typed(wrong, &now), None, "{wrong}");
        }
    }
}
