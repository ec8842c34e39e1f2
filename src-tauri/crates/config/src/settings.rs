//! What a person sets: `settings.json` in the data directory, which they may edit by hand.
//!
//! The program changes it in passing (a dragged divider, the workspace that is shown), so a broken file bars no change:
//! it is kept beside the new one, as [`ConfigStore::update`] has it.

use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};
use protocol::{Settings, SettingsPatch};
use serde_json::{Map, Value};
use workspace::{ConfigProblem, line_of, parse_as};

use crate::store::{ConfigStore, broken_file, last_valid_text, text_of};

/// The longest name of a theme, an agent or a depth.
const MAX_NAME_CHARS: usize = 80;
/// The longest that something is kept, in days.
const MAX_DAYS: u32 = 36_500;

/// The settings of a data directory, as they last were valid. Cheap to clone.
#[derive(Clone)]
pub struct SettingsFile {
    store: ConfigStore,
}

impl SettingsFile {
    /// Through a data directory's store; reads nothing yet.
    pub fn new(store: &ConfigStore) -> Self {
        Self { store: store.clone() }
    }

    /// The settings in use, and what is wrong with the file where it can't be used.
    pub fn read(&self) -> (Settings, Option<Problem>) {
        let now = self.store.current(&file(self.store.home()), parse);
        (now.value.map(|text| text.settings.clone()).unwrap_or_default(), broken_file(&now.problems))
    }

    /// Changes what the patch names, and writes the file.
    pub fn update(&self, patch: SettingsPatch) -> Result<Settings, Problem> {
        self.store.update(&file(self.store.home()), parse, |now: Option<&SettingsText>| {
            let SettingsText { mut settings, mut fields } = now.cloned().unwrap_or_default();
            apply(&mut settings, patch.clone());
            check(&settings).map_err(|fault| Problem::new(ErrorCode::InvalidInput, fault.to_string()))?;
            if let Ok(Value::Object(known)) = serde_json::to_value(&settings) {
                fields.extend(known);
            }
            let text = serde_json::to_string_pretty(&Value::Object(fields))
                .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
            Ok(text + "\n")
        })?;
        Ok(self.read().0)
    }
}

/// What a file says: the settings, and all its fields, of which some may be another version's.
#[derive(Debug, Clone, Default)]
struct SettingsText {
    settings: Settings,
    fields: Map<String, Value>,
}

/// The slug of the person's current workspace, as a data directory's settings say. Keeps nothing.
pub fn current_workspace(home: &Path) -> String {
    let path = file(home);
    let now = match text_of(home, &path) {
        Ok(None) => return Settings::default().workspace,
        Ok(Some((name, text))) => parse(&name, &text).ok(),
        Err(_) => None,
    };
    let earlier = || parse("", &last_valid_text(home, &path)?).ok();
    now.or_else(earlier).unwrap_or_default().settings.workspace
}

/// What is wrong with a data directory's settings, where something is.
pub fn fault(home: &Path) -> Option<Problem> {
    let text = text_of(home, &file(home));
    let wrong = text.and_then(|text| text.map(|(name, text)| parse(&name, &text)).transpose());
    wrong.err().and_then(|problems| broken_file(&problems))
}

fn file(home: &Path) -> PathBuf {
    home.join("settings.json")
}

fn parse(file: &str, text: &str) -> Result<SettingsText, Vec<ConfigProblem>> {
    let wrong = |field: &str, expected: String, found: String| {
        let pointer = if field.is_empty() { String::new() } else { format!("/{}", field.replace('.', "/")) };
        let line = line_of(text, &pointer);
        vec![ConfigProblem { file: file.to_owned(), pointer, line, expected, found, remedy: None }]
    };
    let (value, settings): (Value, Settings) = parse_as(file, text)?;
    // A list of values in their order would do as well.
    let Value::Object(fields) = value else {
        return Err(wrong("", "an object".to_owned(), "another value".to_owned()));
    };
    check(&settings).map_err(|fault| wrong(fault.field, fault.expected, fault.found))?;
    Ok(SettingsText { settings, fields })
}

/// What is wrong with a value.
#[derive(Debug, thiserror::Error)]
#[error("{field}: expected {expected}, found {found}")]
struct Fault {
    /// Its place in the file, with dots.
    field: &'static str,
    expected: String,
    found: String,
}

