//! An engine over a fresh data directory, with a provider that notes when it is asked and when it has answered.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::{Problem, RunId};
use engine::{Engine, HostFactory, Parts, PausePolicy, Pinned, StartRun, ToolFailure, ToolHost};
use futures_util::StreamExt as _;
use llm::scripted::incompressible;
use llm::{Answer, AnswerStream, ModelInfo, ModelRequest, Provider, ScriptedProvider, StreamEvent};
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::{DataDir, Store};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use workspace::{Agent, FrontMatter, Origin};

use crate::Outcome;

/// Bytes that an answer is worth: no compressor can make it smaller.
pub const USEFUL: usize = 50_000;
/// Characters of six random bits each that are worth [`USEFUL`] bytes.
pub const CHARACTERS: usize = USEFUL * 8 / 6;

/// Every answer of this process differs: the store keeps equal ones once.
static SEED: AtomicU64 = AtomicU64::new(1);

/// When a provider was asked, and when its answer was complete.
#[derive(Debug, Clone, Default)]
pub struct ProviderTimes {
    asked: Arc<Mutex<Vec<Instant>>>,
    answered: Arc<Mutex<Vec<Instant>>>,
    /// Told of each question.
    told: Arc<Notify>,
    /// Answers made beforehand.
    texts: Arc<Mutex<Vec<String>>>,
}

fn note(list: &Mutex<Vec<Instant>>) {
    list.lock().push(Instant::now());
}

impl ProviderTimes {
    /// The times of questions and of answers since the last call of this.
    pub fn take(&self) -> (Vec<Instant>, Vec<Instant>) {
        let take = |list: &Mutex<Vec<Instant>>| std::mem::take(&mut *list.lock());
        (take(&self.asked), take(&self.answered))
    }

    /// Makes so many answers beforehand: what they cost is the bench's, not the program's.
    pub fn prepare(&self, answers: usize) {
        let fresh =
            std::iter::repeat_with(|| incompressible(CHARACTERS, SEED.fetch_add(1, Ordering::Relaxed)));
        self.texts.lock().extend(fresh.take(answers));
    }

    /// Waits until so many questions were asked.
    pub async fn asked(&self, count: usize) -> Outcome<()> {
        let reached = async {
            loop {
                let told = self.told.notified();
                if self.asked.lock().len() >= count {
                    return;
                }
                told.await;
            }
        };
        Ok(tokio::time::timeout(Duration::from_secs(60), reached).await?)
    }
}

struct TimedProvider {
    inner: ScriptedProvider,
    marks: ProviderTimes,
}

impl Provider for TimedProvider {
    fn name(&self) -> &str {
        "scripted"
    }

    fn model(&self, name: &str) -> ModelInfo {
        self.inner.model(name)
    }

    fn stream(&self, request: ModelRequest) -> AnswerStream {
        note(&self.marks.asked);
        self.marks.told.notify_waiters();
        let marks = self.marks.clone();
        let stream = self.inner.stream(request).inspect(move |event| {
            if matches!(event, Ok(StreamEvent::Finished(_))) {
                note(&marks.answered);
            }
        });
        stream.boxed()
    }
}

/// A provider whose answers are each worth [`USEFUL`] bytes; from the question `hang` on it never answers.
pub fn provider(marks: &ProviderTimes, hang: Option<usize>) -> Arc<dyn Provider> {
    let mut asked = 0;
    let texts = marks.texts.clone();
    let inner = ScriptedProvider::answering(move |_| {
        asked += 1;
        if hang.is_some_and(|from| asked >= from) {
            return Answer::hang();
        }
        let made = texts.lock().pop();
        let text = made.unwrap_or_else(|| incompressible(CHARACTERS, SEED.fetch_add(1, Ordering::Relaxed)));
        let usage = domain::Usage { input: 10_000, output: 10_000, ..domain::Usage::default() };
        Answer::text(text).usage(usage).chunks(20)
    });
    Arc::new(TimedProvider { inner, marks: marks.clone() })
}

