//! Commands on themes: files of the person's and of workspaces.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use config::ConfigStore;
use domain::{Digest, ErrorCode, Problem};
use protocol::{
    ThemeImported, ThemeList, ThemePlace, ThemeRemark, ThemeRemove, ThemeRow, ThemeSave, ThemeText,
};
use support::blocking;
use workspace::{
    ConfigProblem, WORKSPACE_FILE, Workspace, check_theme, import_theme, is_theme_id, parse_theme,
    parse_workspace_config, theme_ids, theme_text,
};

use super::agents::file_problems;
use crate::Environment;

/// The most themes of a person.
const MAX_THEMES: usize = 200;
/// The longest id that is made from a name, in bytes.
const MAX_ID_BYTES: usize = 32;

/// The files with themes that a caller sees.
struct ThemeFolder {
    home: PathBuf,
    files: Workspace,
    live: ConfigStore,
}

impl Environment {
    fn themes(&self) -> ThemeFolder {
        ThemeFolder { home: self.home.clone(), files: self.files(), live: self.config.clone() }
    }

    /// Lists the person's themes, and what the workspace changes.
    pub async fn theme_list(&self) -> Result<ThemeList, Problem> {
        let theme_folder = self.themes();
        blocking(move || Ok(theme_folder.list())).await
    }

    /// Keeps a theme.
    pub async fn theme_save(&self, save: ThemeSave) -> Result<ThemeRow, Problem> {
        let theme_folder = self.themes();
        blocking(move || theme_folder.keep(&save)).await
    }

    /// Removes a theme's file.
    pub async fn theme_remove(&self, remove: ThemeRemove) -> Result<(), Problem> {
        let theme_folder = self.themes();
        blocking(move || {
            let (_, file) = theme_folder.place(&remove.place)?;
            std::fs::remove_file(&file).map_err(|error| match error.kind() {
                ErrorKind::NotFound => {
                    Problem::new(ErrorCode::NotFound, format!("there is no theme {}", file.display()))
                }
                _ => Problem::new(ErrorCode::Storage, format!("{}: {error}", file.display()))
                    .with_action("the theme stays; check the folder's rights and try again"),
            })
        })
        .await
    }
}

/// Reads a theme's text, keeps nothing.
pub fn read(text: &ThemeText) -> Result<ThemeImported, Problem> {
    let name = if text.name.trim().is_empty() { "Imported theme" } else { &text.name };
    let imported = import_theme(name, &text.text).map_err(|found| invalid(&found))?;
    let remarks = imported.notes.into_iter().map(|note| ThemeRemark { place: note.place, text: note.text });
    Ok(ThemeImported { theme: imported.theme, notes: remarks.collect() })
}

impl ThemeFolder {
    pub fn list(&self) -> ThemeList {
        let own = theme_ids(&self.home).into_iter().map(|id| {
            let file = self.own_file(&id);
            self.row(id, &file)
        });
        let file = self.workspace_file();
        let config = self.live.current(&self.files.root().join(WORKSPACE_FILE), parse_workspace_config);
        ThemeList {
            own: own.collect(),
            workspace: file.exists().then(|| self.row(String::new(), &file)),
            workspace_base: config.value.and_then(|config| config.defaults.theme.clone()),
        }
    }

    fn row(&self, id: String, file: &Path) -> ThemeRow {
        let current = self.live.current(file, parse_theme);
        ThemeRow {
            id,
            file: file.display().to_string(),
            theme: current.value.map(|theme| (*theme).clone()),
            problems: file_problems(&current.problems),
            digest: current.digest.map(|digest| digest.to_string()),
        }
    }

