//! Negations and exceptions in scripts without blanks between words, where they are signs beside others.

use text_analysis::is_spaceless;

use super::hidden::Hidden;

/// Signs of Chinese that turn what follows them.
const CHINESE: &str = "不未无無非没沒勿莫毋";
/// Words of Thai, Lao, Khmer and Burmese that do.
const BEFORE: [&str; 7] = ["ไม่", "ห้าม", "มิ", "อย่า", "ບໍ່", "មិន", "មិនត្រូវ"];
/// Endings of Japanese, Khmer and Burmese that turn what stands before them in the clause.
const BEHIND: [&str; 9] = ["ない", "ません", "なかっ", "なけれ", "禁止", "禁じ", "てはなら", "ទេ", "မဟုတ်"];
/// What limits what stands before or after it.
const EXCEPTIONS: [&str; 6] = ["除非", "除外", "以外", "を除", "เว้นแต่", "ยกเว้น"];
/// Signs before a quote, and behind it, that are looked at.
const NEAR: usize = 2;
const CLAUSE: usize = 16;

/// What turns or limits a quote that begins behind `before`.
pub(crate) fn before(before: &str) -> Option<(Hidden, String)> {
    let near: String = last(before, NEAR);
    if near.contains(|c: char| CHINESE.contains(c)) {
        return Some((Hidden::Negation, near));
    }
    let word = BEFORE.iter().find(|word| before.ends_with(**word));
    let negation = word.map(|word| (Hidden::Negation, (*word).to_owned()));
    negation.or_else(|| {
        let word = EXCEPTIONS.iter().find(|word| before.ends_with(**word))?;
        Some((Hidden::Exception, (*word).to_owned()))
    })
}

/// What turns or limits a quote that ends before `after`, in the same clause.
pub(crate) fn after(after: &str) -> Option<(Hidden, String)> {
    let clause: String = after.chars().take_while(|&c| is_inside(c)).take(CLAUSE).collect();
    let begins = clause.starts_with(|c: char| CHINESE.contains(c))
        || BEFORE.iter().any(|word| clause.starts_with(word));
    if begins || BEHIND.iter().any(|word| clause.contains(word)) {
        return Some((Hidden::Negation, clause));
    }
    EXCEPTIONS.iter().any(|word| clause.starts_with(word)).then_some((Hidden::Exception, clause))
}

/// The first negation or exception in a text that a quote leaves out.
pub(crate) fn within(text: &str) -> Option<(Hidden, String)> {
    let find = |words: &[&str]| words.iter().filter_map(|word| text.find(*word)).min();
    let sign = text.find(|c: char| CHINESE.contains(c));
    let negation = [sign, find(&BEFORE), find(&BEHIND)].into_iter().flatten().min();
    let exception = find(&EXCEPTIONS);
    let (at, sort) = match (negation, exception) {
        (Some(at), other) if other.is_none_or(|other| at <= other) => (at, Hidden::Negation),
        (_, Some(at)) => (at, Hidden::Exception),
        _ => return None,
    };
    Some((sort, text[at..].chars().take_while(|&c| is_inside(c)).take(CLAUSE).collect()))
}

/// Whether a character belongs to a clause of such a script.
fn is_inside(c: char) -> bool {
    is_spaceless(c) || text_analysis::is_mark(c)
}

fn last(text: &str, signs: usize) -> String {
    let all: Vec<char> = text.chars().rev().take_while(|&c| is_inside(c)).take(signs).collect();
    all.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negations_beside_a_quote_are_seen_in_scripts_without_blanks() {
        for (text, at) in [("承租人不得转让", "转让"), ("ผู้เช่าไม่โอนสิทธิ", "โอน"), ("未经同意", "经同意")]
        {
            let cut = text.find(at).unwrap();
            assert!(matches!(before(&text[..cut]), Some((Hidden::Negation, _))), "{text}");
        }
        for (text, at) in
            [("開示してはならない。", "開示して"), ("承租人不得转让", "承租人"), ("譲渡できない", "譲渡")]
        {
            assert!(matches!(after(&text[at.len()..]), Some((Hidden::Negation, _))), "{text}");
        }
        for text in ["承租人应支付租金", "賃借人は賃料を支払う", "ผู้เช่าชำระค่าเช่า"]
        {
            assert_eq!((before(text), after(text), within(text)), (None, None, None), "{text}");
        }
        assert_eq!(after("。但不得转让"), None, "another sentence");
        assert!(matches!(within("在三十日内除非另有约定"), Some((Hidden::Exception, _))));
    }
}
