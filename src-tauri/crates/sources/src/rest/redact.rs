//! Cuts secrets out of texts.

use secrecy::{ExposeSecret, SecretString};

/// What stands in a secret's place.
const CUT: &str = "(secret)";
/// Shorter ones are words that stand anywhere.
const MIN_SECRET_BYTES: usize = 4;

/// Secrets in the forms in which a server may give them back.
pub(super) struct Redact(Vec<String>);

impl Redact {
    pub(super) fn new<'s>(secrets: impl IntoIterator<Item = &'s SecretString>) -> Self {
        let mut forms: Vec<String> = Vec::new();
        for secret in secrets {
            let plain = secret.expose_secret();
            if plain.len() < MIN_SECRET_BYTES {
                continue;
            }
            let encoded: String = url::form_urlencoded::byte_serialize(plain.as_bytes()).collect();
            let json = serde_json::to_string(plain).unwrap_or_default();
            let json = json.trim_matches('"').to_owned();
            forms.extend([plain.to_owned(), encoded.replace('+', "%20"), encoded, json]);
        }
        // A long one may hold a short one.
        forms.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        forms.dedup();
        Self(forms)
    }

    pub(super) fn text(&self, text: String) -> String {
        self.0.iter().fold(text, |text, form| match text.contains(form.as_str()) {
            true => text.replace(form.as_str(), CUT),
            false => text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_cut_out_in_each_of_its_forms() {
        let redact = Redact::new(&[SecretString::from("a b/\"c\"+"), SecretString::from("xyz")]);
        let told =
            redact.text("1 a b/\"c\"+ 2 a+b%2F%22c%22%2B 3 a%20b%2F%22c%22%2B 4 a b/\\\"c\\\"+ xyz".into());
        assert_eq!(told, "1 (secret) 2 (secret) 3 (secret) 4 (secret) xyz");
    }
}
