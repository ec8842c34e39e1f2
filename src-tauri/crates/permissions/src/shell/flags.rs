//! Options of a command, of which only those known to write nothing pass.

use super::{NotReadOnly, Word};

/// What a command may be given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flags {
    /// Letters of options without a value.
    pub short: &'static str,
    /// Letters of options with a value, in the same word or the next.
    pub valued: &'static str,
    /// Names of long options; a value after `=` is theirs. They are compared whole, because programs take beginnings of
    /// names, too.
    pub long: &'static [&'static str],
    /// Names of long options whose value may be the next word.
    pub long_valued: &'static [&'static str],
    /// The most words that are no options.
    pub most: usize,
}

pub(super) const NONE: Flags = Flags { short: "", valued: "", long: &[], long_valued: &[], most: usize::MAX };

/// The words that are no options, or what is wrong with one that is.
pub(super) fn check<'a>(arguments: &'a [Word], flags: &Flags) -> Result<Vec<&'a Word>, NotReadOnly> {
    let mut plain = Vec::new();
    let mut rest = arguments.iter();
    let mut options = true;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if word.leading && options {
            return Err(format!("`{text}` may become an option; write `./{text}`").into());
        }
        if !options || text == "-" || !text.starts_with('-') {
            plain.push(word);
            continue;
        }
        if word.glob {
            return Err(format!("`{text}` may become several words").into());
        }
        if text == "--" {
            options = false;
            continue;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            if flags.long_valued.contains(&name) {
                if value.is_none() {
                    take_value(rest.next(), text)?;
                }
            } else if !flags.long.contains(&name) {
                return Err(format!("the option `--{name}` may do more than read").into());
            }
            continue;
        }
        let mut letters = text[1..].chars();
        while let Some(letter) = letters.next() {
            if flags.valued.contains(letter) {
                if letters.as_str().is_empty() {
                    take_value(rest.next(), text)?;
                }
                break;
            }
            if !flags.short.contains(letter) {
                return Err(format!("the option `-{letter}` may do more than read").into());
            }
        }
    }
    if plain.len() > flags.most {
        return Err(match flags.most {
            0 => "it is given more than options".into(),
            most => format!("it is given more than {most} names").into(),
        });
    }
    if flags.most != usize::MAX && plain.iter().any(|word| word.glob) {
        return Err("a pattern may become several names".into());
    }
    Ok(plain)
}

/// A value that can't be taken for an option, should the program not expect a value here.
fn take_value(word: Option<&Word>, option: &str) -> Result<(), NotReadOnly> {
    match word {
        Some(word) if word.leading || word.text.starts_with('-') && word.text.parse::<f64>().is_err() => {
            Err(format!("the value of `{option}` looks like an option").into())
        }
        Some(_) => Ok(()),
        None => Err(format!("`{option}` lacks its value").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: Flags =
        Flags { short: "nr", valued: "k", long: &["reverse"], long_valued: &["key"], most: 1 };

    fn verdict(line: &str) -> bool {
        let words: Vec<Word> = line
            .split_whitespace()
            .map(|text| Word {
                text: text.to_owned(),
                glob: text.contains('*'),
                leading: text.starts_with('*'),
                dynamic: false,
            })
            .collect();
        check(&words, &FLAGS).is_ok()
    }

    #[test]
    fn only_known_options_pass_in_every_spelling() {
        for good in [
            "",
            "-n",
            "-nr x",
            "-nk2",
            "-k 2 x",
            "-k -2",
            "--reverse",
            "--key=2",
            "--key 2",
            "-",
            "-- -o",
            "x",
        ] {
            assert!(verdict(good), "{good}");
        }
        for bad in [
            "-o", "-no", "-nko -o", "-k -o", "--output", "--rev", "--key -o", "x y", "*", "-k", "-n*",
            "-- * *", "a*",
        ] {
            assert!(!verdict(bad), "{bad}");
        }
    }
}