impl Fault {
    fn new(field: &'static str, expected: impl Into<String>, found: impl ToString) -> Self {
        Self { field, expected: expected.into(), found: found.to_string() }
    }
}

fn check(settings: &Settings) -> Result<(), Fault> {
    if !(0.7..=1.6).contains(&settings.zoom) {
        return Err(Fault::new("zoom", "0.7 to 1.6", settings.zoom));
    }
    let names = [
        ("theme", &settings.theme),
        ("defaultAgent", &settings.default_agent),
        ("defaultDepth", &settings.default_depth),
        ("defaultConnection", &settings.default_connection),
    ];
    let agents = settings.agent_connections.iter().flat_map(|(agent, connection)| [agent, connection]);
    for (field, name) in names.into_iter().chain(agents.map(|name| ("agentConnections", name))) {
        let plain = name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        if !plain || name.chars().count() > MAX_NAME_CHARS {
            let expected = format!("a name of at most {MAX_NAME_CHARS} letters, digits and hyphens");
            return Err(Fault::new(field, expected, "another text"));
        }
    }
    if !workspace::is_workspace_slug(&settings.workspace) {
        return Err(Fault::new("workspace", "small letters, digits and hyphens", "another text"));
    }
    if let Some(found) = settings.limits.fault() {
        return Err(Fault::new("limits", format!("amounts from 0 to {}", domain::MAX_LIMIT_USD), found));
    }
    check_keeping(settings)?;
    if settings.theme.is_empty() {
        return Err(Fault::new("theme", "a theme's name", "an empty text"));
    }
    Ok(())
}

/// What is kept for how long, and where backups go.
fn check_keeping(settings: &Settings) -> Result<(), Fault> {
    let (backup, age) = (&settings.backup, &settings.retention);
    if !(1..=100).contains(&backup.keep) {
        return Err(Fault::new("backup.keep", "1 to 100", backup.keep));
    }
    let folder = Path::new(&backup.folder);
    if !backup.folder.is_empty() && (!folder.is_absolute() || backup.folder.len() > 4_096) {
        return Err(Fault::new("backup.folder", "an absolute path", "another text"));
    }
    let days = [age.archive_done_days, age.trash_archived_days, age.empty_trash_days];
    if let Some(days) = days.iter().find(|days| **days > MAX_DAYS) {
        return Err(Fault::new("retention", format!("at most {MAX_DAYS} days"), days));
    }
    if age.keep_labels.len() > 100
        || age.keep_labels.iter().any(|label| label.chars().count() > MAX_NAME_CHARS)
    {
        return Err(Fault::new("retention.keepLabels", "at most 100 names", "longer ones, or more"));
    }
    Ok(())
}

