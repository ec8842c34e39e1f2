//! What a person may not want to give away, found before it leaves.
//!
//! Every search is one pass of an automaton over the text, so the time is linear in its length, whatever it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use domain::Digest;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::transcript::Transcript;

/// The most findings that are listed; all of them are taken out.
const MAX_FINDINGS: usize = 5_000;
/// The most places that are listed of one finding.
const MAX_PLACES: usize = 5;
/// The shortest secret of the vault that is searched for: shorter ones are words.
const MIN_SECRET_BYTES: usize = 6;
/// Bytes of a secret that stands in a pattern, and of a pattern: far below what would be slow or would not compile.
const MAX_WORD_BYTES: usize = 256;
const MAX_PATTERN_BYTES: usize = 32 << 10;
/// Bits a character from which a run of letters and digits counts as random; hexadecimal digits never reach it.
const RANDOM: f64 = 4.1;

/// What kind of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A secret of the vault.
    Vault,
    /// A private key.
    PrivateKey,
    /// A key or token of a known shape.
    ApiKey,
    /// What stands after `Bearer`, or in the address of a password.
    Bearer,
    /// A value that is named as a password, key or token.
    Named,
    /// An e-mail address.
    Email,
    /// A person's home folder.
    HomePath,
    /// Letters and digits without an order.
    Random,
    /// A whole file that goes along.
    File,
}

impl Kind {
    /// What stands in its place.
    pub const fn replacement(self) -> &'static str {
        match self {
            Self::Vault => "[secret]",
            Self::PrivateKey => "[private key]",
            Self::ApiKey => "[key]",
            Self::Bearer => "[token]",
            Self::Named => "[password]",
            Self::Email => "[e-mail]",
            Self::HomePath => "~",
            Self::Random => "[random text]",
            Self::File => "[file]",
        }
    }
}

/// A value that was found, with every place where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The same for the same value: what is given back to keep it.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Enough of it to know it by; never all of a secret.
    pub shown: String,
    /// What stands in its place.
    pub replacement: String,
    /// How often it stands there.
    pub count: u32,
    /// The first places, in words.
    pub places: Vec<String>,
}

/// A value that is to be found wherever it stands. It is never printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret(String);

impl Secret {
    /// A value; one that is too short to be told from words is not searched for.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

struct Detector {
    kind: Kind,
    pattern: Regex,
}

/// Shapes that tokens of well-known services have, as their makers publish them.
const KEYS: &str = r"\b(?:sk-(?:ant-|proj-|or-v1-)?[A-Za-z0-9_-]{20,200}|sk_live_[A-Za-z0-9]{16,100}|rk_live_[A-Za-z0-9]{16,100}|gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255}|glpat-[A-Za-z0-9_-]{20,100}|xox[abprs]-[A-Za-z0-9-]{10,200}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,500}|hf_[A-Za-z0-9]{30,100}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,300}|lin_api_[A-Za-z0-9]{30,60}|eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{4,2000})";
const BEARER: &str = r"(?i)\b(?:bearer|basic)\s{1,4}([A-Za-z0-9._~+/=-]{12,4000})";
const USERINFO: &str = r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:([^\s/@]{3,200})@";
const NAMED: &str = r#"(?i)\b[a-z0-9_-]{0,40}(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token)["']?\s{0,4}[:=]\s{0,4}["']?([^\s"',;]{6,500})"#;
const EMAIL: &str =
    r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}\b";
const HOME: &str = r"(?:/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})[A-Za-z0-9._-]{1,64}";
const WORDS: &str = r"[A-Za-z0-9_+=-]{24,400}";
const KEY_BEGINS: &str = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const KEY_ENDS: &str = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

static DETECTORS: LazyLock<Vec<Detector>> = LazyLock::new(|| {
    let all = [
        (Kind::ApiKey, KEYS),
        (Kind::Bearer, BEARER),
        (Kind::Bearer, USERINFO),
        (Kind::Named, NAMED),
        (Kind::Email, EMAIL),
        (Kind::HomePath, HOME),
        (Kind::Random, WORDS),
    ];
    all.into_iter()
        .filter_map(|(kind, pattern)| Some(Detector { kind, pattern: compiled(pattern)? }))
        .collect()
});
static KEY_MARKS: LazyLock<Option<(Regex, Regex)>> =
    LazyLock::new(|| Some((compiled(KEY_BEGINS)?, compiled(KEY_ENDS)?)));

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).size_limit(32 << 20).dfa_size_limit(16 << 20).build().ok()
}

