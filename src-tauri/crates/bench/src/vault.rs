//! Opening a vault of 200 secrets, and deriving the key of a passphrase.

use std::sync::Arc;
use std::time::Instant;

use secrets::{Cost, Entry, Protect, Protection, SecretString, Settings, SystemKeychain, Vault};

use crate::figure::{Figure, median, ms};
use crate::{Bench, Outcome};

const SECRETS: usize = 200;
const ROUNDS: usize = 15;

/// By a key file, and by a passphrase of the usual cost.
pub fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let home = bench.scratch()?;
    let settings = Settings {
        keychain: Arc::new(SystemKeychain::default()),
        first: Some(Protection::KeyFile),
        passphrase_file: None,
        cost: Cost::default(),
        step: |_| {},
    };
    let new = || Vault::with(home.path(), settings.clone());
    let secret = |text: String| SecretString::from(text);
    let entries: Vec<_> = (0..SECRETS)
        .map(|at| (format!("connection/c{at}/key"), Entry::Secret(secret(format!("{at:0>100}")))))
        .collect();
    new().put_all(&entries)?;
    let (mut opening, mut reading, mut writing, mut deriving) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        let vault = new();
        let begun = Instant::now();
        vault.get("connection/c7/key")?.ok_or("the secret is not there")?;
        opening.push(ms(begun.elapsed()));
        let begun = Instant::now();
        for (name, _) in &entries {
            vault.get(name)?.ok_or("the secret is not there")?;
        }
        reading.push(ms(begun.elapsed()));
        let begun = Instant::now();
        vault.put("connection/c7/key", &secret(format!("{round:0>100}")))?;
        writing.push(ms(begun.elapsed()));
    }
    let passphrase = secret("a passphrase of the bench".into());
    new().protect(&Protect::Passphrase(passphrase.clone()))?;
    for _ in 0..5 {
        let begun = Instant::now();
        new().unlock(&passphrase)?;
        deriving.push(ms(begun.elapsed()));
    }
    Ok(vec![
        Figure::plain("secrets.open-200", median(opening), "ms").at_most(50.0),
        Figure::plain("secrets.read-200", median(reading), "ms"),
        Figure::plain("secrets.put", median(writing), "ms"),
        Figure::plain("secrets.unlock", median(deriving), "ms"),
    ])
}
