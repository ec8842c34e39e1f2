//! Decides on a call.

use access::DecisionRequest;
use domain::{AccessRequest, AgentStages, ErrorCode, Mode, Problem, Ruling, RunId, SessionId, SessionSetup};
use engine::turn::{StageCall, TurnScope};

use crate::Gate;

/// Who makes a call.
#[derive(Debug, Clone, Copy)]
pub enum Caller<'a> {
    /// A model in a turn.
    Turn {
        /// The turn.
        scope: &'a TurnScope,
        /// The call's id.
        call: &'a str,
    },
    /// A stage of a run, by itself.
    Stage(&'a StageCall),
    /// An automation's command, in the mode and the folders that it works with.
    Automation {
        /// The session that it happens in, and the automation's own id as the run.
        scope: &'a TurnScope,
        /// The workspace's slug.
        workspace: &'a str,
        /// The automation's mode.
        mode: Mode,
        /// Folders that it works in.
        folders: &'a [String],
        /// The call's id.
        call: &'a str,
    },
    /// The person, by hand or through another program of theirs.
    Person {
        /// The workspace's slug.
        workspace: &'a str,
    },
}

impl Gate {
    /// Decides on a call. Before a call that is allowed its decision is durable, unless it only reads.
    ///
    /// A call by the person is not asked about; a deny rule holds for it as well. A stage cannot ask about calls to sources:
    /// see [`stages`].
    pub async fn authorize(&self, caller: Caller<'_>, claim: &AccessRequest) -> Result<Ruling, Problem> {
        let decisions = &self.runtime().await?.decisions;
        let nobody = nobody();
        let of_stage;
        let (setup, asked) = match caller {
            Caller::Turn { scope, call } => {
                let setup = self.setup(&scope.session).await?;
                (setup, DecisionRequest { scope, call, ..self::asked(&nobody) })
            }
            Caller::Stage(call) => {
                of_stage =
                    TurnScope { session: call.session.clone(), run: call.run.clone(), folders: Vec::new() };
                let setup = self.setup(&call.session).await?;
                let agent = Some(AgentStages { agent: &call.agent, digest: call.stages });
                (
                    setup,
                    DecisionRequest { scope: &of_stage, call: &call.stage, agent, ..self::asked(&nobody) },
                )
            }
            Caller::Automation { scope, workspace, mode, folders, call } => {
                let folders = folders.to_vec();
                let workspace = workspace.to_owned();
                let setup = SessionSetup { mode, folders, workspace, ..SessionSetup::default() };
                (setup, DecisionRequest { scope, call, own_words: true, ..self::asked(&nobody) })
            }
            Caller::Person { workspace } => {
                let setup = SessionSetup { workspace: workspace.to_owned(), ..SessionSetup::default() };
                (setup, self::asked(&nobody))
            }
        };
        let asked = DecisionRequest {
            workspace: &setup.workspace,
            mode: setup.mode,
            folders: asked.scope.folders_or(&setup.folders),
            ..asked
        };
        decisions.belongs(&asked.scope.session.0, &setup.workspace);
        let mut ruling = decisions.decide(asked, claim).await?;
        if matches!((caller, &ruling), (Caller::Person { .. }, Ruling::Ask { .. })) {
            ruling = Ruling::Allow { by: "the person".into(), confined: domain::Walls::Open };
        }
        decisions.note(asked, claim, &ruling).await?;
        if matches!(ruling, Ruling::Deny { .. }) {
            return Ok(ruling);
        }
        let veto = match caller {
            Caller::Turn { scope, call } => self.veto_tool(scope, &setup, call, claim).await,
            Caller::Stage(call) => self.veto_stage_call(call).await,
            // What an automation does is not vetoed by another one; what the person does by hand is theirs.
            Caller::Automation { .. } | Caller::Person { .. } => None,
        };
        Ok(veto.map_or(ruling, |why| Ruling::Deny { why, instead: None }))
    }
}

/// Where no session makes a call.
pub(crate) fn nobody() -> TurnScope {
    TurnScope { session: SessionId(String::new()), run: RunId(String::new()), folders: Vec::new() }
}

pub(crate) fn asked(scope: &TurnScope) -> DecisionRequest<'_> {
    DecisionRequest {
        scope,
        workspace: "",
        mode: Mode::Ask,
        folders: &[],
        call: "by hand",
        agent: None,
        own_words: false,
    }
}

/// Why a call may not be made, for the person.
pub fn refused(what: &str, ruling: &Ruling) -> Option<Problem> {
    match ruling {
        Ruling::Allow { .. } => None,
        Ruling::Deny { why, instead } => {
            let problem = Problem::new(ErrorCode::Permission, format!("{what} is not allowed: {why}"));
            Some(match instead {
                Some(instead) => problem.with_action(instead.clone()),
                None => problem.with_action("look at the rules and automations of the workspace"),
            })
        }
        Ruling::Ask { why, .. } => {
            let words = format!(
                "{what} needs your permission ({why}), and a stage cannot ask about calls to sources"
            );
            Some(Problem::new(ErrorCode::Permission, words).with_action("allow it with a rule"))
        }
    }
}
