//! What a server says when it refuses a request (RFC 9110 section 11.6.1, RFC 6750, RFC 9728).

use reqwest::StatusCode;
use reqwest::header::HeaderValue;

/// Bytes of a challenge that are read.
const MAX_CHALLENGE_BYTES: usize = 8 << 10;

/// A refusal that another token may overcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It wants a token, or a good one.
    Token(Challenge),
    /// The token is good, but not for this.
    Scope(Challenge),
}

/// What a refusal says about the token that is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// Where the server describes how to sign in.
    pub(super) resource_metadata: Option<String>,
    /// The scopes that the request needs.
    pub(super) scopes: Vec<String>,
}

impl Refusal {
    /// Reads an answer; `None` when a token has nothing to do with it.
    pub(crate) fn read<'a>(
        status: StatusCode,
        challenges: impl IntoIterator<Item = &'a HeaderValue>,
    ) -> Option<Self> {
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return None;
        }
        let params = challenges
            .into_iter()
            .filter_map(|value| value.to_str().ok())
            .filter(|value| value.len() <= MAX_CHALLENGE_BYTES)
            .find_map(bearer);
        let find = |name: &str| {
            let params = params.as_ref()?;
            params.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
        };
        let challenge = Challenge {
            resource_metadata: find("resource_metadata"),
            scopes: find("scope").map(|scopes| words(&scopes)).unwrap_or_default(),
        };
        if status == StatusCode::UNAUTHORIZED {
            return Some(Self::Token(challenge));
        }
        (find("error").as_deref() == Some("insufficient_scope")).then_some(Self::Scope(challenge))
    }
}

/// Scopes of a list, without repetitions.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split_ascii_whitespace() {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// The parameters of the first `Bearer` challenge in a header field.
fn bearer(field: &str) -> Option<Vec<(String, String)>> {
    let mut rest = field;
    let mut found: Option<Vec<(String, String)>> = None;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return found;
        }
        let end = rest.find([' ', '\t', ',', '=']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let gap = after.trim_start_matches([' ', '\t']);
        match gap.strip_prefix('=') {
            // `name=value` or `name="value"`; what follows a scheme directly may be a token of another kind.
            Some(value) if !word.is_empty() => {
                let (value, next) = read_value(value.trim_start_matches([' ', '\t']))?;
                if let Some(params) = &mut found {
                    params.push((word.to_owned(), value));
                }
                rest = next;
            }
            Some(next) => rest = next,
            None => {
                if found.is_some() {
                    return found;
                }
                if word.eq_ignore_ascii_case("bearer") {
                    found = Some(Vec::new());
                }
                rest = after;
            }
        }
    }
}

fn read_value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' => value.push(letters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn refusal(status: u16, fields: &[&str]) -> Option<Refusal> {
        let values: Vec<HeaderValue> =
            fields.iter().map(|field| HeaderValue::from_str(field).unwrap()).collect();
        Refusal::read(StatusCode::from_u16(status).unwrap(), &values)
    }

    #[test]
    fn the_bearer_challenge_is_found_among_others() {
        let expected = Refusal::Token(Challenge {
            resource_metadata: Some("https://a.example/x, y".into()),
            scopes: vec!["a".into(), "b:c".into()],
        });
        for fields in [
            &["Bearer resource_metadata=\"https://a.example/x, y\", scope=\"a b:c a\""][..],
            &["Basic realm=\"x\", bearer scope=\"a b:c\",resource_metadata=\"https://a.example/x, y\""],
            &[
                "Negotiate abc==",
                "BEARER error=invalid_token , scope = \"a b:c\", Resource_Metadata=\"https://a.example/x, \\y\"",
            ],
        ] {
            assert_eq!(refusal(401, fields), Some(expected.clone()), "{fields:?}");
        }
    }

    #[test]
    fn only_a_missing_scope_makes_another_token_useful_after_a_403() {
        let scoped = refusal(403, &["Bearer error=\"insufficient_scope\", scope=\"w\""]);
        assert!(matches!(scoped, Some(Refusal::Scope(challenge)) if challenge.scopes == ["w"]));
        assert_eq!(refusal(403, &["Bearer error=\"invalid_token\""]), None);
        assert_eq!(refusal(403, &[]), None);
        assert_eq!(refusal(404, &["Bearer"]), None);
    }

    #[test]
    fn broken_challenges_are_no_more_than_a_refusal() {
        for field in
            ["", "Bearer", ",,,", "=", "Bearer scope=\"never ended", "Bearer =x", "x=\"\\", "Bearer,,,=,"]
        {
            let read = refusal(401, &[field]);
            assert_eq!(read, Some(Refusal::Token(Challenge::default())), "{field:?}");
        }
    }
}
