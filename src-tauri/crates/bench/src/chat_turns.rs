//! Chat turns: what a call of a tool costs around the model and the tool themselves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use dialogue::{Bounds, Origin};
use domain::{
    AccessRequest, CallEffect, Grant, Hints, Offer, Preview, Problem, Ruling, SessionId, SessionSetup, Usage,
    UserMessage,
};
use engine::turn::{ChatHost, StartTurn, TurnContext, TurnScope, TurnStatus};
use engine::{Engine, Parts};
use futures_util::{StreamExt as _, stream};
use llm::{
    AnswerStream, ModelAnswer, ModelInfo, ModelRequest, Part, Provider, StopReason, StreamEvent, ToolCall,
};
use serde_json::{Value, json};
use store::{DataDir, Store};
use tools::{CallContext, Outcome as Given, PlannedOperation, Run, Tool, ToolError, ToolInfo};

use crate::disk::Raw;
use crate::figure::{Figure, median, ms};
use crate::rig::NoHosts;
use crate::{Bench, Outcome};

/// Calls of a turn.
const CALLS: usize = 100;
const ROUNDS: usize = 5;

/// A turn of a hundred calls, one an answer, none of which may be repeated: the dearest kind.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let folder = bench.scratch()?;
    let mut raw = Raw::create(folder.path()).await?;
    let (mut each, mut over, mut commits) = (Vec::new(), Vec::new(), 0.0);
    for round in 0..=ROUNDS {
        let home = folder.path().join(format!("home-{round}"));
        let dir = DataDir::open(&home)?;
        let store = Store::open(&dir, "bench").await?;
        let engine = Engine::new(Parts {
            store: store.clone(),
            home: home.clone(),
            templates: Arc::default(),
            providers: Arc::new(BTreeMap::from([("counting".to_owned(), counting())])),
            hosts: Arc::new(NoHosts),
            recheck: None,
            chat: Some(Arc::new(Host)),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        let mut small = 0.0;
        for _ in 0..5 {
            small += raw.commit(1_000).await? / 5.0;
        }
        let before = store.stats().full_transactions;
        let begun = Instant::now();
        turn(&engine).await?;
        let took = ms(begun.elapsed()) / CALLS as f64;
        commits = (store.stats().full_transactions - before) as f64 / CALLS as f64;
        store.close().await?;
        if round > 0 {
            each.push(took);
            over.push(took - commits * small);
        }
    }
    raw.close().await?;
    let each = median(each);
    Ok(vec![
        Figure::plain("turns.per-call", each, "ms").at_most(2.0),
        Figure::plain("turns.per-call-over-commits", median(over), "ms"),
        Figure::plain("turns.commits-per-call", commits, "commits"),
    ])
}

async fn turn(engine: &Engine) -> Outcome<()> {
    let mut events = engine.subscribe_turns();
    let start = StartTurn {
        session: None,
        setup: SessionSetup::default(),
        message: UserMessage { text: "Count.".to_owned(), ..UserMessage::default() },
        previous: None,
        connection: "counting".to_owned(),
        model: None,
        bounds: Bounds { iterations: 1_000, tool_calls: 1_000, ..Bounds::default() },
        origin: Origin::Person,
        compact: false,
    };
    let (_, run) = engine.begin_turn(start).await?;
    let over = async {
        loop {
            let status = engine.turn_view(&run).await?.head.status;
            match status {
                TurnStatus::Completed => return Ok(()),
                TurnStatus::Running => {}
                other => return Err(format!("the turn ended as {other:?}").into()),
            }
            // Its end is told; what was missed by a slow reader is asked for.
            while let Ok(Ok(told)) = tokio::time::timeout(Duration::from_secs(5), events.recv()).await {
                if let engine::turn::TurnUiKind::Changed { head, .. } = told.kind
                    && head.status != TurnStatus::Running
                {
                    break;
                }
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(120), over).await?
}

/// Calls the tool a hundred times, then says so.
struct CallCounter {
    asked: AtomicUsize,
}

fn counting() -> Arc<dyn Provider> {
    Arc::new(CallCounter { asked: AtomicUsize::new(0) })
}

impl Provider for CallCounter {
    fn name(&self) -> &str {
        "counting"
    }

    fn model(&self, name: &str) -> ModelInfo {
        let mut info = ModelInfo::free(name, "counting", 1_000_000, 64_000);
        info.abilities.tools = true;
        info
    }

    fn stream(&self, _request: ModelRequest) -> AnswerStream {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let usage = Usage { input: 100, output: 10, ..Usage::default() };
        let mut answer = ModelAnswer::of_text("", "counting", usage, StopReason::ToolUse);
        if number < CALLS {
            answer.parts = vec![Part::ToolCall(ToolCall {
                id: format!("call-{number}"),
                name: "count".to_owned(),
                arguments: json!({ "number": number }),
                raw: None,
                signature: None,
                cut: false,
            })];
        } else {
            answer = ModelAnswer::of_text("Counted.", "counting", usage, StopReason::EndTurn);
        }
        let events = [Ok(StreamEvent::Started { response_id: None }), Ok(StreamEvent::Finished(answer))];
        stream::iter(events).boxed()
    }
}

/// One tool, and no questions.
struct Host;

#[async_trait]
impl ChatHost for Host {
    async fn setup(&self, _session: &SessionId) -> Result<SessionSetup, Problem> {
        Ok(SessionSetup::default())
    }

    async fn turn_context(
        &self,
        _: &TurnScope,
        _: &SessionSetup,
        _: &UserMessage,
    ) -> Result<TurnContext, Problem> {
        Ok(TurnContext {
            tools: vec![Arc::new(Count::new())],
            system: "Count.".to_owned(),
            ..TurnContext::default()
        })
    }

    fn call_context(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> CallContext {
        CallContext {
            session: scope.session.0.clone(),
            run: scope.run.0.clone(),
            call: call.to_owned(),
            mode: setup.mode,
            folders: Vec::new(),
            own: std::env::temp_dir(),
        }
    }

    async fn authorize(&self, _: &TurnScope, _: &str, _: &AccessRequest) -> Result<Ruling, Problem> {
        Ok(Ruling::Allow { by: "bench".into(), confined: domain::Walls::Open })
    }

    async fn grant(&self, _: &TurnScope, _: &str, _: &AccessRequest, _: &Offer) -> Result<Grant, Problem> {
        Err(Problem::new(domain::ErrorCode::Internal, "nothing is asked here"))
    }

    async fn refused(&self, _: &TurnScope, _: &str, _: &AccessRequest) {}

    async fn turn_left(&self, _: &TurnScope, _: bool) {}
}

struct Count {
    info: ToolInfo,
}

impl Count {
    fn new() -> Self {
        let info = ToolInfo {
            name: "count".to_owned(),
            source: String::new(),
            tool: "count".to_owned(),
            title: "Count".to_owned(),
            description: "Counts.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "number": { "type": "integer" } } }),
            hints: Hints::default(),
            trusted: true,
            deadline: Duration::from_secs(5),
        };
        Self { info }
    }
}

#[async_trait]
impl Tool for Count {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, _: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        Ok(PlannedOperation { effect: CallEffect::Tool, intent: "Count".to_owned(), preview: Preview::None })
    }

    async fn run(&self, _: &Value, _: &CallContext, _: Run) -> Result<Given, ToolError> {
        Ok(Given::text("counted", "1"))
    }
}
