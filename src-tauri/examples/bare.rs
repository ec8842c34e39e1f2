//! A window with an empty page and nothing else: what the memory of the whole program is compared with.

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .setup(|app| {
            let page = tauri::WebviewUrl::External(tauri::Url::parse("about:blank")?);
            tauri::WebviewWindowBuilder::new(app, "bare", page)
                .title("bare")
                .inner_size(1280.0, 800.0)
                .build()?;
            Ok(())
        })
        .run(tauri::generate_context!())
}
