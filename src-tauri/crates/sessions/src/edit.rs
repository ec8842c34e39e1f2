//! Changes of the lists: what becomes of sessions first, then the file.

use domain::Problem;
use organise::{EditError, Fault, LabelPatch, NewLabel, NewStatus, NewView, StatusPatch, ViewPatch};
use protocol::{LabelEdit, Organisation, StatusEdit, ViewEdit};
use support::blocking;

use crate::Sessions;
use crate::lists::LoadedList;

impl Sessions {
    /// Changes the list of statuses.
    pub async fn status_edit(&self, edit: StatusEdit) -> Result<Organisation, Problem> {
        let listed = self.lists().await?.statuses;
        let mut list = (*listed.list).clone();
        let failed = |error: EditError| error.problem();
        match edit {
            StatusEdit::Add { label, category, color, icon } => {
                let new = NewStatus { label, category, color, icon, shortcut: None };
                list.add(new).map_err(failed)?;
            }
            StatusEdit::Change { id, label, category, color, icon, shortcut } => {
                list.change(&id, StatusPatch { label, category, color, icon, shortcut }).map_err(failed)?;
            }
            StatusEdit::Move { id, place } => list.move_to(&id, place as usize).map_err(failed)?,
            StatusEdit::Default { id } => {
                let before = list.default_status_id.clone();
                list.set_default(&id).map_err(failed)?;
                self.still_right(&listed)?;
                // Sessions that have none of their own keep the one that they show.
                self.env.store().replace_status(self.env.slug(), "", &before).await?;
            }
            StatusEdit::Remove { id, instead } => {
                let removed = list.remove(&id, instead.as_deref()).map_err(failed)?;
                self.still_right(&listed)?;
                let instead = removed.instead.unwrap_or_default();
                for gone in &removed.ids {
                    self.env.store().replace_status(self.env.slug(), gone, &instead).await?;
                }
            }
        }
        self.save_list(listed, workspace::statuses_text(&list)).await?;
        self.organise_show().await
    }

    /// Changes the tree of labels.
    pub async fn label_edit(&self, edit: LabelEdit) -> Result<Organisation, Problem> {
        let listed = self.lists().await?.labels;
        let mut list = (*listed.list).clone();
        let failed = |error: EditError| error.problem();
        match edit {
            LabelEdit::Add { parent, name, color, value_type } => {
                list.add(parent.as_deref(), NewLabel { name, color, value_type }).map_err(failed)?;
            }
            LabelEdit::Change { id, name, color, value_type, auto_rules } => {
                list.change(&id, LabelPatch { name, color, value_type, auto_rules }).map_err(failed)?;
            }
            LabelEdit::Move { id, parent, place } => {
                list.move_to(&id, parent.as_deref(), place as usize).map_err(failed)?;
            }
            LabelEdit::Remove { id, instead } => {
                let removed = list.remove(&id, instead.as_deref()).map_err(failed)?;
                self.still_right(&listed)?;
                let instead = removed.instead.as_deref();
                self.env.store().replace_labels(self.env.slug(), &removed.ids, instead).await?;
            }
        }
        self.save_list(listed, workspace::labels_text(&list)).await?;
        self.organise_show().await
    }

    /// Changes the list of views.
    pub async fn view_edit(&self, edit: ViewEdit) -> Result<Organisation, Problem> {
        let listed = self.lists().await?.views;
        let mut list = (*listed.list).clone();
        let failed = |error: EditError| error.problem();
        match edit {
            ViewEdit::Add { name, description, color, expression, group_by, sort } => {
                let new = NewView { name, description, color, expression, group_by, sort };
                list.add(new).map_err(failed)?;
            }
            ViewEdit::Change { id, name, description, color, expression, group_by, sort } => {
                let patch = ViewPatch { name, description, color, expression, group_by, sort };
                list.change(&id, patch).map_err(failed)?;
            }
            ViewEdit::Move { id, place } => list.move_to(&id, place as usize).map_err(failed)?,
            ViewEdit::Remove { id } => list.remove(&id).map_err(failed)?,
        }
        self.save_list(listed, workspace::views_text(&list)).await?;
        self.organise_show().await
    }

    /// Refuses a change that the file would refuse, before sessions are touched.
    fn still_right<T>(&self, listed: &LoadedList<T>) -> Result<(), Problem> {
        match listed.problems.first() {
            None => Ok(()),
            Some(wrong) => {
                let what = format!("{} is broken: {}", wrong.file, wrong.message);
                Err(Problem::new(domain::ErrorCode::InvalidConfig, what)
                    .with_action("correct the file first: a change made here would throw away what is in it"))
            }
        }
    }

    async fn save_list<T>(&self, listed: LoadedList<T>, text: String) -> Result<(), Problem> {
        self.still_right(&listed)?;
        let (live, path, seen) = (self.env.config.clone(), listed.path, listed.digest);
        blocking(move || live.save(&path, seen, &text)).await
    }
}

/// A fault on one line.
pub fn words(fault: &Fault) -> String {
    let place = if fault.pointer.is_empty() { String::new() } else { format!("{}: ", fault.pointer) };
    let remedy = fault.remedy.as_ref().map(|remedy| format!(" ({remedy})")).unwrap_or_default();
    format!("{place}expected {}, found {}{remedy}", fault.expected, fault.found)
}
