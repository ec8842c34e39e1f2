//! Calls of tools: judged, asked for, run; and what came of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dialogue::{Entry, Event, ToolEnd};
use domain::{AccessRequest, Digest, Mode, Preview, Problem, Question, Ruling, Show, Walls};
use llm::ToolCall;
use serde_json::Value;
use tokio::task::AbortHandle;
use tool_arguments::ToolName;
use tools::{CallContext, Kind, Media, Progress, Tool, ToolError};

use super::arguments::arguments;
use super::drive::{Driver, Outcome};
use super::in_flight::InFlight;
use super::journal::Journal;
use super::pinned::Pinned;
use super::stream::TextBatches;
use super::text;
use super::tool::Offered;
use crate::core::blobs::Blobs;

/// The most bytes of a result that are kept at all.
const WHOLE_BYTES: usize = 8 << 20;
/// Texts of changed files above this are not kept: a change then shows its line counts alone.
const CHANGE_BYTES: usize = 2 << 20;
/// The most reasons for which a call is asked about that are told.
const MAX_REASONS: usize = 12;
/// How long a call that is past its deadline may take to end.
const DEADLINE_GRACE: Duration = Duration::from_secs(2);

/// What was decided on a call.
pub(super) struct CallDecision {
    intent: String,
    preview: domain::Preview,
    claims: Vec<AccessRequest>,
    ruling: Ruling,
}

/// What a call gave, ready to be kept.
pub(super) struct CallRecord {
    text: String,
    summary: String,
    show: Vec<Show>,
    changed: Vec<ChangedText>,
    media: Vec<Media>,
    question: Option<Question>,
    ends: bool,
}

struct ChangedText {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    added: u32,
    removed: u32,
}

/// A call as the model wrote it.
pub(super) async fn asked(
    entries: &[Entry],
    blobs: &mut Blobs,
    id: &str,
) -> Result<Option<ToolCall>, Problem> {
    let found = entries.iter().find_map(|entry| match entry {
        Entry::Answer { answer, tools, .. } => {
            tools.iter().position(|call| call == id).map(|at| (*answer, at))
        }
        Entry::Partial { .. } | Entry::Steering { .. } | Entry::Nudge { .. } | Entry::Compacted { .. } => {
            None
        }
    });
    let Some((answer, at)) = found else { return Ok(None) };
    let answer: llm::ModelAnswer = blobs.json(answer).await?;
    Ok(answer.tool_calls().nth(at).cloned())
}

/// Keeps a result where the model can read it again. A tool may have written it already.
pub(super) async fn keep_whole(path: &Path, result: &[u8]) {
    if tokio::fs::try_exists(path).await.unwrap_or(false) {
        return;
    }
    if let Some(folder) = path.parent()
        && let Err(error) = tokio::fs::create_dir_all(folder).await
    {
        tracing::warn!("{} can't be made: {error}", folder.display());
    }
    if let Err(error) = tokio::fs::write(path, result).await {
        tracing::warn!("{} can't be written: {error}", path.display());
    }
}

impl Driver {
    fn call_context(&self, call: &str) -> CallContext {
        self.chat.call_context(&self.scope, &self.setup, call)
    }

    fn offered(&self, call: &str) -> Option<Arc<Offered>> {
        let tool = &self.journal.state.tools.get(call)?.asked.tool;
        self.kit.get(tool).cloned()
    }

    /// Makes sure that a call's arguments can be had without waiting.
    pub(super) async fn load_arguments(&mut self, call: &str) -> Result<Value, Problem> {
        let Journal { state, blobs, .. } = &mut self.journal;
        Ok(arguments(asked(&state.entries, blobs, call).await?, &self.pinned))
    }

    /// On what a call was decided; planned again where that was in another process.
    pub(super) async fn claims_of(&mut self, call: &str) -> Result<Vec<AccessRequest>, Problem> {
        if let Some(claims) = self.claims.get(call) {
            return Ok(claims.clone());
        }
        let Some(offered) = self.offered(call) else { return Ok(Vec::new()) };
        let arguments = self.load_arguments(call).await?;
        let at = self.call_context(call);
        let shown = self.journal.state.tools.get(call).and_then(|call| call.preview);
        let claims = match claims_of(&*offered.tool, &arguments, &at).await {
            Ok((planned, claims)) if is_as_shown(shown, &planned.preview) => claims,
            Ok(_) | Err(_) => Vec::new(),
        };
        self.claims.insert(call.to_owned(), claims.clone());
        Ok(claims)
    }

