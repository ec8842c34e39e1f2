//! Whether everything is in order: what `doctor` prints and the window shows.

use std::path::Path;

use backup::last_backup;
use config::settings_fault;
use connections::ConnectionRegistry;
use domain::{ErrorCode, Problem};
use library::corpus;
use protocol::{
    BackupSettings, Check, CheckState, ConfigProblemRow, CredentialState, SourceRow, SourceStatus,
    VaultEntry, WebSearchState,
};
use store::Store;
use workspace::Workspace;
use workspace_bases::WorkspaceBases;

/// After how many days a person is reminded of a secret.
const OLD_DAYS: i64 = 182;
const DAY_MS: i64 = 86_400_000;

fn good(name: &str, message: impl Into<String>) -> Check {
    Check { name: name.to_owned(), state: CheckState::Ok, message: message.into(), action: None }
}

fn note(name: &str, message: impl Into<String>, action: &str) -> Check {
    let action = (!action.is_empty()).then(|| action.to_owned());
    Check { name: name.to_owned(), state: CheckState::Note, message: message.into(), action }
}

/// Something that does not work.
pub fn broken(name: &str, problem: &Problem) -> Check {
    Check {
        name: name.to_owned(),
        state: CheckState::Broken,
        message: problem.message.clone(),
        action: problem.action.clone(),
    }
}

/// The program and where it keeps its data.
pub fn of_program(home: &Path) -> Vec<Check> {
    vec![
        good("program", format!("agentnative {}", env!("CARGO_PKG_VERSION"))),
        match (store::free_bytes(home), shared(home)) {
            (Some(free), _) if free < LITTLE_SPACE => full(home, free),
            (_, None) => good("data directory", home.display().to_string()),
            (_, Some(shared)) => note("data directory", shared, OWN_FOLDER),
        },
    ]
}

/// With less space than this nothing more can be relied on to be stored.
const LITTLE_SPACE: u64 = 16 << 20;

fn full(home: &Path, free: u64) -> Check {
    let message = format!("{}: only {} KB are free on its disk", home.display(), free / 1024);
    let problem = Problem::new(ErrorCode::Storage, message).with_action("free some space");
    broken("data directory", &problem)
}

/// Whether commands of agents can be confined. Blocks while that is tried.
pub fn of_confinement() -> Check {
    let found = tools::confine::available();
    let tools::confine::Confinement::None { why } = &found else {
        return good("confinement", found.words());
    };
    note("confinement", format!("commands can't be confined: {why}"), tools::confine::remedy())
}

/// What to do about a data directory that others may enter.
const OWN_FOLDER: &str = "name a folder of its own in AGENTNATIVE_HOME, or close this one with `chmod 700`";

/// Says that others may enter the data directory, where they may.
pub fn shared(home: &Path) -> Option<String> {
    store::others_may_enter(home).then(|| {
        format!(
            "{} holds other things, too, and other users may enter it; only what this program keeps there is closed to them",
            home.display()
        )
    })
}

/// The database. Reads all of it.
pub(crate) async fn of_store(store: &Store) -> Vec<Check> {
    let mut checks = vec![match store.integrity_check().await.map_err(Problem::from) {
        Ok(()) => good("database", "sound"),
        Err(problem) => broken("database", &problem),
    }];
    if let Ok(sizes) = store.sizes().await {
        let kilobytes = |bytes: u64| bytes / 1024;
        checks.push(good(
            "size",
            format!(
                "{} KB, of which {} KB are free; log {} KB",
                kilobytes(sizes.database),
                kilobytes(sizes.free),
                kilobytes(sizes.log)
            ),
        ));
    }
    checks
}

/// When the last backup was made. Waits for the disk.
pub(crate) fn of_backups(home: &Path, settings: &BackupSettings) -> Check {
    const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
    match last_backup(home, settings) {
        None => note(
            "backup",
            "there is none yet",
            "make one with `agentnative backup now`, or switch on automatic backups under Settings > Data",
        ),
        Some(at) => match (support::now_ms() - at) / DAY_MS {
            ..=0 => good("backup", "the last one was made within a day"),
            1 => good("backup", "the last one was made a day ago"),
            days @ 2..=30 => good("backup", format!("the last one was made {days} days ago")),
            days => note(
                "backup",
                format!("the last one was made {days} days ago"),
                "`agentnative backup now` makes one",
            ),
        },
    }
}

