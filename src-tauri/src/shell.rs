//! Putting the shell together: what is there before the window, what comes beside it, what can wait until it is painted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::{ErrorCode, Problem};
use tauri::{App, AppHandle, Manager, RunEvent, WindowEvent};

use crate::backend::Core;
use crate::link::Link;
use crate::notification::Notifications;
use crate::page::Page;
use crate::shutdown::Leave;
use crate::watch::Watch;
use crate::{color_scheme, commands, crash, journal, shutdown, tray, watch, window};

/// How long the rest waits for a page that never says that it is painted.
const UNPAINTED: Duration = Duration::from_secs(3);

/// Shows the window until the person leaves.
pub fn run() -> Result<(), Problem> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        Problem::new(ErrorCode::Internal, format!("{what}: {error}"))
    };
    let home = app::home::directory()?;
    journal::begin(&home);
    crash::record_in(&home);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Futures of the api are deep where nothing is optimised; what is not used of a stack costs nothing.
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .map_err(|error| failed("no runtime", &error))?;
    tauri::async_runtime::set(runtime.handle().clone());
    let core = Core::new(home)?;
    #[cfg(target_os = "linux")]
    if has_session_bus() && runtime.block_on(crate::single_instance::hand_over(&bus_name(&core))) {
        return Ok(());
    }
    let mut builder = tauri::Builder::default();
    // Without a session bus there is no way to find another window; the data directory's lock stands behind it.
    if has_session_bus() {
        builder = builder.plugin(single_instance(&core));
    }
    let app = builder
        .manage(core)
        .manage(Page::default())
        .manage(Leave::default())
        .manage(Watch::default())
        .manage(Notifications::default())
        .invoke_handler(tauri::generate_handler![
            commands::call,
            commands::events,
            commands::open_path,
            commands::open_url,
            commands::open_window,
            commands::pending_link,
            commands::pick_paths,
            commands::quit,
            commands::ready,
            commands::shell_events,
        ])
        .setup(|app| Ok(set_up(app)?))
        .build(tauri::generate_context!())
        .map_err(|error| failed("the window can't be opened", &error))?;
    app.run(on_event);
    Ok(())
}

/// One window for each data directory: the bus name tells them apart.
fn bus_name(core: &Core) -> String {
    let mut name = "dev.agentnative.desktop".to_owned();
    if std::env::var_os("AGENTNATIVE_HOME").is_some_and(|home| !home.is_empty()) {
        name.push_str(&format!(".h{:016x}", fingerprint(core.home().as_os_str().as_encoded_bytes())));
    }
    name
}

fn single_instance(core: &Core) -> tauri::plugin::TauriPlugin<tauri::Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(bus_name(core))
        .callback(|app, arguments, _folder| {
            tracing::info!("started a second time: this window comes to the front");
            visit(app, Link::among(&arguments));
        })
        .build()
}

/// FNV-1a: the same in every version of the program.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn has_session_bus() -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    !cfg!(target_os = "linux")
        || set("DBUS_SESSION_BUS_ADDRESS").is_some()
        || set("XDG_RUNTIME_DIR").is_some_and(|folder| std::path::Path::new(&folder).join("bus").exists())
}

/// Brings the window to the front, and to a place where one is named.
pub fn visit(app: &AppHandle, link: Option<Link>) {
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || {
        window::show(&handle);
        if let Some(link) = link {
            handle.state::<Page>().lead(&link);
        }
    });
}

fn set_up(app: &App) -> tauri::Result<()> {
    let handle = app.handle().clone();
    let opener = handle.clone();
    tauri::async_runtime::spawn(async move { opener.state::<Core>().open().await });
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    if let Some(link) = Link::among(&arguments) {
        app.state::<Page>().lead(&link);
    }
    if has_session_bus() {
        color_scheme::follow(&handle);
    }
    window::open(&handle, app.state::<Core>().home())?;
    let others = handle.clone();
    tauri::async_runtime::spawn(async move { window::open_again(&others).await });
    shutdown::on_signals(&handle);
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(UNPAINTED).await;
        when_painted(&handle);
    });
    Ok(())
}

/// What can wait until the page is there: the tray, notifications, the note about a crash. Only the first call counts.
pub fn when_painted(app: &AppHandle) {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.swap(true, Ordering::SeqCst) {
        return;
    }
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || {
        if has_session_bus() {
            tray::create(&handle);
        }
        crash::tell_of_last(&handle);
        tauri::async_runtime::spawn(async move {
            if has_session_bus() {
                handle.state::<Notifications>().connect(&handle).await;
            }
            watch::run(&handle).await;
        });
    });
}

fn on_event(app: &AppHandle, event: RunEvent) {
    match event {
        RunEvent::WindowEvent { label, event: WindowEvent::CloseRequested { api, .. }, .. }
            if label == window::MAIN =>
        {
            api.prevent_close();
            if app.state::<Watch>().closes_to_tray() && tray::exists(app) {
                window::remember(app, app.state::<Core>().home());
                if let Some(window) = app.get_webview_window(window::MAIN) {
                    let _ = window.hide();
                }
            } else {
                app.state::<Leave>().begin(app);
            }
        }
        RunEvent::WindowEvent { event: WindowEvent::Focused(true), .. } => {
            let handle = app.clone();
            tauri::async_runtime::spawn(async move { handle.state::<Notifications>().withdraw().await });
        }
        // Nobody decided to end it: the last window is gone.
        RunEvent::ExitRequested { code: None, api, .. } => {
            api.prevent_exit();
            app.state::<Leave>().begin(app);
        }
        #[cfg(any(target_os = "macos", target_os = "ios"))]
        RunEvent::Opened { urls } => visit(app, urls.first().and_then(|url| Link::parse(url.as_str()))),
        _ => {}
    }
}
