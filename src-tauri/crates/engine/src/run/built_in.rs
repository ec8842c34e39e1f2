//! Calls that a stage makes of tools of the program itself: decided on as a model's calls are, and asked about where they
//! have to be.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::agent::{ChoiceAction, Stage};
use domain::{AccessRequest, ErrorCode, GrantScope, Offer, Preview, Problem, Ruling, Walls};
use engine_types::{Answered, Reply};
use pipeline::{Action, CallKey, CallStatus, Event, Pause, PauseKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tools::{Kind, ToolError};

use crate::core::tools::ToolFailure;
use crate::run::answer::{FixedChoice, decided, named_choice, undecided};
use crate::run::call::{CallResult, elapsed};
use crate::run::driver::Driver;
use crate::run::evaluate::{Evaluation, wrong};
use crate::turn::{ChatHost, StageCall, TurnScope, claims_of, naming, reasons, strictness};

/// Characters of previews that a pause shows; of longer ones it says what is left out.
const MAX_PREVIEW_CHARS: usize = 100_000;
/// Characters of each preview that it shows at least.
const MIN_PREVIEW_CHARS: usize = 4_000;

const ALLOW: &str = "allow";
const ALLOW_SESSION: &str = "allow_session";
const REFUSE: &str = "refuse";
const CANCEL: &str = "cancel";

/// What a pause for permission offers.
pub(super) const CHOICES: [FixedChoice; 4] = [
    (ALLOW, "Allow once", ChoiceAction::Proceed, "Makes the calls as they are shown and goes on."),
    (
        ALLOW_SESSION,
        "Allow in this session",
        ChoiceAction::Proceed,
        "Makes the calls and does not ask about calls like them in this session again.",
    ),
    (
        REFUSE,
        "Refuse",
        ChoiceAction::Proceed,
        "The calls fail. A stage that can't do without them fails with them.",
    ),
    (CANCEL, "Cancel", ChoiceAction::Cancel, "Ends the run. It can't be resumed."),
];

/// What a call that needs permission would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PermissionRequest {
    /// One line for a person.
    pub(crate) intent: String,
    /// What the person is shown.
    pub(crate) preview: Preview,
    /// Why it is asked about.
    pub(crate) why: String,
    /// Everything that it would do.
    pub(crate) claims: Vec<AccessRequest>,
}

/// A call as it is made.
pub(crate) struct BuiltInCall {
    pub(crate) call: StageCall,
    pub(crate) scope: TurnScope,
    /// Its id in the audit.
    pub(crate) id: String,
    /// What the person allowed, where they allowed the call.
    pub(crate) permitted: Option<Permit>,
    pub(crate) deadline: Duration,
}

/// What the person allowed of a call.
pub(crate) struct Permit {
    /// How long it holds.
    scope: GrantScope,
    /// What they were shown that it would do.
    shown: Vec<AccessRequest>,
}

/// Decides on a call, and makes it where it is allowed.
pub(crate) async fn built_in(
    chat: Option<Arc<dyn ChatHost>>,
    call: BuiltInCall,
    cancel: CancellationToken,
) -> CallResult {
    let made = async {
        let Some(chat) = chat else {
            return Err(failed(Problem::new(ErrorCode::Internal, "there are no tools of the program here")));
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => {
                let problem = Problem::new(ErrorCode::Cancelled, "the tool call was stopped");
                Err(ToolFailure { problem, retryable: false, unsure: true })
            }
            made = make(&*chat, &call, &cancel) => made,
        }
    };
    match made.await {
        Ok(CallOutcome::Value(value)) => CallResult::Tool(Ok(value)),
        Ok(CallOutcome::Asks(asks)) => CallResult::NeedsPermission(Box::new(asks)),
        Err(failure) => CallResult::Tool(Err(failure)),
    }
}

enum CallOutcome {
    Value(Value),
    Asks(PermissionRequest),
}

