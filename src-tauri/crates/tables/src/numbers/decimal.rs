//! Numbers in decimal digits, rounded half away from zero on the fifteen digits that a spreadsheet keeps.

use super::code::{Section, Token};

/// Digits that a spreadsheet keeps.
const DIGITS: usize = 15;

/// A number that is not negative: `0.d₁d₂d₃… × 10^point`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    pub(super) fn of(number: f64) -> Self {
        let written = format!("{number:.*e}", DIGITS - 1);
        let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        let mut digits: Vec<u8> =
            digits.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let point = exponent.parse::<i32>().unwrap_or(0) + 1;
        if digits.is_empty() { Self { digits, point: 0 } } else { Self { digits, point } }
    }

    /// With so many digits behind the decimal point.
    fn rounded(mut self, places: i32) -> Self {
        let keep = self.point + places;
        if keep < 0 {
            return Self { digits: Vec::new(), point: 0 };
        }
        let keep = keep as usize;
        if keep >= self.digits.len() {
            return self;
        }
        let up = self.digits[keep] >= 5;
        self.digits.truncate(keep);
        if up {
            let mut at = keep;
            loop {
                if at == 0 {
                    self.digits.insert(0, 1);
                    self.point += 1;
                    break;
                }
                at -= 1;
                if self.digits[at] == 9 {
                    self.digits[at] = 0;
                } else {
                    self.digits[at] += 1;
                    break;
                }
            }
        }
        self
    }

    fn whole(&self) -> String {
        let whole: String = (0..self.point.max(0) as usize).map(|at| self.digit(at)).collect();
        whole.trim_start_matches('0').to_owned()
    }

    fn fraction(&self, places: usize) -> String {
        (0..places as i32)
            .map(|place| usize::try_from(self.point + place).map_or('0', |at| self.digit(at)))
            .collect()
    }

    fn digit(&self, at: usize) -> char {
        char::from(b'0' + self.digits.get(at).copied().unwrap_or(0))
    }

    fn value(&self) -> f64 {
        let digits: String = (0..self.digits.len()).map(|at| self.digit(at)).collect();
        format!("0.{digits}0e{}", self.point).parse().unwrap_or(0.0)
    }

    /// All its digits.
    pub(super) fn plain(&self, negative: bool) -> String {
        let places = (self.digits.len() as i32 - self.point).max(0) as usize;
        let (whole, fraction) = (self.whole(), self.fraction(places));
        let whole = if whole.is_empty() { "0" } else { &whole };
        let sign = if negative { "-" } else { "" };
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }
}

/// A number that is not negative as a section shows it, and the number that then stands there.
pub(super) fn show(section: &Section, number: f64) -> (String, f64) {
    let tokens = &section.tokens;
    if tokens.contains(&Token::Slash)
        && tokens.iter().filter(|token| matches!(token, Token::Digit(_))).count() > 1
    {
        return fraction(section, number);
    }
    if let Some(at) = tokens.iter().position(|token| matches!(token, Token::Exponent(_))) {
        return scientific(tokens, at, number);
    }
    let percents = tokens.iter().filter(|token| **token == Token::Percent).count() as i32;
    let shift = 2 * percents - 3 * section.scale() as i32;
    let mut decimal = Decimal::of(number);
    decimal.point += shift;
    let decimal = decimal.rounded(places(tokens) as i32);
    let mut shown = decimal.clone();
    shown.point -= shift;
    (written(tokens, &decimal), if shown.digits.is_empty() { 0.0 } else { shown.value() })
}

fn places(tokens: &[Token]) -> usize {
    let point = tokens.iter().position(|token| *token == Token::Point).unwrap_or(tokens.len());
    tokens[point..].iter().filter(|token| matches!(token, Token::Digit(_))).count()
}

