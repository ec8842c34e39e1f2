//! A turn as another program can read it: what was asked, said and done, and nothing of how.

use std::collections::HashMap;

use dialogue::{End, Entry, Event};
use domain::{Digest, Mode, Problem, RunId, UserMessage};
use llm::ModelAnswer;

use super::arguments::arguments;
use super::calls::asked;
use super::imported::ImportedPart;
use super::journal::Journal;
use super::show;
use crate::Engine;

/// A turn as another program can read it.
#[derive(Debug, Clone)]
pub struct TurnTranscript {
    /// When it began, in milliseconds since 1970.
    pub at: u64,
    /// The agent that was talked to; empty for none.
    pub agent: String,
    /// The mode that it was in.
    pub mode: Mode,
    /// Its connection.
    pub connection: String,
    /// Its model.
    pub model: String,
    /// What the person wrote.
    pub message: UserMessage,
    /// What was said and done, in order; the answer comes last.
    pub said: Vec<ImportedPart>,
    /// Why it failed, where it did.
    pub failed: Option<String>,
    /// A plan that was handed in.
    pub plan: Option<String>,
}

impl Engine {
    /// Tells a turn as it stands in the log, with every result whole.
    ///
    /// # Errors
    /// `NotFound` when there is no such turn, `Corrupt` when its log can't be read.
    pub async fn retell_turn(&self, run: &RunId) -> Result<TurnTranscript, Problem> {
        let loaded = self.load_turn(run).await?;
        let (mut times, mut ends) = (HashMap::new(), 0);
        for record in &loaded.records {
            match &record.event {
                Event::ModelAnswered { call, .. } => {
                    times.insert(call.to_string(), record.at);
                }
                Event::ToolJudged { call, .. } => {
                    times.entry(call.clone()).or_insert(record.at);
                }
                _ => {}
            }
            ends = record.at;
        }
        let pinned = loaded.pinned;
        let Journal { state, mut blobs, .. } = loaded.journal;
        let start = state.start.as_ref();
        let message = match start {
            Some(start) => blobs.json(start.message).await?,
            None => UserMessage::default(),
        };
        let (mut said, mut texts) = (Vec::new(), Vec::new());
        let mut partial: Option<Digest> = None;
        for entry in &state.entries {
            // The answer after a beginning that was stopped has that beginning in its text.
            let begun = partial.take();
            if let (Some(begun), false) = (begun, matches!(entry, Entry::Answer { text: Some(_), .. })) {
                said.push(ImportedPart::Text { at: ends, text: blobs.text(begun).await? });
            }
            match entry {
                Entry::Answer { call, answer, text, tools } => {
                    let at = times.get(&call.to_string()).copied().unwrap_or(ends);
                    let answer: ModelAnswer = blobs.json(*answer).await?;
                    if !answer.text.trim().is_empty() {
                        texts.extend(*text);
                        let text = match (begun, text) {
                            (Some(_), Some(whole)) => blobs.text(*whole).await?,
                            _ => answer.text,
                        };
                        said.push(ImportedPart::Text { at, text });
                    }
                    for id in tools {
                        let Some(call) = state.tools.get(id) else { continue };
                        let input = arguments(asked(&state.entries, &mut blobs, id).await?, &pinned);
                        let result = match call.result {
                            Some(result) => blobs.text(result).await?,
                            None => String::new(),
                        };
                        said.push(ImportedPart::Call {
                            at: times.get(id).copied().unwrap_or(at),
                            tool: call.asked.tool.clone(),
                            title: pinned
                                .tool(&call.asked.tool)
                                .map(|tool| tool.title.clone())
                                .unwrap_or_default(),
                            intent: call.intent.clone(),
                            arguments: input,
                            result,
                            end: call.end.unwrap_or(dialogue::ToolEnd::Stopped),
                            ms: call.ms,
                            media: Vec::new(),
                        });
                    }
                }
                Entry::Steering { message } => {
                    let message = blobs.json(*message).await?;
                    said.push(ImportedPart::Asked { at: ends, message: Box::new(message) });
                }
                Entry::Partial { text, .. } => partial = Some(*text),
                Entry::Nudge { .. } | Entry::Compacted { .. } => {}
            }
        }
        if let Some(begun) = partial.filter(|begun| state.answer != Some(*begun)) {
            said.push(ImportedPart::Text { at: ends, text: blobs.text(begun).await? });
        }
        let answer = state.answer.filter(|answer| state.end != Some(End::Handed) && !texts.contains(answer));
        if let Some(answer) = answer {
            let text = blobs.text(answer).await?;
            if !text.trim().is_empty() {
                said.push(ImportedPart::Text { at: ends, text });
            }
        }
        Ok(TurnTranscript {
            at: start.map_or(0, |start| start.at),
            agent: start
                .and_then(|start| start.agent.as_ref())
                .map(|slug| slug.0.clone())
                .unwrap_or_default(),
            mode: state.mode,
            connection: pinned.connection.clone(),
            model: pinned.model.clone(),
            message,
            said,
            failed: match &state.end {
                Some(End::Failed { problem }) => Some(problem.message.clone()),
                _ => None,
            },
            plan: show::plan(&state).map(|plan| plan.text),
        })
    }
}
