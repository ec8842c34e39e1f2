//! robots.txt (RFC 9309): what a site asks of programs that read it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::day::DAY_MS;

/// The program's name in such files.
pub const AGENT: &str = "agentnative";
/// How much of a file is read, in bytes; the standard asks for at least 500 KiB.
pub const MAX_ROBOTS_BYTES: u64 = 512 << 10;
/// The most rules of a file.
const MAX_RULES: usize = 10_000;
/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 2_000;

/// What a file says to this program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Robots {
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    verdict: RobotsVerdict,
    pattern: String,
}

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsVerdict {
    /// The path may be read.
    Allow,
    /// The path may not be read.
    Disallow,
}

/// A group of rules and whom it concerns.
#[derive(Default)]
struct Group {
    agents: Vec<String>,
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

impl Robots {
    /// Reads a file. The groups that name `agent` hold together, else those for everybody.
    pub fn parse(text: &str, agent: &str) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut names_follow = false;
        let mut count = 0;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    if !names_follow {
                        groups.push(Group::default());
                    }
                    names_follow = true;
                    if let Some(group) = groups.last_mut() {
                        group.agents.push(token(value));
                    }
                }
                key @ ("allow" | "disallow") => {
                    names_follow = false;
                    count += 1;
                    if value.is_empty() || value.len() > MAX_PATTERN_BYTES || count > MAX_RULES {
                        continue;
                    }
                    let verdict = if key == "allow" { RobotsVerdict::Allow } else { RobotsVerdict::Disallow };
                    if let Some(group) = groups.last_mut() {
                        group.rules.push(Rule { verdict, pattern: normalised(value) });
                    }
                }
                "crawl-delay" => {
                    names_follow = false;
                    let seconds = value.parse::<f64>().ok().filter(|seconds| (0.0..1e6).contains(seconds));
                    if let Some((group, seconds)) = groups.last_mut().zip(seconds) {
                        group.delay = Some(Duration::from_secs_f64(seconds));
                    }
                }
                // Other records, as sitemaps, belong to no group and end none.
                _ => {}
            }
        }
        let of = |name: &str| {
            let matching: Vec<&Group> =
                groups.iter().filter(|group| group.agents.iter().any(|agent| agent == name)).collect();
            (!matching.is_empty()).then(|| Self {
                rules: matching.iter().flat_map(|group| group.rules.clone()).collect(),
                delay: matching.iter().filter_map(|group| group.delay).max(),
            })
        };
        of(&token(agent)).or_else(|| of("*")).unwrap_or_default()
    }

    /// Whether a path with its query may be read: the longest pattern that fits decides, and of two as long the kinder.
    pub fn verdict(&self, path: &str) -> RobotsVerdict {
        if path == "/robots.txt" {
            return RobotsVerdict::Allow;
        }
        let path = normalised(path);
        let fitting = self.rules.iter().filter(|rule| fits(rule.pattern.as_bytes(), path.as_bytes()));
        let best = fitting.max_by_key(|rule| (rule.pattern.len(), rule.verdict == RobotsVerdict::Allow));
        best.map_or(RobotsVerdict::Allow, |rule| rule.verdict)
    }

    /// The time that is asked for between two requests.
    pub fn delay(&self) -> Option<Duration> {
        self.delay
    }
}

/// The name in a `User-agent` line, without a version.
fn token(value: &str) -> String {
    let name = value.trim();
    if name == "*" {
        return name.to_owned();
    }
    let end = name.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '-' | '_'))).unwrap_or(name.len());
    name[..end].to_ascii_lowercase()
}

/// A path in one form: what is not plain ASCII as percent signs, those in capitals, and no percent signs where none are needed.
pub(crate) fn normalised(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = String::with_capacity(path.len());
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        let coded = (byte == b'%')
            .then(|| bytes.get(index + 1..index + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let (value, length) = coded.map_or((byte, 1), |value| (value, 3));
        let unreserved = value.is_ascii_alphanumeric() || matches!(value, b'-' | b'.' | b'_' | b'~');
        if unreserved || (coded.is_none() && value.is_ascii_graphic()) {
            out.push(char::from(value));
        } else {
            out.push_str(&format!("%{value:02X}"));
        }
        index += length;
    }
    out
}

/// Whether a path begins with a pattern in which `*` stands for anything and a `$` at the end for the path's end. At most
/// their product for each star.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, whole) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split(|&byte| byte == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut pieces: Vec<&[u8]> = pieces.collect();
    if pieces.is_empty() {
        return !whole || rest.is_empty();
    }
    let last = if whole { pieces.pop() } else { None };
    for piece in pieces {
        if piece.is_empty() {
            continue;
        }
        let Some(at) = rest.windows(piece.len()).position(|window| window == piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    last.is_none_or(|last| rest.ends_with(last))
}

/// What came when a site was asked for its robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RobotsAnswer {
    /// The file.
    File {
        /// Its text.
        text: String,
    },
    /// There is none (4xx, or redirected too often): everything may be read.
    None,
    /// It can't be had (5xx, no answer): nothing may be read.
    Unreachable {
        /// What came instead.
        what: String,
    },
}

/// What came, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsRecord {
    /// Scheme, host and port.
    pub origin: String,
    /// When, in milliseconds since 1970.
    pub retrieved_ms: i64,
    /// What came.
    pub answer: RobotsAnswer,
}

