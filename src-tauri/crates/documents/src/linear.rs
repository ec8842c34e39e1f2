//! Two-dimensional writing in one line that means the same: what is raised or lowered, fractions, roots.

use crate::marks::is_mark;

/// Signs that have a raised form, and the raised ones.
const RAISED: [(&str, &str); 2] = [
    (
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ",
    ),
    ("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"),
];

/// Words of more characters than this are written behind `^`, for a reader of raised letters tires soon.
const MAX_RAISED: usize = 8;

/// Most characters that are taken for raised or lowered at all.
const MAX_SHIFTED: usize = 60;

/// Endings of ordinal numbers, which many write raised.
const ORDINALS: [&str; 14] =
    ["st", "nd", "rd", "th", "er", "re", "ère", "ème", "ième", "o", "os", "as", "de", "ste"];

/// A raised text: `⁶`, `^(1.5)`.
pub(crate) fn raised(text: &str) -> String {
    shifted(text, 0, '^')
}

/// A lowered text: `₂`, `_(max)`.
pub(crate) fn lowered(text: &str) -> String {
    shifted(text, 1, '_')
}

/// What stands raised behind `before`. An ordinal's ending and words that hang on nothing stay as they are: `1st`.
pub(crate) fn raised_behind(before: &str, text: &str) -> String {
    let word = text.trim();
    let ordinal = before.ends_with(|c: char| c.is_ascii_digit()) && ORDINALS.contains(&word);
    if ordinal || is_no_shift(before, word) { text.to_owned() } else { raised(text) }
}

/// What stands lowered behind `before`.
pub(crate) fn lowered_behind(before: &str, text: &str) -> String {
    if is_no_shift(before, text.trim()) { text.to_owned() } else { lowered(text) }
}

/// A sentence in small letters is no exponent.
fn is_no_shift(before: &str, word: &str) -> bool {
    let count = word.chars().count();
    count > MAX_SHIFTED
        || (count > MAX_RAISED && (before.is_empty() || before.ends_with(char::is_whitespace)))
}

fn shifted(text: &str, which: usize, sign: char) -> String {
    let word = text.trim();
    if word.is_empty() || word.chars().all(is_raised_sign) || word.starts_with('[') || word.contains(is_mark)
    {
        return text.to_owned();
    }
    let (plain, shifted) = RAISED[which];
    let form = |c: char| shifted.chars().nth(plain.chars().position(|one| one == c)?);
    let written = match word.chars().map(form).collect::<Option<String>>() {
        Some(written) if word.chars().count() <= MAX_RAISED => written,
        _ => format!("{sign}{}", bracketed(word)),
    };
    let (lead, tail) = (text.len() - text.trim_start().len(), text.trim_end().len());
    format!("{}{written}{}", &text[..lead], &text[tail..])
}

/// Signs that stand raised anyway, and mean the same where they do not.
fn is_raised_sign(c: char) -> bool {
    "™®©℠*∗†‡§¶°∘′″‴'ºª#".contains(c) || RAISED[0].1.contains(c)
}

/// `1/2`, `(a+b)/c`.
pub(crate) fn fraction(numerator: &str, denominator: &str) -> String {
    format!("{}/{}", bracketed(numerator), bracketed(denominator))
}

/// `√16`, `∛(a+b)`, `√(5&x)` for other degrees.
pub(crate) fn root(degree: &str, radicand: &str) -> String {
    match degree.trim() {
        "" | "2" => format!("√{}", bracketed(radicand)),
        "3" => format!("∛{}", bracketed(radicand)),
        "4" => format!("∜{}", bracketed(radicand)),
        degree => format!("√({degree}&{})", radicand.trim()),
    }
}

/// A text in brackets unless it is one number, one letter with what stands raised or lowered at it, or in brackets
/// already.
pub(crate) fn bracketed(text: &str) -> String {
    let text = text.trim();
    let is_shifted = |c: char| RAISED[0].1.contains(c) || RAISED[1].1.contains(c);
    let number = text.chars().all(|c| c.is_ascii_digit());
    let letter = text.chars().skip(1).all(|c| is_shifted(c) || matches!(c, '\u{300}'..='\u{36f}'));
    if number || letter || is_one_bracket(text) { text.to_owned() } else { format!("({text})") }
}

fn is_one_bracket(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let mut depth = 0_i32;
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn raised_and_lowered_signs_keep_their_meaning() {
        let pairs = [("6", "⁶"), ("-3", "⁻³"), ("n+1", "ⁿ⁺¹"), ("1.5", "^(1.5)"), ("C", "^C"), ("th", "ᵗʰ")];
        for (text, written) in pairs {
            assert_eq!(raised(text), written, "{text}");
        }
        assert_eq!(lowered("2"), "₂");
        assert_eq!(lowered("max"), "ₘₐₓ");
        assert_eq!(lowered("eff, net"), "_(eff, net)");
        assert_eq!(
            (raised(" "), raised("registered trade mark")),
            (" ".into(), "^(registered trade mark)".into())
        );
        assert_eq!((raised("6 "), raised(" ™")), ("⁶ ".into(), " ™".into()));
        assert_eq!((raised("[2]"), raised("°"), raised("*")), ("[2]".into(), "°".into(), "*".into()));
    }

    #[test]
    fn ordinals_and_small_print_are_no_exponents() {
        assert_eq!((raised_behind("1", "st"), raised_behind("x", "st")), ("st".into(), "ˢᵗ".into()));
        assert_eq!(raised_behind("", "1"), "¹");
        assert_eq!(raised_behind("", "All figures in EUR."), "All figures in EUR.");
        assert_eq!(raised_behind("x", "2n + 1.5"), "^(2n + 1.5)");
        assert_eq!(lowered_behind("p", "eff, net"), "_(eff, net)");
    }

    #[test]
    fn fractions_and_roots_are_bracketed_where_they_must() {
        assert_eq!(fraction("1", "2"), "1/2");
        assert_eq!(fraction("a+b", "(c)(d)"), "(a+b)/((c)(d))");
        assert_eq!((fraction("x²", "2a"), fraction("1.5", "y₁")), ("x²/(2a)".into(), "(1.5)/y₁".into()));
        assert_eq!(root("", "16"), "√16");
        assert_eq!(root("3", "a+b"), "∛(a+b)");
        assert_eq!(root("n", "x"), "√(n&x)");
    }
}
