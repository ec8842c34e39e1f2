//! Whether this program is the first for its data directory. A second one hands its arguments to the first and ends
//! before it has opened anything: the single-instance plugin would end it in the middle of the toolkit's start, which
//! sometimes crashes. The plugin remains for two that start at the same moment.

use std::time::Duration;

/// The longest that a bus or a first program may take to answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Gives this program's arguments to the one that owns the name. False when there is none, or when it does not take them.
pub async fn hand_over(id: &str) -> bool {
    tokio::time::timeout(TIMEOUT, told(id)).await.is_ok_and(|told| told.unwrap_or(false))
}

/// Name, path, interface and method are the plugin's.
async fn told(id: &str) -> zbus::Result<bool> {
    let name = format!("{id}.SingleInstance");
    let path = format!("/{}", name.replace('.', "/").replace('-', "_"));
    let connection = zbus::Connection::session().await?;
    let bus = zbus::fdo::DBusProxy::new(&connection).await?;
    if !bus.name_has_owner(zbus::names::BusName::try_from(name.as_str())?).await? {
        return Ok(false);
    }
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let folder = std::env::current_dir().unwrap_or_default();
    connection
        .call_method(
            Some(name.as_str()),
            path.as_str(),
            Some("org.SingleInstance.DBus"),
            "ExecuteCallback",
            &(arguments, folder.to_string_lossy().as_ref()),
        )
        .await?;
    Ok(true)
}
