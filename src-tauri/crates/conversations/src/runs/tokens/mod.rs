//! What the model requests of a run were made of, in tokens, and what they would have been under other strategies.

mod sections;
mod strategy;

use std::collections::{BTreeMap, BTreeSet};

use domain::agent::Stage;
use domain::{ErrorCode, NanoUsd, Problem, RunId, StageId, Usage};
use engine::turn::TurnRequest;
use engine::{Payload, StoredRun};
use llm::{ModelInfo, ModelRequest};
use pipeline::{CallKey, ChildKind, Event, Receipt};
use protocol::{RequestTokens, RunRef, RunTokens, TokenStrategy, TokenSum};

use crate::Conversations;
use sections::part;
use strategy::Sent;

/// The most runs of one family that are looked at: the run and its child runs.
const MAX_RUNS: usize = 500;

/// What the log tells of a request.
#[derive(Default)]
struct CallUsage {
    tries: u32,
    measured: Usage,
    cost: NanoUsd,
    /// Tokens of the outputs that stood when it was first sent.
    earlier: Vec<u64>,
}

impl CallUsage {
    fn ended(&mut self, usage: Usage, cost: NanoUsd, receipt: &Receipt) {
        self.measured += usage;
        self.cost += cost;
        self.cost += receipt.equivalent;
    }
}

/// Requests gathered from a run and its child runs.
#[derive(Default)]
struct Gathered {
    rows: Vec<RequestTokens>,
    sent: Vec<Sent>,
    left_out: Vec<String>,
    measured: Usage,
    cost: NanoUsd,
}

/// What requests are of.
struct RequestOwner<'a> {
    run: &'a RunId,
    agent: &'a str,
    stage: &'a Stage,
    prompts: &'a BTreeMap<String, String>,
    told: &'a CallUsage,
}

impl Gathered {
    /// Adds a request of a turn that carries out a stage, the `number`th of its call.
    fn add_turn(&mut self, of: &RequestOwner<'_>, key: &CallKey, number: usize, sent: TurnRequest) {
        let told = CallUsage {
            tries: sent.tries,
            measured: sent.usage,
            cost: sent.cost,
            earlier: of.told.earlier.clone(),
        };
        let turn = if number == 0 { String::new() } else { format!("t{} ", number + 1) };
        let name = format!("{key} {turn}m{}", sent.call);
        let request = sent.request.map(|request| (request, sent.earlier_parts));
        let goes_on = sent.call > 1 || number > 0;
        self.add(&RequestOwner { told: &told, ..*of }, name, &sent.model, request, goes_on);
    }

    /// Adds a request with the number of its parts that were said before, where it can be computed again.
    fn add(
        &mut self,
        of: &RequestOwner<'_>,
        key: String,
        model: &ModelInfo,
        request: Option<(ModelRequest, usize)>,
        goes_on: bool,
    ) {
        let told = of.told;
        self.measured += told.measured;
        self.cost += told.cost;
        let Some((request, earlier)) = request else {
            self.left_out.push(format!("{key}: what was sent can't be computed again"));
            return;
        };
        let pieces = sections::pieces(&request, earlier);
        self.rows.push(RequestTokens {
            run: of.run.clone(),
            agent: of.agent.to_owned(),
            stage: of.stage.id.clone(),
            title: of.stage.title.clone(),
            key,
            model: request.model.clone(),
            tries: told.tries,
            sections: sections::rows(&pieces, &told.measured),
            estimated: pieces.iter().map(|piece| piece.tokens).sum(),
            measured: told.measured,
            cost: told.cost,
        });
        self.sent.push(Sent {
            run: of.run.clone(),
            model: model.clone(),
            pieces,
            carried: carried(of.stage, of.prompts),
            earlier: told.earlier.clone(),
            output: told.measured.output,
            goes_on,
        });
    }
}

impl Conversations {
    /// The model requests of a staged run and its child runs by section, and under other strategies.
    pub async fn run_tokens(&self, run: &RunRef, compare: &[TokenStrategy]) -> Result<RunTokens, Problem> {
        let run = self.find_for(run, "requests by stage and section").await?;
        let mut gathered = Gathered::default();
        let (mut next, mut seen) = (vec![run.clone()], BTreeSet::from([run.clone()]));
        while let Some(run) = next.pop() {
            let children = self.gather(&run, &mut gathered).await?;
            let fresh: Vec<RunId> = children.into_iter().filter(|child| seen.insert(child.clone())).collect();
            if seen.len() > MAX_RUNS {
                let what = format!("the run has more than {MAX_RUNS} child runs");
                return Err(Problem::new(ErrorCode::InvalidInput, what).with_action(
                    "ask for the tokens of a child run: its page and `agentnative runs` name it",
                ));
            }
            next.extend(fresh.into_iter().rev());
        }
        let wanted: BTreeSet<TokenStrategy> = compare.iter().copied().collect();
        let strategies = wanted.into_iter().map(|wanted| strategy::under(wanted, &gathered.sent)).collect();
        let Gathered { rows: requests, sent: _, left_out, measured, cost } = gathered;
        let estimated = requests.iter().map(|request| request.estimated).sum();
        let of_stages = requests
            .iter()
            .map(|request| (format!("{}: {}", request.agent, request.title), request.estimated));
        let of_sections = requests.iter().flat_map(|request| {
            request.sections.iter().map(|section| (section.name.clone(), section.tokens))
        });
        let (stages, sections) = (sums(of_stages, estimated), sums(of_sections, estimated));
        Ok(RunTokens { run, stages, sections, requests, estimated, measured, cost, left_out, strategies })
    }