    pub(super) fn start_authorizing(&mut self, call: String) -> AbortHandle {
        let offered = self.offered(&call);
        let (at, mode) = (self.call_context(&call), self.journal.state.mode);
        let known = self.known_call(&call);
        let (chat, scope) = (self.chat.clone(), self.scope.clone());
        let unread = known.is_none().then(|| self.unread());
        self.work.tasks.spawn(async move {
            let decided = async {
                let Some(offered) = offered else { return Err(gone()) };
                let arguments = match (known, unread) {
                    (Some(arguments), _) => arguments,
                    (None, Some(unread)) => unread.arguments(&call).await?,
                    (None, None) => return Err(gone()),
                };
                let (planned, claims) = claims_of(&*offered.tool, &arguments, &at).await?;
                let mut strictest: Option<(usize, Ruling)> = None;
                let mut whys = Vec::new();
                for (place, claim) in claims.iter().enumerate() {
                    let ruling = chat.authorize(&scope, &call, claim).await.map_err(|problem| {
                        let what = format!("permission could not be decided on: {}", problem.message);
                        ToolError::new(Kind::Unavailable, what)
                    })?;
                    if let Ruling::Ask { why, .. } = &ruling {
                        whys.push(why.clone());
                    }
                    if strictest.as_ref().is_none_or(|(_, known)| strictness(&ruling) > strictness(known)) {
                        strictest = Some((place, ruling));
                    }
                }
                let Some((place, mut ruling)) = strictest else { return Err(gone()) };
                if let Ruling::Ask { why, .. } = &mut ruling {
                    *why = reasons(whys);
                }
                let mut claims = claims;
                // What the person is asked about is what they grant.
                claims.swap(0, place);
                Ok(CallDecision { intent: planned.intent, preview: planned.preview, claims, ruling })
            };
            let decided = decided.await;
            Outcome::Authorized { call, mode, decided }
        })
    }

    fn unread(&self) -> LoggedArguments {
        LoggedArguments {
            entries: self.journal.state.entries.clone(),
            store: self.parts.store.clone(),
            pinned: self.pinned.clone(),
        }
    }

    /// A call's arguments where its answer is in memory.
    fn known_call(&self, id: &str) -> Option<Value> {
        self.journal.state.entries.iter().find_map(|entry| match entry {
            Entry::Answer { answer, tools, .. } => {
                let at = tools.iter().position(|call| call == id)?;
                let answer = self.answers.get(answer)?;
                Some(arguments(answer.tool_calls().nth(at).cloned(), &self.pinned))
            }
            Entry::Partial { .. }
            | Entry::Steering { .. }
            | Entry::Nudge { .. }
            | Entry::Compacted { .. } => None,
        })
    }

    pub(super) fn authorized(
        &mut self,
        call: String,
        mode: Mode,
        decided: Result<CallDecision, ToolError>,
    ) -> Result<(), Problem> {
        let state = &self.journal.state;
        let open = state.tools.get(&call).is_some_and(|call| call.end.is_none() && call.ruling.is_none());
        // A turn that was stopped refuses it; under another mode it is judged again.
        if !open || state.stopping || self.leaving || mode != state.mode {
            return Ok(());
        }
        match decided {
            Ok(CallDecision { intent, preview, claims, ruling }) => {
                let preview = match &ruling {
                    Ruling::Ask { .. } => Some(self.journal.blobs.put_json(&preview)?),
                    Ruling::Allow { .. } | Ruling::Deny { .. } => None,
                };
                self.claims.insert(call.clone(), claims);
                self.journal.push(Event::ToolJudged { call, ruling, preview, intent })
            }
            Err(error) => self.failed(call, 0, &error),
        }
    }