async fn make(
    chat: &dyn ChatHost,
    call: &BuiltInCall,
    cancel: &CancellationToken,
) -> Result<CallOutcome, ToolFailure> {
    let BuiltInCall { call: StageCall { session, tool: name, arguments, .. }, scope, id, .. } = call;
    let tool = chat.built_in(name).await.map_err(failed)?.ok_or_else(|| {
        let problem = Problem::new(ErrorCode::InvalidConfig, format!("there is no built-in tool {name:?}"));
        failed(problem.with_action("correct the agent's configuration and start a new run"))
    })?;
    let info = tool.info();
    let arguments = &tool_arguments::read(&info.parameters, naming(&info.source), arguments.clone()).value;
    let validator = jsonschema::validator_for(&info.parameters).ok();
    if let Some(fault) = tool_arguments::faults(validator.as_ref(), &info.parameters, arguments, None) {
        let what = format!("the arguments of {name} do not fit: {fault}");
        let problem = Problem::new(ErrorCode::InvalidConfig, what);
        return Err(failed(problem.with_action("correct the agent's configuration and start a new run")));
    }
    chat.may_work_in(scope).await.map_err(failed)?;
    let mut setup = chat.setup(session).await.map_err(failed)?;
    if !scope.folders.is_empty() {
        setup.folders.clone_from(&scope.folders);
    }
    let at = chat.call_context(scope, &setup, id);
    let (planned, claims) = claims_of(&*tool, arguments, &at).await.map_err(|error| of_tool(name, &error))?;
    let walls = match authorize(chat, call, &claims).await? {
        Authorization::Allowed(walls) => walls,
        Authorization::Asks(why) => {
            let intent = planned.intent;
            return Ok(CallOutcome::Asks(PermissionRequest {
                intent,
                preview: planned.preview,
                why,
                claims,
            }));
        }
    };
    let report = Arc::new(|_: tools::Progress| {});
    let stop = cancel.child_token();
    let run = tools::Run { cancel: stop.clone(), confined: walls, report };
    let deadline = call.deadline.min(tool.info().deadline);
    let started = Instant::now();
    let ran = tokio::select! {
        ran = tool.run(arguments, &at, run) => ran,
        () = tokio::time::sleep(deadline) => {
            stop.cancel();
            Err(ToolError::new(Kind::Deadline, format!("it took longer than {} s", deadline.as_secs())))
        }
    };
    let ran = match ran {
        Ok(outcome) if outcome.question.is_some() => {
            Err(ToolError::new(Kind::Refused, "it asks you something, and a stage can't hand that on"))
        }
        other => other,
    };
    let ended = ran.map_err(|error| of_tool(name, &error));
    let problem = ended.as_ref().err().map(|failure| &failure.problem);
    chat.after_call(&call.call, elapsed(started), problem).await;
    let outcome = ended?;
    Ok(CallOutcome::Value(outcome.data.unwrap_or(Value::String(outcome.text))))
}

enum Authorization {
    Allowed(Walls),
    Asks(String),
}

/// Decides on everything that a call would do: the strictest decision holds. What the person allowed is granted once nothing
/// of it is forbidden.
async fn authorize(
    chat: &dyn ChatHost,
    call: &BuiltInCall,
    claims: &[AccessRequest],
) -> Result<Authorization, ToolFailure> {
    let mut asked = Vec::new();
    let mut allowed: Option<Ruling> = None;
    for claim in claims {
        match chat.authorize(&call.scope, &call.id, claim).await.map_err(failed)? {
            Ruling::Ask { why, offers } => asked.push((claim, why, offers)),
            Ruling::Deny { why, instead } => {
                let StageCall { tool, stage, .. } = &call.call;
                let what = format!("{tool}, called by the stage {stage}, is not allowed: {why}");
                let instead = instead.unwrap_or_else(|| {
                    "look at the session's mode and the rules of the workspace".to_owned()
                });
                return Err(failed(Problem::new(ErrorCode::Permission, what).with_action(instead)));
            }
            ruling @ Ruling::Allow { .. } => {
                if allowed.as_ref().is_none_or(|known| strictness(&ruling) > strictness(known)) {
                    allowed = Some(ruling);
                }
            }
        }
    }
    match (asked.first(), &call.permitted) {
        (Some(_), None) => {
            return Ok(Authorization::Asks(reasons(asked.into_iter().map(|(_, why, _)| why).collect())));
        }
        (_, Some(Permit { scope, shown })) => {
            // Meanwhile it may have become something else: another file, the commands of a newer commit.
            if let Some((_, why, _)) = asked.iter().find(|(claim, _, _)| !shown.contains(claim)) {
                let what = format!(
                    "{}, called by the stage {}, would do something that was not shown when you allowed it: {why}",
                    call.call.tool, call.call.stage
                );
                let problem = Problem::new(ErrorCode::Permission, what);
                return Err(failed(problem.with_action("retry the run to be asked again")));
            }
            for (claim, _, offers) in &asked {
                grant(chat, call, claim, offers, *scope).await.map_err(failed)?;
            }
        }
        (None, None) => {}
    }
    Ok(Authorization::Allowed(match allowed {
        Some(Ruling::Allow { confined, .. }) => confined,
        _ => Walls::Open,
    }))
}

