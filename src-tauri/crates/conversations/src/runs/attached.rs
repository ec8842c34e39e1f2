//! What a run is given along with its question: texts, and documents that it asks as a knowledge base.

use domain::{ErrorCode, Problem};
use engine::{AttachedDocuments, Corpus, Material, Pinned, ResolvedAgent, StartRun, StoredRun};
use environment::asks_attached;
use library::attached;
use library::attachments::{QuestionFiles, check_texts};
use support::blocking;

use super::needs_corpus;
use crate::Conversations;

/// What went with the question of the run that a new one repeats or follows up.
#[derive(Default)]
pub(super) struct Earlier {
    pub(super) given: QuestionFiles,
    /// Its session, where the documents lie.
    pub(super) session: Option<String>,
}

impl Earlier {
    pub(super) fn of(run: &StoredRun) -> Self {
        let Pinned { material, attached, .. } = &*run.pinned;
        let documents = attached.as_ref().map(|attached| attached.files.clone()).unwrap_or_default();
        Self {
            given: QuestionFiles { texts: material.clone(), documents },
            session: run.state.start.as_ref().map(|start| start.session.0.clone()),
        }
    }
}

/// The knowledge base that a run was to ask, whatever was attached to its question.
pub(crate) fn own_base(pinned: &Pinned) -> Option<&Corpus> {
    let attached = pinned.attached.as_ref().map(|attached| &attached.corpus.base);
    pinned.corpus.as_ref().filter(|corpus| Some(&corpus.base) != attached)
}

impl Conversations {
    /// Gives a run what goes with its question. Documents become a base of their session that is asked beside the chosen one, or
    /// in its place where none was chosen; an agent that asks no base reads their text.
    ///
    /// # Errors
    /// When a document can't be read, or the agent's sources ask one base alone.
    pub(super) async fn with_given(
        &self,
        given: QuestionFiles,
        mut main: ResolvedAgent,
        start: &mut StartRun,
    ) -> Result<ResolvedAgent, Problem> {
        let QuestionFiles { texts, documents } = given;
        start.material = texts;
        let Some(session) = start.session.clone().filter(|_| !documents.is_empty()) else { return Ok(main) };
        let folder = self.attachments(Some(&session))?;
        let corpus = attached::base(&self.env, &session, &folder, &documents).await?;
        let mut is_asked = false;
        for agent in std::iter::once(&mut main).chain(&mut start.children) {
            if !needs_corpus(&agent.sources) {
                continue;
            }
            is_asked = true;
            if agent.corpus.is_some() && !agent.sources.iter().any(asks_attached) {
                let what = format!(
                    "the sources of agent {} ask one knowledge base alone, and documents are attached",
                    agent.agent.config.slug.0
                );
                return Err(Problem::new(ErrorCode::InvalidInput, what).with_action(
                    "ask without a knowledge base, or add `--with={{ attached }}` to the source's arguments; nothing was started",
                ));
            }
            agent.corpus.get_or_insert_with(|| corpus.clone());
        }
        if !is_asked {
            let (home, base) = (self.env.home.clone(), corpus.clone());
            let read = blocking(move || attached::texts(&home, &base)).await?;
            start.material.retain(|one| read.iter().all(|(name, _)| *name != one.name));
            start.material.extend(read.into_iter().map(|(name, text)| Material { name, text }));
            check_texts(&start.material)?;
        }
        start.attached = Some(AttachedDocuments { corpus, files: documents });
        Ok(main)
    }
}
