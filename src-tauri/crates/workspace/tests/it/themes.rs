use std::fs;

use pretty_assertions::assert_eq;
use workspace::{
    BUILT_IN_THEMES, Theme, ThemeColours, Workspace, check_theme, import_theme, is_theme_id, parse_theme,
    read_themes, theme_text,
};

fn colour(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Problems as "pointer: found".
fn wrong(text: &str) -> Vec<String> {
    let problems = parse_theme("mine.json", text).unwrap_err();
    problems.iter().map(|problem| format!("{}: {}", problem.pointer, problem.found)).collect()
}

#[test]
fn a_theme_that_was_written_is_read_the_same() {
    let theme = Theme {
        name: "Harbour".to_owned(),
        author: colour("Eva"),
        base: colour("slate"),
        light: ThemeColours {
            background: colour("#f5f6f8"),
            accent: colour("oklch(0.45 0.09 240)"),
            navigator: colour("foreground/4"),
            ..ThemeColours::default()
        },
        ..Theme::default()
    };
    assert_eq!(parse_theme("harbour.json", &theme_text(&theme)), Ok(theme));
}

#[test]
fn a_wrong_colour_is_named_with_its_place_and_line() {
    let text = "{\n  \"light\": {\n    \"accent\": \"#2b4c7e\",\n    \"info\": \"url(x)\"\n  }\n}";
    let problems = parse_theme("mine.json", text).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].pointer.as_str(), problems[0].line), ("/light/info", Some(4)));
    assert!(problems[0].to_string().contains("`url(x)`"));
}

