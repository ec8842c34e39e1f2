//! Where files of a session went.

use super::session::SESSION_PATH;

/// Folders of a session there and here.
pub(super) const FOLDERS: [(&str, &str); 6] = [
    ("attachments", "attachments"),
    ("plans", "plans"),
    ("data", "data"),
    ("downloads", "data/downloads"),
    ("long_responses", "results/long_responses"),
    ("tmp", ""),
];

/// A text with the paths of its session's files as they are here.
pub(super) fn placed(text: &str, folder: &str) -> String {
    if !text.contains(SESSION_PATH) {
        return text.to_owned();
    }
    let mut out = text.to_owned();
    for (there, here) in FOLDERS.iter().filter(|(there, here)| there != here && !here.is_empty()) {
        out = out.replace(&format!("{SESSION_PATH}/{there}/"), &format!("{folder}/{here}/"));
    }
    out.replace(SESSION_PATH, folder)
}
