//! "Did you mean": names that differ by few letters.

/// The longest name that is compared, in characters.
const MAX_NAME_CHARS: usize = 64;

/// The names nearest to `name`, nearest first, at most three; only those that are near enough to be a slip.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = plain(name);
    let length = wanted.chars().count();
    if wanted.is_empty() || length > MAX_NAME_CHARS {
        return Vec::new();
    }
    let mut ranked: Vec<(usize, &'a str)> = known
        .into_iter()
        .filter_map(|candidate| {
            let other = plain(candidate);
            let other_length = other.chars().count();
            let far = (length.max(other_length) / 3).max(1);
            let distance = match other_length > MAX_NAME_CHARS {
                true => usize::MAX,
                false => strsim::osa_distance(&wanted, &other),
            };
            let part = length >= 3 && other.contains(&wanted);
            if distance <= far {
                Some((distance, candidate))
            } else if part {
                Some((far + 1, candidate))
            } else {
                None
            }
        })
        .collect();
    ranked.sort();
    ranked.dedup();
    ranked.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters without case and separators: `depends_on` and `dependsOn` are the same slip.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' ' | '.'))
        .flat_map(char::to_lowercase)
        .take(MAX_NAME_CHARS + 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let known = ["dependsOn", "display", "desiredTokens", "pass", "pause"];
        assert_eq!(nearest("depends_on", known), ["dependsOn"]);
        assert_eq!(nearest("dispaly", known), ["display"]);
        assert_eq!(nearest("desired", known), ["desiredTokens"]);
        assert_eq!(nearest("banana", known), Vec::<&str>::new());
        assert_eq!(nearest("", known), Vec::<&str>::new());
        assert_eq!(nearest(&"x".repeat(10_000), known), Vec::<&str>::new());
        assert_eq!(nearest("display_fields", ["displayFields", "display"]), ["displayFields"]);
    }
}
