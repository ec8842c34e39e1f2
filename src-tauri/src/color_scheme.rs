//! The desktop's wish for light or dark. GTK 3 does not ask for it, so the page would not learn of it.

/// Follows the desktop's wish from now on, where it has one.
pub fn follow(app: &tauri::AppHandle) {
    #[cfg(target_os = "linux")]
    tauri::async_runtime::spawn({
        let app = app.clone();
        async move {
            if let Err(error) = linux::follow(&app).await {
                tracing::info!("the desktop does not tell whether it is dark: {error}");
            }
        }
    });
    #[cfg(not(target_os = "linux"))]
    let _ = app;
}

/// The setting `color-scheme` of the desktop portal.
#[cfg(target_os = "linux")]
mod linux {
    use futures_util::StreamExt;
    use tauri::{AppHandle, Theme};
    use zbus::names::BusName;
    use zbus::zvariant::{OwnedValue, Value};
    use zbus::{Connection, MatchRule, MessageStream};

    const PORTAL: &str = "org.freedesktop.portal.Desktop";
    const PATH: &str = "/org/freedesktop/portal/desktop";
    const SETTINGS: &str = "org.freedesktop.portal.Settings";
    const SPACE: &str = "org.freedesktop.appearance";
    const KEY: &str = "color-scheme";

    pub async fn follow(app: &AppHandle) -> zbus::Result<()> {
        let connection = Connection::session().await?;
        let bus = zbus::fdo::DBusProxy::new(&connection).await?;
        // A portal that does not run has nothing to say: starting one takes longer than the window does.
        if !bus.name_has_owner(BusName::try_from(PORTAL)?).await? {
            return Ok(());
        }
        let rule = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .path(PATH)?
            .interface(SETTINGS)?
            .member("SettingChanged")?
            .build();
        let mut changes = MessageStream::for_match_rule(rule, &connection, None).await?;
        let now = connection
            .call_method(Some(PORTAL), PATH, Some(SETTINGS), "ReadOne", &(SPACE, KEY))
            .await?
            .body()
            .deserialize::<OwnedValue>()?;
        let mut dark = is_dark(&now);
        if dark {
            app.set_theme(Some(Theme::Dark));
        }
        while let Some(change) = changes.next().await {
            let body = change?.body();
            let Ok((space, key, value)) = body.deserialize::<(&str, &str, Value<'_>)>() else { continue };
            if (space, key) == (SPACE, KEY) && is_dark(&value) != dark {
                dark = !dark;
                app.set_theme(Some(if dark { Theme::Dark } else { Theme::Light }));
            }
        }
        Ok(())
    }

    /// 1 asks for dark, 2 for light, 0 for nothing.
    fn is_dark(value: &Value<'_>) -> bool {
        match value {
            Value::U32(scheme) => *scheme == 1,
            Value::Value(inner) => is_dark(inner),
            _ => false,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn only_a_wish_for_dark_is_dark() {
            assert!(is_dark(&Value::U32(1)));
            assert!(is_dark(&Value::Value(Box::new(Value::U32(1)))));
            assert!(!is_dark(&Value::U32(2)));
            assert!(!is_dark(&Value::U32(0)));
            assert!(!is_dark(&Value::from("1")));
        }
    }
}
