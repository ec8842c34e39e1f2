//! Commands on permissions: rules, grants, the audit.

use std::collections::BTreeMap;

use domain::{ErrorCode, Grant, GrantScope, Mode, Problem};
use permissions::{Layer, Rule};
use store::MAX_PAGE;
use tools::confine;

use super::agents::problems;
use crate::corpus::now_ms;
use crate::local::Local;
use crate::request::Request;
use crate::response::Response;
use crate::wire::{AuditRow, GrantRow, PermissionState, RuleLayer, RuleRow};

/// Rows of the audit when none are asked for.
const ROWS: u32 = 100;

impl Local {
    /// Carries out a command of this module.
    pub(super) async fn at_permissions(&self, request: Request) -> Result<Response, Problem> {
        match request {
            Request::PermissionShow => {
                self.permission_show().await.map(|state| Response::Permissions(Box::new(state)))
            }
            Request::GrantRevoke { ids } => {
                self.store().revoke_grants(&ids, now_ms()).await?;
                Ok(Response::Done)
            }
            Request::AuditList { before, limit, session } => {
                self.audit_list(before, limit, session).await.map(Response::Audit)
            }
            other => {
                Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", other.command().name)))
            }
        }
    }

    async fn permission_show(&self) -> Result<PermissionState, Problem> {
        let layers = self.chat.works().await?.judge.shown(self.slug()).await?;
        let layers = layers
            .iter()
            .map(|shown| RuleLayer {
                layer: shown.layer.word().to_owned(),
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

    async fn grant_rows(&self) -> Result<Vec<GrantRow>, Problem> {
        let rows = self.store().all_grants(now_ms(), MAX_PAGE).await?;
        let grants: Vec<Grant> = rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect();
        let mut titles: BTreeMap<String, String> = BTreeMap::new();
        let mut shown = Vec::new();
        // What was for one call is spent.
        for grant in grants.into_iter().filter(|grant| grant.scope != GrantScope::Once) {
            if !titles.contains_key(&grant.session) {
                let session = self.store().get_session(&grant.session).await?;
                let title = session.map_or_else(|| grant.session.clone(), |session| session.title);
                titles.insert(grant.session.clone(), title);
            }
            shown.push(GrantRow {
                session_title: titles.get(&grant.session).cloned().unwrap_or_default(),
                id: grant.id,
                scope: grant.scope,
                session: grant.session,
                source: grant.source,
                tool: grant.tool,
                words: grant.words,
                created_at: grant.created_at,
                expires_at: grant.expires_at,
            });
        }
        Ok(shown)
    }

    async fn audit_list(
        &self,
        before: Option<i64>,
        limit: u32,
        session: Option<String>,
    ) -> Result<Vec<AuditRow>, Problem> {
        let limit = if limit == 0 { ROWS } else { limit };
        let rows = self.store().decisions(before, session.as_deref(), limit).await?;
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
                    .find(|mode| mode.word() == row.mode)
                    .unwrap_or_default(),
                decision: row.decision,
                by: row.by,
                subject: row.subject,
            })
            .collect())
    }
}

fn rule_row(rule: &Rule) -> RuleRow {
    RuleRow { effect: rule.effect.word().to_owned(), matches: rule.words(), reason: rule.reason.clone() }
}
