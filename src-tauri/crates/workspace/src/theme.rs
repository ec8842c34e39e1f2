//! Themes of a person: `<home>/themes/<id>.json`, and `theme.json` of a workspace.

mod import;

use std::path::Path;

use organise::is_colour;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::is_slug;
use crate::folder::{Fault, Folder};
use crate::json::{self, Quote, child};
use crate::open::Workspace;
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas;
use crate::statuses::text_of;

pub use import::{ImportedTheme, ThemeNote, import_theme};

/// The largest text of a theme, in bytes.
const MAX_THEME_BYTES: usize = 64 * 1024;
/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 80;
/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 40;
/// The most themes that are listed.
const MAX_THEMES: usize = 200;
/// Ids of the themes that the page brings: a file of one of these names takes its place.
pub const BUILT_IN_THEMES: [&str; 15] = [
    "paper", "slate", "sepia", "harbour", "moss", "clay", "plum", "fog", "juniper", "quarry", "copper",
    "lagoon", "heather", "cinder", "contrast",
];
const COLOUR: &str = "a colour like `#2b4c7e`, `rgb(43 76 126)`, `hsl(216 49% 33%)` or `oklch(0.42 0.09 259)`, or one of \
                      the theme's with an opacity, like `foreground/50`";

/// A theme: colours for light and for dark. Everything else that is seen is derived from them.
///
/// A colour that is left out is that of `base`. Where there is no `base`, a side that gives neither background nor
/// foreground is made from the other side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Theme {
    /// Names the JSON Schema of this file, so that editors complete and check it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// What it is called, at most 80 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Its licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The id of the theme whose colours count where this one gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// On light ground.
    #[serde(default, skip_serializing_if = "ThemeColours::is_empty")]
    pub light: ThemeColours,
    /// On dark ground.
    #[serde(default, skip_serializing_if = "ThemeColours::is_empty")]
    pub dark: ThemeColours,
}

/// Colours of one side of a theme: CSS colours (hex, `rgb()`, `hsl()`, `oklab()`, `oklch()`), or one of the first six by
/// name with an opacity in percent (`foreground/50`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThemeColours {
    /// The page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// Text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreground: Option<String>,
    /// Focus, selection, the primary button, what is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accent: Option<String>,
    /// What waits for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<String>,
    /// What is done or verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<String>,
    /// What failed or takes something away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<String>,
    /// Cards and documents, instead of the derived colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
    /// The sidebar, instead of the derived colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub navigator: Option<String>,
    /// Fields to type in, instead of the derived colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Menus and dialogs, instead of the derived colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popover: Option<String>,
}

/// A person's theme: usable, or with what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeEntry {
    /// The file's name without `.json`.
    pub id: String,
    /// The file.
    pub file: String,
    /// The theme, or all that is wrong with it.
    pub theme: Result<Theme, Vec<ConfigProblem>>,
}

