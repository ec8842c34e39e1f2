//! Secrets that let a program of this person reach a running instance.

use domain::Problem;

/// 256 bits of chance, made anew for each start.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A fresh one.
    pub fn fresh() -> Result<Self, Problem> {
        crate::random_hex::<32>().map(Self)
    }

    /// As hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether somebody knows it. The time that it takes says nothing about where a wrong one differs.
    pub fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = own
            .iter()
            .enumerate()
            .fold(0, |sum, (at, byte)| sum | (byte ^ given.get(at).copied().unwrap_or(!byte)));
        (differences == 0) & (own.len() == given.len())
    }
}

impl From<&str> for Token {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_it() {
        let token = Token::fresh().unwrap();
        let text = token.as_str().to_owned();
        assert_eq!(text.len(), 64);
        assert!(token.is(&text));
        assert!(!token.is(""));
        assert!(!token.is(&text[..63]));
        assert!(!token.is(&format!("{text}0")));
        assert!(!token.is(&text.replace(|c: char| c.is_ascii_digit(), "x")));
        assert_ne!(token, Token::fresh().unwrap());
        assert!(!format!("{token:?}").contains(&text));
    }
}