    pub(super) fn start_running(&mut self, call: String, confined: Walls) -> AbortHandle {
        let offered = self.offered(&call);
        let at = self.call_context(&call);
        let planned = self.claims.contains_key(&call);
        let shown = self.journal.state.tools.get(&call).and_then(|call| call.preview);
        let known = self.known_call(&call);
        let unread = known.is_none().then(|| self.unread());
        let cancel = self.work.stop.child_token();
        let whole = self.own.result(&call);
        let (run, session) = (self.journal.run.clone(), self.scope.session.clone());
        let pieces = TextBatches::new(
            self.ui.clone(),
            self.streamed.clone(),
            run,
            session,
            self.journal.committed(),
            call.clone(),
        );
        let pieces = Arc::new(pieces);
        self.work.tasks.spawn(async move {
            let started = Instant::now();
            let work = async {
                let Some(offered) = offered else { return Err(gone()) };
                let arguments = match (known, unread) {
                    (Some(arguments), _) => arguments,
                    (None, Some(unread)) => unread.arguments(&call).await?,
                    (None, None) => return Err(gone()),
                };
                if !planned {
                    // What was resolved in an earlier process is resolved again.
                    let (again, _) = claims_of(&*offered.tool, &arguments, &at).await?;
                    if !is_as_shown(shown, &again.preview) {
                        let what = "it would do something else now than what the person was shown";
                        return Err(ToolError::new(Kind::Refused, what).with_guidance("Make the call again."));
                    }
                }
                let told = pieces.clone();
                let report = Arc::new(move |progress: Progress| match progress {
                    Progress::Output(text) => told.output(&text),
                    Progress::Doing(text) => told.output(&format!("{text}\n")),
                });
                let run = tools::Run { cancel: cancel.clone(), confined, report };
                let deadline = offered.info().deadline;
                let work = offered.tool.run(&arguments, &at, run);
                tokio::pin!(work);
                let late = || {
                    let what = format!("it took longer than {} s and was stopped", deadline.as_secs_f32());
                    ToolError::new(Kind::Deadline, what)
                };
                let ran = tokio::select! {
                    ran = &mut work => ran,
                    () = tokio::time::sleep(deadline) => {
                        cancel.cancel();
                        let _ = tokio::time::timeout(DEADLINE_GRACE, &mut work).await;
                        Err(late())
                    }
                }?;
                Ok(ready(ran, &whole).await)
            };
            let ran = pieces.during(work).await;
            let ms = crate::run::call::elapsed(started);
            Outcome::Ran { call, ms, ran }
        })
    }

    pub(super) fn ran(
        &mut self,
        call: String,
        ms: u64,
        ran: Result<CallRecord, ToolError>,
    ) -> Result<(), Problem> {
        let Some(known) = self.journal.state.tools.get(&call) else { return Ok(()) };
        if known.end.is_some() {
            return Ok(());
        }
        match ran {
            // Ended by the program's end: what may be done again is done again when the turn goes on.
            Err(error) if error.kind == Kind::Cancelled && self.leaving && known.asked.repeatable => Ok(()),
            Err(error) => self.failed(call, ms, &error),
            Ok(CallRecord { question: Some(question), .. }) => {
                self.journal.push(Event::QuestionAsked { call, question })
            }
            Ok(CallRecord { text, summary, mut show, changed, media, ends, question: None }) => {
                for ChangedText { path, before, after, added, removed } in changed {
                    let mut keep = |text: Option<String>| match text {
                        Some(text) => self.journal.blobs.put(text.into_bytes()).map(Some),
                        None => Ok(None),
                    };
                    let (before, after) = (keep(before)?, keep(after)?);
                    let path = path.display().to_string();
                    show.push(Show::Change { path, before, after, added, removed });
                }
                self.show_media(media, &mut show)?;
                let result = self.journal.blobs.put(text.into_bytes())?;
                self.journal.push(Event::ToolEnded {
                    call,
                    end: ToolEnd::Ok,
                    result,
                    summary,
                    show,
                    ms,
                    ends,
                })
            }
        }
    }

