//! Many sessions: a folder of another program's conversations is imported, listed, filtered, labelled and searched, and
//! searched beside it by ripgrep over the very files that were imported.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use app::{Local, Options};
use grep_regex::RegexMatcherBuilder;
use grep_searcher::SearcherBuilder;
use grep_searcher::sinks::Lossy;
use ignore::WalkBuilder;
use protocol::{
    ApiEvent, Client, ContentQuery, ImportOptions, JobStatus, SessionPatch, SessionQuery, ViewTry,
};
use serde_json::json;

use crate::figure::{Figure, median, ms};
use crate::{Bench, Outcome};

/// Messages of a session: two turns of a question, calls with their results, and an answer.
const MESSAGES: usize = 20;
/// Words that texts are made of. The n-th is about 1/n as frequent as the first (Zipf's law).
const VOCABULARY: usize = 30_000;
/// How often each command is timed.
const ROUNDS: usize = 30;
/// How often ripgrep reads everything.
const SCANS: usize = 3;
/// The beginning of the first session, in milliseconds since 1970.
const FIRST: u64 = 1_700_000_000_000;

/// Views as people write them.
const VIEWS: [&str; 6] = [
    "hasUnread == true",
    "daysSince(lastMessageAt) < 7 and contains(labels, \"bug\")",
    "isFlagged or sessionStatus == \"in-progress\"",
    "messageCount > 10 and not isArchived and startsWith(name, \"b\")",
    "hasLabel(\"eng\") and costUsd < 1",
    "permissionMode == \"safe\" and length(labels) == 0",
];

/// Of everything, with as many sessions as asked for.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let scratch = bench.scratch()?;
    let sessions = bench.sessions;
    let messages = sessions * MESSAGES;
    let folder = scratch.path().join("other");
    let SeededInbox { raw, files } = plant(&folder, sessions)?;
    let home = scratch.path().join("home");
    let local = open(&home, bench).await?;
    let mut figures = Vec::new();

    let begun = Instant::now();
    let (imported, log) = import(&local, &home, &folder).await?;
    let took = begun.elapsed().as_secs_f64();
    if imported != sessions {
        return Err(format!("{imported} of {sessions} sessions were imported").into());
    }
    figures.push(Figure::plain("sessions.import", messages as f64 / took, "messages/s").at_least(20_000.0));
    figures.push(Figure::plain("sessions.log", log as f64 / f64::from(1 << 20), "MiB").at_most(64.0));
    local.close().await?;
    // The lock goes with the last of them.
    drop(local);
    let size = std::fs::metadata(home.join("agentnative.db"))?.len();
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    // Of what was said, and of the files that said it.
    figures.push(Figure::plain("sessions.size", mib(size), "MiB").beside(mib(raw)).ratio_at_most(1.9));
    figures.push(Figure::plain("sessions.size-of-files", mib(size), "MiB").beside(mib(files)));

    let begun = Instant::now();
    let local = open(&home, bench).await?;
    let page = list(&local, SessionQuery { limit: 100, ..SessionQuery::default() }).await?;
    figures.push(Figure::plain("sessions.open-and-list", ms(begun.elapsed()), "ms").at_most(1_200.0));

    let mut times = Vec::new();
    let mut before = page.1;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        before = list(&local, SessionQuery { limit: 100, before, ..SessionQuery::default() }).await?.1;
        times.push(ms(begun.elapsed()));
    }
    figures.push(Figure::plain("sessions.page", percentile(times, 0.95), "ms").at_most(20.0));

    let mut times = Vec::new();
    for expression in VIEWS {
        for _ in 0..3 {
            let begun = Instant::now();
            let tried = ViewTry { expression: expression.to_owned(), caret: None };
            let tried = local.view_try(tried).await?;
            if tried.sessions.is_none() {
                return Err(format!("{expression}: {:?}", tried.mistakes).into());
            }
            times.push(ms(begun.elapsed()));
        }
    }
    figures.push(Figure::plain("sessions.view", percentile(times, 1.0), "ms").at_most(50.0));
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        local.organise_show().await?;
        times.push(ms(begun.elapsed()));
    }
    figures.push(Figure::plain("sessions.counts", median(times), "ms"));

    let ids: Vec<String> = page.0.into_iter().collect();
    let mut all = ids.clone();
    let mut next = page.1;
    while all.len() < 1_000.min(sessions) {
        let (more, then) =
            list(&local, SessionQuery { limit: 200, before: next, ..SessionQuery::default() }).await?;
        all.extend(more);
        next = then;
    }
    all.truncate(1_000);
    let begun = Instant::now();
    let patch = SessionPatch { add_labels: vec!["bug".to_owned()], ..SessionPatch::default() };
    local.session_update(all, patch).await?;
    figures.push(Figure::plain("sessions.label-1000", ms(begun.elapsed()), "ms").at_most(200.0));

    let ours = search(&local, queries()).await?;
    // As it is while a word is being typed: its beginning.
    let begun = queries().into_iter().map(|line| line.trim_end().to_owned());
    let typing = search(&local, begun.collect()).await?;
    let words = queries();
    let mut scans = Vec::new();
    for word in words.iter().step_by(words.len() / SCANS).take(SCANS) {
        let begun = Instant::now();
        scan(&folder, word.split(' ').next().unwrap_or_default())?;
        scans.push(ms(begun.elapsed()));
    }
    let scanned = median(scans);
    figures.push(Figure::plain("sessions.search-p95", ours, "ms").beside(scanned).at_most(100.0));
    figures.push(Figure::plain("sessions.search-typing-p95", typing, "ms").beside(scanned));
    local.close().await?;
    Ok(figures)
}

