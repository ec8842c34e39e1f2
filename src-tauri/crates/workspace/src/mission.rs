//! Profiles of missions: `agents/<slug>/mission.json`, the person's over the shipped ones.

use std::collections::BTreeSet;

use domain::mission::MissionProfile;

use crate::agent::Origin;
use crate::folder::{Folder, folders};
use crate::json::{self, Quote};
use crate::open::Workspace;
use crate::problem::{ConfigProblem, MAX_PROBLEMS, WorkspaceError};
use crate::{schemas, shipped};

/// The file of a profile.
pub(crate) const FILE: &str = "mission.json";

/// A profile as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileEntry {
    /// Its folder's name.
    pub slug: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The profile, or everything that is wrong with it.
    pub profile: Result<MissionProfile, Vec<ConfigProblem>>,
}

impl Workspace {
    /// Every profile, sorted by slug; a broken one with its problems.
    pub fn profiles(&self) -> Vec<ProfileEntry> {
        self.profile_slugs().into_iter().map(|slug| self.profile_entry(slug)).collect()
    }

    /// One profile.
    pub fn profile(&self, slug: &str) -> Result<MissionProfile, WorkspaceError> {
        let known = self.profile_slugs();
        if !known.contains(slug) {
            let nearest = domain::nearest(slug, known.iter().map(String::as_str));
            let nearest = nearest.into_iter().map(str::to_owned).collect();
            let known = known.into_iter().collect();
            return Err(WorkspaceError::UnknownProfile { slug: slug.to_owned(), nearest, known });
        }
        self.profile_entry(slug.to_owned()).profile.map_err(|problems| WorkspaceError::Broken {
            what: "mission profile",
            slug: slug.to_owned(),
            problems,
        })
    }

    fn profile_slugs(&self) -> BTreeSet<String> {
        let is_shipped = |slug: &String| shipped::file(&format!("agents/{slug}/{FILE}")).is_some();
        let own = self.root().join("agents");
        let mut slugs: BTreeSet<String> = shipped::folders("agents").into_iter().filter(is_shipped).collect();
        slugs.extend(folders(&own).into_iter().filter(|slug| own.join(slug).join(FILE).is_file()));
        slugs
    }

    fn profile_entry(&self, slug: String) -> ProfileEntry {
        let (folder, origin) = self.place("agents", &slug);
        ProfileEntry { profile: load(&folder, &slug), slug, origin }
    }
}

fn load(folder: &Folder, slug: &str) -> Result<MissionProfile, Vec<ConfigProblem>> {
    let file = folder.label(FILE);
    let text = folder.text(FILE).map_err(|fault| vec![fault.problem(&file, "")])?;
    let clipped = |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect();
    let (_, profile) =
        json::read::<MissionProfile>(&file, &text, &schemas::MISSION, Quote::Values).map_err(clipped)?;
    let mut problems: Vec<ConfigProblem> = profile
        .validate()
        .into_iter()
        .map(|problem| ConfigProblem::new(&file, problem.pointer, problem.expected, problem.found))
        .collect();
    if profile.slug.as_str() != slug {
        let (expected, found) = (format!("`{slug}`, the folder's name"), format!("`{}`", profile.slug));
        problems.push(ConfigProblem::new(&file, "/slug", expected, found));
    }
    problems.truncate(MAX_PROBLEMS);
    for problem in &mut problems {
        problem.line = json::line_of(&text, &problem.pointer);
    }
    if problems.is_empty() { Ok(profile) } else { Err(clipped(problems)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_profile_reads_as_a_sentence() {
        let home = tempfile::TempDir::new().unwrap();
        let folder = home.path().join("workspaces/default/agents/survey");
        std::fs::create_dir_all(&folder).unwrap();
        let text = r#"{ "slug": "survey", "name": "", "description": "Finds out.",
            "successCriteria": { "coverage": 0.8 }, "constraints": { "iterations": 0 } }"#;
        std::fs::write(folder.join(FILE), text).unwrap();
        let profiles = Workspace::open(home.path()).profiles();
        let survey = profiles.iter().find(|entry| entry.slug == "survey").unwrap();
        let said: Vec<String> =
            survey.profile.as_ref().unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].ends_with(":1 /name: expected text, found nothing"), "{said:?}");
        let number = ":2 /constraints/iterations: expected a number from 1 to 100, found 0";
        assert!(said[1].ends_with(number), "{said:?}");
    }
}
