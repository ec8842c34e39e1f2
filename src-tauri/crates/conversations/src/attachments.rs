//! Files that go with a message: kept in the session's `attachments`, or in `attachments` of the data directory until the
//! message begins a session.

use std::path::PathBuf;

use domain::{Attachment, ErrorCode, Problem};
use library::attachments::{self, QuestionFiles};
use protocol::{AttachmentAdd, AttachmentView};
use support::blocking;

use crate::Conversations;

impl Conversations {
    /// Keeps a file that will go with a message.
    pub async fn attachment_add(&self, add: AttachmentAdd) -> Result<Attachment, Problem> {
        let folder = self.attachments(add.session.as_deref())?;
        let own = self.env.home.clone();
        blocking(move || attachments::add(&own, &folder, &add, add.session.is_none())).await
    }

    /// An attachment's content.
    pub async fn attachment_show(&self, session: Option<&str>, id: &str) -> Result<AttachmentView, Problem> {
        let (folder, id) = (self.attachments(session)?, id.to_owned());
        blocking(move || attachments::show(&folder, &id)).await
    }

    /// Moves files that were attached before their session began. Those that are gone are an error: the message would
    /// speak of something that nobody can read.
    pub async fn take_attachments(&self, session: &str, attachments: &[Attachment]) -> Result<(), Problem> {
        self.take_from(None, session, attachments).await
    }

    /// The same, of another session where they lie there.
    pub(crate) async fn take_from(
        &self,
        other: Option<&str>,
        session: &str,
        attachments: &[Attachment],
    ) -> Result<(), Problem> {
        if attachments.is_empty() {
            return Ok(());
        }
        let from = [self.attachments(None)?, self.attachments(other)?];
        let to = self.attachments(Some(session))?;
        let attachments = attachments.to_vec();
        blocking(move || {
            attachments.iter().try_for_each(|attachment| {
                let lies = from.iter().find(|folder| folder.join(&attachment.id).is_file());
                attachments::take(lies.unwrap_or(&from[0]), &to, attachment)
            })
        })
        .await
    }

    /// What goes with the question of a run: the texts of files, and documents. What an earlier run was given comes first.
    ///
    /// # Errors
    /// When a file is gone or neither, or texts are more than a run's prompts have room for.
    pub(crate) async fn given(
        &self,
        session: Option<&str>,
        attachments: &[Attachment],
        earlier: QuestionFiles,
    ) -> Result<QuestionFiles, Problem> {
        let folders = [self.attachments(session)?, self.attachments(None)?];
        let files = attachments.to_vec();
        blocking(move || attachments::given(&folders, files, earlier)).await
    }

    /// Where a session's attached files lie; those that no session has yet without one.
    pub(crate) fn attachments(&self, session: Option<&str>) -> Result<PathBuf, Problem> {
        match session {
            None => Ok(self.env.home.join("attachments")),
            Some(session) => self
                .env
                .session_folder(session)
                .map(|folder| folder.join("attachments"))
                .ok_or_else(|| Problem::new(ErrorCode::InvalidInput, "this is no session's id")),
        }
    }
}