/// A host without tools.
struct NoTools;

#[async_trait]
impl ToolHost for NoTools {
    async fn prepare(&self, _slugs: &[String]) -> BTreeMap<String, Problem> {
        BTreeMap::new()
    }

    async fn call(
        &self,
        source: &str,
        tool: &str,
        _args: Value,
        _deadline: Duration,
        _cancel: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let problem = Problem::new(domain::ErrorCode::NotFound, format!("there is no tool {source}/{tool}"));
        Err(ToolFailure { problem, retryable: false, unsure: false })
    }

    async fn close(&self) {}
}

/// No sources.
pub struct NoHosts;

impl HostFactory for NoHosts {
    fn host(&self, _pinned: &Pinned) -> Arc<dyn ToolHost> {
        Arc::new(NoTools)
    }
}

/// The configuration of an agent of so many model stages, each of which reads the answer of the one before.
pub fn config(stages: usize) -> Value {
    let stage = |number: usize| {
        let mut context = vec![json!({"section": "REQUEST", "value": "request"})];
        if number > 1 {
            context.push(json!({"section": "EARLIER", "value": format!("outputs.s{}", number - 1)}));
        }
        let id = format!("s{number}");
        json!({"id": id, "name": id, "title": id, "kind": "model", "prompt": "write.md", "context": context})
    };
    let stages: Vec<Value> = (1..=stages).map(stage).collect();
    json!({"slug": "six", "name": "Six", "description": "Model stages in a row.", "controlFlow": {"stages": stages}})
}

/// What its stages are told.
pub const PROMPT: &str = "Write the next part.\n";

/// The agent of [`config`].
pub fn agent(stages: usize) -> Outcome<Agent> {
    Ok(Agent {
        repairs: BTreeMap::new(),
        origin: Origin::Pinned,
        config: serde_json::from_value(config(stages))?,
        front_matter: FrontMatter {
            name: "Six".to_owned(),
            description: "Model stages in a row.".to_owned(),
            sources: Vec::new(),
            tools: Vec::new(),
        },
        instructions: String::new(),
        data: BTreeMap::new(),
        checkpoint: None,
        prompts: BTreeMap::from([("write.md".to_owned(), PROMPT.to_owned())]),
        schemas: BTreeMap::new(),
        input_schema: None,
    })
}

/// An engine.
pub struct Rig {
    /// It.
    pub engine: Engine,
    /// Its store.
    pub store: Store,
    /// When its provider was asked.
    pub marks: ProviderTimes,
}

impl Rig {
    /// Over a data directory.
    pub async fn open(home: &Path, hang: Option<usize>) -> Outcome<Self> {
        let marks = ProviderTimes::default();
        Self::with(home, provider(&marks, hang), marks).await
    }

    /// Over a data directory, with a provider whose times are not noted.
    pub async fn over(home: &Path, provider: Arc<dyn Provider>) -> Outcome<Self> {
        Self::with(home, provider, ProviderTimes::default()).await
    }

    async fn with(home: &Path, provider: Arc<dyn Provider>, marks: ProviderTimes) -> Outcome<Self> {
        let dir = DataDir::open(home)?;
        let store = Store::open(&dir, "bench").await?;
        let engine = Engine::new(Parts {
            store: store.clone(),
            home: home.to_owned(),
            templates: Arc::default(),
            providers: Arc::new(BTreeMap::from([("scripted".to_owned(), provider)])),
            hosts: Arc::new(NoHosts),
            recheck: None,
            chat: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        Ok(Self { engine, store, marks })
    }

    /// Starts a run of so many model stages.
    pub async fn start(&self, stages: usize) -> Outcome<RunId> {
        let start = StartRun {
            agent: "six".to_owned(),
            request: "Six answers of 50 kB.".to_owned(),
            connection: Some("scripted".to_owned()),
            attend: PausePolicy { replies: Vec::new(), unattended: true },
            ..StartRun::default()
        };
        Ok(self.engine.start(agent(stages)?, Vec::new(), None, start).await?)
    }
}
