//! Notifications of the desktop, and what a click on one does.

/// Something that a person who looks elsewhere wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Where a click leads.
    pub session: String,
    /// What happened.
    pub heading: String,
    /// To what.
    pub text: String,
}

#[cfg(target_os = "linux")]
pub use linux::Notifications;

#[cfg(not(target_os = "linux"))]
pub use none::Notifications;

/// The freedesktop.org Desktop Notifications Specification 1.2, over the session bus.
#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::sync::OnceLock;
    use std::time::Duration;

    use parking_lot::Mutex;
    use tauri::AppHandle;
    use tauri::Manager;
    use zbus::zvariant::Value;
    use zbus::{Connection, MatchRule, Message, MessageStream};

    use super::News;
    use crate::link::Link;
    use crate::shell;

    const NAME: &str = "org.freedesktop.Notifications";
    const PATH: &str = "/org/freedesktop/Notifications";
    /// A server that does not answer must not hold up the watch.
    const TIMEOUT: Duration = Duration::from_secs(2);

    /// The notifications that are shown now.
    #[derive(Default)]
    pub struct Notifications {
        connection: OnceLock<Connection>,
        /// The session of each, by the server's number.
        shown: Mutex<HashMap<u32, String>>,
    }

    impl Notifications {
        /// Connects to the session bus, where there is one, and listens for clicks.
        pub async fn connect(&self, app: &AppHandle) {
            match listen().await {
                Ok((connection, signals)) => {
                    let _ = self.connection.set(connection);
                    tauri::async_runtime::spawn(heed(app.clone(), signals));
                }
                Err(error) => tracing::info!("no notifications: {error}"),
            }
        }

        /// Shows one; a session has at most one.
        pub async fn send(&self, news: News) {
            let Some(connection) = self.connection.get() else { return };
            let before =
                self.shown.lock().iter().find(|(_, session)| **session == news.session).map(|(id, _)| *id);
            let hints = HashMap::from([
                ("desktop-entry", Value::from("AgentNative")),
                ("category", Value::from("transfer.complete")),
                ("urgency", Value::from(1_u8)),
            ]);
            // The body may be read as markup.
            let text = news.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let arguments = (
                "AgentNative",
                before.unwrap_or(0),
                "agentnative-desktop",
                &news.heading,
                &text,
                ["default", "Open"].as_slice(),
                hints,
                -1_i32,
            );
            let call = connection.call_method(Some(NAME), PATH, Some(NAME), "Notify", &arguments);
            match tokio::time::timeout(TIMEOUT, call).await {
                Ok(Ok(reply)) => {
                    if let Ok(id) = reply.body().deserialize::<u32>() {
                        self.shown.lock().insert(id, news.session);
                    }
                }
                Ok(Err(error)) => tracing::info!("a notification was not shown: {error}"),
                Err(_) => tracing::info!("a notification was not shown: the desktop does not answer"),
            }
        }

        /// Takes back what is shown: the person is here.
        pub async fn withdraw(&self) {
            let Some(connection) = self.connection.get() else { return };
            let shown: Vec<u32> = self.shown.lock().drain().map(|(id, _)| id).collect();
            for id in shown {
                let call = connection.call_method(Some(NAME), PATH, Some(NAME), "CloseNotification", &id);
                let _ = tokio::time::timeout(TIMEOUT, call).await;
            }
        }

        /// The session to open when the signal is a click on one of ours.
        fn clicked(&self, signal: &Message) -> Option<String> {
            let header = signal.header();
            match header.member()?.as_str() {
                "ActionInvoked" => {
                    let (id, _action) = signal.body().deserialize::<(u32, String)>().ok()?;
                    self.shown.lock().get(&id).cloned()
                }
                "NotificationClosed" => {
                    let (id, _reason) = signal.body().deserialize::<(u32, u32)>().ok()?;
                    self.shown.lock().remove(&id);
                    None
                }
                _ => None,
            }
        }
    }

    async fn listen() -> zbus::Result<(Connection, MessageStream)> {
        let connection = Connection::session().await?;
        let rule =
            MatchRule::builder().msg_type(zbus::message::Type::Signal).path(PATH)?.interface(NAME)?.build();
        let signals = MessageStream::for_match_rule(rule, &connection, None).await?;
        Ok((connection, signals))
    }

    async fn heed(app: AppHandle, mut signals: MessageStream) {
        while let Some(signal) = futures_util::StreamExt::next(&mut signals).await {
            let Ok(signal) = signal else { continue };
            if let Some(id) = app.state::<Notifications>().clicked(&signal) {
                shell::visit(&app, Some(Link::Session { id, message: None }));
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn signal(member: &str, body: &(impl serde::Serialize + zbus::zvariant::DynamicType)) -> Message {
            Message::signal(PATH, NAME, member).unwrap().build(body).unwrap()
        }

        #[test]
        fn a_click_opens_the_session_of_its_notification_while_it_is_shown() {
            let notifications = Notifications::default();
            notifications.shown.lock().insert(7, "calm-otter".to_owned());
            let click = |id: u32| signal("ActionInvoked", &(id, "default"));
            assert_eq!(notifications.clicked(&click(7)).as_deref(), Some("calm-otter"));
            // Another program's.
            assert_eq!(notifications.clicked(&click(8)), None);
            assert_eq!(notifications.clicked(&signal("NotificationClosed", &(7_u32, 2_u32))), None);
            assert_eq!(notifications.clicked(&click(7)), None);
            assert_eq!(notifications.clicked(&signal("ActionInvoked", &"damaged")), None);
        }
    }
}

/// Where the window was not tried yet, nothing is shown.
#[cfg(not(target_os = "linux"))]
mod none {
    use super::News;

    /// None.
    #[derive(Default)]
    pub struct Notifications;

    impl Notifications {
        pub async fn connect(&self, _app: &tauri::AppHandle) {}

        pub async fn send(&self, news: News) {
            tracing::debug!("no notification: {} ({})", news.heading, news.session);
        }

        pub async fn withdraw(&self) {}
    }
}
