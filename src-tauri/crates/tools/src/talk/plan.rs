//! `plan`: what an agent would do, for the person to accept.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use domain::{CallEffect, Preview, Show};
use serde::Deserialize;
use serde_json::{Value, json};

use super::checked_text;
use crate::arguments::{self, Effect, blocking, info};
use crate::files::failed;
use crate::safe_path::{PathPurpose, Roots};
use crate::text::capped;
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// The longest plan and title, in characters.
const MAX_PLAN_CHARS: usize = 200_000;
const MAX_TITLE_CHARS: usize = 200;
/// Plans of one name in a session.
const VERSIONS: usize = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    title: String,
    text: String,
}

/// The tool.
pub(crate) struct Plan(ToolInfo);

impl Plan {
    pub(crate) fn new() -> Self {
        Self(info(
            "plan",
            "Submit a plan",
            "Gives the person a plan to accept or to refine, and ends your turn. Submit it when you have explored enough \
             to know what to do and before you change anything. Say what you will change, in which files, in which \
             order, and how it will be checked.",
            Effect::Reads,
            10,
            json!({
                "title": {"type": "string", "description": "What the plan is for, in a few words."},
                "text": {"type": "string", "description": "The plan, in Markdown."},
            }),
            &["title", "text"],
        ))
    }
}

fn given(arguments: &Value) -> Result<Arguments, ToolError> {
    let Arguments { title, text } = arguments::read(arguments)?;
    let title = checked_text("the title", &title, MAX_TITLE_CHARS)?.replace(['\n', '\t'], " ");
    Ok(Arguments { title, text: checked_text("the plan", &text, MAX_PLAN_CHARS)? })
}

/// A file's name from a title: small letters and digits of any script, joined by hyphens.
fn slug(title: &str) -> String {
    let words = title.to_lowercase();
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    let slug = capped(&slug, 60).trim_end_matches('-');
    if slug.is_empty() { "plan".to_owned() } else { slug.to_owned() }
}

/// Writes the plan into the session's folder under a name that no other plan has.
fn kept(own: &Path, title: &str, text: &str) -> Result<PathBuf, ToolError> {
    std::fs::create_dir_all(own.join("plans")).map_err(|error| failed("make", "plans", &error))?;
    let roots = Roots::writable(own);
    let slug = slug(title);
    for version in 1..=VERSIONS {
        let name = match version {
            1 => format!("plans/{slug}.md"),
            version => format!("plans/{slug}-{version}.md"),
        };
        let place = roots.place(&name, PathPurpose::Writing)?;
        if place.exists {
            let same = crate::files::load(&place, &name, 4 << 20, None)
                .is_ok_and(|(held, _)| held == text.as_bytes());
            // The same call, made once more.
            if same {
                return Ok(place.path());
            }
            continue;
        }
        let staged = place.stage(text.as_bytes(), None);
        staged
            .and_then(crate::safe_path::StagedFile::commit)
            .map_err(|error| failed("write", &name, &error))?;
        return Ok(place.path());
    }
    Err(ToolError::new(Kind::Failed, format!("this session has {VERSIONS} plans of that title already")))
}

/// Keeps a plan in a session's folder `own`, as the tool `plan` does. Blocking.
///
/// # Errors
/// `Arguments` for an empty or overlong plan or title; `Failed` when it can't be written.
pub fn keep_plan(own: &Path, title: &str, text: &str) -> Result<Show, ToolError> {
    let Arguments { title, text } = given(&json!({"title": title, "text": text}))?;
    let path = kept(own, &title, &text)?.display().to_string();
    Ok(Show::Plan { title, text, path })
}

#[async_trait]
impl Tool for Plan {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    async fn plan(&self, arguments: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        let Arguments { title, .. } = given(arguments)?;
        Ok(PlannedOperation {
            effect: CallEffect::Inner,
            intent: format!("Plan: {title}"),
            preview: Preview::None,
        })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        let Arguments { title, text } = given(arguments)?;
        let own = at.own.clone();
        blocking(move || {
            let path = kept(&own, &title, &text)?.display().to_string();
            Ok(Outcome {
                show: vec![Show::Plan { title, text: text.clone(), path }],
                ends: true,
                ..Outcome::text(text, "submitted")
            })
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_name_is_made_of_the_words_of_a_title() {
        assert_eq!(slug("Fix: the ../../parser (again)!"), "fix-the-parser-again");
        assert_eq!(slug("Größe prüfen"), "größe-prüfen");
        assert_eq!(slug("…"), "plan");
        assert!(slug(&"ü".repeat(500)).len() <= 60);
    }
}
