//! Pages of lists. A cursor is where the next page begins; clients treat it as opaque.

use rmcp::ErrorData;

/// Items of one page.
pub(crate) const PAGE: usize = 100;

/// The page at a cursor, and the cursor of the next one.
pub(crate) fn page<T>(
    items: impl Iterator<Item = T>,
    cursor: Option<&str>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => cursor
            .strip_prefix("from-")
            .and_then(|number| number.parse::<usize>().ok())
            .ok_or_else(|| ErrorData::invalid_params("the cursor is none that this server gave", None))?,
    };
    let mut page: Vec<T> = items.skip(start).take(PAGE + 1).collect();
    let next = (page.len() > PAGE).then(|| format!("from-{}", start + PAGE));
    page.truncate(PAGE);
    Ok((page, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn pages_cover_a_list_once() {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let (items, next) = page(0..250, cursor.as_deref()).unwrap();
            seen.extend(items);
            match next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(seen, (0..250).collect::<Vec<_>>());
        assert_eq!(page(0..100, None).unwrap().1, None);
        assert_eq!(page(0..3, Some("from-9")).unwrap(), (Vec::new(), None));
        assert!(page(0..3, Some("9")).is_err());
    }
}
