//! What a person sets: `settings.json` in the data directory, which they may edit by hand.
//!
//! A file that can't be read never costs what was set: the last version that could be read stays in use, the check-up
//! tells what is wrong, and a change puts the broken file aside before it writes a new one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{ErrorCode, Problem};
use parking_lot::{Mutex, MutexGuard};
use protocol::{Settings, SettingsPatch};
use serde_json::{Map, Value};
use support::{Readers, replace_file};

use crate::store::Stamp;

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 10;
/// The longest name of a theme, an agent or a depth.
const NAME: usize = 80;
/// The longest that something is kept, in days.
const MAX_DAYS: u32 = 36_500;

/// Where settings are and what the last readable version said.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    home: PathBuf,
    good: Arc<Mutex<Option<Settings>>>,
    /// The file that `good` was read from, where a later one can't look the same.
    stamp: Arc<Mutex<Option<Stamp>>>,
    /// Held from reading to writing: of two changes at once none undoes the other.
    changing: Arc<Mutex<()>>,
}

impl SettingsFile {
    /// Of a data directory; reads nothing yet.
    pub fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), good: Arc::default(), stamp: Arc::default(), changing: Arc::default() }
    }

    fn file(&self) -> PathBuf {
        self.home.join("settings.json")
    }

    /// The last version that could be read.
    fn copy(&self) -> PathBuf {
        self.home.join("settings.last.json")
    }

    /// The settings in use, and what is wrong with the file where it can't be used.
    pub fn read(&self) -> (Settings, Option<Problem>) {
        let stamp = Stamp::of(&self.file());
        let same = stamp.is_some() && *self.stamp.lock() == stamp;
        if let Some(good) = self.good().clone().filter(|_| same) {
            return (good, None);
        }
        match read(&self.file()) {
            Ok(file) => {
                let (settings, _) = file.unwrap_or_default();
                self.remember(&settings);
                *self.stamp.lock() = stamp.filter(Stamp::is_settled);
                (settings, None)
            }
            Err(problem) => (self.last_good(), Some(problem)),
        }
    }

    fn last_good(&self) -> Settings {
        if let Some(good) = self.good().clone() {
            return good;
        }
        read(&self.copy()).ok().flatten().unwrap_or_default().0
    }

    /// Keeps a version that could be read, also for the next start.
    fn remember(&self, settings: &Settings) {
        let mut good = self.good();
        if good.as_ref() == Some(settings) {
            return;
        }
        *good = Some(settings.clone());
        drop(good);
        if *settings != Settings::default() || self.copy().exists() {
            let bytes = serde_json::to_vec_pretty(settings).unwrap_or_default();
            if let Err(error) = write(&self.copy(), &bytes) {
                tracing::warn!("the settings' copy can't be written: {error}");
            }
        }
    }

    /// Changes what the patch names, and writes the file.
    pub fn update(&self, patch: SettingsPatch) -> Result<Settings, Problem> {
        let _changing = self.changing.lock();
        let (mut settings, wrong) = self.read();
        let mut file = match &wrong {
            None => read(&self.file())?.unwrap_or_default().1,
            Some(_) => Map::new(),
        };
        apply(&mut settings, patch);
        check(&settings).map_err(|fault| Problem::new(ErrorCode::InvalidInput, fault.0))?;
        if let Ok(Value::Object(known)) = serde_json::to_value(&settings) {
            file.extend(known);
        }
        let bytes = serde_json::to_vec_pretty(&Value::Object(file))
            .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Storage, format!("{}: {error}", self.file().display()))
                .with_action("the settings stay as they were; free some space and try again")
        };
        if wrong.is_some() {
            std::fs::rename(self.file(), self.home.join("settings.broken.json")).map_err(failed)?;
        }
        write(&self.file(), &bytes).map_err(failed)?;
        self.remember(&settings);
        Ok(settings)
    }

    fn good(&self) -> MutexGuard<'_, Option<Settings>> {
        self.good.lock()
    }
}

/// The slug of the person's current workspace, as a data directory's settings say.
pub fn current_workspace(home: &Path) -> String {
    let read = |file: &str| read(&home.join(file)).ok().flatten();
    read("settings.json").or_else(|| read("settings.last.json")).unwrap_or_default().0.workspace
}

/// What is wrong with a data directory's settings, where something is.
pub fn fault(home: &Path) -> Option<Problem> {
    read(&home.join("settings.json")).err()
}

/// What is wrong with a value, in words.
struct Fault(String);

type File = (Settings, Map<String, Value>);

/// A file's settings and everything that it says; nothing when there is no file.
fn read(path: &Path) -> Result<Option<File>, Problem> {
    let wrong = |what: String| {
        Problem::new(ErrorCode::InvalidConfig, format!("{} can't be used: {what}", path.display())).with_action(
            "correct it; until then the last version that could be read is used, and the next change puts this one aside",
        )
    };
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    };
    if !about.is_file() || about.len() > MAX_FILE_BYTES {
        return Err(wrong(format!("it is no file of at most {MAX_FILE_BYTES} bytes")));
    }
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    let settings: Settings =
        serde_json::from_value(value.clone()).map_err(|error| wrong(error.to_string()))?;
    check(&settings).map_err(|fault| wrong(fault.0))?;
    match value {
        Value::Object(all) => Ok(Some((settings, all))),
        other => Err(wrong(format!("expected an object, found {other}"))),
    }
}