/// Something found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: usize,
    end: usize,
    kind: Kind,
}

/// Finds and replaces.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// What the vault holds, in as many patterns as are needed to compile.
    vault: Vec<Regex>,
    /// What of it is long, as keys in files are: searched for one by one.
    long: Vec<String>,
    /// What stays as it is.
    keep: BTreeSet<String>,
}

impl Redactor {
    /// Searches for these values besides what has a known shape, also as they stand in JSON and in addresses.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut values = BTreeSet::new();
        for Secret(value) in secrets {
            let value = value.trim();
            if value.len() < MIN_SECRET_BYTES {
                continue;
            }
            let quoted = Value::String(value.to_owned()).to_string();
            values.insert(quoted[1..quoted.len() - 1].to_owned());
            values.insert(in_address(value));
            values.insert(value.to_owned());
        }
        // The longest first: one secret may begin with another.
        let mut values: Vec<String> = values.into_iter().collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let long = values.partition_point(|value| value.len() > MAX_WORD_BYTES);
        let (mut vault, mut pattern) = (Vec::new(), String::new());
        for value in values.split_off(long) {
            let part = regex::escape(&value);
            if !pattern.is_empty() && pattern.len() + part.len() > MAX_PATTERN_BYTES {
                vault.extend(compiled(&std::mem::take(&mut pattern)));
            }
            if !pattern.is_empty() {
                pattern.push('|');
            }
            pattern.push_str(&part);
        }
        if !pattern.is_empty() {
            vault.extend(compiled(&pattern));
        }
        Self { vault, long: values, keep: BTreeSet::new() }
    }

    /// Leaves these findings as they are.
    pub fn keeping(mut self, ids: impl IntoIterator<Item = String>) -> Self {
        self.keep = ids.into_iter().collect();
        self
    }

    /// A text without what was found in it.
    pub fn text(&self, text: &str) -> String {
        let spans = self.spans(text);
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for span in spans {
            let value = &text[span.start..span.end];
            if self.keep.contains(&id_of(span.kind, value)) {
                continue;
            }
            out.push_str(&text[from..span.start]);
            out.push_str(span.kind.replacement());
            from = span.end;
        }
        out.push_str(&text[from..]);
        out
    }

    /// A session without what was found in it.
    pub fn transcript(&self, transcript: &Transcript) -> Transcript {
        let mut out = transcript.clone();
        let mut each = |_: &str, text: &mut String| *text = self.text(text);
        visit(&mut out, &mut each);
        out
    }

    /// Everything that would be taken out of a session.
    pub fn findings(&self, transcript: &Transcript, found: &mut Findings) {
        let mut copy = transcript.clone();
        // Places are shown: what is found in them is not.
        let bare = Self { keep: BTreeSet::new(), ..self.clone() };
        let title = bare.text(&transcript.header.title);
        let mut each = |place: &str, text: &mut String| self.note(text, &title, place, found);
        visit(&mut copy, &mut each);
    }

    /// Everything that would be taken out of a text.
    pub fn note(&self, text: &str, of: &str, place: &str, found: &mut Findings) {
        for span in self.spans(text) {
            let value = &text[span.start..span.end];
            let id = id_of(span.kind, value);
            if !found.all.contains_key(&id) && found.all.len() >= MAX_FINDINGS {
                found.more += 1;
                continue;
            }
            let finding = found.all.entry(id.clone()).or_insert_with(|| Finding {
                id,
                kind: span.kind,
                shown: shown(span.kind, value),
                replacement: span.kind.replacement().to_owned(),
                count: 0,
                places: Vec::new(),
            });
            finding.count += 1;
            if finding.places.len() < MAX_PLACES {
                let words = if of.is_empty() { place.to_owned() } else { format!("{of}: {place}") };
                if !finding.places.contains(&words) {
                    finding.places.push(words);
                }
            }
        }
    }

    /// What is found, from the first to the last, none over another.
    fn spans(&self, text: &str) -> Vec<Span> {
        let mut all = Vec::new();
        for pattern in &self.vault {
            all.extend(pattern.find_iter(text).map(|m| Span {
                start: m.start(),
                end: m.end(),
                kind: Kind::Vault,
            }));
        }
        for value in &self.long {
            let found = text.match_indices(value.as_str());
            all.extend(found.map(|(start, _)| Span { start, end: start + value.len(), kind: Kind::Vault }));
        }
        private_keys(text, &mut all);
        for Detector { kind, pattern } in DETECTORS.iter() {
            for found in pattern.captures_iter(text) {
                let Some(value) = found.get(1).or_else(|| found.get(0)) else { continue };
                if *kind == Kind::Random && !is_random(value.as_str()) {
                    continue;
                }
                if *kind == Kind::Named && !names_value(value.as_str()) {
                    continue;
                }
                all.push(Span { start: value.start(), end: value.end(), kind: *kind });
            }
        }
        // Where two begin together the more certain kind, and then the longer one, counts.
        all.sort_by_key(|span| (span.start, span.kind, std::cmp::Reverse(span.end)));
        let mut out: Vec<Span> = Vec::with_capacity(all.len());
        for span in all {
            match out.last_mut() {
                Some(last) if span.start < last.end => {
                    // They overlap: nothing of either may stay.
                    last.end = last.end.max(span.end);
                    last.kind = last.kind.min(span.kind);
                }
                _ => out.push(span),
            }
        }
        out
    }
}

