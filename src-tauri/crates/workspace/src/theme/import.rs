//! Themes that were made for other programs, read as far as they make sense here.

use organise::is_colour;
use serde_json::{Map, Value};

use super::{MAX_NAME_CHARS, Theme, ThemeColours, check_size, is_name, parse_theme};
use crate::json;
use crate::problem::ConfigProblem;

/// A theme that was read, and what was left out or changed on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedTheme {
    /// The theme.
    pub theme: Theme,
    /// What is not as it was.
    pub notes: Vec<ThemeNote>,
}

/// One thing of a theme that was left out or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeNote {
    /// Where: a JSON pointer.
    pub place: String,
    /// What became of it, and why.
    pub text: String,
}

const FILE: &str = "theme";
/// The most notes of one theme.
const MAX_NOTES: usize = 50;
/// Fields that are read.
const READ: [&str; 15] = [
    "background",
    "foreground",
    "accent",
    "info",
    "success",
    "destructive",
    "paper",
    "navigator",
    "input",
    "popover",
    "popoverSolid",
    "name",
    "author",
    "license",
    "dark",
];
/// Fields that say nothing about the look.
const SILENT: [&str; 5] = ["supportedModes", "$schema", "description", "source", "version"];

/// Reads a theme's text: one of this program, or one with the light colours at the top and the dark ones in `dark`.
/// `name` is what it is called where it does not say so itself.
///
/// # Errors
/// It is no JSON object of at most 64 KiB, or there is no colour in it.
pub fn import_theme(name: &str, text: &str) -> Result<ImportedTheme, Vec<ConfigProblem>> {
    check_size(FILE, text)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let fields = match json::parse(FILE, text)? {
        Value::Object(fields) => fields,
        other => return Err(vec![ConfigProblem::new(FILE, "", "an object", json::describe(&other))]),
    };
    let ours = ["light", "base"].iter().any(|field| fields.contains_key(*field));
    let mut imported = if ours && !fields.contains_key("background") {
        ImportedTheme { theme: parse_theme(FILE, text)?, notes: Vec::new() }
    } else {
        let mut notes = Notes(Vec::new());
        let theme = foreign(&fields, &mut notes);
        ImportedTheme { theme, notes: notes.0 }
    };
    let theme = &mut imported.theme;
    if theme.base.is_none() && theme.light.is_empty() && theme.dark.is_empty() {
        let found = format!("{} fields, none of them a colour", fields.len());
        let problem = ConfigProblem::new(FILE, "", "colours such as `background` and `foreground`", found);
        return Err(vec![problem.with_remedy("choose a file that holds a theme")]);
    }
    if theme.name.trim().is_empty() {
        theme.name = shortened(name);
    }
    imported.notes.truncate(MAX_NOTES);
    Ok(imported)
}

fn foreign(fields: &Map<String, Value>, notes: &mut Notes) -> Theme {
    let mut theme = Theme {
        name: words(fields, "name", notes).unwrap_or_default(),
        author: words(fields, "author", notes),
        license: words(fields, "license", notes),
        ..Theme::default()
    };
    let light = colours("", fields, notes);
    let dark = match fields.get("dark") {
        // The dark side says only what differs.
        Some(Value::Object(dark)) => Some(over(colours("/dark", dark, notes), &light)),
        Some(_) => {
            notes.add("/dark", "left out: it is no object");
            None
        }
        None => None,
    };
    let modes = fields.get("supportedModes").and_then(Value::as_array);
    let made_for = |mode: &str| modes.is_some_and(|modes| modes.iter().any(|each| each == mode));
    match dark {
        dark if made_for("dark") && !made_for("light") => {
            notes.add(
                "/supportedModes",
                "it is made for dark alone: the light side is made from the dark one",
            );
            theme.dark = dark.unwrap_or(light);
        }
        _ if made_for("light") && !made_for("dark") => {
            notes.add(
                "/supportedModes",
                "it is made for light alone: the dark side is made from the light one",
            );
            theme.light = light;
        }
        Some(dark) => (theme.light, theme.dark) = (light, dark),
        None => {
            notes.add("/dark", "there are no dark colours: that side is made from the other one");
            theme.light = light;
        }
    }
    for (field, value) in fields {
        let place = json::child("", field);
        match field.as_str() {
            "backgroundImage" => notes.add(&place, "left out: pictures behind the window are not shown"),
            "mode" if value == "scenic" => {
                notes.add(&place, "left out: every ground is plain here, nothing is translucent");
            }
            "shikiTheme" => notes.add(&place, "left out: code takes its colours from the theme"),
            field if field == "mode" || READ.contains(&field) || SILENT.contains(&field) => {}
            _ => notes.add(&place, "left out: there is no such field here"),
        }
    }
    theme
}

fn colours(base: &str, fields: &Map<String, Value>, notes: &mut Notes) -> ThemeColours {
    let mut take = |name: &str| -> Option<String> {
        match fields.get(name)? {
            Value::String(text) if is_colour(text.trim()) => Some(text.trim().to_owned()),
            Value::String(text) => {
                let text: String = text.chars().take(60).collect();
                let words = format!("left out: `{text}` is no colour that can be read here");
                notes.add(&format!("{base}/{name}"), &words);
                None
            }
            _ => {
                notes.add(&format!("{base}/{name}"), "left out: a colour is a text");
                None
            }
        }
    };
    ThemeColours {
        background: take("background"),
        foreground: take("foreground"),
        accent: take("accent"),
        info: take("info"),
        success: take("success"),
        destructive: take("destructive"),
        paper: take("paper"),
        navigator: take("navigator"),
        input: take("input"),
        // The solid one is meant for grounds without a picture, which all of ours are.
        popover: take("popoverSolid").or_else(|| take("popover")),
    }
}

/// A side's colours, with another side's where it gives none.
fn over(own: ThemeColours, other: &ThemeColours) -> ThemeColours {
    let or = |own: Option<String>, other: &Option<String>| own.or_else(|| other.clone());
    ThemeColours {
        background: or(own.background, &other.background),
        foreground: or(own.foreground, &other.foreground),
        accent: or(own.accent, &other.accent),
        info: or(own.info, &other.info),
        success: or(own.success, &other.success),
        destructive: or(own.destructive, &other.destructive),
        // What lies on a ground belongs to that ground.
        ..own
    }
}

fn words(fields: &Map<String, Value>, name: &str, notes: &mut Notes) -> Option<String> {
    let text = fields.get(name)?.as_str()?.trim();
    if is_name(text) {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    notes.add(&json::child("", name), "made shorter");
    Some(shortened(text))
}

struct Notes(Vec<ThemeNote>);

impl Notes {
    fn add(&mut self, place: &str, text: &str) {
        self.0.push(ThemeNote { place: place.chars().take(80).collect(), text: text.to_owned() });
    }
}

fn shortened(text: &str) -> String {
    let plain = text.chars().filter(|letter| !letter.is_control());
    plain.take(MAX_NAME_CHARS).collect::<String>().trim().to_owned()
}