fn check(settings: &Settings) -> Result<(), Fault> {
    if !(0.7..=1.6).contains(&settings.zoom) {
        return Err(Fault(format!("zoom is {}; it can be 0.7 to 1.6", settings.zoom)));
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
        if !plain || name.len() > NAME {
            return Err(Fault(format!("{field} is no name of at most {NAME} letters, digits and hyphens")));
        }
    }
    if !workspace::is_workspace_slug(&settings.workspace) {
        return Err(Fault("workspace is no slug of small letters, digits and hyphens".to_owned()));
    }
    check_keeping(settings)?;
    if settings.theme.is_empty() {
        return Err(Fault("theme is empty".to_owned()));
    }
    Ok(())
}

/// What is kept for how long, and where backups go.
fn check_keeping(settings: &Settings) -> Result<(), Fault> {
    let (backup, age) = (&settings.backup, &settings.retention);
    if !(1..=100).contains(&backup.keep) {
        return Err(Fault(format!("backup.keep is {}; it can be 1 to 100", backup.keep)));
    }
    let folder = Path::new(&backup.folder);
    if !backup.folder.is_empty() && (!folder.is_absolute() || backup.folder.len() > 4_096) {
        return Err(Fault("backup.folder is no absolute path".to_owned()));
    }
    let days = [age.archive_done_days, age.trash_archived_days, age.empty_trash_days];
    if days.iter().any(|days| *days > MAX_DAYS) {
        return Err(Fault(format!("retention has more than {MAX_DAYS} days")));
    }
    if age.keep_labels.len() > 100 || age.keep_labels.iter().any(|label| label.len() > NAME) {
        return Err(Fault("retention.keepLabels has at most 100 names".to_owned()));
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
        model_titles,
        welcomed,
        workspace,
        backup,
        retention,
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
    set(&mut settings.model_titles, model_titles);
    set(&mut settings.welcomed, welcomed);
    set(&mut settings.backup, backup);
    set(&mut settings.retention, retention);
    set(&mut settings.workspace, workspace);
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    replace_file(
        path,
        &[
            bytes, b"
",
        ]
        .concat(),
        Readers::Person,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::ColorMode;

    fn zoom(zoom: f64) -> SettingsPatch {
        SettingsPatch { zoom: Some(zoom), ..SettingsPatch::default() }
    }

    #[test]
    fn changes_keep_keys_that_nobody_knows() {
        let home = tempfile::tempdir().unwrap();
        let keeping = SettingsFile::new(home.path());
        assert_eq!(keeping.read(), (Settings::default(), None));
        std::fs::write(keeping.file(), r#"{"mode": "dark", "future": {"a": 1}}"#).unwrap();
        let settings = keeping.update(zoom(1.2)).unwrap();
        assert_eq!((settings.mode, settings.zoom), (ColorMode::Dark, 1.2));
        let file: Value = serde_json::from_slice(&std::fs::read(keeping.file()).unwrap()).unwrap();
        assert_eq!(file["future"]["a"], 1);
        assert_eq!(file["zoom"], 1.2);
        assert_eq!(file["mode"], "dark");
    }

    #[test]
    fn a_broken_file_costs_nothing_that_was_set() {
        let home = tempfile::tempdir().unwrap();
        let keeping = SettingsFile::new(home.path());
        keeping.update(zoom(1.3)).unwrap();
        std::fs::write(keeping.file(), "{ \"zoom\": 1.4,\n oops").unwrap();
        let (settings, problem) = keeping.read();
        assert_eq!(settings.zoom, 1.3);
        assert!(problem.unwrap().message.contains("line 2"));
        assert!(fault(home.path()).is_some());
        // Also after a restart.
        let later = SettingsFile::new(home.path());
        assert_eq!(later.read().0.zoom, 1.3);
        let settings =
            later.update(SettingsPatch { enter_sends: Some(false), ..SettingsPatch::default() }).unwrap();
        assert_eq!((settings.zoom, settings.enter_sends), (1.3, false));
        assert_eq!(later.read(), (settings, None));
        let broken = std::fs::read_to_string(home.path().join("settings.broken.json")).unwrap();
        assert!(broken.contains("oops"));
    }

    #[test]
    fn of_changes_at_once_none_undoes_another() {
        for _ in 0..20 {
            let home = tempfile::tempdir().unwrap();
            let file = SettingsFile::new(home.path());
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
        let keeping = SettingsFile::new(home.path());
        for patch in [
            zoom(9.0),
            zoom(f64::NAN),
            SettingsPatch { theme: Some("../etc".to_owned()), ..SettingsPatch::default() },
            SettingsPatch { theme: Some(String::new()), ..SettingsPatch::default() },
            SettingsPatch { default_agent: Some("x".repeat(500)), ..SettingsPatch::default() },
        ] {
            assert_eq!(keeping.update(patch).unwrap_err().code, ErrorCode::InvalidInput);
        }
        assert!(!keeping.file().exists());
        std::fs::write(keeping.file(), r#"{"zoom": 9}"#).unwrap();
        assert_eq!(keeping.read().0, Settings::default());
        assert!(keeping.read().1.is_some());
    }
}