#[test]
fn whatever_is_no_theme_is_refused_in_words() {
    assert_eq!(wrong(""), [": an empty file"]);
    assert_eq!(wrong("[]").len(), 1);
    assert_eq!(wrong(r##"{"light": {"background": 3}}"##), ["/light/background: 3"]);
    assert_eq!(wrong(r##"{"light": {"ground": "#fff"}}"##).len(), 1);
    assert_eq!(wrong(r##"{"light": {}, "light": {}}"##).len(), 1);
    assert_eq!(wrong(r#"{"base": "../etc"}"#), ["/base: `../etc`"]);
    assert_eq!(wrong(&format!(r#"{{"name": "{}"}}"#, "ü".repeat(81))).len(), 1);
    assert_eq!(wrong(&format!(r#"{{"name": "{}"}}"#, "x".repeat(70_000))), [": 70012 bytes"]);
    for hostile in ["red; background: url(x)", "#12345", "calc(1 2 3)", "var(--x)", "rgb(1,2,3", "\u{0}", ""]
    {
        let light = ThemeColours { accent: colour(hostile), ..ThemeColours::default() };
        let theme = Theme { light, ..Theme::default() };
        assert_eq!(check_theme("mine.json", &theme).len(), 1, "{hostile}");
    }
}

#[test]
fn a_theme_of_another_program_beside_ours_says_how_to_read_it() {
    let problems = parse_theme("x.json", r##"{"name": "Ice", "background": "#fff"}"##).unwrap_err();
    assert!(problems[0].remedy.as_ref().unwrap().contains("importing"), "{problems:?}");
}

#[test]
fn themes_are_listed_with_their_problems_and_nothing_else_is() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(read_themes(home.path()), []);
    let themes = home.path().join("themes");
    fs::create_dir_all(themes.join("folder.json")).unwrap();
    fs::write(themes.join("good.json"), r##"{"name": "Good", "light": {"accent": "#123456"}}"##).unwrap();
    fs::write(themes.join("broken.json"), "{").unwrap();
    fs::write(themes.join("Not An Id.json"), "{}").unwrap();
    fs::write(themes.join("notes.txt"), "{}").unwrap();
    let found: Vec<(String, bool)> =
        read_themes(home.path()).into_iter().map(|entry| (entry.id, entry.theme.is_ok())).collect();
    assert_eq!(found, [("broken".to_owned(), false), ("good".to_owned(), true)]);
    for id in ["", "A", "a b", "../x", &"x".repeat(41)] {
        assert!(!is_theme_id(id), "{id}");
    }
}

#[test]
fn a_workspace_may_change_single_colours() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(home.path());
    assert_eq!(workspace.theme(), Ok(None));
    fs::create_dir_all(workspace.root()).unwrap();
    fs::write(workspace.root().join("theme.json"), r##"{"base": "sepia", "dark": {"accent": "#abc"}}"##)
        .unwrap();
    let theme = workspace.theme().unwrap().unwrap();
    assert_eq!((theme.base, theme.dark.accent), (colour("sepia"), colour("#abc")));
}

#[test]
fn a_foreign_theme_comes_over_with_a_report_of_what_does_not() {
    let text = r##"{
        "name": "Ice field", "author": "Eva", "license": "MIT", "supportedModes": ["light", "dark"],
        "shikiTheme": {"light": "x", "dark": "y"},
        "background": "#eef2f6", "foreground": "#223344", "accent": "oklch(0.5 0.1 250)", "info": "tomato",
        "success": "#2a6641", "destructive": 7,
        "mode": "scenic", "backgroundImage": "https://example.org/x.jpg", "paper": "#fff",
        "popover": "rgba(255, 255, 255, 0.5)", "popoverSolid": "#fafafa", "glow": "#000",
        "dark": {"background": "#101820", "foreground": "#e0e8f0", "info": "#ddb05a"}
    }"##;
    let imported = import_theme("ice", text).unwrap();
    let theme = imported.theme;
    assert_eq!((theme.name.as_str(), theme.author.as_deref()), ("Ice field", Some("Eva")));
    assert_eq!(
        theme.light,
        ThemeColours {
            background: colour("#eef2f6"),
            foreground: colour("#223344"),
            accent: colour("oklch(0.5 0.1 250)"),
            success: colour("#2a6641"),
            paper: colour("#fff"),
            popover: colour("#fafafa"),
            ..ThemeColours::default()
        }
    );
    assert_eq!(
        theme.dark,
        ThemeColours {
            background: colour("#101820"),
            foreground: colour("#e0e8f0"),
            accent: colour("oklch(0.5 0.1 250)"),
            info: colour("#ddb05a"),
            success: colour("#2a6641"),
            ..ThemeColours::default()
        }
    );
    let mut places: Vec<&str> = imported.notes.iter().map(|note| note.place.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/backgroundImage", "/destructive", "/glow", "/info", "/mode", "/shikiTheme"]);
    assert_eq!(check_theme("theme", &theme), []);
}

#[test]
fn a_foreign_theme_for_one_side_alone_fills_that_side() {
    let dark = import_theme(
        "night",
        r##"{"supportedModes": ["dark"], "background": "#111", "foreground": "#eee"}"##,
    );
    let dark = dark.unwrap();
    assert_eq!(dark.theme.name, "night");
    assert_eq!(dark.theme.light, ThemeColours::default());
    assert_eq!(dark.theme.dark.background, colour("#111"));
    assert_eq!(dark.notes.len(), 1);
}

#[test]
fn our_own_export_comes_back_as_it_was() {
    let text = "\u{feff}{\"name\": \"Mine\", \"base\": \"paper\", \"light\": {\"accent\": \"#123456\"}}";
    let imported = import_theme("file", text).unwrap();
    assert_eq!((imported.theme.name.as_str(), imported.notes), ("Mine", vec![]));
}

#[test]
fn a_text_without_a_colour_is_no_theme() {
    for text in
        ["{}", r#"{"name": "x"}"#, r#"{"background": "blue-ish"}"#, r#"{"light": {}}"#, "7", "null", "{"]
    {
        assert!(import_theme("x", text).is_err(), "{text}");
    }
    assert!(import_theme("x", &"[".repeat(60_000)).is_err());
}

#[test]
fn the_built_in_themes_are_those_of_the_page() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../ui/src/shared/theme/themes.ts");
    let text = fs::read_to_string(page).unwrap();
    let ids: Vec<&str> = text
        .split("theme(\n")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .collect();
    assert_eq!(ids, BUILT_IN_THEMES);
}
