//! Titles by the model: when asked for, and by itself after the first answer where the settings say so.

use domain::{ErrorCode, Problem, RunId, RunStatus, SessionId};
use engine::turn::KIND;
use protocol::Tag;
use store::{RunFilter, SessionUpdate};
use support::{blocking, now_ms, unknown_session};

use crate::Conversations;

/// Runs of a session that are looked through for a turn with an answer.
const LOOKED_AT: u32 = 50;

impl Conversations {
    /// Gives a conversation a title by its model. Gives the title.
    pub async fn session_title(&self, session: &str) -> Result<String, Problem> {
        self.env.store().get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let Some(run) = self.answered_turn(session).await? else {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                "there is no answer of a conversation in it yet",
            )
            .with_action("wait for the first answer, or write a title yourself"));
        };
        let title = self.env.engine.title_of(&run).await?;
        let update = SessionUpdate { title: Some(title.clone()), ..SessionUpdate::default() };
        self.env.store().update_sessions(&[session.to_owned()], &update, now_ms()).await?;
        Ok(title)
    }

    /// The newest turn of the conversation that was answered.
    async fn answered_turn(&self, session: &str) -> Result<Option<RunId>, Problem> {
        let filter =
            RunFilter { session: Some(session.to_owned()), kind: KIND.to_owned(), ..RunFilter::default() };
        let page = self.env.store().list_runs(&filter, None, LOOKED_AT).await?;
        let is_answered = |status: &str| RunStatus::stored(status) == RunStatus::Completed;
        let replaced = self.env.engine.session_entries(session).await?.replaced;
        let mut answered =
            page.runs.into_iter().filter(|run| run.parent.is_none() && is_answered(&run.status));
        let shown = answered.find(|run| replaced.iter().all(|gone| gone.0 != run.id));
        Ok(shown.map(|run| RunId(run.id)))
    }

    /// Titles a conversation after its first answer, where the settings say so and nobody has renamed it.
    pub(crate) async fn title_when_new(&self, session: &SessionId) -> Result<(), Problem> {
        let settings = self.env.settings.clone();
        if !blocking(move || Ok(settings.read().0.model_titles)).await? {
            return Ok(());
        }
        let store = self.env.store();
        let Some(before) = store.get_session(&session.0).await? else { return Ok(()) };
        let Some(run) = self.answered_turn(&session.0).await? else { return Ok(()) };
        let first = store.get_run(&run.0).await?;
        // The offline engine has no words of its own.
        if before.runs != 1 || first.title != before.title || before.connection == "offline" {
            return Ok(());
        }
        let title = self.env.engine.title_of(&run).await?;
        // Renamed meanwhile, it stays as it was named.
        if store.get_session(&session.0).await?.is_some_and(|now| now.title == before.title) {
            let update = SessionUpdate { title: Some(title), ..SessionUpdate::default() };
            store.update_sessions(std::slice::from_ref(&session.0), &update, now_ms()).await?;
            self.env.stream.tell(&[Tag::Sessions]);
        }
        Ok(())
    }
}
