//! Statuses, labels, views, rules, automations and themes.

use std::path::Path;

use serde_json::Value;

use super::{BoundedReader, Content, CraftWorkspace, NewFile, pretty};
use crate::names::is_id;

impl BoundedReader<'_> {
    pub(super) fn organising(&mut self, root: &Path, out: &mut CraftWorkspace) {
        // Ours read the same forms; whoever writes them checks them as if the person had.
        for (kind, name) in
            [("status", "statuses/config.json"), ("label", "labels/config.json"), ("view", "views.json")]
        {
            let path = root.join(name);
            if let Some(value) = self.json(&path, kind, name) {
                out.files.push(NewFile {
                    kind,
                    what: name.to_owned(),
                    path: name.to_owned(),
                    content: Content::Bytes(pretty(&value)),
                    place: path.display().to_string(),
                });
            }
        }
        let rules = root.join("permissions.json");
        if rules.is_file() {
            out.files.extend(self.rules(&rules, "the workspace's rules", None));
        }
        self.automations(root, out);
    }

    /// Automations come switched off, beside ours: each would act on its own.
    fn automations(&mut self, root: &Path, out: &mut CraftWorkspace) {
        let path = root.join("automations.json");
        let place = path.display().to_string();
        let Some(mut value) = self.json(&path, "automation", "automations.json") else { return };
        let mut number = 0;
        for list in value["automations"].as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
            for automation in list.as_array_mut().into_iter().flatten() {
                if let Some(automation) = automation.as_object_mut() {
                    automation.insert("enabled".to_owned(), Value::Bool(false));
                    number += 1;
                }
            }
        }
        if number == 0 {
            return;
        }
        let why = format!("{number} automations are there switched off; read each before you switch it on");
        self.report.change("automation", "automations.json", why, &place);
        out.files.push(NewFile {
            kind: "automation",
            what: "automations.json".to_owned(),
            path: "automations.json".to_owned(),
            content: Content::Bytes(pretty(&value)),
            place,
        });
    }

    /// A theme, as it is there: whoever writes it translates it.
    pub(super) fn theme(&mut self, path: &Path) -> Option<NewFile> {
        let name = path.file_stem()?.to_string_lossy().into_owned();
        let place = path.display().to_string();
        if !is_id(&name) {
            self.report.leave_out("theme", &name, "its file's name can't be that of a theme", &place);
            return None;
        }
        let text = self.text(path, "theme", &name)?;
        Some(NewFile {
            kind: "theme",
            what: name.clone(),
            path: format!("{name}.json"),
            content: Content::Bytes(text.into_bytes()),
            place,
        })
    }

    /// The colours that the whole program had, as a theme with a name: here none is in force until the person chooses it.
    pub(super) fn own_theme(&mut self, path: &Path) -> Option<NewFile> {
        let place = path.display().to_string();
        let text = self.text(path, "theme", "theme.json")?;
        Some(NewFile {
            kind: "theme",
            what: "craft-agent".to_owned(),
            path: "craft-agent.json".to_owned(),
            content: Content::Bytes(text.into_bytes()),
            place,
        })
    }

    /// The colours of a workspace, as they are there: whoever writes them translates them.
    pub(super) fn workspace_theme(&mut self, path: &Path) -> Option<NewFile> {
        let place = path.display().to_string();
        let text = self.text(path, "theme", "theme.json")?;
        Some(NewFile {
            kind: "theme",
            what: "theme.json".to_owned(),
            path: "theme.json".to_owned(),
            content: Content::Bytes(text.into_bytes()),
            place,
        })
    }
}