    fn failed(&mut self, call: String, ms: u64, error: &ToolError) -> Result<(), Problem> {
        let end = if error.kind == Kind::Cancelled { ToolEnd::Stopped } else { ToolEnd::Failed };
        let result = self.journal.blobs.put(error.for_model().into_bytes())?;
        let summary = text::line_of(&error.message, 200);
        let mut show = Vec::new();
        self.show_media(error.media.clone(), &mut show)?;
        self.journal.push(Event::ToolEnded { call, end, result, summary, show, ms, ends: false })
    }

    /// Keeps the pictures and documents that a call gave.
    fn show_media(&mut self, media: Vec<Media>, show: &mut Vec<Show>) -> Result<(), Problem> {
        for Media { media_type, name, data } in media {
            let data = self.journal.blobs.put(data)?;
            show.push(Show::Media { media_type, data, name });
        }
        Ok(())
    }

    /// Ends calls that the log has as running and that nobody runs here.
    pub(super) fn end_what_nobody_runs(&mut self) -> Result<(), Problem> {
        let busy: Vec<&String> = self
            .busy
            .values()
            .filter_map(|(doing, _)| match doing {
                InFlight::Run(call) => Some(call),
                InFlight::Model(_) | InFlight::Wait(_) | InFlight::Authorize(_) | InFlight::TurnContext => {
                    None
                }
            })
            .collect();
        let calls = self.journal.state.tools.iter();
        let idle: Vec<String> = calls
            .filter(|(id, call)| call.is_running() && !busy.contains(id))
            .map(|(id, _)| id.clone())
            .collect();
        for call in idle {
            self.failed(call, 0, &ToolError::new(Kind::Cancelled, "the turn was stopped"))?;
        }
        Ok(())
    }

    /// Ends a call that does not run.
    pub(super) async fn refuse(&mut self, call: &str, end: ToolEnd, why: &str) -> Result<(), Problem> {
        let known = self.journal.state.tools.get(call).is_none_or(|call| call.asked.known);
        let (text, summary) = if known {
            let instead = self.journal.state.tools.get(call).and_then(|call| match &call.ruling {
                Some(Ruling::Deny { instead, .. }) => instead.as_deref(),
                Some(Ruling::Allow { .. } | Ruling::Ask { .. }) | None => None,
            });
            (text::refused(end, why, instead), text::line_of(why, 200))
        } else {
            let error = self.misfit(call).await?;
            (error.for_model(), text::line_of(&error.message, 200))
        };
        let result = self.journal.blobs.put(text.into_bytes())?;
        self.journal.push(Event::ToolEnded {
            call: call.to_owned(),
            end,
            result,
            summary,
            show: Vec::new(),
            ms: 0,
            ends: false,
        })
    }

    /// What is wrong with a call that fits no tool.
    async fn misfit(&mut self, id: &str) -> Result<ToolError, Problem> {
        let Journal { state, blobs, .. } = &mut self.journal;
        let call = asked(&state.entries, blobs, id).await?;
        let Some(call) = call else { return Ok(gone()) };
        let Some(offered) = self.kit.get(self.pinned.meant(&call.name).unwrap_or(&call.name)) else {
            let mut names: Vec<&str> = self.pinned.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
            names.sort_unstable();
            let asked = &call.name;
            let what = match self.pinned.tool_name(asked) {
                ToolName::Ambiguous(several) => format!("{asked:?} may be any of {}", several.join(", ")),
                ToolName::Unknown(near) if !near.is_empty() => {
                    format!("there is no tool {asked:?}; the nearest is {}", near.join(" or "))
                }
                ToolName::Found(_) | ToolName::Unknown(_) => format!("there is no tool {asked:?}"),
            };
            return Ok(ToolError::new(Kind::NotFound, what)
                .with_guidance(format!("There are: {}.", names.join(", "))));
        };
        if call.cut {
            return Ok(ToolError::cut_call());
        }
        let faults = offered.read(&call).faults.unwrap_or_else(|| "the arguments do not fit".to_owned());
        Ok(ToolError::new(Kind::Arguments, faults))
    }
}

/// A tool that went away between a call and its run.
fn gone() -> ToolError {
    ToolError::new(Kind::Unavailable, "the tool is not there any more")
}

