//! Options of a command, of which only those known to write nothing pass.

use super::{NotReadOnly, Word};

/// What a command may be given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flags {
    /// Letters of options without a value.
    pub short: &'static str,
    /// Letters of options with a value: the rest of their word, or else the next word.
    pub valued: &'static str,
    /// Letters of options whose value can only be the rest of their word.
    pub attached: &'static str,
    /// Letters of options whose value is the next word, while the rest of their own is read as options: nothing but
    /// digits may follow.
    pub apart: &'static str,
    /// Names of long options without a value, or with one that can only follow after `=`. They are compared whole,
    /// because programs take beginnings of names, too.
    pub long: &'static [&'static str],
    /// Names of long options with a value: after `=`, or else the next word.
    pub long_valued: &'static [&'static str],
    /// The most words that are no options.
    pub most: usize,
}

pub(super) const NONE: Flags =
    Flags { short: "", valued: "", attached: "", apart: "", long: &[], long_valued: &[], most: usize::MAX };

/// The words that are no options, or what is wrong with one that is.
pub(super) fn check<'a>(arguments: &'a [Word], flags: &Flags) -> Result<Vec<&'a Word>, NotReadOnly> {
    let mut plain = Vec::new();
    let mut rest = arguments.iter();
    let mut options = true;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if word.leading {
            return Err(format!("`{text}` may become an option; write `./{text}`").into());
        }
        if text == "-" || !text.starts_with('-') {
            plain.push(word);
            continue;
        }
        // A program that takes the `--` for the value of an option goes on with options behind it.
        if !options {
            return Err(format!("`{text}` behind `--` may still be an option; write `./{text}`").into());
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
        let mut counted = false;
        while let Some(letter) = letters.next() {
            let in_word = letters.as_str();
            if flags.attached.contains(letter) {
                break;
            }
            if flags.apart.contains(letter) {
                if !is_number(in_word) {
                    return Err(
                        format!("`{text}` has its value in its own word; write `-{letter} VALUE`").into()
                    );
                }
                if in_word.is_empty() {
                    take_value(rest.next(), text)?;
                }
                break;
            }
            if flags.valued.contains(letter) {
                if counted {
                    return Err(format!("`{text}` is a number and an option in one word").into());
                }
                if in_word.is_empty() {
                    take_value(rest.next(), text)?;
                }
                break;
            }
            if !flags.short.contains(letter) {
                return Err(format!("the option `-{letter}` may do more than read").into());
            }
            counted |= letter.is_ascii_digit();
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

/// A value that can't be taken for an option, should the program not expect a value here. At the end it may be missing:
/// the program has a default for it or says so.
fn take_value(word: Option<&Word>, option: &str) -> Result<(), NotReadOnly> {
    let Some(word) = word else { return Ok(()) };
    let number = word.text.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && is_number(rest));
    if word.leading || word.text.starts_with('-') && !number {
        return Err(format!("the value of `{option}` looks like an option").into());
    }
    if word.glob {
        return Err(format!("the value of `{option}` may become several words").into());
    }
    Ok(())
}

/// Whether a text is digits alone, or nothing.
pub(super) fn is_number(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: Flags = Flags {
        short: "nr0123456789",
        valued: "k",
        attached: "w",
        apart: "P",
        long: &["reverse"],
        long_valued: &["key"],
        most: 1,
    };

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
            "-k",
            "-5",
            "-w16",
            "-nw16 x",
            "-w x",
            "-nP o x",
            "-P2",
            "--reverse",
            "--key=2",
            "--key 2",
            "--key",
            "-",
            "-- x",
            "-- -",
            "x",
        ] {
            assert!(verdict(good), "{good}");
        }
        for bad in [
            "-o", "-no", "-nko -o", "-k -o", "--output", "--rev", "--key -o", "x y", "*", "-n*", "-- * *",
            "a*",
        ] {
            assert!(!verdict(bad), "{bad}");
        }
    }

    #[test]
    fn no_word_passes_that_another_reading_makes_an_option() {
        for bad in [
            // Behind a `--` that may be a value.
            "-- -o",
            "--key -- -o",
            "-k -- -o",
            "-- *",
            // Numbers that are letters, too.
            "-k -inf",
            "-k -nan",
            "--key -1e5",
            // A value that is the next word, so that the letters behind it are options.
            "-Po x y",
            "-P=o",
            // `head -5c FILE` takes no value.
            "-5k x",
            // A value that becomes several words.
            "-k a*",
            "--key a*",
            // A value that is never the next word.
            "-w x y",
        ] {
            assert!(!verdict(bad), "{bad}");
        }
    }
}
