//! The windows: where they were, what they may load, how they come to the front.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};
use protocol::Client;
use serde::{Deserialize, Serialize};
use tauri::http::HeaderValue;
use tauri::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_SECURITY_POLICY};
use tauri::utils::config::Color;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{
    AppHandle, DragDropEvent, Manager, Theme, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent,
};
use url::Url;

use crate::backend::Core;
use crate::page::{Page, ShellEvent};
use crate::shell;

/// The first window's label; the capability names it.
pub const MAIN: &str = "main";
/// The beginning of the labels of windows for one workspace; the capability names it.
const OF_WORKSPACE: &str = "workspace-";

/// Diagrams are drawn in a document of their own: without an origin, without the network, and with the style elements
/// that the drawing needs. It is told its text and gives back a picture.
const DIAGRAM: &str = "/mermaid.html";
const DIAGRAM_POLICY: &str = "default-src 'none'; script-src 'self' tauri://localhost http://tauri.localhost; \
     style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors tauri://localhost http://tauri.localhost; sandbox allow-scripts";

const MIN_SIZE: (f64, f64) = (640.0, 480.0);
const FIRST: (f64, f64) = (1280.0, 800.0);
/// The most windows of workspaces that are opened again.
const MAX_REOPENED: usize = 12;

/// The page's colour, so that the window does not flash before the page is there.
pub fn background(dark: bool) -> Color {
    if dark { Color(0x13, 0x13, 0x14, 0xFF) } else { Color(0xFA, 0xF9, 0xF6, 0xFF) }
}

/// Where a window is, in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Bounds {
    x: i32,
    y: i32,
    /// Of the content.
    width: f64,
    height: f64,
    maximized: bool,
}

impl Bounds {
    fn is_sound(&self) -> bool {
        let sound = |length: f64, least: f64| length.is_finite() && (least..=20_000.0).contains(&length);
        sound(self.width, MIN_SIZE.0) && sound(self.height, MIN_SIZE.1)
    }

    /// A maximized window keeps the size that it goes back to.
    fn read(window: &WebviewWindow, before: Option<Self>) -> tauri::Result<Self> {
        let scale = window.scale_factor()?;
        let maximized = window.is_maximized()?;
        let (position, size) = (window.outer_position()?.to_logical::<i32>(scale), window.inner_size()?);
        let size = size.to_logical::<f64>(scale);
        let (width, height) = match before {
            Some(before) if maximized => (before.width, before.height),
            _ if maximized => FIRST,
            _ => (size.width, size.height),
        };
        Ok(Self { x: position.x, y: position.y, width, height, maximized })
    }

    fn place<'a>(
        &self,
        app: &AppHandle,
        builder: WebviewWindowBuilder<'a, tauri::Wry, AppHandle>,
    ) -> WebviewWindowBuilder<'a, tauri::Wry, AppHandle> {
        let builder = builder.inner_size(self.width, self.height).maximized(self.maximized);
        match is_on_a_screen(app, self) {
            true => builder.position(f64::from(self.x), f64::from(self.y)),
            false => builder,
        }
    }
}

/// The windows as they were when the program ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Placement {
    #[serde(flatten)]
    main: Bounds,
    dark: Option<bool>,
    /// Those of one workspace, by its slug.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    workspaces: BTreeMap<String, Bounds>,
}

impl Placement {
    fn file(home: &Path) -> PathBuf {
        home.join("window.json")
    }

    fn read(home: &Path) -> Option<Self> {
        let mut placement: Self = serde_json::from_slice(&std::fs::read(Self::file(home)).ok()?).ok()?;
        placement.workspaces.retain(|_, bounds| bounds.is_sound());
        while placement.workspaces.len() > MAX_REOPENED {
            placement.workspaces.pop_last();
        }
        placement.main.is_sound().then_some(placement)
    }

    fn write(&self, home: &Path) -> std::io::Result<()> {
        support::replace_file(&Self::file(home), &serde_json::to_vec(self)?, support::Readers::Person)
    }
}

/// Opens the window.
pub fn open(app: &AppHandle, home: &Path) -> tauri::Result<WebviewWindow> {
    let before = Placement::read(home);
    let mut builder = builder(app, home, MAIN, "index.html");
    if let Some(before) = &before {
        builder = before.main.place(app, builder);
    }
    let dark = before.and_then(|before| before.dark);
    builder = builder.background_color(background(dark.unwrap_or(false)));
    let window = builder.build()?;
    if dark.is_none() && matches!(window.theme(), Ok(Theme::Dark)) {
        let _ = window.set_background_color(Some(background(true)));
    }
    let handle = app.clone();
    window.on_window_event(move |event| dropped(&handle, MAIN, event));
    Ok(window)
}

