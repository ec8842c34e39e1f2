//! Changes of limits, and the question at the first connection that is paid by use.

use std::io::IsTerminal as _;

use domain::connection::Connection;
use domain::{ErrorCode, LimitSettings, Problem, SpendLimits};
use protocol::{Client, SettingsPatch};

use crate::args::LimitArgs;
use crate::limits::{in_words, is_paid, limits_typed};

/// Changes limits: of one connection, else those of all together.
pub async fn change_limits(
    client: &impl Client,
    amounts: &LimitArgs,
    connection: Option<&str>,
) -> Result<(), Problem> {
    if let Some(slug) = connection
        && client.connection_list().await?.iter().all(|row| row.slug != slug)
    {
        return Err(Problem::new(ErrorCode::NotFound, format!("no connection {slug:?}"))
            .with_action("`agentnative connect list` shows the connections"));
    }
    let mut limits = client.settings_show().await?.limits;
    match connection {
        Some(slug) => {
            let own = limits.connections.entry(slug.to_owned()).or_default();
            amounts.apply(own);
            if *own == SpendLimits::default() {
                limits.connections.remove(slug);
            }
        }
        None => amounts.apply(&mut limits.all),
    }
    save(client, LimitSettings { asked: true, ..limits }).await
}

async fn save(client: &impl Client, limits: LimitSettings) -> Result<(), Problem> {
    let patch = SettingsPatch { limits: Some(limits), ..SettingsPatch::default() };
    client.settings_update(patch).await.map(drop)
}

/// Asks once for the limits of all connections, when the first one is added that is paid by use. Where nobody is there to be
/// asked, it says which hold.
pub async fn ask_for_limits(client: &impl Client, connection: &Connection) -> Result<(), Problem> {
    let limits = client.settings_show().await?.limits;
    if limits.asked || !is_paid(connection) {
        return Ok(());
    }
    eprintln!("Limits on money over all connections: {}.", in_words(&limits.all));
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        eprintln!("`agentnative usage --limits --per-run 5 --per-day 20 --per-month 100` changes them.");
        return Ok(());
    }
    let all = loop {
        eprint!("Enter keeps them; else type three amounts, such as \"2 10 50\" or \"none\" for no limit > ");
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        match limits_typed(&line, &limits.all) {
            _ if !read.is_ok_and(|bytes| bytes > 0) => return Ok(()),
            Some(all) => break all,
            None => eprintln!("Three amounts in US dollars are wanted: for a run, a day and a month."),
        }
    };
    eprintln!("Limits: {}.", in_words(&all));
    save(client, LimitSettings { all, asked: true, ..limits }).await
}

/// Sets the limits that `connect add` was given for the new connection.
pub async fn set_own_limits(client: &impl Client, slug: &str, amounts: &LimitArgs) -> Result<(), Problem> {
    if amounts.is_empty() { Ok(()) } else { change_limits(client, amounts, Some(slug)).await }
}
