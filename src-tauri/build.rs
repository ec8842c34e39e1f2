//! Checks the configuration and the capabilities, and makes sure that there is a page to embed.

use std::path::Path;

/// Everything that the page may ask of the shell; `capabilities/main.json` grants each by name.
const COMMANDS: &[&str] = &[
    "call",
    "events",
    "open_path",
    "open_url",
    "open_window",
    "pending_link",
    "pick_paths",
    "quit",
    "ready",
    "shell_events",
];

/// Stands in for the user interface in a checkout where it was not built yet, so that the Rust side can be checked.
const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>AgentNative</title>\
<p>The user interface was not built. Run <code>npm run ui</code>, then build again.</p></html>\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ui = Path::new("../target/ui");
    let page = ui.join("index.html");
    if !page.exists() {
        std::fs::create_dir_all(ui)?;
        std::fs::write(&page, NOT_BUILT)?;
        println!("cargo::warning=the user interface is not built; `npm run ui` builds it");
    }
    println!("cargo::rerun-if-changed=../target/ui");
    tauri_build::try_build(
        tauri_build::Attributes::new().app_manifest(tauri_build::AppManifest::new().commands(COMMANDS)),
    )?;
    Ok(())
}