/// The tokens with a number's digits in the places that they have for them.
fn written(tokens: &[Token], decimal: &Decimal) -> String {
    let point = tokens.iter().position(|token| *token == Token::Point).unwrap_or(tokens.len());
    let (before, behind) = tokens.split_at(point);
    let is_digit = |token: &Token| matches!(token, Token::Digit(_));
    let first = before.iter().position(is_digit);
    let last = before.iter().rposition(is_digit);
    let grouped = first.zip(last).is_some_and(|(first, last)| before[first..last].contains(&Token::Comma));
    let mut whole: Vec<char> = decimal.whole().chars().collect();
    let mut parts: Vec<String> = Vec::new();
    let mut count = 0;
    let mut group = |digit: char, out: &mut String| {
        if grouped && count > 0 && count % 3 == 0 {
            out.insert(0, ',');
        }
        out.insert(0, digit);
        count += 1;
    };
    for (at, token) in before.iter().enumerate().rev() {
        let mut part = String::new();
        match token {
            Token::Digit(sign) => {
                match (whole.pop(), sign) {
                    (Some(digit), _) => group(digit, &mut part),
                    (None, '0') => group('0', &mut part),
                    _ => {}
                }
                while Some(at) == first
                    && let Some(digit) = whole.pop()
                {
                    group(digit, &mut part);
                }
            }
            Token::Literal(text) => part.push_str(text),
            Token::Percent => part.push('%'),
            Token::Slash => part.push('/'),
            _ => {}
        }
        parts.push(part);
    }
    let mut out: String = parts.into_iter().rev().collect();
    if first.is_none() && !whole.is_empty() {
        out.extend(whole);
    }
    let signs: Vec<char> = behind
        .iter()
        .filter_map(|token| if let Token::Digit(sign) = token { Some(*sign) } else { None })
        .collect();
    let fraction: Vec<char> = decimal.fraction(signs.len()).chars().collect();
    // Zeros at the end are shown where the format says so.
    let kept =
        (0..signs.len()).rev().find(|at| signs[*at] == '0' || fraction[*at] != '0').map_or(0, |at| at + 1);
    let mut place = 0;
    for token in behind {
        match token {
            Token::Point if kept > 0 || signs.is_empty() => out.push('.'),
            Token::Digit(_) => {
                if place < kept {
                    out.push(fraction[place]);
                }
                place += 1;
            }
            Token::Literal(text) => out.push_str(text),
            Token::Percent => out.push('%'),
            _ => {}
        }
    }
    out.trim().to_owned()
}

fn scientific(tokens: &[Token], at: usize, number: f64) -> (String, f64) {
    let (mantissa, behind) = tokens.split_at(at);
    let point = mantissa.iter().position(|token| *token == Token::Point).unwrap_or(mantissa.len());
    let width =
        mantissa[..point].iter().filter(|token| matches!(token, Token::Digit(_))).count().max(1) as i32;
    let mut decimal = Decimal::of(number);
    let exponent_of = |decimal: &Decimal| {
        if decimal.digits.is_empty() { 0 } else { (decimal.point - 1).div_euclid(width) * width }
    };
    let mut exponent = exponent_of(&decimal);
    let places = places(mantissa) as i32;
    decimal.point -= exponent;
    let mut rounded = decimal.rounded(places);
    let more = exponent_of(&rounded);
    rounded.point -= more;
    exponent += more;
    let shown = Decimal { digits: rounded.digits.clone(), point: rounded.point + exponent };
    let digits = behind.iter().filter(|token| matches!(token, Token::Digit(_))).count().max(1);
    let sign = match (exponent < 0, &behind[0]) {
        (true, _) => "-",
        (false, Token::Exponent('+')) => "+",
        _ => "",
    };
    let tail: String = behind
        .iter()
        .filter_map(|token| if let Token::Literal(text) = token { Some(text.as_str()) } else { None })
        .collect();
    let text = format!("{}E{sign}{:0digits$}{tail}", written(mantissa, &rounded), exponent.abs());
    (text.trim().to_owned(), if shown.digits.is_empty() { 0.0 } else { shown.value() })
}

/// `1 1/2`: with as many digits below the line as the format has, or by the number that it names.
fn fraction(section: &Section, number: f64) -> (String, f64) {
    let tokens = &section.tokens;
    let line = tokens.iter().position(|token| *token == Token::Slash).unwrap_or(0);
    let above =
        tokens[..line].iter().rposition(|token| !matches!(token, Token::Digit(_))).map_or(0, |at| at + 1);
    let has_whole = tokens[..above].iter().any(|token| matches!(token, Token::Digit(_)));
    let below = &tokens[line + 1..];
    let digits = below.iter().take_while(|token| matches!(token, Token::Digit(_) | Token::Literal(_)));
    let named: String = digits
        .clone()
        .map_while(|token| match token {
            Token::Literal(text) => Some(text.as_str()),
            Token::Digit('0') => Some("0"),
            _ => None,
        })
        .collect();
    let whole = if has_whole { number.trunc() } else { 0.0 };
    let rest = number - whole;
    let (mut top, bottom) = match named.trim().parse::<u32>() {
        Ok(fixed) if fixed > 0 => ((rest * f64::from(fixed)).round(), f64::from(fixed)),
        _ => {
            let most = 10_u32.pow(digits.count().clamp(1, 3) as u32) - 1;
            let tries = (1..=most).map(|bottom| ((rest * f64::from(bottom)).round(), f64::from(bottom)));
            let wrong = |(top, bottom): &(f64, f64)| (top / bottom - rest).abs();
            tries.min_by(|a, b| wrong(a).total_cmp(&wrong(b))).unwrap_or((0.0, 1.0))
        }
    };
    let mut whole_shown = whole;
    if has_whole && top >= bottom {
        whole_shown += 1.0;
        top -= bottom;
    }
    let text = match (has_whole, top == 0.0, whole_shown == 0.0) {
        (true, true, _) => format!("{whole_shown}"),
        (true, false, false) => format!("{whole_shown} {top}/{bottom}"),
        _ => format!("{top}/{bottom}"),
    };
    (text, whole_shown + top / bottom)
}
