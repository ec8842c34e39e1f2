//! What a source's configuration means, and that it holds no secret.

use super::{McpServer, SourceConfig, kinds};
use crate::agent::{is_slug, variables_problem};
use crate::json::child;
use crate::problem::ConfigProblem;

/// What templates in `args` may read.
const VARIABLES: [&str; 3] = ["corpus", "generation", "attached"];
const REMEDY: &str = "store it as a secret and write `${secret:NAME}` here";

pub(super) fn check(file: &str, slug: &str, config: &SourceConfig) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    let new = |pointer: &str, expected: &str, found: &str| ConfigProblem::new(file, pointer, expected, found);
    if !is_slug(&config.slug) {
        problems.push(new("/slug", "lower-case letters, digits and hyphens", &format!("`{}`", config.slug)));
    } else if config.slug != slug {
        problems.push(new("/slug", &format!("the folder's name, `{slug}`"), &format!("`{}`", config.slug)));
    }
    for (pointer, text) in [("/name", &config.name), ("/description", &config.description)] {
        if text.trim().is_empty() {
            problems.push(new(pointer, "a text", "an empty text"));
        }
    }
    kinds::check(file, config, &mut problems);
    problems
}

pub(super) fn check_server(file: &str, server: &McpServer, problems: &mut Vec<ConfigProblem>) {
    let new = |pointer: &str, expected: &str, found: &str| ConfigProblem::new(file, pointer, expected, found);
    if server.command.trim().is_empty() || server.command.contains('\0') {
        problems.push(new("/mcp/command", "a program's name, a path or `@self`", "another text"));
    } else if server.command.starts_with('@') && server.command != "@self" {
        problems.push(
            new("/mcp/command", "`@self`", &format!("`{}`", server.command))
                .with_remedy("did you mean `@self`?"),
        );
    }
    let mut flag = false;
    for (index, argument) in server.args.iter().enumerate() {
        let pointer = format!("/mcp/args/{index}");
        if let Some(mut problem) = variables_problem(file, &pointer, argument, &VARIABLES) {
            if looks_secret(argument) {
                problem.found = "a text that holds a secret (not shown)".to_owned();
            }
            problems.push(problem);
        }
        let (name, value) =
            argument.split_once('=').map_or((argument.as_str(), None), |(name, value)| (name, Some(value)));
        let names_secret = names_secret(name.trim_start_matches('-'));
        let literal = match value {
            Some(value) => names_secret && !value.is_empty(),
            None => flag && !argument.starts_with('-'),
        };
        if (literal && !argument.contains("{{")) || looks_secret(argument) {
            problems.push(
                new(
                    &pointer,
                    "no secret among the arguments: every program can read them",
                    "a literal value (not shown)",
                )
                .with_remedy("pass it in `env` as `${secret:NAME}`"),
            );
        }
        flag = value.is_none() && argument.starts_with('-') && names_secret;
    }
    for (name, value) in &server.env {
        check_variable(file, name, value, problems);
    }
    check_limits(file, server, problems);
    for (index, name) in server.inherit_env.iter().enumerate() {
        if !is_variable_name(name) {
            problems.push(new(
                &format!("/mcp/inheritEnv/{index}"),
                "the name of an environment variable",
                "another text",
            ));
        }
    }
}

/// Limits of both transports.
pub(super) fn check_limits(file: &str, server: &McpServer, problems: &mut Vec<ConfigProblem>) {
    let new = |pointer: &str, expected: &str, found: &str| ConfigProblem::new(file, pointer, expected, found);
    let numbers = [
        ("startTimeoutSeconds", server.start_timeout_seconds, 600),
        ("callIdleSeconds", server.call_idle_seconds, 86_400),
        ("callTotalSeconds", server.call_total_seconds, 86_400),
        ("maxConcurrentCalls", u64::from(server.max_concurrent_calls), 64),
    ];
    for (field, value, most) in numbers {
        if !(1..=most).contains(&value) {
            problems.push(new(
                &format!("/mcp/{field}"),
                &format!("a whole number from 1 to {most}"),
                &value.to_string(),
            ));
        }
    }
}