impl ThemeColours {
    /// Each colour with its name in files.
    pub fn named(&self) -> [(&'static str, &Option<String>); 10] {
        [
            ("background", &self.background),
            ("foreground", &self.foreground),
            ("accent", &self.accent),
            ("info", &self.info),
            ("success", &self.success),
            ("destructive", &self.destructive),
            ("paper", &self.paper),
            ("navigator", &self.navigator),
            ("input", &self.input),
            ("popover", &self.popover),
        ]
    }

    fn is_empty(&self) -> bool {
        self.named().iter().all(|(_, colour)| colour.is_none())
    }
}

impl Workspace {
    /// What the workspace changes about the look: a theme instead of the program's (`base`), single colours, or both;
    /// `None`: nothing.
    ///
    /// # Errors
    /// All that is wrong with the file.
    pub fn theme(&self) -> Result<Option<Theme>, Vec<ConfigProblem>> {
        read(&Folder::Disk(self.root().to_owned()), "theme.json")
    }
}

/// The ids of a person's themes, sorted.
pub fn theme_ids(home: &Path) -> Vec<String> {
    let names = Folder::Disk(home.join("themes")).names();
    let ids = names.iter().filter_map(|name| name.strip_suffix(".json")).filter(|id| is_theme_id(id));
    ids.take(MAX_THEMES).map(str::to_owned).collect()
}

/// A person's themes, sorted by id; a broken one is an entry with its problems.
pub fn read_themes(home: &Path) -> Vec<ThemeEntry> {
    let folder = Folder::Disk(home.join("themes"));
    theme_ids(home)
        .into_iter()
        .map(|id| {
            let name = format!("{id}.json");
            let missing = || vec![Fault::Missing.problem(folder.label(&name), "")];
            let theme = read(&folder, &name).and_then(|theme| theme.ok_or_else(missing));
            ThemeEntry { id, file: folder.label(&name), theme }
        })
        .collect()
}

/// Whether a text can be a theme's id: 1 to 40 lower-case letters, digits and hyphens.
pub fn is_theme_id(id: &str) -> bool {
    is_slug(id) && id.len() <= MAX_ID_BYTES
}

/// Reads the text of a theme; `file` is its name in problems.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_theme(file: &str, text: &str) -> Result<Theme, Vec<ConfigProblem>> {
    check_size(file, text)?;
    let clipped =
        |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect::<Vec<_>>();
    let (_, theme) = json::read::<Theme>(file, text, &schemas::THEME, Quote::Values)
        .map_err(|problems| clipped(problems.into_iter().map(of_other_form).collect()))?;
    let mut problems = check_theme(file, &theme);
    for problem in &mut problems {
        problem.line = json::line_of(text, &problem.pointer);
    }
    if problems.is_empty() { Ok(theme) } else { Err(clipped(problems)) }
}

/// All that is wrong with a theme; `file` is its name in problems.
pub fn check_theme(file: &str, theme: &Theme) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for (field, text) in
        [("name", Some(&theme.name)), ("author", theme.author.as_ref()), ("license", theme.license.as_ref())]
    {
        if let Some(text) = text
            && !is_name(text)
        {
            let expected = format!("at most {MAX_NAME_CHARS} characters on one line");
            let found = format!("{} characters: `{text}`", text.chars().count());
            problems.push(ConfigProblem::new(file, child("", field), expected, found).clipped());
        }
    }
    if let Some(base) = &theme.base
        && !is_theme_id(base)
    {
        problems.push(
            ConfigProblem::new(file, "/base", "the id of a theme, like `paper`", format!("`{base}`"))
                .clipped(),
        );
    }
    for (side, colours) in [("/light", &theme.light), ("/dark", &theme.dark)] {
        for (name, colour) in colours.named() {
            if let Some(colour) = colour
                && !is_colour(colour)
            {
                let found = format!("`{colour}`");
                problems.push(ConfigProblem::new(file, child(side, name), COLOUR, found).clipped());
            }
        }
    }
    problems.truncate(MAX_PROBLEMS);
    problems
}

/// The text of a theme's file.
pub fn theme_text(theme: &Theme) -> String {
    text_of(theme)
}

fn read(folder: &Folder, name: &str) -> Result<Option<Theme>, Vec<ConfigProblem>> {
    let file = folder.label(name);
    match folder.text(name) {
        Ok(text) => parse_theme(&file, &text).map(Some),
        Err(Fault::Missing) => Ok(None),
        Err(fault) => Err(vec![fault.problem(&file, "")]),
    }
}

fn check_size(file: &str, text: &str) -> Result<(), Vec<ConfigProblem>> {
    if text.len() <= MAX_THEME_BYTES {
        return Ok(());
    }
    let found = format!("{} bytes", text.len());
    Err(vec![ConfigProblem::new(file, "", format!("at most {} KiB", MAX_THEME_BYTES / 1024), found)])
}

/// A theme of another program gives its colours at the top: it can be read, but by importing it.
fn of_other_form(problem: ConfigProblem) -> ConfigProblem {
    let at_the_top = problem.pointer.is_empty() || problem.pointer.matches('/').count() == 1;
    if at_the_top && ThemeColours::default().named().iter().any(|(name, _)| problem.found.contains(name)) {
        return problem.with_remedy(
            "colours belong into `light` and `dark`; a theme of another program is read by importing it",
        );
    }
    problem
}

fn is_name(text: &str) -> bool {
    text.chars().count() <= MAX_NAME_CHARS && !text.chars().any(char::is_control)
}