async fn open(home: &Path, bench: &Bench) -> Outcome<Local> {
    let options = Options {
        home: home.to_owned(),
        program: bench.program.clone(),
        providers: std::collections::BTreeMap::new(),
        hosts: None,
    };
    Ok(Local::open(options).await?)
}

/// The 95th percentile of the milliseconds that searches take.
async fn search(local: &Local, lines: Vec<String>) -> Outcome<f64> {
    let mut times = Vec::with_capacity(lines.len());
    for line in lines {
        let begun = Instant::now();
        let query = ContentQuery { line, ..ContentQuery::default() };
        local.content_search(query).await?;
        times.push(ms(begun.elapsed()));
    }
    Ok(percentile(times, 0.95))
}

/// Imports everything; how many sessions, and how large the write-ahead log became.
async fn import(local: &Local, home: &Path, folder: &Path) -> Outcome<(usize, u64)> {
    let mut events = local.events();
    let of = ImportOptions { path: folder.display().to_string(), ..ImportOptions::default() };
    let job = local.import_run(of).await?;
    let log = home.join("agentnative.db-wal");
    let mut most = 0;
    loop {
        most = most.max(std::fs::metadata(&log).map_or(0, |meta| meta.len()));
        let Ok(batch) = tokio::time::timeout(Duration::from_millis(200), events.recv()).await else {
            continue;
        };
        let ended = batch.iter().any(|event| match event {
            ApiEvent::Job(state) => state.job == job.job && state.status != JobStatus::Running,
            _ => false,
        });
        if ended {
            break;
        }
    }
    let counts = local.session_counts().await?;
    Ok(((counts.inbox + counts.archived) as usize, most))
}

async fn list(local: &Local, query: SessionQuery) -> Outcome<(Vec<String>, Option<i64>)> {
    let page = local.session_list(query).await?;
    Ok((page.sessions.into_iter().map(|row| row.session).collect(), page.next))
}

/// Common and rare words, alone and together, and words in a row.
fn queries() -> Vec<String> {
    let mut chance = Chance(7);
    let mut queries = Vec::new();
    for count in 0..ROUNDS * 3 {
        let mut line = String::new();
        for _ in 0..=(count % 3) {
            let _ = write!(line, "{} ", word(chance.rank()));
        }
        queries.push(line);
    }
    queries
}

/// Every file read for a word, by ripgrep where it is installed, else by its libraries.
fn scan(folder: &Path, word: &str) -> Outcome<usize> {
    let installed =
        Command::new("rg").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if installed {
        let output = Command::new("rg").args(["-lwiF", word]).arg(folder).output()?;
        return Ok(output.stdout.iter().filter(|byte| **byte == b'\n').count());
    }
    let matcher = RegexMatcherBuilder::new().case_insensitive(true).word(true).build(word)?;
    let found = std::sync::atomic::AtomicUsize::new(0);
    WalkBuilder::new(folder).threads(2).build_parallel().run(|| {
        let (matcher, found) = (matcher.clone(), &found);
        let mut searcher = SearcherBuilder::new().build();
        Box::new(move |entry| {
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
            {
                let mut hit = false;
                let _ = searcher.search_path(
                    &matcher,
                    entry.path(),
                    Lossy(|_, _| {
                        hit = true;
                        Ok(false)
                    }),
                );
                found.fetch_add(usize::from(hit), std::sync::atomic::Ordering::Relaxed);
            }
            ignore::WalkState::Continue
        })
    });
    Ok(found.into_inner())
}