/// Opens the windows of workspaces again that were open when the program ended.
pub async fn open_again(app: &AppHandle) {
    let core = app.state::<Core>();
    let Some(before) = Placement::read(core.home()) else { return };
    for (slug, bounds) in before.workspaces {
        // One that was removed meanwhile has no window any more.
        let there = match core.host_of(&slug).await {
            Ok(host) => host.organise_show().await,
            Err(problem) => Err(problem),
        };
        let opened = there.and_then(|_| open_at(app, &slug, Some(bounds)));
        if let Err(problem) = opened {
            tracing::warn!("the window of the workspace {slug:?} was not opened again: {problem}");
        }
    }
}

/// A window with the page in it.
fn builder<'a>(
    app: &'a AppHandle,
    home: &Path,
    label: &str,
    page: &str,
) -> WebviewWindowBuilder<'a, tauri::Wry, AppHandle> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::App(page.into()))
        .title("AgentNative")
        .inner_size(FIRST.0, FIRST.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .data_directory(home.join("webview"))
        .on_navigation(may_load)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .on_web_resource_request(|request, response| {
            guard_asset(request.uri().path(), response.headers_mut());
        })
        .on_page_load(|window, load| match load.event() {
            PageLoadEvent::Started => window.state::<Page>().detach(window.label()),
            PageLoadEvent::Finished => shell::when_painted(window.app_handle()),
        })
}

/// Opens a window for a workspace, or brings the one that it has to the front.
pub fn open_workspace(app: &AppHandle, slug: &str) -> Result<(), Problem> {
    match app.get_webview_window(&format!("{OF_WORKSPACE}{slug}")) {
        Some(window) => {
            front(&window);
            Ok(())
        }
        None => open_at(app, slug, None),
    }
}

/// Opens a window for a workspace. One that was open before takes nobody's keyboard away.
fn open_at(app: &AppHandle, slug: &str, before: Option<Bounds>) -> Result<(), Problem> {
    let label = format!("{OF_WORKSPACE}{slug}");
    let dark = app.state::<Page>().dark().unwrap_or(false);
    let page = format!("index.html?workspace={slug}");
    let mut builder = builder(app, app.state::<Core>().home(), &label, &page)
        .background_color(background(dark))
        .focused(before.is_none());
    if let Some(before) = before {
        builder = before.place(app, builder);
    }
    let window = builder
        .build()
        .map_err(|error| Problem::new(ErrorCode::Internal, format!("the window can't be opened: {error}")))?;
    let handle = app.clone();
    window.on_window_event(move |event| match event {
        WindowEvent::Destroyed => {
            handle.state::<Page>().detach(&label);
            handle.state::<Core>().feed_with(&label, None);
        }
        event => dropped(&handle, &label, event),
    });
    Ok(())
}

fn front(window: &WebviewWindow) {
    let _ = window.show();
    let _ = window.unminimize();
    let _ = window.set_focus();
}

/// Remembers which windows are open, and where.
pub fn remember(app: &AppHandle, home: &Path) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let before = Placement::read(home);
    let placement = || -> tauri::Result<Placement> {
        let main = Bounds::read(&window, before.as_ref().map(|before| before.main))?;
        let dark = app.state::<Page>().dark().or(before.as_ref().and_then(|before| before.dark));
        let mut workspaces = BTreeMap::new();
        for (label, window) in app.webview_windows() {
            let Some(slug) = label.strip_prefix(OF_WORKSPACE) else { continue };
            let known = before.as_ref().and_then(|before| before.workspaces.get(slug).copied());
            workspaces.insert(slug.to_owned(), Bounds::read(&window, known)?);
        }
        Ok(Placement { main, dark, workspaces })
    };
    match placement().map(|placement| placement.write(home)) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!("the windows' places were not kept: {error}"),
        Err(error) => tracing::warn!("the windows' places are not known: {error}"),
    }
}

/// Brings the window to the front, from wherever it is.
pub fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN) {
        front(&window);
    }
}

/// Tells in the title what a person waits for.
pub fn tell(app: &AppHandle, what: &str) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let _ = window.set_title(&format!("AgentNative: {what}"));
    }
}

/// Whether the person looks at no window.
pub fn is_away(app: &AppHandle) -> bool {
    app.webview_windows().values().all(|window| {
        !window.is_focused().unwrap_or(false)
            || !window.is_visible().unwrap_or(false)
            || window.is_minimized().unwrap_or(false)
    })
}