/// What lies beside the database: knowledge bases, a workspace's agents and sources, settings. Waits for the disk.
pub fn of_files(home: &Path, workspace: &Workspace) -> Vec<Check> {
    let sources = workspace.sources();
    let slugs: Vec<String> = sources.iter().map(|entry| entry.slug.clone()).collect();
    let mut checks = vec![match corpus::ensure_shipped(home, &slugs) {
        Ok(()) => good("primer", "ingested"),
        Err(problem) => broken("primer", &problem),
    }];
    checks.push(good("knowledge", WorkspaceBases::new(home, workspace.slug()).names().join(", ")));
    let wrong = |what: &str, slug: &str, problems: &[workspace::ConfigProblem]| {
        let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Check {
            name: what.to_owned(),
            state: CheckState::Broken,
            message: format!("{slug}: {}", list.join("; ")),
            action: Some(format!("correct the {what}'s files; until then it can't be used")),
        }
    };
    let whole = |name: &str, count: usize| {
        good(name, if count == 1 { "1 is valid".to_owned() } else { format!("{count} are valid") })
    };
    let agents = workspace.agents();
    checks.push(whole("agents", agents.iter().filter(|entry| entry.agent.is_ok()).count()));
    checks.extend(
        agents.iter().filter_map(|entry| Some(wrong("agent", &entry.slug, entry.agent.as_ref().err()?))),
    );
    checks.push(whole("sources", sources.iter().filter(|entry| entry.source.is_ok()).count()));
    checks.extend(
        sources.iter().filter_map(|entry| Some(wrong("source", &entry.slug, entry.source.as_ref().err()?))),
    );
    checks.push(match settings_fault(home) {
        None => good("settings", "readable"),
        Some(problem) => broken("settings", &problem),
    });
    checks
}

/// The web search that agents and conversations share.
pub(crate) fn of_web_search(state: &WebSearchState) -> Check {
    match state.service.as_str() {
        "" if state.locked => {
            note("web search", "one that the vault may hold is not used: it is locked", "unlock the vault")
        }
        "" => note(
            "web search",
            "none is set up: research goes on without one",
            "to have one, give a key or an address under Settings > Credentials or with `agentnative secrets put`",
        ),
        "searxng" => good("web search", "SearXNG"),
        _ => good("web search", "Brave Search, with a key"),
    }
}

/// Secrets that are in use, with their ages and a reminder of old ones.
pub(crate) fn of_secrets(entries: &[VaultEntry], now: i64) -> Vec<Check> {
    let used = entries.iter().filter(|entry| !entry.used_by.is_empty());
    let check = |entry: &VaultEntry| {
        let days = (now - entry.at).div_euclid(DAY_MS).max(0);
        let words = |what: &str| format!("{} of {} {what}", entry.name, entry.used_by);
        match (entry.expires_at, days) {
            (Some(_), _) => good("secret", words("is renewed by itself")),
            (None, 0) => good("secret", words("was stored today")),
            (None, 1) => good("secret", words("was stored a day ago")),
            (None, ..=OLD_DAYS) => good("secret", words(&format!("was stored {days} days ago"))),
            (None, _) => note("secret", words(&format!("was stored {days} days ago")), "consider a new one"),
        }
    };
    used.map(check).collect()
}

/// Sources that a person added or that wait for one.
pub(crate) fn of_sources(rows: &[SourceRow]) -> Vec<Check> {
    let check = |row: &SourceRow| {
        let (what, command) = match row.status {
            SourceStatus::NeedsAuth => ("give its secret or sign in", "secret|sign-in"),
            SourceStatus::NeedsApproval => ("look at it and approve it", "approve"),
            SourceStatus::Failed => ("test it", "test"),
            SourceStatus::Ready
            | SourceStatus::Idle
            | SourceStatus::Starting
            | SourceStatus::Off
            | SourceStatus::Broken => return None,
        };
        let action = format!("{what} on its page, or with `agentnative source {command} {}`", row.slug);
        Some(note("source", format!("{}: {}", row.slug, row.status_detail), &action))
    };
    rows.iter().filter_map(check).collect()
}