/// What was found in one or many sessions.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    all: BTreeMap<String, Finding>,
    /// How many occurrences are not listed.
    pub more: u64,
}

impl Findings {
    /// The most certain kinds first, then the most frequent.
    pub fn list(self) -> Vec<Finding> {
        let mut list: Vec<Finding> = self.all.into_values().collect();
        list.sort_by(|a, b| (a.kind, b.count, &a.shown).cmp(&(b.kind, a.count, &b.shown)));
        list
    }
}

impl Findings {
    /// Lists a whole file that goes along, under its name and with what is to be known of it.
    pub fn file(&mut self, name: &str, about: String) {
        let id = id_of(Kind::File, &format!("{name} {about}"));
        self.all.insert(
            id.clone(),
            Finding {
                id,
                kind: Kind::File,
                shown: name.to_owned(),
                replacement: Kind::File.replacement().to_owned(),
                count: 1,
                places: vec![about],
            },
        );
    }
}

/// Gives every text of a session with words for its place.
fn visit(transcript: &mut Transcript, each: &mut impl FnMut(&str, &mut String)) {
    let header = &mut transcript.header;
    each("the title", &mut header.title);
    for folder in &mut header.folders {
        each("a working folder", folder);
    }
    for label in &mut header.labels {
        each("a label", label);
    }
    for (place, name) in [
        ("its connection", &mut header.connection),
        ("its model", &mut header.model),
        ("its agent", &mut header.agent),
        ("its status", &mut header.status),
    ] {
        each(place, name);
    }
    for (index, message) in transcript.messages.iter_mut().enumerate() {
        let number = index + 1;
        each(&format!("message {number}"), &mut message.text);
        if let Some(tool) = &mut message.tool {
            let name = tool.name.clone();
            each(&format!("message {number}, a tool's name"), &mut tool.name);
            each(&format!("message {number}, a tool's name"), &mut tool.title);
            each(&format!("message {number}, what {name} was called for"), &mut tool.intent);
            values(&mut tool.input, &format!("message {number}, what {name} was given"), each);
            each(&format!("message {number}, what {name} gave"), &mut tool.output);
        }
        let given = message.tool.iter_mut().flat_map(|tool| &mut tool.media);
        for attachment in message.attachments.iter_mut().chain(given) {
            each(&format!("message {number}, a file's name"), &mut attachment.name);
            each(&format!("message {number}, a file's name"), &mut attachment.file);
        }
        if let Some(document) = &mut message.document {
            values(document, &format!("message {number}, its document"), each);
        }
    }
}

