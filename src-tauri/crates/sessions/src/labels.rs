//! Labels that a message brings: those that it names, and those that rules find in it.

use domain::{MentionKind, UserMessage};
use organise::{AutoRules, Entry};
use store::SessionUpdate;

use crate::Sessions;

impl Sessions {
    /// Gives a session the labels of a message that was sent in it. That it was sent stands, whatever comes of this.
    pub async fn label_by(&self, session: &str, message: &UserMessage) {
        let labels = match self.lists().await {
            Ok(lists) => lists.labels.list,
            Err(problem) => {
                return tracing::warn!("session {session} did not get its message's labels: {problem}");
            }
        };
        let named = message.mentions.iter().filter(|mention| mention.kind == MentionKind::Label);
        let named = named.map(|mention| mention.name.clone());
        let found = AutoRules::new(&labels).find(&message.text).into_iter().map(|hit| hit.entry);
        let mut add_labels: Vec<(String, String)> = Vec::new();
        for text in named.chain(found) {
            // A label that is not in the tree any more, or a value that is none, is passed over.
            let Ok(entry) = Entry::checked(&text, &labels) else { continue };
            if !add_labels.iter().any(|(_, id)| *id == entry.id) {
                add_labels.push((entry.to_string(), entry.id));
            }
        }
        if add_labels.is_empty() {
            return;
        }
        let update = SessionUpdate { add_labels, ..SessionUpdate::default() };
        if let Err(problem) = self.permissions.update_labelled(session, &update).await {
            tracing::warn!("session {session} did not get its message's labels: {problem}");
        }
    }
}