/// Files that a person edits and that are broken, but for those that were looked at one by one: agents and sources of a
/// workspace, settings and connections.
pub(crate) fn of_problems(rows: Vec<ConfigProblemRow>, workspace: &str) -> Vec<Check> {
    let seen = |row: &ConfigProblemRow| match row.part.as_str() {
        "settings" | "connections" => true,
        "agents" | "sources" => row.workspace.as_deref() == Some(workspace),
        _ => false,
    };
    let check = |row: ConfigProblemRow| {
        let line = row.line.map(|line| format!(":{line}")).unwrap_or_default();
        let kept = if row.kept { "; what it said before is in use" } else { "" };
        Check {
            state: CheckState::Broken,
            message: format!("{}{line}: {}{kept}", row.file, row.message),
            action: Some(row.remedy.unwrap_or_else(|| "correct the file".to_owned())),
            name: row.part,
        }
    };
    rows.into_iter().filter(|row| !seen(row)).map(check).collect()
}

/// Connections to model providers and the vault. Waits for the disk, and for the keychain where that opens the vault.
pub(crate) fn of_connections(book: &ConnectionRegistry, workspace: &str) -> Vec<Check> {
    let mut checks = Vec::new();
    let kept = book.kept();
    if let Some(problem) = &kept.problem {
        checks.push(broken("connections", problem));
    }
    for row in book.rows(workspace, "").into_iter().filter(|row| !row.built_in) {
        let name = "connection";
        let words = |what: &str| format!("{}: {}, {what}", row.slug, row.description);
        checks.extend(row.outdated.as_ref().map(|problem| broken(name, problem)));
        checks.push(match (&row.problem, row.credential) {
            (Some(problem), _) => Check {
                message: format!("{}: {}", row.slug, problem.message),
                // Nothing is wrong with one that is missing or expired: something is to be done first.
                state: if matches!(row.credential, CredentialState::Missing | CredentialState::Expired) {
                    CheckState::Note
                } else {
                    CheckState::Broken
                },
                ..broken(name, problem)
            },
            (None, CredentialState::NotNeeded) => good(name, words("no key needed")),
            (None, CredentialState::Stored) => good(name, words("its secret is in the vault")),
            (None, CredentialState::Environment) => good(name, words("its secret is in the environment")),
            (None, CredentialState::Locked) => {
                note(name, words("its secret is in the vault, which is locked"), "unlock the vault")
            }
            (None, CredentialState::Missing) => note(name, words("its secret is missing"), "give it a key"),
            (None, CredentialState::Expired) => note(name, words("its sign-in has expired"), "sign in again"),
        });
    }
    let vault = book.vault();
    // Asking for the state of one that is not there would try the keychain.
    if vault.path().exists() {
        let status = vault.status();
        checks.push(match status.problem {
            Some(problem) => broken("vault", &problem.into()),
            None if status.locked => {
                note("vault", "it is locked: its passphrase is needed once after every start", "unlock it")
            }
            None if status.protection == secrets::Protection::KeyFile => note("vault", status.explained, ""),
            None => good("vault", status.explained),
        });
    } else {
        checks.push(good("vault", "there is none yet: it is made with the first secret"));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_secret_in_use_has_its_age_and_an_old_one_a_reminder() {
        let now = 1_800_000_000_000;
        let entry = |name: &str, days: i64, used_by: &str, expires_at: Option<i64>| VaultEntry {
            name: name.to_owned(),
            used_by: used_by.to_owned(),
            at: now - days * DAY_MS,
            expires_at,
        };
        let entries = [
            entry("a", OLD_DAYS + 1, "Acme", None),
            entry("b", OLD_DAYS, "Acme", None),
            entry("c", 900, "", None),
            entry("d", 900, "Acme", Some(now)),
        ];
        let told: Vec<(CheckState, String)> =
            of_secrets(&entries, now).into_iter().map(|check| (check.state, check.message)).collect();
        assert_eq!(
            told,
            [
                (CheckState::Note, "a of Acme was stored 183 days ago".to_owned()),
                (CheckState::Ok, "b of Acme was stored 182 days ago".to_owned()),
                (CheckState::Ok, "d of Acme is renewed by itself".to_owned()),
            ]
        );
    }

    #[test]
    fn the_check_says_which_web_search_there_is() {
        for (service, state) in
            [("", CheckState::Note), ("brave", CheckState::Ok), ("searxng", CheckState::Ok)]
        {
            let shown = WebSearchState { service: service.to_owned(), ..WebSearchState::default() };
            assert_eq!(of_web_search(&shown).state, state, "{service}");
        }
    }
}
