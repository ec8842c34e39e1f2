//! The api and the window for a browser on this machine.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};
use protocol::Client;
use serde_json::json;
use serve::{Server, ShareOptions, ShareServer};
use support::{Readers, replace_file};

use crate::args::ServeArgs;
use crate::outcome::Outcome;
use crate::run::options;
use crate::terminal::printable;

/// The page that a folder with the window's files has.
const PAGE: &str = "index.html";
/// The file of the data directory that holds the port of the last `serve`.
const PORT_FILE: &str = "instance.port";

/// `serve`.
pub async fn serve(home: &Path, args: ServeArgs) -> Result<Outcome, Problem> {
    if args.share {
        return share(home, args).await;
    }
    let ui = folder(args.ui)?;
    // Asked for before anything is opened: nothing may be left half open by an early signal.
    let mut stop = StopSignals::new()?;
    let workspace = crate::home::workspace();
    let host = app::Host::open(options(home)?).await?.in_workspace(workspace.clone());
    // Asked first: a server of a workspace that is not there would answer nothing.
    if workspace.is_some()
        && let Err(unknown) = host.organise_show().await
    {
        host.close().await?;
        return Err(unknown);
    }
    let server = match start(home, &host, args.port, ui.clone()).await {
        Ok(server) => server,
        Err(problem) => {
            host.close().await?;
            return Err(problem);
        }
    };
    // The page names the workspace that its address names, so that a later change of the current one does not move it.
    let url = match &workspace {
        Some(slug) => server.url().replacen("/#", &format!("/?workspace={slug}#"), 1),
        None => server.url(),
    };
    if args.json {
        println!("{}", json!({ "url": url, "token": server.token().as_str(), "port": server.port() }));
    } else {
        println!("{url}");
        match ui {
            Some(_) => eprintln!(
                "Open this address in a browser on this machine. Ctrl-C ends it; runs can be resumed."
            ),
            None => eprintln!(
                "The window's files are not here, so this serves the api alone: `npm run ui` builds them."
            ),
        }
    }
    stop.asked().await;
    if !args.json {
        eprintln!("stopping; runs under way can be resumed. Again to end at once.");
    }
    tokio::select! {
        closed = server.close() => closed.map(|()| Outcome::Done),
        () = stop.asked() => Ok(Outcome::Failed),
    }
}

/// Listens on the port that was named, else on that of the last time, else on any that is free.
async fn start(
    home: &Path,
    host: &app::Host,
    port: Option<u16>,
    ui: Option<PathBuf>,
) -> Result<Server, Problem> {
    let remembered = home.join(PORT_FILE);
    let last = std::fs::read_to_string(&remembered).ok().and_then(|text| text.trim().parse().ok());
    let on = |port| serve::Options { address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)), ui: ui.clone() };
    let server = match (port, last) {
        (None, Some(last)) => match Server::start(host.clone(), on(last)).await {
            Ok(server) => server,
            Err(_) => Server::start(host.clone(), on(0)).await?,
        },
        (port, _) => Server::start(host.clone(), on(port.unwrap_or(0))).await?,
    };
    // Without it the next start takes any port that is free: open tabs then need the new address.
    if let Err(error) = replace_file(&remembered, server.port().to_string().as_bytes(), Readers::Person) {
        tracing::warn!("{} can't be written: {error}", remembered.display());
    }
    Ok(server)
}

/// `serve --share`: pages that were shared, and nothing else.
async fn share(home: &Path, args: ServeArgs) -> Result<Outcome, Problem> {
    if crate::home::workspace().is_some() {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            "--workspace and --share don't go together: shared pages are of no workspace",
        )
        .with_action("leave --workspace out; `agentnative share list` tells which pages are shared"));
    }
    let mut stop = StopSignals::new()?;
    let ip = args.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
    let address = SocketAddr::new(ip, args.port.unwrap_or(0));
    let names: Vec<String> = args.names;
    let named = names.first().cloned();
    let server = ShareServer::start(ShareOptions { home: home.to_owned(), address, names }).await?;
    let url = match named {
        Some(name) => format!("http://{name}"),
        None => format!("http://127.0.0.1:{}", server.port()),
    };
    if args.json {
        println!("{}", json!({ "url": url, "port": server.port() }));
    } else {
        println!("{url}");
        let now = app::shares::now();
        for row in app::shares::list(home).iter().filter(|row| row.expires_at > now) {
            eprintln!("  {url}{}  {}", row.path, printable(&row.title));
        }
        eprintln!(
            "Each page has its own link: `agentnative share list` tells what follows the address. Ctrl-C ends it."
        );
        if !ip.is_loopback() {
            eprintln!("Pages go over the network in the clear: put a proxy that encrypts before it.");
        }
    }
    stop.asked().await;
    tokio::select! {
        () = server.close() => Ok(Outcome::Done),
        () = stop.asked() => Ok(Outcome::Failed),
    }
}

/// The folder that was named, else the one that was installed, else the one that was built here.
fn folder(named: Option<PathBuf>) -> Result<Option<PathBuf>, Problem> {
    if let Some(named) = named {
        return match named.join(PAGE).is_file() {
            true => Ok(Some(named)),
            false => {
                Err(Problem::new(ErrorCode::InvalidInput, format!("{} holds no {PAGE}", named.display()))
                    .with_action("`npm run ui` builds the window's files into target/ui"))
            }
        };
    }
    let installed = crate::home::program()?
        .parent()
        .and_then(Path::parent)
        .map(|prefix| prefix.join("share").join("agentnative").join("ui"));
    let built = PathBuf::from("target").join("ui");
    Ok(installed.into_iter().chain([built]).find(|folder| folder.join(PAGE).is_file()))
}

/// The ways of this system to ask a program to end.
struct StopSignals {
    #[cfg(unix)]
    term: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl StopSignals {
    #[cfg(unix)]
    fn new() -> Result<Self, Problem> {
        use tokio::signal::unix::{SignalKind, signal};
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Internal, format!("signals can't be listened to: {error}"))
        };
        Ok(Self {
            term: signal(SignalKind::terminate()).map_err(failed)?,
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
        })
    }

    #[cfg(unix)]
    async fn asked(&mut self) {
        tokio::select! {
            _ = self.term.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> Result<Self, Problem> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn asked(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