impl RobotsRecord {
    /// Whether it still counts: a day long, and ten minutes when the site could not be reached.
    pub fn is_fresh(&self, now_ms: i64) -> bool {
        let most = match self.answer {
            RobotsAnswer::File { .. } | RobotsAnswer::None => DAY_MS,
            RobotsAnswer::Unreachable { .. } => 600_000,
        };
        (0..most).contains(&(now_ms - self.retrieved_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn allows(text: &str, path: &str) -> bool {
        Robots::parse(text, AGENT).verdict(path) == RobotsVerdict::Allow
    }

    #[test]
    fn the_group_that_names_the_program_holds_and_not_the_one_for_everybody() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: AgentNative/1.0\nUser-agent: other\nDisallow: /private\n";
        assert!(allows(text, "/page") && !allows(text, "/private/x"));
        assert!(!allows("User-agent: *\nDisallow: /", "/page"));
        assert!(allows("User-agent: other\nDisallow: /", "/page"));
        assert!(!allows("User-agent: agentnativebot\nDisallow:\n\nuser-agent:*\ndisallow:/", "/page"));
    }

    #[test]
    fn groups_of_the_same_name_hold_together() {
        let text = "User-agent: agentnative\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n\nUser-agent: agentnative\nDisallow: /b\n";
        assert!(!allows(text, "/a") && !allows(text, "/b") && allows(text, "/c"));
    }

    #[test]
    fn the_longest_pattern_decides_and_of_two_as_long_the_kinder() {
        let text =
            "User-agent: *\nDisallow: /\nAllow: /open\nDisallow: /open/not\nAllow: /both\nDisallow: /both\n";
        assert!(!allows(text, "/x") && allows(text, "/open/a") && !allows(text, "/open/not/a"));
        assert!(allows(text, "/both"));
        assert!(allows(text, "/robots.txt"));
    }

    #[test]
    fn stars_and_ends_fit_as_the_standard_says() {
        for (pattern, path, does) in [
            ("/fish", "/fish.html", true),
            ("/fish", "/Fish", false),
            ("/fish*", "/fishheads/yummy.html", true),
            ("/*.php", "/index.php?x=1", true),
            ("/*.php$", "/index.php", true),
            ("/*.php$", "/index.php?x=1", false),
            ("/*.php$", "/a.php/b.php", true),
            ("/fish*.php", "/fishheads/catfish.php?x", true),
            ("/fish*.php", "/x/fish.php", false),
            ("/$", "/", true),
            ("/$", "/a", false),
            ("/a*b*c$", "/axbxbc", true),
            ("/a*b*c$", "/axbxb", false),
            ("/ab*ba$", "/aba", false),
            ("*", "/anything", true),
            ("/caf\u{e9}", "/caf%c3%a9", true),
            ("/%7Ename", "/~name", true),
            ("/a%2Fb", "/a/b", false),
        ] {
            let text = format!("User-agent: *\nDisallow: {pattern}");
            assert_eq!(!allows(&text, path), does, "{pattern} {path}");
        }
    }

    #[test]
    fn comments_odd_lines_and_the_delay_are_read() {
        let text = "\u{feff}# all\nUser-agent: * # everybody\r\nCrawl-delay: 2.5\r\nSitemap: https://x.test/\nDisallow: /a # b\nnonsense\n";
        let robots = Robots::parse(text, AGENT);
        assert_eq!(robots.delay(), Some(Duration::from_millis(2_500)));
        assert_eq!(robots.verdict("/a"), RobotsVerdict::Disallow);
        for delay in ["-1", "x", "1e30", "NaN"] {
            assert_eq!(Robots::parse(&format!("User-agent: *\nCrawl-delay: {delay}"), AGENT).delay(), None);
        }
        assert!(allows("Disallow: /", "/belongs-to-nobody") && allows("", "/"));
    }

    #[test]
    fn many_stars_cost_no_more_than_they_are_long() {
        let pattern = "/*a".repeat(600);
        let text = format!("User-agent: *\nDisallow: {pattern}$");
        assert!(allows(&text, &"/a".repeat(4_000).replace('a', "b")));
    }

    #[test]
    fn what_came_counts_for_a_day_and_a_failure_for_ten_minutes() {
        let record = |answer| RobotsRecord { origin: "https://x.test".into(), retrieved_ms: 1_000, answer };
        assert!(record(RobotsAnswer::None).is_fresh(DAY_MS));
        assert!(!record(RobotsAnswer::None).is_fresh(DAY_MS + 1_000));
        let failed = RobotsAnswer::Unreachable { what: "503".into() };
        assert!(record(failed.clone()).is_fresh(600_000) && !record(failed).is_fresh(601_000));
        assert!(!record(RobotsAnswer::None).is_fresh(0));
    }
}