/// What was written, in bytes.
#[derive(Default)]
struct SeededInbox {
    /// The texts alone.
    raw: u64,
    /// The files that hold them.
    files: u64,
}

/// Sessions in another program's form.
fn plant(folder: &Path, sessions: usize) -> Outcome<SeededInbox> {
    let workspace = folder.join("workspaces/main");
    std::fs::create_dir_all(workspace.join("sessions"))?;
    std::fs::write(
        folder.join("config.json"),
        json!({"workspaces": [{"id": "w", "name": "Main", "rootPath": workspace}], "activeWorkspaceId": "w"})
            .to_string(),
    )?;
    std::fs::write(
        workspace.join("config.json"),
        json!({"id": "w", "name": "Main", "slug": "main"}).to_string(),
    )?;
    let mut chance = Chance(1);
    let mut planted = SeededInbox::default();
    for number in 0..sessions {
        let (id, text, said) = session(number, &mut chance);
        planted.raw += said;
        planted.files += text.len() as u64;
        let place: PathBuf = workspace.join("sessions").join(id);
        std::fs::create_dir(&place)?;
        std::fs::write(place.join("session.jsonl"), text)?;
    }
    Ok(planted)
}

/// One session: its id, its file, the bytes of what was said.
fn session(number: usize, chance: &mut Chance) -> (String, String, u64) {
    let id = format!("26{:02}{:02}-plain-river-{number}", 1 + number % 12, 1 + number % 28);
    let at = FIRST + number as u64 * 600_000;
    let labels: &[&str] = match number % 10 {
        0 => &["bug"],
        1 => &["eng", "priority::3"],
        _ => &[],
    };
    let title = chance.text(5);
    let mut raw = title.len() as u64;
    let mut file = json!({
        "id": id, "workspaceRootPath": "~/.other/workspaces/main", "name": title, "createdAt": at,
        "lastUsedAt": at + 60_000, "lastMessageAt": at + 60_000, "labels": labels,
        "sessionStatus": if number.is_multiple_of(4) { "in-progress" } else { "todo" },
        "isFlagged": number.is_multiple_of(50), "hasUnread": number.is_multiple_of(30),
        "permissionMode": "safe", "messageCount": MESSAGES, "lastMessageRole": "assistant",
    })
    .to_string();
    for message in 0..MESSAGES {
        let turn = message / 10;
        let (at, id) = (at + message as u64 * 1_000, format!("msg-{number}-{message}"));
        let line = match message % 10 {
            0 => {
                let text = chance.text(30);
                raw += text.len() as u64;
                json!({"id": id, "type": "user", "content": text, "timestamp": at})
            }
            9 => {
                let text = chance.text(180);
                raw += text.len() as u64;
                json!({"id": id, "type": "assistant", "content": text, "timestamp": at, "turnId": format!("t{turn}")})
            }
            _ => {
                let (result, path) = (chance.text(60), chance.text(2).replace(' ', "/"));
                raw += (result.len() + path.len()) as u64;
                json!({
                    "id": id, "type": "tool", "content": "", "timestamp": at, "turnId": format!("t{turn}"),
                    "toolName": "Read", "toolUseId": format!("tu{message}"), "toolInput": {"file_path": path},
                    "toolResult": result, "toolStatus": "completed",
                })
            }
        };
        file.push('\n');
        file.push_str(&line.to_string());
    }
    file.push('\n');
    (id, file, raw)
}

/// Numbers that are the same in every run (xorshift64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A place in the vocabulary: the logarithm of a uniform number makes the n-th about 1/n as frequent.
    fn rank(&mut self) -> usize {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((VOCABULARY as f64).powf(share)) as usize % VOCABULARY
    }

    fn text(&mut self, words: usize) -> String {
        let mut text = String::new();
        for place in 0..words {
            if place > 0 {
                text.push(if place % 13 == 0 { '\n' } else { ' ' });
            }
            text.push_str(&word(self.rank()));
        }
        text
    }
}

/// The word of a place: frequent ones are short.
fn word(rank: usize) -> String {
    const ENDS: [&str; 20] = [
        "ba", "ce", "di", "fo", "gu", "ha", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu", "an", "er",
        "in", "on", "ut",
    ];
    let mut word = String::new();
    let mut rest = rank + 1;
    while rest > 0 {
        word.push_str(ENDS[rest % ENDS.len()]);
        rest /= ENDS.len();
    }
    word
}

fn percentile(mut times: Vec<f64>, share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    let place = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len());
    times[place - 1]
}