    /// Takes a run's requests; gives its child runs.
    async fn gather(&self, run: &RunId, gathered: &mut Gathered) -> Result<Vec<RunId>, Problem> {
        let loaded = self.env.engine.load(run).await?;
        let (order, told) = self.uses(&loaded).await?;
        let (pinned, state) = (loaded.pinned.clone(), loaded.state.clone());
        let mut requests: BTreeMap<CallKey, ModelRequest> = BTreeMap::new();
        for (key, payload) in self.sent(loaded, None).await {
            if let Payload::Model(request) = payload {
                requests.insert(key, *request);
            }
        }
        let agent = pinned.config.slug.to_string();
        let mut children = Vec::new();
        for key in order {
            let Some(told) = told.get(&key) else { continue };
            let Some(stage) = pinned.stage(&key.stage) else { continue };
            let of = RequestOwner { run, agent: &agent, stage, prompts: &pinned.prompts, told };
            let turns = state.calls.get(&key).map(|call| call.children.as_slice()).unwrap_or_default();
            match state.graph.node(&key.stage).and_then(|node| node.child) {
                Some(ChildKind::Run) => children.extend(turns.iter().cloned()),
                Some(ChildKind::Turn) => {
                    for (number, turn) in turns.iter().enumerate() {
                        match self.env.engine.turn_requests(turn).await {
                            Ok(sent) => {
                                sent.into_iter().for_each(|one| gathered.add_turn(&of, &key, number, one))
                            }
                            Err(problem) => gathered.left_out.push(format!("{key}: {problem}")),
                        }
                    }
                }
                None => {
                    let request = requests.remove(&key);
                    let model = match (&pinned.judge, &request) {
                        (Some(judge), Some(request)) if judge.id == request.model => judge,
                        (Some(_) | None, _) => &pinned.model_info,
                    };
                    gathered.add(&of, key.to_string(), model, request.map(|request| (request, 0)), false);
                }
            }
        }
        Ok(children)
    }

    /// The calls of a run in the order in which they were first sent or begun, and what came of each; what turns and child
    /// runs used stands in their own logs.
    async fn uses(
        &self,
        loaded: &StoredRun,
    ) -> Result<(Vec<CallKey>, BTreeMap<CallKey, CallUsage>), Problem> {
        let mut order = Vec::new();
        let mut told: BTreeMap<CallKey, CallUsage> = BTreeMap::new();
        let mut outputs: BTreeMap<StageId, u64> = BTreeMap::new();
        for record in &loaded.records {
            match &record.event {
                Event::ModelCallRequested { key, .. } | Event::ChildRunStarted { key, .. } => {
                    let call = told.entry(key.clone()).or_default();
                    if call.tries == 0 {
                        order.push(key.clone());
                        let others = outputs.iter().filter(|(stage, _)| *stage != &key.stage);
                        call.earlier = others.map(|(_, tokens)| *tokens).collect();
                    }
                    call.tries += 1;
                }
                Event::ModelCallCompleted { key, usage, cost, receipt, .. }
                | Event::ModelCallFailed { key, usage, cost, receipt, .. } => {
                    told.entry(key.clone()).or_default().ended(*usage, *cost, receipt);
                }
                Event::StageCompleted { stage, output, .. } => {
                    let value = self.env.value(*output).await?;
                    outputs.insert(stage.clone(), context::estimate(&value.to_string()));
                }
                _ => {}
            }
        }
        Ok((order, told))
    }
}

/// The sections of a stage that show outputs or handoffs of earlier stages, and the conversation that it goes on with.
fn carried(stage: &Stage, prompts: &BTreeMap<String, String>) -> Vec<String> {
    let reads = |text: &str| text.contains("outputs") || text.contains("handoff");
    let sections = stage.context.iter().filter(|section| {
        reads(&section.value)
            || section.prompt.as_ref().and_then(|name| prompts.get(name)).is_some_and(|prompt| reads(prompt))
    });
    let conversation = [sections::CONVERSATION.to_owned()];
    sections.map(|section| section.section.clone()).chain(conversation).collect()
}

/// Sums by name, largest first.
fn sums(tokens: impl Iterator<Item = (String, u64)>, whole: u64) -> Vec<TokenSum> {
    let mut by_name: BTreeMap<String, (u32, u64)> = BTreeMap::new();
    for (name, tokens) in tokens {
        let sum = by_name.entry(name).or_default();
        sum.0 += 1;
        sum.1 += tokens;
    }
    let row = |(name, (requests, tokens))| TokenSum {
        name,
        requests,
        tokens,
        share: part(1_000, tokens, whole) as u32,
    };
    let mut sums: Vec<TokenSum> = by_name.into_iter().map(row).collect();
    sums.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.name.cmp(&b.name)));
    sums
}
