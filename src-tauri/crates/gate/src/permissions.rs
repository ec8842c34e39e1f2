//! Commands on permissions: rules, grants, the audit.

use std::collections::BTreeMap;
use std::time::Instant;

use domain::{ErrorCode, Grant, GrantScope, Mode, Problem};
use environment::file_problems as problems;
use permissions::{Layer, Rule};
use protocol::{AuditRow, GrantRow, PermissionState, RuleLayer, RuleRow, SourceCalled};
use serde_json::Value;
use store::MAX_PAGE;
use support::now_ms;
use tools::{Kind, confine};

use crate::Permissions;
use crate::authorize::{Caller, refused};

/// The longest text of a call by hand, in bytes.
const MAX_TEXT_BYTES: usize = 100_000;
/// Rows of the audit when none are asked for.
const DEFAULT_ROWS: u32 = 100;

impl Permissions {
    /// Rules and grants as they stand.
    pub async fn permission_show(&self) -> Result<PermissionState, Problem> {
        let layers = self.gate.runtime().await?.decisions.shown(self.env.slug()).await?;
        let layers = layers
            .iter()
            .map(|shown| RuleLayer {
                layer: shown.layer.as_str().to_owned(),
                source: match &shown.layer {
                    Layer::Source(slug) => slug.clone(),
                    Layer::App | Layer::Workspace | Layer::Session => String::new(),
                },
                file: shown.file.clone(),
                rules: shown.rules.iter().flat_map(|rules| rules.rules()).map(rule_row).collect(),
                problems: problems(&shown.problems),
            })
            .collect();
        let confinement = confine::available();
        Ok(PermissionState {
            layers,
            grants: self.grant_rows().await?,
            confinement: confinement.words(),
            can_confine: confinement.works(),
        })
    }

    /// Grants in force, as surfaces show them.
    pub async fn grant_rows(&self) -> Result<Vec<GrantRow>, Problem> {
        let rows = self.env.store().all_grants(now_ms(), MAX_PAGE).await?;
        let grants: Vec<Grant> = rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect();
        let mut titles: BTreeMap<String, String> = BTreeMap::new();
        let mut shown = Vec::new();
        let here = self.env.slug();
        // What was for one call is spent.
        for grant in grants.into_iter().filter(|grant| grant.scope != GrantScope::Once) {
            let of_session = self.env.store().session_workspace(&grant.session).await?;
            let given_in = grant.workspace.clone().or(of_session).unwrap_or_else(|| here.to_owned());
            let is_own = access::named(&given_in) == here;
            if !is_own && grant.scope != GrantScope::Always {
                continue;
            }
            if !is_own {
                // What is granted for good holds here, too; where it was granted is not said.
                titles.insert(grant.session.clone(), String::new());
            }
            if !titles.contains_key(&grant.session) {
                let session = self.env.store().get_session(&grant.session).await?;
                let title = session.map_or_else(|| grant.session.clone(), |session| session.title);
                titles.insert(grant.session.clone(), title);
            }
            shown.push(GrantRow {
                session_title: titles.get(&grant.session).cloned().unwrap_or_default(),
                id: grant.id,
                scope: grant.scope,
                session: if is_own { grant.session } else { String::new() },
                source: grant.source,
                tool: grant.tool,
                words: grant.words,
                created_at: grant.created_at,
                expires_at: grant.expires_at,
            });
        }
        Ok(shown)
    }

    /// Takes back what was granted; without ids all that is listed for the workspace.
    pub async fn grants_revoke(&self, ids: Vec<String>) -> Result<(), Problem> {
        let ids = match (ids.is_empty(), self.env.scope()) {
            (true, Some(_)) => self.grant_rows().await?.into_iter().map(|grant| grant.id).collect(),
            (true, None) | (false, _) => ids,
        };
        self.env.store().revoke_grants(&ids, now_ms()).await?;
        Ok(())
    }

    /// Decisions on calls, newest first.
    pub async fn audit_list(
        &self,
        before: Option<i64>,
        limit: u32,
        session: Option<String>,
    ) -> Result<Vec<AuditRow>, Problem> {
        let limit = if limit == 0 { DEFAULT_ROWS } else { limit };
        let scope = self.env.scope();
        let rows = self.env.store().decisions(before, session.as_deref(), scope.as_deref(), limit).await?;
        Ok(rows
            .into_iter()
            .map(|row| AuditRow {
                cursor: row.cursor,
                at: row.at,
                session: row.session,
                run: row.run,
                source: row.source,
                tool: row.tool,
                mode: [Mode::Safe, Mode::AllowAll]
                    .into_iter()
                    .find(|mode| mode.as_str() == row.mode)
                    .unwrap_or_default(),
                decision: row.decision,
                by: row.by,
                subject: row.subject,
            })
            .collect())
    }
}

fn rule_row(rule: &Rule) -> RuleRow {
    RuleRow { effect: rule.effect.as_str().to_owned(), matches: rule.words(), reason: rule.reason.clone() }
}

impl Permissions {
    /// Calls a tool of a source by hand.
    pub async fn source_call(
        &self,
        slug: String,
        tool: String,
        arguments: Value,
    ) -> Result<SourceCalled, Problem> {
        let tools = self.gate.sources().in_workspace(self.env.slug());
        let entry = tools.entry(&slug).await?;
        let claim = tools.claim(&slug, &tool, &arguments).await?;
        let ruling = self.gate.authorize(Caller::Person { workspace: self.env.slug() }, &claim).await?;
        if let Some(problem) = refused(&format!("{slug}/{tool}"), &ruling) {
            return Ok(SourceCalled { ok: false, text: String::new(), ms: 0, problem: Some(problem) });
        }
        let begun = Instant::now();
        let called = tools.call(&entry, &tool, arguments).await?;
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(match called {
            Ok(text) => {
                SourceCalled { ok: true, text: support::clipped(&text, MAX_TEXT_BYTES), ms, problem: None }
            }
            Err(error) => {
                let code = match error.kind {
                    Kind::Arguments => ErrorCode::InvalidInput,
                    Kind::NotFound => ErrorCode::NotFound,
                    Kind::Deadline => ErrorCode::Deadline,
                    Kind::Cancelled => ErrorCode::Cancelled,
                    Kind::Refused | Kind::TooLarge | Kind::Unavailable | Kind::Failed => ErrorCode::Source,
                };
                let problem = Problem::new(code, error.message);
                SourceCalled { ok: false, text: String::new(), ms, problem: Some(problem) }
            }
        })
    }
}
