//! A formula as a tree, which the readers of Word's mathematics and of MathML fill, and its writing in one line that
//! means the same (after Unicode Technical Note 28).

use crate::linear::{bracketed, fraction, lowered, raised, root};
use crate::marks::struck;

/// A part of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Formula {
    /// Signs and letters.
    Text(String),
    /// A word or name, set apart from its neighbours.
    Word(String),
    Row(Vec<Formula>),
    Fraction(Box<[Formula; 2]>),
    /// Two above each other without a line: `(n¦k)`.
    Stack(Box<[Formula; 2]>),
    /// Degree and radicand.
    Root(Box<[Formula; 2]>),
    Scripts(Box<Scripts>),
    /// What stands below and above a base as a whole: `∑_(i=1)^n`.
    Limits(Box<[Formula; 3]>),
    /// A function's name and its argument.
    Function(Box<[Formula; 2]>),
    Fenced {
        open: String,
        close: String,
        separator: String,
        parts: Vec<Formula>,
    },
    /// Rows of cells.
    Matrix(Vec<Vec<Formula>>),
    /// A base and the sign above it.
    Accent(Box<Formula>, char),
    Struck(Box<Formula>),
}

/// A base with what is raised and lowered at it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scripts {
    pub(crate) base: Formula,
    pub(crate) below: Formula,
    pub(crate) above: Formula,
    /// Lowered and raised before it.
    pub(crate) before: [Formula; 2],
}

impl Default for Formula {
    fn default() -> Self {
        Self::Row(Vec::new())
    }
}

/// Signs above a letter, and the combining ones.
const ACCENTS: [(&str, char); 9] = [
    ("^ˆ\u{302}", '\u{302}'),
    ("~˜∼\u{303}", '\u{303}'),
    ("¯‾ˉ―─_\u{304}\u{305}\u{332}", '\u{305}'),
    ("˙.\u{307}", '\u{307}'),
    ("¨\u{308}", '\u{308}'),
    ("´\u{301}", '\u{301}'),
    ("`\u{300}", '\u{300}'),
    ("ˇ\u{30c}", '\u{30c}'),
    ("→⃗⇀\u{20d7}", '\u{20d7}'),
];

/// The combining form of a sign that stands above a letter.
pub(crate) fn accent(sign: &str) -> Option<char> {
    let mut signs = sign.trim().chars();
    let (first, rest) = (signs.next()?, signs.next());
    let (_, combining) = ACCENTS.iter().find(|(known, _)| rest.is_none() && known.contains(first))?;
    Some(*combining)
}

/// Whether a sign only holds together what stands below or above it.
pub(crate) fn is_brace(sign: &str) -> bool {
    !sign.trim().is_empty() && sign.trim().chars().all(|c| "⏞⏟⏜⏝⎴⎵︷︸{}".contains(c))
}

/// Signs and names whose scripts are limits.
const OPERATORS: &str = "∑∏∐∫∬∭∮∯∰⋀⋁⋂⋃⨀⨁⨂⨄⨆";
const NAMES: [&str; 8] = ["lim", "max", "min", "sup", "inf", "lim sup", "lim inf", "argmax"];

impl Formula {
    /// The formula in one line.
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Text(text) | Self::Word(text) => text.clone(),
            Self::Row(parts) => row(parts),
            Self::Fraction(parts) => fraction(&parts[0].written(), &parts[1].written()),
            Self::Root(parts) => root(&parts[0].written(), &parts[1].written()),
            Self::Scripts(scripts) => scripts.written(),
            Self::Limits(parts) => limits(&parts[0].written(), &parts[1].written(), &parts[2].written()),
            Self::Function(parts) => {
                let (name, argument) = (parts[0].written(), parts[1].written());
                let inside = bracketed(&argument);
                match () {
                    () if argument.trim().is_empty() => name,
                    () if matches!(parts[0], Self::Limits(_)) => format!("{name} {}", argument.trim()),
                    () if inside.starts_with('(') => format!("{name}{inside}"),
                    () => format!("{name}({inside})"),
                }
            }
            Self::Fenced { open, close, separator, parts } => {
                let inside: Vec<String> = parts.iter().map(Self::inside).collect();
                format!("{open}{}{close}", inside.join(separator))
            }
            Self::Stack(_) | Self::Matrix(_) => format!("({})", self.inside()),
            Self::Accent(base, sign) => {
                let base = base.written();
                let base = base.trim();
                if base.chars().count() == 1 {
                    return format!("{base}{sign}");
                }
                let shown =
                    ACCENTS.iter().find(|(_, one)| one == sign).and_then(|(all, _)| all.chars().next());
                format!("{}{}", shown.unwrap_or('¯'), bracketed(base))
            }
            Self::Struck(inner) => struck(&inner.written()),
        }
    }

    /// The formula between brackets that stand there already.
    fn inside(&self) -> String {
        match self {
            Self::Row(parts) if parts.len() == 1 => parts[0].inside(),
            Self::Stack(parts) => format!("{}¦{}", parts[0].written().trim(), parts[1].written().trim()),
            Self::Matrix(rows) => rows.iter().map(|row| cells(row)).collect::<Vec<_>>().join("; "),
            other => other.written(),
        }
    }

    /// Whether letters or brackets behind it would be taken for a part of it.
    fn is_open_ended(&self) -> bool {
        matches!(self, Self::Fraction(_) | Self::Root(_) | Self::Limits(_))
    }
}