fn apply(settings: &mut Settings, patch: SettingsPatch) {
    fn set<T>(field: &mut T, value: Option<T>) {
        if let Some(value) = value {
            *field = value;
        }
    }
    let SettingsPatch {
        mode,
        theme,
        zoom,
        notifications,
        close_to_tray,
        default_agent,
        default_depth,
        default_connection,
        agent_connections,
        enter_sends,
        pause_follow_ups,
        model_titles,
        welcomed,
        workspace,
        backup,
        retention,
        limits,
    } = patch;
    set(&mut settings.mode, mode);
    set(&mut settings.theme, theme);
    set(&mut settings.zoom, zoom);
    set(&mut settings.notifications, notifications);
    set(&mut settings.close_to_tray, close_to_tray);
    set(&mut settings.default_agent, default_agent);
    set(&mut settings.default_depth, default_depth);
    set(&mut settings.default_connection, default_connection);
    set(&mut settings.agent_connections, agent_connections);
    set(&mut settings.enter_sends, enter_sends);
    set(&mut settings.pause_follow_ups, pause_follow_ups);
    set(&mut settings.model_titles, model_titles);
    set(&mut settings.welcomed, welcomed);
    set(&mut settings.backup, backup);
    set(&mut settings.retention, retention);
    set(&mut settings.workspace, workspace);
    set(&mut settings.limits, limits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::ColorMode;

    /// As after a start.
    fn settings_of(home: &Path) -> SettingsFile {
        SettingsFile::new(&ConfigStore::new(home))
    }

    fn zoom(zoom: f64) -> SettingsPatch {
        SettingsPatch { zoom: Some(zoom), ..SettingsPatch::default() }
    }

    #[test]
    fn changes_keep_keys_that_nobody_knows() {
        let home = tempfile::tempdir().unwrap();
        let keeping = settings_of(home.path());
        assert_eq!(keeping.read(), (Settings::default(), None));
        std::fs::write(file(home.path()), r#"{"mode": "dark", "future": {"a": 1}}"#).unwrap();
        let settings = keeping.update(zoom(1.2)).unwrap();
        assert_eq!((settings.mode, settings.zoom), (ColorMode::Dark, 1.2));
        let file: Value = serde_json::from_slice(&std::fs::read(file(home.path())).unwrap()).unwrap();
        assert_eq!(file["future"]["a"], 1);
        assert_eq!(file["zoom"], 1.2);
        assert_eq!(file["mode"], "dark");
    }

    #[test]
    fn a_broken_file_costs_nothing_that_was_set() {
        let home = tempfile::tempdir().unwrap();
        let keeping = settings_of(home.path());
        keeping.update(zoom(1.3)).unwrap();
        std::fs::write(file(home.path()), "{ \"zoom\": 1.4,\n oops").unwrap();
        let (settings, problem) = keeping.read();
        assert_eq!(settings.zoom, 1.3);
        let problem = problem.unwrap();
        assert!(problem.message.contains("settings.json:2: "), "{problem}");
        assert!(problem.action.unwrap().contains("keeps this one beside it"));
        assert!(fault(home.path()).is_some());
        // Also after a restart.
        let later = settings_of(home.path());
        assert_eq!(later.read().0.zoom, 1.3);
        let settings =
            later.update(SettingsPatch { enter_sends: Some(false), ..SettingsPatch::default() }).unwrap();
        assert_eq!((settings.zoom, settings.enter_sends), (1.3, false));
        assert_eq!(later.read(), (settings, None));
        let broken = std::fs::read_to_string(home.path().join("settings.broken.json")).unwrap();
        assert!(broken.contains("oops"));
    }

    #[test]
    fn no_broken_file_is_written_over_however_many_there_are() {
        let home = tempfile::tempdir().unwrap();
        let keeping = settings_of(home.path());
        keeping.update(zoom(1.3)).unwrap();
        for (broken, name) in [
            ("{ \"zoom\": 1.4, first", "settings.broken.json"),
            ("{ \"zoom\": 1.4, second", "settings.broken-2.json"),
            ("", "settings.broken-3.json"),
        ] {
            std::fs::write(file(home.path()), broken).unwrap();
            assert_eq!(keeping.update(zoom(1.3)).unwrap().zoom, 1.3);
            assert_eq!(std::fs::read_to_string(home.path().join(name)).unwrap(), broken);
            assert_eq!(keeping.read().1, None);
        }
    }

    #[test]
    fn a_broken_file_names_the_place_of_what_is_wrong() {
        let home = tempfile::tempdir().unwrap();
        let keeping = settings_of(home.path());
        let huge = format!("{{\"theme\": \"{}\"}}", "x".repeat(2 << 20));
        for (text, told) in [
            (
                "{\n \"theme\": \"slate\",\n \"zoom\": 9\n}",
                "settings.json:3 /zoom: expected 0.7 to 1.6, found 9",
            ),
            ("{\n \"zoom\": \"groß\"\n}", "settings.json:2 /zoom: expected a value the program can hold"),
            ("{\"backup\": {\n\"keep\": 0}}", "settings.json:2 /backup/keep: expected 1 to 100, found 0"),
            ("", "settings.json:1: expected JSON, found an empty file"),
            ("[]", "settings.json"),
            (huge.as_str(), "settings.json"),
        ] {
            std::fs::write(file(home.path()), text).unwrap();
            let message = keeping.read().1.unwrap().message;
            assert!(message.contains(told), "{message}");
            assert_eq!(fault(home.path()).unwrap().message, message);
        }
    }

    #[test]
    fn a_file_edited_by_hand_counts_at_once_in_any_writing() {
        let home = tempfile::tempdir().unwrap();
        let keeping = settings_of(home.path());
        keeping.update(zoom(1.3)).unwrap();
        let text = "\u{feff}{\r\n  \"zoom\": 1.1,\r\n  \"notiz\": \"größer 🔎\"\r\n}\r\n";
        std::fs::write(file(home.path()), text).unwrap();
        assert_eq!(keeping.read().0.zoom, 1.1);
        keeping.update(SettingsPatch { welcomed: Some(true), ..SettingsPatch::default() }).unwrap();
        let written: Value = serde_json::from_slice(&std::fs::read(file(home.path())).unwrap()).unwrap();
        assert_eq!((written["notiz"].as_str(), written["zoom"].as_f64()), (Some("größer 🔎"), Some(1.1)));
    }

    #[test]
    fn what_an_earlier_version_of_the_program_kept_of_a_broken_file_is_used() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("settings.last.json"), r#"{"zoom": 1.3, "workspace": "lab"}"#)
            .unwrap();
        std::fs::write(file(home.path()), "{ oops").unwrap();
        let keeping = settings_of(home.path());
        assert_eq!((keeping.read().0.zoom, current_workspace(home.path()).as_str()), (1.3, "lab"));
        // Of two copies the newer one counts: the earlier one goes.
        keeping.update(zoom(1.2)).unwrap();
        assert!(!home.path().join("settings.last.json").exists());
        std::fs::write(file(home.path()), "{ oops").unwrap();
        assert_eq!(settings_of(home.path()).read().0.zoom, 1.2);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_behind_a_link_is_read_and_written_where_it_lies() {
        let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let own = elsewhere.path().join("agentnative.json");
        std::fs::write(&own, r#"{"zoom": 1.1}"#).unwrap();
        std::os::unix::fs::symlink(&own, file(home.path())).unwrap();
        let keeping = settings_of(home.path());
        assert_eq!(keeping.read().0.zoom, 1.1);
        keeping.update(zoom(1.2)).unwrap();
        assert!(file(home.path()).is_symlink());
        assert!(std::fs::read_to_string(&own).unwrap().contains("1.2"));
        std::fs::write(&own, "{ oops").unwrap();
        keeping.update(zoom(1.3)).unwrap();
        let aside = elsewhere.path().join("agentnative.broken.json");
        assert_eq!(std::fs::read_to_string(aside).unwrap(), "{ oops");
        assert!(std::fs::read_to_string(&own).unwrap().contains("1.3"));
    }

    #[test]
    fn of_changes_at_once_none_undoes_another() {
        for _ in 0..20 {
            let home = tempfile::tempdir().unwrap();
            let file = settings_of(home.path());
            let patches = [
                zoom(1.2),
                SettingsPatch { welcomed: Some(true), ..SettingsPatch::default() },
                SettingsPatch { theme: Some("slate".to_owned()), ..SettingsPatch::default() },
                SettingsPatch { enter_sends: Some(false), ..SettingsPatch::default() },
            ];
            std::thread::scope(|scope| {
                for patch in patches {
                    let file = file.clone();
                    scope.spawn(move || file.update(patch).unwrap());
                }
            });
            let kept = file.read().0;
            assert_eq!(
                (kept.zoom, kept.welcomed, kept.theme.as_str(), kept.enter_sends),
                (1.2, true, "slate", false)
            );
        }
    }

    #[test]
    fn values_out_of_bounds_change_nothing() {
        let home = tempfile::tempdir().unwrap();
        let keeping = settings_of(home.path());
        for patch in [
            zoom(9.0),
            zoom(f64::NAN),
            SettingsPatch { theme: Some("../etc".to_owned()), ..SettingsPatch::default() },
            SettingsPatch { theme: Some(String::new()), ..SettingsPatch::default() },
            SettingsPatch { default_agent: Some("x".repeat(500)), ..SettingsPatch::default() },
        ] {
            assert_eq!(keeping.update(patch).unwrap_err().code, ErrorCode::InvalidInput);
        }
        assert!(!file(home.path()).exists());
        std::fs::write(file(home.path()), r#"{"zoom": 9}"#).unwrap();
        assert_eq!(keeping.read().0, Settings::default());
        assert!(keeping.read().1.is_some());
    }
}
