//! Statuses, labels, views and search over sessions: what the files of a workspace say, asked of the database.

use std::sync::Arc;

use config::ConfigStore;
use domain::{Digest, Problem};
use organise::{
    Choice, Field, Icon, KnownValues, Label, LabelList, Mistake, Scope, Span, StatusList, ViewEntry, ViewList,
};
use protocol::{
    FileProblem, LabelRow, Organisation, RuleTried, RuleTry, StatusRow, ViewRow, ViewTried, ViewTry,
};
use store::SessionFilter;
use support::{blocking, now_ms};
use workspace::Workspace;

use crate::Sessions;

/// The lists of a workspace as they are in use.
pub struct Lists {
    /// Statuses.
    pub statuses: LoadedList<StatusList>,
    /// Labels.
    pub labels: LoadedList<LabelList>,
    /// Views.
    pub views: LoadedList<ViewList>,
}

/// A list, and the file that it comes from.
pub struct LoadedList<T> {
    /// What the file says; its last valid version where it is broken.
    pub list: Arc<T>,
    /// The file.
    pub path: std::path::PathBuf,
    /// Of the file's text; none where there is no file.
    pub digest: Option<Digest>,
    /// What is wrong with the file now.
    pub problems: Vec<FileProblem>,
}

impl Lists {
    /// What conditions depend on besides a session.
    pub fn scope(&self, offset_minutes: i32) -> Scope<'_> {
        Scope { now_ms: now_ms(), offset_minutes, labels: Some(&self.labels.list) }
    }

    /// The status of sessions that have none of their own.
    pub fn default_status(&self) -> &str {
        &self.statuses.list.default_status_id
    }
}

impl Sessions {
    /// The statuses, labels and views of the workspace; of a broken file the last good version.
    pub async fn lists(&self) -> Result<Lists, Problem> {
        let (live, root) = (self.env.config.clone(), self.env.files().root().to_owned());
        blocking(move || {
            Ok(Lists {
                statuses: listed(
                    &live,
                    environment::statuses_file(&root),
                    |file, text| workspace::parse_statuses(file, text).map(|listed| listed.list),
                    StatusList::shipped,
                ),
                labels: listed(
                    &live,
                    environment::labels_file(&root),
                    |file, text| workspace::parse_labels(file, text).map(|listed| listed.list),
                    LabelList::shipped,
                ),
                views: listed(
                    &live,
                    environment::views_file(&root),
                    |file, text| workspace::parse_views(file, text).map(|listed| listed.list),
                    ViewList::shipped,
                ),
            })
        })
        .await
    }

    /// What a line's filters can be. Agents and sources are read from their folders, so only where the line asks for them.
    pub async fn known_of(&self, line: &str, completes: bool, lists: &Lists) -> Result<KnownValues, Problem> {
        if completes || ["agent:", "source:"].iter().any(|key| line.contains(key)) {
            return self.known(lists).await;
        }
        Ok(KnownValues::default())
    }

    /// What fields can be, for completions and hints.
    pub async fn known(&self, lists: &Lists) -> Result<KnownValues, Problem> {
        let choice = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
        let statuses = lists.statuses.list.sorted();
        let statuses = statuses.into_iter().map(|status| choice(&status.id, &status.label)).collect();
        let labels = lists.labels.list.all();
        let labels = labels.into_iter().map(|label| choice(&label.id, &label.name)).collect();
        let agents = self.env.agent_list().await?;
        let agents = agents.iter().map(|agent| choice(&agent.slug, &agent.name)).collect();
        let sources = self.sources.source_list().await?;
        let sources = sources.iter().map(|source| choice(&source.slug, &source.name)).collect();
        let modes = [("safe", "Explore"), ("ask", "Ask to Edit"), ("allow-all", "Auto")];
        Ok(KnownValues {
            values: vec![
                (Field::SessionStatus, statuses),
                (Field::Labels, labels),
                (Field::Agent, agents),
                (Field::Sources, sources),
                (Field::PermissionMode, modes.map(|(word, label)| choice(word, label)).to_vec()),
            ],
        })
    }

    /// Statuses, labels and views, with how many sessions each has.
    pub async fn organise_show(&self) -> Result<Organisation, Problem> {
        let lists = self.lists().await?;
        let counts = self.env.store().count_statuses(self.env.slug()).await?;
        let files = self.env.files();
        let with = |id: &str| {
            let of =
                |stored: &str| if stored.is_empty() { lists.default_status() == id } else { stored == id };
            counts.iter().filter(|(stored, _)| of(stored)).map(|(_, count)| count).sum()
        };
        let statuses = lists.statuses.list.sorted().into_iter().map(|status| StatusRow {
            id: status.id.clone(),
            label: status.label.clone(),
            category: status.category,
            icon: status.icon.clone(),
            picture: picture(&files, status.icon.as_ref()),
            color: status.color.clone(),
            shortcut: status.shortcut.clone(),
            fixed: status.is_fixed,
            sessions: with(&status.id),
        });
        let statuses = statuses.collect();
        let mut labels = Vec::with_capacity(lists.labels.list.labels.len());
        let alone = self.env.store().count_by_label(&self.in_sight()).await?;
        for label in &lists.labels.list.labels {
            labels.push(self.label_row(label, &lists, &alone).await?);
        }
        let mut views = Vec::with_capacity(lists.views.list.views.len());
        for entry in &lists.views.list.views {
            views.push(self.view_row(entry, &lists).await?);
        }
        let problems = [&lists.statuses.problems, &lists.labels.problems, &lists.views.problems];
        Ok(Organisation {
            statuses,
            default_status: lists.default_status().to_owned(),
            labels,
            views,
            problems: problems.into_iter().flatten().cloned().collect(),
        })
    }