fn check_variable(file: &str, name: &str, value: &str, problems: &mut Vec<ConfigProblem>) {
    let pointer = child("/mcp/env", name);
    if !is_variable_name(name) {
        problems.push(ConfigProblem::new(
            file,
            &pointer,
            "the name of an environment variable",
            format!("`{name}`"),
        ));
    }
    check_value(file, &pointer, value, names_secret(name), problems);
}

/// A value that may refer to secrets and holds none. `sensitive`: its name says that it is one.
pub(super) fn check_value(
    file: &str,
    pointer: &str,
    value: &str,
    sensitive: bool,
    problems: &mut Vec<ConfigProblem>,
) {
    let (rest, references, broken) = without_references(value);
    if broken {
        problems.push(ConfigProblem::new(
            file,
            pointer,
            "`${secret:NAME}`, with a name of letters, digits, `_`, `-` and `.`",
            "another use of `${` (not shown)",
        ));
    }
    // `Bearer ${secret:NAME}` is fine: what stands around a reference is not the secret.
    if looks_secret(&rest) || (sensitive && references == 0 && !value.is_empty() && !broken) {
        problems.push(
            ConfigProblem::new(file, pointer, "no secret in plain", "a literal value (not shown)")
                .with_remedy(REMEDY),
        );
    }
}

pub(crate) fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A value without its `${secret:NAME}` parts, how many there were, and whether another `${` stands in it.
fn without_references(value: &str) -> (String, usize, bool) {
    let (mut rest, mut references, mut broken) = (String::new(), 0, false);
    let mut left = value;
    while let Some(at) = left.find("${") {
        rest.push_str(&left[..at]);
        let inside = &left[at + 2..];
        let name = inside.strip_prefix("secret:").and_then(|name| name.split_once('}'));
        match name {
            Some((name, after)) if is_secret_name(name) => {
                references += 1;
                left = after;
            }
            _ => {
                broken = true;
                left = inside;
            }
        }
    }
    rest.push_str(left);
    (rest, references, broken)
}

pub(super) fn is_secret_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// Whether a variable or an option of that name would hold a secret.
pub fn names_secret(name: &str) -> bool {
    const WORDS: [&str; 13] = [
        "KEY",
        "APIKEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "PWD",
        "CREDENTIAL",
        "CREDENTIALS",
        "AUTHORIZATION",
        "BEARER",
        "PAT",
    ];
    let name = name.to_ascii_uppercase().replace('-', "_");
    // `KEY_FILE` and `TOKEN_PATH` name a place, not a secret; `SECRET_KEY_1` is one.
    let last =
        name.rsplit('_').find(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or_default();
    WORDS.iter().any(|word| last == *word || (word.len() >= 5 && last.ends_with(word)))
}

/// Whether a text has the form of a well-known kind of secret, or is an address with a password in it.
pub fn looks_secret(text: &str) -> bool {
    const STARTS: [(&str, usize); 12] = [
        ("sk-", 20),
        ("sk_live_", 20),
        ("ghp_", 30),
        ("gho_", 30),
        ("github_pat_", 40),
        ("glpat-", 20),
        ("xoxb-", 20),
        ("xoxp-", 20),
        ("AKIA", 20),
        ("AIza", 30),
        ("eyJ", 40),
        ("hf_", 30),
    ];
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')));
    let known = words
        .into_iter()
        .any(|word| STARTS.iter().any(|(start, least)| word.len() >= *least && word.starts_with(start)));
    let password = text.split_once("://").is_some_and(|(_, rest)| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        host.rsplit_once('@')
            .and_then(|(user, _)| user.split_once(':'))
            .is_some_and(|(_, password)| !password.is_empty() && !password.starts_with("${"))
    });
    known || password || text.contains("-----BEGIN ")
}
