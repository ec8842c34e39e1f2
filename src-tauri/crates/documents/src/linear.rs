//! Two-dimensional writing in one line that means the same: what is raised or lowered, fractions, roots.

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

/// A raised text: `⁶`, `^(1.5)`.
pub(crate) fn raised(text: &str) -> String {
    shifted(text, 0, '^')
}

/// A lowered text: `₂`, `_(max)`.
pub(crate) fn lowered(text: &str) -> String {
    shifted(text, 1, '_')
}

fn shifted(text: &str, which: usize, sign: char) -> String {
    let word = text.trim();
    if word.is_empty() {
        return text.to_owned();
    }
    let (plain, shifted) = RAISED[which];
    let form = |c: char| Some(shifted.chars().nth(plain.chars().position(|one| one == c)?)?);
    if word.chars().count() <= MAX_RAISED
        && let Some(word) = word.chars().map(form).collect::<Option<String>>()
    {
        return word;
    }
    format!("{sign}{}", bracketed(word))
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

/// A text in brackets unless it is one number, one letter or in brackets already.
pub(crate) fn bracketed(text: &str) -> String {
    let text = text.trim();
    let number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if number || text.chars().count() == 1 || is_one_bracket(text) {
        text.to_owned()
    } else {
        format!("({text})")
    }
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
    }

    #[test]
    fn fractions_and_roots_are_bracketed_where_they_must() {
        assert_eq!(fraction("1", "2"), "1/2");
        assert_eq!(fraction("a+b", "(c)(d)"), "(a+b)/((c)(d))");
        assert_eq!(root("", "16"), "√16");
        assert_eq!(root("3", "a+b"), "∛(a+b)");
        assert_eq!(root("n", "x"), "√(n&x)");
    }
}
