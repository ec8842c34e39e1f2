//! Commands on what was typed and not sent.

use domain::{ErrorCode, Problem};
use protocol::Draft;
use support::now_ms;

use crate::Sessions;

/// Longest key, in bytes.
const MAX_KEY_BYTES: usize = 200;

impl Sessions {
    /// What a draft is kept under: those of a session or a run under its own key, whatever workspace it is in; others are of
    /// their workspace, the default one's under the plain key.
    fn draft_key(&self, key: &str) -> String {
        let is_of_run = key.starts_with("run-") || key.starts_with("question/");
        let is_dated = key.len() > 7 && key.as_bytes()[..6].iter().all(u8::is_ascii_digit);
        match self.env.stored_slug() {
            slug if !slug.is_empty() && !is_of_run && !is_dated => format!("{slug}:{key}"),
            _ => key.to_owned(),
        }
    }

    /// Keeps something typed; an empty text removes it.
    pub async fn draft_save(&self, key: &str, text: &str) -> Result<(), Problem> {
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("a draft's key has 1 to {MAX_KEY_BYTES} bytes"),
            ));
        }
        self.env.store().save_draft(&self.draft_key(key), text, now_ms()).await?;
        Ok(())
    }

    /// Something typed before.
    pub async fn draft_show(&self, key: &str) -> Result<Option<Draft>, Problem> {
        let draft = self.env.store().get_draft(&self.draft_key(key)).await?;
        Ok(draft.map(|draft| Draft { key: key.to_owned(), text: draft.text, updated_at: draft.updated_at }))
    }

    /// What stood in a draft's place before another text took it.
    pub async fn draft_earlier(&self, key: &str) -> Result<Vec<Draft>, Problem> {
        let earlier = self.env.store().earlier_drafts(&self.draft_key(key)).await?;
        let wire = |draft: store::Draft| Draft {
            key: key.to_owned(),
            text: draft.text,
            updated_at: draft.updated_at,
        };
        Ok(earlier.into_iter().map(wire).collect())
    }
}