fn values(value: &mut Value, place: &str, each: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => each(place, text),
        Value::Array(items) => items.iter_mut().for_each(|item| values(item, place, each)),
        Value::Object(map) => {
            let old = std::mem::take(map);
            for (mut key, mut value) in old {
                // A number under such a name may be one, too.
                if let Value::Number(number) = &value
                    && is_named_secret(&key, &number.to_string())
                {
                    let whole = format!("{key}={number}");
                    let mut both = whole.clone();
                    each(place, &mut both);
                    if both != whole {
                        value = Value::String(both);
                    }
                }
                // A password that stands under its name is found by the two together.
                if let Value::String(text) = &mut value
                    && is_named_secret(&key, text)
                {
                    let mut both = format!("{key}={text}");
                    each(place, &mut both);
                    match both.strip_prefix(&format!("{key}=")) {
                        Some(rest) => rest.clone_into(text),
                        None => *text = both,
                    }
                } else {
                    values(&mut value, place, each);
                }
                each(place, &mut key);
                map.insert(key, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a field's name says that its value, one word, is a secret.
fn is_named_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let says = ["password", "passwd", "secret", "apikey", "api_key", "api-key", "token"];
    says.iter().any(|word| name.contains(word)) && !value.contains(char::is_whitespace) && value.len() >= 6
}

/// A value as it stands in an address.
fn in_address(value: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(value, ESCAPED).to_string()
}

/// Whether what stands after a telling name is a value, and not another word of code.
fn names_value(value: &str) -> bool {
    let plain = value.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let code = value.starts_with(['$', '{', '<', '[', '(']) || value.contains('(');
    let digit = plain.bytes().any(|byte| byte.is_ascii_digit());
    let sign = plain.bytes().any(|byte| !byte.is_ascii_alphanumeric() && byte != b'_' && byte != b'.');
    !code && plain.len() >= 6 && (digit || sign)
}

/// Whether letters and digits stand without an order: mixed, and with more surprise than words or hexadecimal digits have.
fn is_random(text: &str) -> bool {
    let (mut upper, mut lower, mut digits) = (0usize, 0usize, 0usize);
    let mut seen = [0usize; 128];
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' => upper += 1,
            b'a'..=b'z' => lower += 1,
            b'0'..=b'9' => digits += 1,
            _ => {}
        }
        seen[usize::from(byte & 127)] += 1;
    }
    if upper < 2 || lower < 2 || digits < 2 {
        return false;
    }
    let length = text.len() as f64;
    let bits: f64 = seen
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f64 / length;
            -share * share.log2()
        })
        .sum();
    bits >= RANDOM
}

/// Private keys with everything up to their end, or as far as the key can go where it has none.
fn private_keys(text: &str, out: &mut Vec<Span>) {
    let Some((begins, ends)) = KEY_MARKS.as_ref() else { return };
    let mut ends = ends.find_iter(text).peekable();
    let mut over = 0;
    for begin in begins.find_iter(text) {
        if begin.start() < over {
            continue;
        }
        while ends.next_if(|end| end.start() < begin.end()).is_some() {}
        let end = match ends.peek() {
            Some(end) => end.end(),
            None => {
                let body =
                    |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "+/=\\:,.-".contains(c);
                let rest = &text[begin.end()..];
                begin.end() + rest.find(|c: char| !body(c)).unwrap_or(rest.len())
            }
        };
        over = end;
        out.push(Span { start: begin.start(), end, kind: Kind::PrivateKey });
    }
}

fn id_of(kind: Kind, value: &str) -> String {
    Digest::of(format!("{kind:?}\0{value}")).short()
}

/// Enough of a value to know it by.
fn shown(kind: Kind, value: &str) -> String {
    match kind {
        Kind::Email | Kind::HomePath | Kind::File => value.to_owned(),
        Kind::PrivateKey => "-----BEGIN … PRIVATE KEY-----".to_owned(),
        Kind::Vault => format!("a secret of the vault, {} characters", value.chars().count()),
        Kind::ApiKey | Kind::Bearer | Kind::Named | Kind::Random => {
            let start: String = value.chars().take(if value.len() >= 16 { 4 } else { 1 }).collect();
            format!("{start}… ({} characters)", value.chars().count())
        }
    }
}