pub(crate) fn strictness(ruling: &Ruling) -> u8 {
    match ruling {
        Ruling::Allow { confined: Walls::Open, .. } => 0,
        Ruling::Allow { confined: Walls::Folders, .. } => 1,
        Ruling::Allow { confined: Walls::Copied, .. } => 2,
        Ruling::Allow { confined: Walls::Confined, .. } => 3,
        Ruling::Ask { .. } => 4,
        Ruling::Deny { .. } => 5,
    }
}

/// What a call was asked with, to be read from the log: it was asked in another process.
struct LoggedArguments {
    entries: Vec<Entry>,
    store: store::Store,
    pinned: Arc<Pinned>,
}

impl LoggedArguments {
    async fn arguments(self, call: &str) -> Result<Value, ToolError> {
        let asked = asked(&self.entries, &mut Blobs::new(std::sync::Arc::new(self.store)), call).await;
        asked
            .map(|call| arguments(call, &self.pinned))
            .map_err(|problem| ToolError::new(Kind::Failed, problem.message))
    }
}

/// Whether a call would do what the person was shown, where they were shown something.
fn is_as_shown(shown: Option<Digest>, preview: &Preview) -> bool {
    let now = serde_json::to_value(preview).ok();
    shown.is_none_or(|shown| now.is_some_and(|now| Digest::of_json(&now) == shown))
}

/// Why a call is asked about, where several things that it does are.
pub(crate) fn reasons(mut whys: Vec<String>) -> String {
    let mut known = std::collections::HashSet::new();
    whys.retain(|why| known.insert(why.clone()));
    let more = whys.len().saturating_sub(MAX_REASONS);
    whys.truncate(MAX_REASONS);
    let more = if more > 0 { format!("; and for {more} more reasons") } else { String::new() };
    whys.join("; ") + &more
}

/// What a call would do, and everything on which permission is decided.
pub(crate) async fn claims_of(
    tool: &dyn Tool,
    arguments: &Value,
    at: &CallContext,
) -> Result<(tools::PlannedOperation, Vec<AccessRequest>), ToolError> {
    let planned = tool.plan(arguments, at).await?;
    let also = tool.also(arguments, at).await?;
    let info = tool.info();
    let claims = std::iter::once(planned.effect.clone())
        .chain(also)
        .map(|effect| AccessRequest {
            source: info.source.clone(),
            tool: info.tool.clone(),
            effect,
            hints: info.hints,
            trusted: info.trusted,
            arguments: arguments.clone(),
        })
        .collect();
    Ok((planned, claims))
}

/// Everything about an outcome that takes time, away from the turn's own task.
async fn ready(outcome: tools::Outcome, whole: &Path) -> CallRecord {
    let tools::Outcome { mut text, data: _, summary, show, changed, media, question, ends } = outcome;
    if text.len() > WHOLE_BYTES {
        text.truncate(text.floor_char_boundary(WHOLE_BYTES));
        text.push_str("\n(… cut: the result was larger than what is kept …)");
    }
    if text.len() > tools::MAX_SHOWN_BYTES {
        keep_whole(whole, text.as_bytes()).await;
    }
    let changed = changed
        .into_iter()
        .map(|(path, before, after)| {
            let (added, removed) = domain::changed_lines(
                before.as_deref().unwrap_or_default(),
                after.as_deref().unwrap_or_default(),
            );
            let small = |text: &String| text.len() <= CHANGE_BYTES;
            let (before, after) = (before.filter(small), after.filter(small));
            ChangedText { path, before, after, added, removed }
        })
        .collect();
    CallRecord { text, summary, show, changed, media, question, ends }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_does_several_things_is_asked_about_for_all_of_their_reasons() {
        let whys = |count: usize| -> Vec<String> {
            (0..count).flat_map(|n| [format!("it changes `{n}`"), "it is far".to_owned()]).collect()
        };
        assert_eq!(reasons(whys(2)), "it changes `0`; it is far; it changes `1`");
        assert!(reasons(whys(20)).ends_with("; and for 9 more reasons"), "{}", reasons(whys(20)));
    }
}