    fn keep(&self, save: &ThemeSave) -> Result<ThemeRow, Problem> {
        let found = check_theme("theme", &save.theme);
        if !found.is_empty() {
            return Err(invalid(&found));
        }
        let (id, file) = match &save.place {
            ThemePlace::New => {
                let id = self.new_id(save)?;
                let file = self.own_file(&id);
                (id, file)
            }
            place @ (ThemePlace::Own(_) | ThemePlace::Workspace) => self.place(place)?,
        };
        let seen = match &save.seen {
            Some(digest) => Some(digest.parse::<Digest>().map_err(|_| {
                Problem::new(ErrorCode::InvalidInput, "`seen` is no digest of a file that was listed")
            })?),
            None => self.live.current(&file, parse_theme).digest,
        };
        self.live.save(&file, seen, &theme_text(&save.theme))?;
        Ok(self.row(id, &file))
    }

    /// Where a theme that has a place is, with its id.
    fn place(&self, place: &ThemePlace) -> Result<(String, PathBuf), Problem> {
        match place {
            ThemePlace::Own(id) if is_theme_id(id) => Ok((id.clone(), self.own_file(id))),
            ThemePlace::Own(_) => Err(Problem::new(
                ErrorCode::InvalidInput,
                "a theme's id has 1 to 40 lower-case letters, digits and hyphens, like `my-theme`",
            )),
            ThemePlace::Workspace => Ok((String::new(), self.workspace_file())),
            ThemePlace::New => Err(Problem::new(ErrorCode::InvalidInput, "say which theme")),
        }
    }

    fn own_file(&self, id: &str) -> PathBuf {
        self.home.join("themes").join(format!("{id}.json"))
    }

    fn workspace_file(&self) -> PathBuf {
        self.files.root().join("theme.json")
    }

    /// An id made from the name that nothing else has.
    fn new_id(&self, save: &ThemeSave) -> Result<String, Problem> {
        if theme_ids(&self.home).len() >= MAX_THEMES {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("there are {MAX_THEMES} themes already"),
            )
            .with_action("remove one first"));
        }
        let base = slug_of(&save.theme.name);
        let numbered = (1_u32..1_000).map(|number| match number {
            1 => base.clone(),
            number => format!("{base}-{number}"),
        });
        let mut free = numbered.filter(|id| !save.taken.contains(id) && !self.own_file(id).exists());
        free.next().ok_or_else(|| Problem::new(ErrorCode::InvalidInput, "this name is taken too often"))
    }
}

/// A name as an id: its letters and digits of ASCII, what is between them as one hyphen.
fn slug_of(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        if slug.len() >= MAX_ID_BYTES {
            break;
        }
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches('-');
    if is_theme_id(slug) { slug.to_owned() } else { "theme".to_owned() }
}