    /// Sessions of the workspace that are neither archived nor deleted.
    pub fn in_sight(&self) -> SessionFilter {
        SessionFilter { workspace: Some(self.env.slug().to_owned()), ..SessionFilter::default() }
    }

    async fn label_row(
        &self,
        label: &Label,
        lists: &Lists,
        alone: &[(String, u32)],
    ) -> Result<LabelRow, Problem> {
        let mut children = Vec::with_capacity(label.children.len());
        for child in &label.children {
            children.push(Box::pin(self.label_row(child, lists, alone)).await?);
        }
        // A session with two labels of a family counts once, so a family is counted together.
        let sessions = if label.children.is_empty() {
            alone.iter().find(|(id, _)| *id == label.id).map_or(0, |(_, count)| *count)
        } else {
            let clause = crate::groups::labelled(&lists.labels.list.family(&label.id));
            self.env.store().count_where(&SessionFilter { clause: Some(clause), ..self.in_sight() }).await?
        };
        Ok(LabelRow {
            id: label.id.clone(),
            name: label.name.clone(),
            color: label.color.clone(),
            value_type: label.value_type,
            auto_rules: label.auto_rules.clone(),
            children,
            sessions,
        })
    }

    async fn view_row(&self, entry: &ViewEntry, lists: &Lists) -> Result<ViewRow, Problem> {
        let raw = |name: &str| entry.raw.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        let text = raw("expression");
        let (view, faults) = match &entry.view {
            Ok(view) => (Some(view), Vec::new()),
            Err(faults) => (None, faults.iter().map(crate::edit::words).collect()),
        };
        let (sessions, mistakes) = match &entry.expression {
            Ok(expression) if view.is_some() => {
                (Some(self.count_holding(expression.condition(), lists, 0).await?), Vec::new())
            }
            Ok(_) => (None, Vec::new()),
            Err(mistakes) => (None, in_utf16(mistakes, text)),
        };
        Ok(ViewRow {
            id: entry.id.clone(),
            name: view.map_or_else(
                || if raw("name").is_empty() { entry.id.clone() } else { raw("name").to_owned() },
                |view| view.name.clone(),
            ),
            description: view.and_then(|view| view.description.clone()),
            color: view.and_then(|view| view.color.clone()),
            expression: text.to_owned(),
            group_by: view.and_then(organise::View::group),
            sort: view.map(|view| view.sort.clone()).unwrap_or_default(),
            sessions,
            mistakes,
            faults,
        })
    }

    /// Reads an expression and counts its sessions.
    pub async fn view_try(&self, asked: ViewTry) -> Result<ViewTried, Problem> {
        let lists = self.lists().await?;
        let text = &asked.expression;
        let mut tried = match organise::Expression::parse(text) {
            Ok(expression) => ViewTried {
                notes: in_utf16(expression.notes(), text),
                sessions: Some(self.count_holding(expression.condition(), &lists, 0).await?),
                ..ViewTried::default()
            },
            Err(mistakes) => ViewTried { mistakes: in_utf16(&mistakes, text), ..ViewTried::default() },
        };
        if let Some(caret) = asked.caret {
            let known = self.known(&lists).await?;
            let caret = organise::byte_of_utf16(text, caret as usize);
            tried.completions = completed(organise::complete(text, caret, &known), text);
        }
        Ok(tried)
    }
}

/// A list of a file as it is in use. Waits for the disk.
fn listed<T: Send + Sync + 'static>(
    live: &ConfigStore,
    path: std::path::PathBuf,
    parse: impl Fn(&str, &str) -> Result<T, Vec<workspace::ConfigProblem>> + Send + Sync + 'static,
    shipped: fn() -> T,
) -> LoadedList<T> {
    let current = live.current(&path, parse);
    let problems = environment::file_problems(&current.problems);
    let list = current.value.unwrap_or_else(|| Arc::new(shipped()));
    LoadedList { list, path, digest: current.digest, problems }
}

/// The file that an icon names, as a page can show it. An emoji names none.
fn picture(files: &Workspace, icon: Option<&Icon>) -> Option<String> {
    let (Icon::Text(name) | Icon::Typed { value: name, .. }) = icon?;
    // Few icons are names of files: the others read nothing.
    environment::data_url(name, &[])?;
    environment::data_url(name, &files.status_icon(name)?)
}

/// What a rule would do with a message.
pub fn rule_try(asked: &RuleTry) -> RuleTried {
    match organise::try_out(&asked.label, asked.value_type, &asked.rule, &asked.text) {
        Ok(mut found) => {
            for hit in &mut found.matches {
                hit.at = hit.at.in_utf16(&asked.text);
            }
            for place in &mut found.refused {
                *place = place.in_utf16(&asked.text);
            }
            RuleTried { fault: None, found }
        }
        Err(fault) => RuleTried { fault: Some(crate::edit::words(&fault)), ..RuleTried::default() },
    }
}

/// The same with places as a window counts them.
pub fn in_utf16(mistakes: &[Mistake], text: &str) -> Vec<Mistake> {
    let placed = |mistake: &Mistake| Mistake { at: mistake.at.in_utf16(text), ..mistake.clone() };
    mistakes.iter().map(placed).collect()
}

pub fn completed(completions: organise::Completions, text: &str) -> protocol::Completed {
    let replace: Span = completions.replace.in_utf16(text);
    protocol::Completed { replace, items: completions.items }
}
