//! What shows that who ends a sign-in has begun it.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// The random values of one sign-in.
pub struct Proof {
    /// What the answer has to repeat.
    pub state: String,
    /// What goes with the code (RFC 7636, section 4.1); 256 random bits.
    pub verifier: SecretString,
}

impl Proof {
    /// New values.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn fresh() -> Result<Self, getrandom::Error> {
        Ok(Self { state: random()?.to_string(), verifier: random()?.as_str().into() })
    }

    /// The S256 challenge of the verifier (RFC 7636, section 4.2).
    pub fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.expose_secret()))
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proof(…)")
    }
}

fn random() -> Result<Zeroizing<String>, getrandom::Error> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    getrandom::fill(bytes.as_mut_slice())?;
    Ok(Zeroizing::new(BASE64_URL_SAFE_NO_PAD.encode(bytes.as_slice())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_the_one_of_the_standards_example() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".into();
        let proof = Proof { state: String::new(), verifier };
        assert_eq!(proof.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn every_sign_in_has_values_of_its_own() {
        let (one, other) = (Proof::fresh().unwrap(), Proof::fresh().unwrap());
        assert_eq!((one.state.len(), one.verifier.expose_secret().len()), (43, 43));
        assert_ne!(one.state, other.state);
        assert_ne!(one.verifier.expose_secret(), other.verifier.expose_secret());
        assert!(!format!("{one:?}").contains(&one.state));
    }
}
