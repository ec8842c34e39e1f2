//! Forms for new connections, as data.

use std::sync::OnceLock;

use protocol::ConnectionPreset;

/// The forms, in the order in which they are shown.
pub fn presets() -> &'static [ConnectionPreset] {
    static PRESETS: OnceLock<Vec<ConnectionPreset>> = OnceLock::new();
    // A test keeps the shipped file readable.
    PRESETS.get_or_init(|| serde_json::from_str(include_str!("presets.json")).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::connection::Auth;
    use workspace::check_connection;

    use super::*;

    #[test]
    fn every_form_begins_with_a_sound_connection_and_asks_for_what_is_missing() {
        assert_eq!(presets().len(), 12);
        let names: BTreeSet<&str> = presets().iter().map(|preset| preset.preset.as_str()).collect();
        assert_eq!(names.len(), presets().len());
        for preset in presets() {
            let mut connection = preset.connection.clone();
            assert_eq!(check_connection("presets.json", "", &connection), [], "{}", preset.preset);
            assert_eq!(preset.asks_key, connection.auth != Auth::None, "{}", preset.preset);
            assert_eq!(preset.asks_key, !preset.key_hint.is_empty(), "{}", preset.preset);
            if preset.asks_address {
                connection.base_url = Some(preset.address_example.clone());
            }
            let address = llm::http::address(&connection);
            assert!(address.is_ok(), "{}: {address:?}", preset.preset);
        }
    }
}
