//! Whether a pattern of the shell can stand for a file that a rule names.

/// The most `**/` of a rule that are looked into; one with more counts as overlapping.
const MAX_STEPS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// This character, in either case.
    Letter(char),
    /// One character of a name.
    One,
    /// Characters of a name.
    Name,
    /// Characters of a path.
    Path,
    /// Stands before the characters with which a pattern of the shell begins a name: none of them is a dot at first.
    Visible,
}

/// Whether some path matches both: `word`, an absolute path with patterns of the shell, and `rule`, a path as rules are
/// written, absolute or beginning with `**`.
pub(crate) fn overlaps(word: &str, rule: &str) -> bool {
    let word = of_shell(word);
    of_rule(rule).is_none_or(|variants| variants.iter().any(|variant| meet(&word, variant)))
}

/// Whether a pattern of the shell, with an absolute path, stands for a file.
pub(crate) fn stands_for(word: &str, path: &str) -> bool {
    let path: Vec<Token> = path.chars().map(Token::Letter).collect();
    meet(&of_shell(word), &path)
}

/// A word of a command. What stands in quotes is not known any more, so each such character counts as a pattern.
fn of_shell(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut begins = true;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' => {
                if begins {
                    tokens.push(Token::Visible);
                }
                tokens.push(Token::Name);
            }
            '?' | '[' => {
                if c == '[' {
                    // Its end may stand in quotes; a class that is longer than it seems only matches less.
                    let end = rest.as_str().char_indices().skip(1).find(|(_, c)| *c == ']');
                    if let Some((end, _)) = end {
                        rest = rest.as_str()[end + 1..].chars();
                    }
                }
                if begins {
                    tokens.push(Token::Visible);
                }
                tokens.push(Token::One);
            }
            c => tokens.push(Token::Letter(c)),
        }
        begins = c == '/';
    }
    tokens
}

/// A rule's path: as many variants as there are ways to leave out `**/` and the end `/**`. `None`: too many.
fn of_rule(text: &str) -> Option<Vec<Vec<Token>>> {
    let mut variants = vec![Vec::new()];
    let mut steps = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let optional = if let Some(after) = rest.strip_prefix("**/") {
            Some(([Token::Path, Token::Letter('/')], after))
        } else if rest == "/**" {
            Some(([Token::Letter('/'), Token::Path], ""))
        } else {
            None
        };
        if let Some((tokens, after)) = optional {
            steps += 1;
            if steps > MAX_STEPS {
                return None;
            }
            let with: Vec<Vec<Token>> =
                variants.iter().map(|one| [one.as_slice(), &tokens].concat()).collect();
            variants.extend(with);
            rest = after;
            continue;
        }
        let (token, length) = match c {
            '*' if rest.starts_with("**") => (Token::Path, 2),
            '*' => (Token::Name, 1),
            '?' => (Token::One, 1),
            c => (Token::Letter(c), c.len_utf8()),
        };
        variants.iter_mut().for_each(|one| one.push(token));
        rest = &rest[length..];
    }
    Some(variants)
}

/// Whether two patterns have a text in common: a walk over the pairs of places in them.
fn meet(word: &[Token], rule: &[Token]) -> bool {
    let mut open = vec![(0, 0)];
    let mut seen = vec![false; (word.len() + 1) * (rule.len() + 1)];
    while let Some((i, j)) = open.pop() {
        if std::mem::replace(&mut seen[i * (rule.len() + 1) + j], true) {
            continue;
        }
        let (one, other) = (word.get(i), rule.get(j));
        match (one, other) {
            (None, None) => return true,
            (Some(Token::Visible), _) => match word.get(i + 1) {
                // It stands for nothing, or for something that is no dot at first.
                Some(Token::Name) => {
                    open.push((i + 2, j));
                    if other.is_some_and(|token| *token != Token::Letter('.')) {
                        open.push((i + 1, j));
                    }
                }
                _ if other.is_some_and(|token| *token != Token::Letter('.')) => open.push((i + 1, j)),
                _ => {}
            },
            _ => {
                if matches!(one, Some(Token::Name | Token::Path)) {
                    open.push((i + 1, j));
                }
                if matches!(other, Some(Token::Name | Token::Path)) {
                    open.push((i, j + 1));
                }
                if let (Some(one), Some(other)) = (one, other)
                    && may_be_alike(*one, *other)
                {
                    let stays = |token| matches!(token, Token::Name | Token::Path);
                    let next = |at: usize, token: Token| if stays(token) { at } else { at + 1 };
                    if !(stays(*one) && stays(*other)) {
                        open.push((next(i, *one), next(j, *other)));
                    }
                }
            }
        }
    }
    false
}

fn may_be_alike(one: Token, other: Token) -> bool {
    let in_name = |token| matches!(token, Token::One | Token::Name);
    match (one, other) {
        (Token::Letter(a), Token::Letter(b)) => a.eq_ignore_ascii_case(&b),
        (Token::Letter('/'), token) | (token, Token::Letter('/')) => !in_name(token),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_can_stand_for_what_a_rule_names_is_found() {
        for (word, rule) in [
            ("/a/.en*", "**/.env"),
            ("/a/.e?v", "**/.env"),
            ("/a/.[e]nv", "**/.env"),
            ("/home/*/.ssh/id_*", "**/.ssh/**"),
            ("/home/eva/.ss?/id_rsa", "**/.ssh/id_*"),
            ("/home/eva/.*/cred*", "**/.aws/credentials"),
            ("/home/eva/.a*", "**/.aws/**"),
            ("/proc/*/enviro?", "/proc/*/environ"),
            ("/proc/[0-9]*/environ", "/proc/*/environ"),
            ("/a/*.pem", "**/*.pem"),
            ("/a/S*", "**/secrets.json"),
            ("/x/*/*", "/x/**/key"),
        ] {
            assert!(overlaps(word, rule), "{word} {rule}");
        }
    }

    #[test]
    fn a_pattern_that_can_not_is_not() {
        for (word, rule) in [
            ("/a/*", "**/.env"),
            ("/a/?env", "**/.env"),
            ("/a/*.rs", "**/*.pem"),
            ("/a/.en*", "**/.envrc.d/x"),
            ("/a/*/x", "/a/b/c/x"),
            ("/a/src/*.rs", "~/.npmrc"),
        ] {
            assert!(!overlaps(word, rule), "{word} {rule}");
        }
    }
}