/// Only our own page, and documents without an address that our page makes.
fn may_load(url: &Url) -> bool {
    match (url.scheme(), url.host_str()) {
        ("tauri", Some("localhost")) => true,
        ("http" | "https", Some("tauri.localhost")) => cfg!(windows),
        ("about", None) => matches!(url.path(), "blank" | "srcdoc"),
        _ => false,
    }
}

/// The diagram's document has its own policy. It has no origin either, so its script is one that may be asked for from
/// anywhere; only this window can ask.
fn guard_asset(path: &str, headers: &mut tauri::http::HeaderMap) {
    if path == DIAGRAM {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(DIAGRAM_POLICY));
    } else if path.ends_with(".js") {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
}

fn is_on_a_screen(app: &AppHandle, bounds: &Bounds) -> bool {
    let Ok(screens) = app.available_monitors() else { return false };
    screens.iter().any(|screen| {
        let area = screen.work_area();
        let scale = screen.scale_factor();
        let (corner, size) = (area.position.to_logical::<f64>(scale), area.size.to_logical::<f64>(scale));
        let (x, y) = (f64::from(bounds.x), f64::from(bounds.y));
        // Enough of the title bar to take hold of.
        x + bounds.width > corner.x + 80.0
            && x + 80.0 < corner.x + size.width
            && y + 8.0 >= corner.y
            && y + 40.0 < corner.y + size.height
    })
}

fn dropped(app: &AppHandle, label: &str, event: &WindowEvent) {
    let WindowEvent::DragDrop(event) = event else { return };
    let page = app.state::<Page>();
    match event {
        DragDropEvent::Enter { paths, .. } => page.tell(label, ShellEvent::Drag(paths.len())),
        DragDropEvent::Drop { paths, .. } => {
            page.choose(paths);
            page.tell(label, ShellEvent::Drop(paths.clone()))
        }
        DragDropEvent::Leave => page.tell(label, ShellEvent::Drag(0)),
        _ => false,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(address: &str) -> bool {
        may_load(&Url::parse(address).unwrap())
    }

    #[test]
    fn the_window_loads_nothing_but_its_own_page() {
        assert!(loads("tauri://localhost/"));
        assert!(loads("tauri://localhost/mermaid.html"));
        assert!(loads("about:srcdoc"));
        for foreign in [
            "https://example.org/",
            "http://localhost/",
            "http://tauri.localhost.example.org/",
            "tauri://example.org/",
            "file:///etc/passwd",
            "data:text/html,hi",
            "javascript:alert(1)",
            "blob:null/1",
            "about:config",
            "ipc://localhost/call",
        ] {
            assert!(!loads(foreign), "{foreign}");
        }
    }

    #[test]
    fn only_the_diagram_may_style_itself() {
        let mut headers = tauri::http::HeaderMap::new();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'self'"));
        guard_asset("/index.html", &mut headers);
        assert_eq!(headers.get(CONTENT_SECURITY_POLICY).unwrap(), "default-src 'self'");
        guard_asset("/mermaid.html", &mut headers);
        let policy = headers.get(CONTENT_SECURITY_POLICY).unwrap().to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'none';") && policy.ends_with("sandbox allow-scripts"),
            "{policy}"
        );
    }

    #[test]
    fn a_damaged_placement_is_not_used() {
        let home = tempfile::tempdir().unwrap();
        let main = Bounds { x: 1, y: 2, width: 900.0, height: 700.0, maximized: false };
        let lab = BTreeMap::from([("lab".to_owned(), Bounds { x: 40, ..main })]);
        let sound = Placement { main, dark: Some(true), workspaces: lab };
        sound.write(home.path()).unwrap();
        assert_eq!(Placement::read(home.path()), Some(sound.clone()));
        // As earlier versions wrote it.
        let earlier = r#"{"x":1,"y":2,"width":900.0,"height":700.0,"maximized":false,"dark":true}"#;
        std::fs::write(Placement::file(home.path()), earlier).unwrap();
        let alone = Placement { workspaces: BTreeMap::new(), ..sound };
        assert_eq!(Placement::read(home.path()), Some(alone.clone()));
        let tiny = earlier.replace(
            "true}",
            r#"true,"workspaces":{"lab":{"x":1,"y":2,"width":1,"height":1,"maximized":false}}}"#,
        );
        std::fs::write(Placement::file(home.path()), tiny).unwrap();
        assert_eq!(Placement::read(home.path()), Some(alone));
        for damaged in ["{", "{}", r#"{"x":0,"y":0,"width":1,"height":1e9,"maximized":false,"dark":null}"#] {
            std::fs::write(Placement::file(home.path()), damaged).unwrap();
            assert_eq!(Placement::read(home.path()), None, "{damaged}");
        }
    }
}