async fn grant(
    chat: &dyn ChatHost,
    call: &BuiltInCall,
    claim: &AccessRequest,
    offers: &[Offer],
    scope: GrantScope,
) -> Result<(), Problem> {
    let offer = offers.iter().find(|offer| offer.scope == scope).or_else(|| offers.first());
    let Some(offer) = offer else {
        return Err(Problem::new(ErrorCode::Internal, "nothing is offered that could be allowed"));
    };
    chat.grant(&call.scope, &call.id, claim, offer).await.map(drop)
}

fn failed(problem: Problem) -> ToolFailure {
    ToolFailure { problem, retryable: false, unsure: false }
}

fn of_tool(name: &str, error: &ToolError) -> ToolFailure {
    let (code, retryable, unsure) = match error.kind {
        Kind::Arguments => (ErrorCode::InvalidInput, false, false),
        Kind::NotFound => (ErrorCode::NotFound, false, false),
        Kind::Refused => (ErrorCode::Permission, false, false),
        Kind::Deadline => (ErrorCode::Deadline, false, true),
        Kind::Cancelled => (ErrorCode::Cancelled, false, true),
        Kind::Unavailable => (ErrorCode::Source, true, false),
        Kind::TooLarge | Kind::Failed => (ErrorCode::Source, false, false),
    };
    let problem = Problem::new(code, format!("{name}: {}", error.message));
    let problem =
        if error.guidance.is_empty() { problem } else { problem.with_action(error.guidance.clone()) };
    ToolFailure { problem, retryable, unsure }
}

/// What is shown where a wave's calls need permission: what each would do, and why it is asked about.
pub(super) fn message(evaluation: &Evaluation<'_>, stage: &Stage, pause: &Pause, wave: u32) -> String {
    let asks = evaluation
        .state
        .wave_calls(&stage.id, pause.attempt, wave)
        .filter(|(_, call)| call.status == CallStatus::Unpermitted)
        .filter_map(|(_, call)| evaluation.values.get(call.asks?))
        .filter_map(|asks| PermissionRequest::deserialize(&**asks).ok());
    let asks: Vec<PermissionRequest> = asks.collect();
    let most = (MAX_PREVIEW_CHARS / asks.len().max(1)).max(MIN_PREVIEW_CHARS);
    let mut whys: BTreeMap<String, u32> = BTreeMap::new();
    let mut shown = Vec::new();
    for PermissionRequest { intent, preview, why, claims: _ } in asks {
        *whys.entry(why).or_default() += 1;
        shown.push(match preview.text(most).trim() {
            "" => format!("- {intent}"),
            text => format!("- {intent}\n\n{}", indented(text)),
        });
    }
    let whys: Vec<String> = whys.into_keys().collect();
    format!(
        "**Permission needed** - {}\n\nThe stage calls tools that need your permission: {}.\n\n{}",
        stage.title,
        whys.join("; "),
        shown.join("\n")
    )
}

/// As a code block below a list's item.
fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("      {line}").trim_end().to_owned()).collect();
    format!("{}\n", lines.join("\n"))
}

