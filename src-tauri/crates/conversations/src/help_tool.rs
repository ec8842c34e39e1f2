//! The tool by which a model reads the pages of help.

use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, Hints, Preview};
use serde_json::{Value, json};
use tools::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Reads pages of help.
pub struct HelpTool(ToolInfo);

impl HelpTool {
    /// Over the pages that are shipped.
    pub fn new() -> Self {
        Self(ToolInfo {
            name: "help".to_owned(),
            source: String::new(),
            tool: "help".to_owned(),
            title: "Read help".to_owned(),
            description:
                "Reads a page of help on AgentNative itself, or lists the pages. Use it before you answer a \
                          question on how this program works."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "page": { "type": "string", "description": "The page's name; leave out for the list." },
                },
                "additionalProperties": false,
            }),
            hints: Hints { read_only: Some(true), idempotent: Some(true), ..Hints::default() },
            trusted: true,
            deadline: Duration::from_secs(10),
        })
    }
}

#[async_trait]
impl Tool for HelpTool {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    async fn plan(&self, arguments: &Value, _at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let intent = match arguments["page"].as_str() {
            Some(page) => format!("Read help on {page}"),
            None => "List the pages of help".to_owned(),
        };
        Ok(PlannedOperation { effect: CallEffect::Inner, intent, preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, _at: &CallContext, _run: Run) -> Result<Outcome, ToolError> {
        read(arguments["page"].as_str())
    }
}

fn read(page: Option<&str>) -> Result<Outcome, ToolError> {
    let list = || {
        let pages = crate::help_list();
        pages.iter().map(|page| format!("- `{}`: {}", page.slug, page.title)).collect::<Vec<_>>().join("\n")
    };
    let Some(page) = page else { return Ok(Outcome::text(list(), "pages of help".to_owned())) };
    let found = crate::help_show(page).map_err(|problem| {
        ToolError::new(Kind::NotFound, problem.message).with_guidance(format!("There are:\n{}", list()))
    })?;
    Ok(Outcome::text(found.text, found.title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_every_page_and_each_can_be_read() {
        let list = read(None).unwrap().text;
        for page in crate::help_list() {
            assert!(list.contains(&format!("`{}`: {}", page.slug, page.title)));
            assert!(read(Some(&page.slug)).unwrap().text.starts_with("# "));
        }
        let refused = read(Some("no-such-page")).unwrap_err();
        assert!(refused.guidance.contains("`chat`"), "{refused:?}");
    }
}