fn row(parts: &[Formula]) -> String {
    let mut out = String::new();
    let mut before: Option<&Formula> = None;
    for part in parts {
        let fenced = out.ends_with(['(', '[', '{', '|', '‖']);
        let text = if fenced { part.inside() } else { part.written() };
        let (Some(first), last) = (text.chars().next(), out.chars().last()) else { continue };
        let joins = last.is_some_and(|last| last.is_alphanumeric() || ")'′".contains(last));
        let begins = first.is_alphanumeric() || matches!(first, '(' | '√' | '∛' | '∜');
        let word = |one: &Formula| matches!(one, Formula::Word(word) if word.chars().count() > 1);
        let plain = |one: &Formula| matches!(one, Formula::Text(_));
        let digits = last.is_some_and(|last| last.is_numeric()) && first.is_ascii_digit();
        let apart = before.is_some_and(|before| {
            let shown = out.rsplit([' ', '+', '=']).next().is_some_and(|end| end.contains(['^', '_']));
            (before.is_open_ended() || (matches!(before, Formula::Scripts(_)) && shown)) && begins
                || matches!(part, Formula::Fraction(_)) && joins
                || digits && !(plain(before) && plain(part))
                || (word(before) || word(part)) && joins && first.is_alphanumeric()
        });
        if apart && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(&text);
        before = Some(part);
    }
    out
}

/// A row of a matrix. What begins with a relation goes on with the cell before it: lines of an equation.
fn cells(row: &[Formula]) -> String {
    let mut out = String::new();
    for (index, cell) in row.iter().enumerate() {
        let cell = cell.written();
        let relates = cell.trim_start().starts_with(['=', '≤', '≥', '<', '>', '≈', '≡', '≠', '∼', '→', '⇒']);
        if index > 0 && !relates && !out.is_empty() && !out.ends_with('=') {
            out.push_str(", ");
        }
        out.push_str(cell.trim());
    }
    out
}

impl Scripts {
    fn written(&self) -> String {
        let [lower, upper] = self.before.each_ref().map(Formula::written);
        let (base, below, above) = (self.base.written(), self.below.written(), self.above.written());
        let name = base.trim();
        if name.chars().count() == 1 && OPERATORS.contains(name) || NAMES.contains(&name) {
            return limits(name, &below, &above);
        }
        let word = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | ','));
        let base = match self.base {
            Formula::Fenced { .. } => name.to_owned(),
            _ if word || name.is_empty() => name.to_owned(),
            _ => bracketed(name),
        };
        format!("{}{}{base}{}{}", raised(&upper), lowered(&lower), lowered(&below), raised(&above))
    }
}

fn limits(base: &str, below: &str, above: &str) -> String {
    let mut out = base.trim().to_owned();
    for (sign, limit) in [('_', below), ('^', above)] {
        if !limit.trim().is_empty() && !is_brace(limit) {
            out.push(sign);
            out.push_str(&bracketed(limit));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn t(text: &str) -> Formula {
        Formula::Text(text.into())
    }

    fn raised_at(base: Formula, above: &str) -> Formula {
        let before = [Formula::default(), Formula::default()];
        Formula::Scripts(Box::new(Scripts { base, below: Formula::default(), above: t(above), before }))
    }

    fn fraction_of(above: Formula, below: Formula) -> Formula {
        Formula::Fraction(Box::new([above, below]))
    }

    #[test]
    fn parts_that_would_run_together_are_set_apart() {
        let half = fraction_of(t("1"), t("2"));
        assert_eq!(Formula::Row(vec![t("2"), half.clone(), t("x")]).written(), "2 1/2 x");
        assert_eq!(raised_at(half.clone(), "2").written(), "(1/2)²");
        let root = Formula::Root(Box::new([Formula::default(), t("16")]));
        assert_eq!(Formula::Row(vec![root, t("5")]).written(), "√16 5");
        let row = Formula::Row(vec![
            Formula::Word("sin".into()),
            t("x"),
            t("+"),
            raised_at(t("10"), "1.5"),
            t("y"),
        ]);
        assert_eq!(row.written(), "sin x+10^(1.5) y");
        let sum = Formula::Limits(Box::new([t("∑"), t("i=1"), t("n")]));
        assert_eq!(Formula::Row(vec![sum, t("x")]).written(), "∑_(i=1)^n x");
    }

    #[test]
    fn brackets_are_not_doubled_and_matrices_have_rows() {
        let stack = Formula::Stack(Box::new([t("n"), t("k")]));
        let fenced = Formula::Fenced {
            open: "(".into(),
            close: ")".into(),
            separator: ",".into(),
            parts: vec![Formula::Row(vec![stack.clone()])],
        };
        assert_eq!((stack.written(), fenced.written()), ("(n¦k)".into(), "(n¦k)".into()));
        let matrix = Formula::Matrix(vec![vec![t("a"), t("b")], vec![t("c"), t("d")]]);
        assert_eq!(Formula::Row(vec![t("["), matrix, t("]")]).written(), "[a, b; c, d]");
        let lines = Formula::Matrix(vec![vec![t("x"), t("=1")], vec![t("y"), t("=2")]]);
        assert_eq!(lines.inside(), "x=1; y=2");
    }

    #[test]
    fn accents_and_functions_stay_readable() {
        assert_eq!(Formula::Accent(Box::new(t("x")), '\u{305}').written(), "x\u{305}");
        assert_eq!(Formula::Accent(Box::new(t("a+b")), '\u{302}').written(), "^(a+b)");
        assert_eq!(Formula::Function(Box::new([t("sin"), t("x")])).written(), "sin(x)");
        assert_eq!((accent("¯"), accent("ab")), (Some('\u{305}'), None));
    }
}
