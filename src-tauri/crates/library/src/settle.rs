//! Bases of earlier versions, which were every workspace's: each is given to the workspaces whose sessions used it, once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::{Problem, RunId};
use store::{MAX_PAGE, RunFilter};
use support::blocking;
use workspace::{DEFAULT_WORKSPACE, Workspace, workspace_entries};
use workspace_bases::Belonging;

use crate::bases::Recipe;
use crate::{Library, corpus};

/// The kind of staged runs, and of missions.
const RUN: &str = "run";
const MISSION: &str = engine::mission::KIND;
/// Says that it was done. Its name is no base's.
const DONE: &str = ".workspaces";

impl Library {
    /// Gives each base that says of no workspace to those whose sessions or agents use it: it is the one's that used it first and
    /// shared with the others. One that nobody used stays the default workspace's. What fails is tried again with the next start.
    pub async fn settle_bases(&self) {
        if let Err(problem) = self.give_to_users().await {
            tracing::warn!("older knowledge bases are not given to workspaces yet: {problem}");
        }
    }

    async fn give_to_users(&self) -> Result<(), Problem> {
        let home = self.env.home.clone();
        let open = blocking(move || unsettled(&home)).await?;
        let Some(open) = open else { return Ok(()) };
        let slugs: Vec<String> =
            workspace_entries(&self.env.home).into_iter().map(|entry| entry.slug).collect();
        let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if slugs.len() > 1 && !open.is_empty() {
            users = self.users().await?;
            for slug in &slugs {
                for entry in Workspace::named(&self.env.home, slug).agents() {
                    let base = entry.agent.ok().and_then(|agent| agent.config.default_corpus);
                    base.into_iter().for_each(|base| note(&mut users, base, slug));
                }
            }
        }
        let home = self.env.home.clone();
        blocking(move || {
            for id in &open {
                let used = users.get(id).map_or(&[][..], Vec::as_slice);
                workspace_bases::give_to_users(&home, id, used).map_err(corpus::problem)?;
            }
            std::fs::write(done(&home), "").map_err(|error| {
                Problem::new(domain::ErrorCode::Storage, format!("{}: {error}", done(&home).display()))
            })
        })
        .await
    }

    /// The workspaces whose sessions used each base, the first one first.
    async fn users(&self) -> Result<BTreeMap<String, Vec<String>>, Problem> {
        let mut uses: Vec<(String, String)> = Vec::new();
        let mut before = None;
        loop {
            let page = self.env.store().list_runs(&RunFilter::default(), before, MAX_PAGE).await?;
            for row in page.runs {
                let run = RunId(row.id);
                // What can't be read any more used nothing that is still asked for.
                let bases: Vec<String> = match row.kind.as_str() {
                    RUN => match self.env.engine.load(&run).await {
                        Ok(loaded) => loaded.pinned.bases().map(|base| base.base.clone()).collect(),
                        Err(_) => continue,
                    },
                    MISSION => match self.env.engine.load_mission(&run).await {
                        Ok(loaded) => loaded.pins.corpora.clone(),
                        Err(_) => continue,
                    },
                    _ => continue,
                };
                let slug = self.env.store().session_workspace(&row.session).await?.unwrap_or_default();
                let slug = if slug.is_empty() { DEFAULT_WORKSPACE.to_owned() } else { slug };
                uses.extend(bases.into_iter().map(|base| (base, slug.clone())));
            }
            match page.next {
                Some(next) => before = Some(next),
                None => break,
            }
        }
        let mut users = BTreeMap::new();
        uses.into_iter().rev().for_each(|(base, slug)| note(&mut users, base, &slug));
        Ok(users)
    }
}

fn note(users: &mut BTreeMap<String, Vec<String>>, base: String, slug: &str) {
    let known = users.entry(base).or_default();
    if !known.iter().any(|known| known == slug) {
        known.push(slug.to_owned());
    }
}

fn done(home: &Path) -> PathBuf {
    home.join("knowledge").join(DONE)
}

/// The bases that say of no workspace; none where that was looked at, or there is nothing yet. Texts that came with a licence of
/// the registry are published ones.
fn unsettled(home: &Path) -> Result<Option<Vec<String>>, Problem> {
    if !home.join("knowledge").is_dir() || done(home).exists() {
        return Ok(None);
    }
    let mut open = Vec::new();
    for base in knowledge::list_bases(home).map_err(corpus::problem)? {
        if Belonging::is_written(home, &base.name) {
            continue;
        }
        match Recipe::read(home, &base.name) {
            Some(recipe) if recipe.license.is_some() => {
                workspace_bases::publish(home, &base.name).map_err(corpus::problem)?;
            }
            Some(_) | None => open.push(base.name),
        }
    }
    Ok(Some(open))
}