impl Evaluation<'_> {
    /// The folders that a stage works in, in place of the session's; none: it works in those.
    pub(crate) fn folders(&mut self, stage: &Stage) -> Result<Vec<String>, Problem> {
        if stage.folders.is_empty() {
            return Ok(Vec::new());
        }
        let scope = self.scope(stage);
        let mut folders = Vec::new();
        for folder in &stage.folders {
            let path = self.templates.render(folder, &scope).map_err(|error| wrong(stage, &error))?;
            let path = path.trim();
            if !std::path::Path::new(path).is_absolute() {
                let what =
                    format!("stage {}: {path:?}, made of {folder:?}, is no absolute path", stage.title);
                return Err(Problem::new(ErrorCode::InvalidConfig, what)
                    .with_action("correct the agent's configuration and start a new run"));
            }
            folders.push(path.to_owned());
        }
        Ok(folders)
    }
}

impl Driver {
    /// What the person allowed of a call, where they allowed it.
    pub(super) fn permitted(&self, key: &CallKey) -> Option<Permit> {
        let state = self.state();
        let asks = state.calls.get(key).filter(|call| call.permitted)?.asks;
        let shown = asks.and_then(|asks| PermissionRequest::deserialize(&**self.values.get(asks)?).ok());
        let answered = state.pauses.iter().rev().find(|pause| {
            pause.stage == key.stage
                && pause.attempt == key.attempt
                && pause.kind == PauseKind::Permission { wave: key.wave }
        });
        let choice =
            answered.and_then(|pause| pause.decision.as_ref()).map(|decision| decision.choice.as_str());
        let scope = if choice == Some(ALLOW_SESSION) { GrantScope::Session } else { GrantScope::Once };
        Some(Permit { scope, shown: shown.map(|shown| shown.claims).unwrap_or_default() })
    }

    /// Allows the calls of a wave, or refuses them. Permission has to be meant: nothing but a choice gives it, and where
    /// nobody is there it is refused.
    pub(super) fn answer_permission(&mut self, pause: &Pause, reply: &Reply) -> Result<Answered, Problem> {
        let choice = match named_choice(reply, &CHOICES)? {
            (Some(choice), _) => choice,
            (None, _) if reply.unattended => REFUSE,
            (None, _) => return Ok(undecided("your permission", &CHOICES)),
        };
        let action = match choice {
            ALLOW | ALLOW_SESSION => Action::Permit,
            REFUSE => Action::Refuse,
            _ => Action::Cancel,
        };
        if choice == REFUSE {
            self.audit_refusal(pause)?;
        }
        let decision = decided(choice, action, None, reply);
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply: None })?;
        Ok(Answered::Accepted { choice: choice.to_owned() })
    }

    /// Has the audit say that the person refused what a wave's calls would do.
    fn audit_refusal(&mut self, pause: &Pause) -> Result<(), Problem> {
        let (PauseKind::Permission { wave }, Some(chat)) = (&pause.kind, self.parts.chat.clone()) else {
            return Ok(());
        };
        let folders = self.folders(&pause.stage)?;
        let state = self.state();
        let Some(session) = state.start.as_ref().map(|start| start.session.clone()) else { return Ok(()) };
        let scope = TurnScope { session, run: self.run_id().clone(), folders };
        let held = state
            .wave_calls(&pause.stage, pause.attempt, *wave)
            .filter(|(_, call)| call.status == CallStatus::Unpermitted);
        let refused: Vec<(String, AccessRequest)> = held
            .filter_map(|(key, call)| Some((key, self.values.get(call.asks?)?)))
            .filter_map(|(key, asks)| Some((key, PermissionRequest::deserialize(&**asks).ok()?)))
            .flat_map(|(key, asks)| asks.claims.into_iter().map(move |claim| (key.to_string(), claim)))
            .collect();
        tokio::spawn(async move {
            for (call, claim) in refused {
                chat.refused(&scope, &call, &claim).await;
            }
        });
        Ok(())
    }
}