fn invalid(found: &[ConfigProblem]) -> Problem {
    let lines: Vec<String> = found.iter().take(5).map(ToString::to_string).collect();
    Problem::new(ErrorCode::InvalidInput, format!("this is no theme that can be used: {}", lines.join("; ")))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use workspace::{Theme, ThemeColours};

    use super::*;

    fn theme_folder(home: &Path) -> ThemeFolder {
        ThemeFolder { home: home.to_owned(), files: Workspace::open(home), live: ConfigStore::new(home) }
    }

    fn theme(name: &str, accent: &str) -> Theme {
        let light = ThemeColours { accent: Some(accent.to_owned()), ..ThemeColours::default() };
        Theme { name: name.to_owned(), light, ..Theme::default() }
    }

    fn save(place: ThemePlace, theme: Theme) -> ThemeSave {
        ThemeSave { place, theme, seen: None, taken: vec!["paper".to_owned()] }
    }

    #[test]
    fn a_new_theme_gets_an_id_from_its_name_that_nothing_else_has() {
        let home = tempfile::tempdir().unwrap();
        let theme_folder = theme_folder(home.path());
        for (name, id) in [
            ("Evening  light!", "evening-light"),
            ("evening-light", "evening-light-2"),
            ("Paper", "paper-2"),
            ("夜", "theme"),
            ("", "theme-2"),
            ("../../etc/passwd", "etc-passwd"),
        ] {
            assert_eq!(theme_folder.keep(&save(ThemePlace::New, theme(name, "#123456"))).unwrap().id, id);
        }
        assert_eq!(theme_folder.list().own.len(), 6);
        assert!(theme_ids(home.path()).iter().all(|id| theme_folder.own_file(id).starts_with(home.path())));
    }

    #[test]
    fn a_theme_is_listed_as_it_was_saved_and_gone_when_its_file_is() {
        let home = tempfile::tempdir().unwrap();
        let theme_folder = theme_folder(home.path());
        let row =
            theme_folder.keep(&save(ThemePlace::Own("mine".to_owned()), theme("Mine", "#123456"))).unwrap();
        assert_eq!(theme_folder.list().own, std::slice::from_ref(&row));
        assert_eq!(row.theme, Some(theme("Mine", "#123456")));
        std::fs::remove_file(&row.file).unwrap();
        assert_eq!(theme_folder.list(), ThemeList::default());
    }

    #[test]
    fn what_was_changed_outside_is_not_written_over() {
        let home = tempfile::tempdir().unwrap();
        let theme_folder = theme_folder(home.path());
        let own = || ThemePlace::Own("mine".to_owned());
        let row = theme_folder.keep(&save(own(), theme("Mine", "#123456"))).unwrap();
        std::fs::write(&row.file, theme_text(&theme("By hand", "#abcdef"))).unwrap();
        let stale = ThemeSave { seen: row.digest, ..save(own(), theme("Mine", "#000000")) };
        assert_eq!(theme_folder.keep(&stale).unwrap_err().code, ErrorCode::Conflict);
        let fresh = ThemeSave { seen: theme_folder.list().own[0].digest.clone(), ..stale };
        assert_eq!(theme_folder.keep(&fresh).unwrap().theme, Some(theme("Mine", "#000000")));
    }

    #[test]
    fn a_theme_that_is_broken_by_hand_stays_as_it_was_with_its_problem() {
        let home = tempfile::tempdir().unwrap();
        let theme_folder = theme_folder(home.path());
        let row =
            theme_folder.keep(&save(ThemePlace::Own("mine".to_owned()), theme("Mine", "#123456"))).unwrap();
        std::fs::write(&row.file, "{\n \"light\": {\"accent\": \"blue-ish\"}}").unwrap();
        let broken = &theme_folder.list().own[0];
        assert_eq!(broken.theme, Some(theme("Mine", "#123456")));
        assert_eq!(broken.problems[0].place, "/light/accent");
    }

    #[test]
    fn a_workspace_says_its_theme_by_its_file_and_by_its_settings() {
        let home = tempfile::tempdir().unwrap();
        let theme_folder = theme_folder(home.path());
        let base = Theme { base: Some("moss".to_owned()), ..Theme::default() };
        theme_folder.keep(&save(ThemePlace::Workspace, base.clone())).unwrap();
        std::fs::write(
            theme_folder.files.root().join(WORKSPACE_FILE),
            r#"{"id": "x", "name": "Lab", "defaults": {"colorTheme": "fog"}}"#,
        )
        .unwrap();
        let list = theme_folder.list();
        assert_eq!(list.workspace.unwrap().theme, Some(base));
        assert_eq!(list.workspace_base.as_deref(), Some("fog"));
    }

    #[test]
    fn nothing_but_a_theme_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let theme_folder = theme_folder(home.path());
        for (place, theme) in [
            (ThemePlace::New, theme("Mine", "url(x)")),
            (ThemePlace::New, theme(&"x".repeat(81), "#123456")),
            (ThemePlace::Own("../mine".to_owned()), theme("Mine", "#123456")),
        ] {
            assert_eq!(theme_folder.keep(&save(place, theme)).unwrap_err().code, ErrorCode::InvalidInput);
        }
        assert_eq!(theme_folder.list(), ThemeList::default());
    }
}
