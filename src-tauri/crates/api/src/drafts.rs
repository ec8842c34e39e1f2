//! Commands on what was typed and not sent.

use domain::{ErrorCode, Problem};

use crate::corpus::now_ms;
use crate::local::Local;
use crate::wire::Draft;

/// Longest key, in bytes.
const LONGEST_KEY: usize = 200;

impl Local {
    pub(crate) async fn draft_save(&self, key: &str, text: &str) -> Result<(), Problem> {
        if key.is_empty() || key.len() > LONGEST_KEY {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("a draft's key has 1 to {LONGEST_KEY} bytes"),
            ));
        }
        self.store().save_draft(key, text, now_ms()).await?;
        Ok(())
    }

    pub(crate) async fn draft_show(&self, key: &str) -> Result<Option<Draft>, Problem> {
        let draft = self.store().get_draft(key).await?;
        Ok(draft.map(|draft| Draft { key: draft.key, text: draft.text, updated_at: draft.updated_at }))
    }

    pub(crate) async fn draft_earlier(&self, key: &str) -> Result<Vec<Draft>, Problem> {
        let earlier = self.store().earlier_drafts(key).await?;
        let wire =
            |draft: store::Draft| Draft { key: draft.key, text: draft.text, updated_at: draft.updated_at };
        Ok(earlier.into_iter().map(wire).collect())
    }
}
