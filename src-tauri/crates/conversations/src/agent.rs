//! What the agent of a conversation limits it to: the `sources` and `tools` of its `AGENT.md`.

use std::sync::Arc;

use config::AgentInstructions;
use tools::{Tool, ToolInfo};

/// Tools that every conversation has: they reach nothing but the conversation itself and what the program ships.
const ALWAYS: [&str; 6] = ["ask", "plan", "tasks", "result", "skill", "help"];

/// The sources of a conversation with an agent, and what the user is told of those that it leaves out.
pub fn sources(chosen: &[String], agent: Option<&AgentInstructions>) -> (Vec<String>, Option<String>) {
    let Some(agent) = agent.filter(|agent| !agent.sources.is_empty()) else {
        return (chosen.to_vec(), None);
    };
    let others: Vec<&str> =
        chosen.iter().filter(|slug| !agent.sources.contains(slug)).map(String::as_str).collect();
    let note = (!others.is_empty()).then(|| {
        format!(
            "Not offered: {}. The agent {} limits its conversations to the sources {}.",
            others.join(", "),
            agent.name,
            agent.sources.join(", ")
        )
    });
    (agent.sources.clone(), note)
}

/// Leaves the tools that an agent may use; one of `hidden`, which conversations are not shown, is among them where the agent
/// names it. Gives what the user is told of names that stand for no tool.
pub fn limit(
    tools: &mut Vec<Arc<dyn Tool>>,
    hidden: &mut Vec<Arc<dyn Tool>>,
    agent: Option<&AgentInstructions>,
) -> Option<String> {
    let agent = agent.filter(|agent| !agent.tools.is_empty())?;
    let names = |tool: &mut Arc<dyn Tool>| {
        agent.tools.iter().any(|wanted| !wanted.ends_with("/*") && is_named(wanted, tool.info()))
    };
    tools.extend(hidden.extract_if(.., names));
    let unknown: Vec<&str> = agent
        .tools
        .iter()
        .filter(|wanted| !tools.iter().any(|tool| is_named(wanted, tool.info())))
        .map(String::as_str)
        .collect();
    tools.retain(|tool| {
        let info = tool.info();
        let always = info.source.is_empty() && ALWAYS.contains(&info.name.as_str());
        always || agent.tools.iter().any(|wanted| is_named(wanted, info))
    });
    (!unknown.is_empty())
        .then(|| format!("The agent {} names tools that are not here: {}.", agent.name, unknown.join(", ")))
}

/// A tool by its own name, by the name that a model sees, as `source/tool`, or with all of its source as `source/*`.
fn is_named(wanted: &str, info: &ToolInfo) -> bool {
    match wanted.split_once('/') {
        Some((source, tool)) => info.source == source && (tool == "*" || info.tool == tool),
        None => info.name == wanted || info.tool == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(sources: &[&str], tools: &[&str]) -> AgentInstructions {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        AgentInstructions {
            name: "Clerk".to_owned(),
            instructions: String::new(),
            sources: owned(sources),
            tools: owned(tools),
        }
    }

    fn names(tools: &[Arc<dyn Tool>]) -> Vec<&str> {
        tools.iter().map(|tool| tool.info().name.as_str()).collect()
    }

    #[test]
    fn an_agent_that_names_sources_has_those_and_no_others() {
        let chosen = ["web".to_owned(), "laws".to_owned()];
        assert_eq!(sources(&chosen, None), (chosen.to_vec(), None));
        assert_eq!(sources(&chosen, Some(&agent(&[], &[]))), (chosen.to_vec(), None));
        let (left, note) = sources(&chosen, Some(&agent(&["laws", "notes"], &[])));
        assert_eq!(left, ["laws", "notes"]);
        assert!(note.unwrap().starts_with("Not offered: web."));
    }

    #[test]
    fn an_agent_that_names_tools_has_those_and_the_conversation_s_own() {
        let all = || {
            let mut all = tools::built_in(&tools::Parts::default());
            all.extend(tools::of_folder("notes", "/notes".into(), true, None));
            all
        };
        let mut left = all();
        assert_eq!(limit(&mut left, &mut Vec::new(), None), None);
        assert_eq!(left.len(), all().len());
        assert_eq!(limit(&mut left, &mut Vec::new(), Some(&agent(&[], &["fetch", "notes/search"]))), None);
        assert_eq!(names(&left), ["fetch", "ask", "plan", "tasks", "result", "notes__search"]);
        let mut left = all();
        let note = limit(&mut left, &mut Vec::new(), Some(&agent(&[], &["notes/*", "telepathy"])));
        assert!(note.unwrap().ends_with("telepathy."));
        assert_eq!(
            names(&left),
            ["ask", "plan", "tasks", "result", "notes__read", "notes__list", "notes__search"]
        );
    }

    #[test]
    fn a_tool_that_conversations_are_not_shown_is_there_where_the_agent_names_it() {
        let notes = || tools::of_folder("notes", "/notes".into(), true, None);
        let (mut left, mut hidden) = (Vec::new(), notes());
        assert_eq!(limit(&mut left, &mut hidden, Some(&agent(&[], &["notes/search"]))), None);
        assert_eq!((names(&left), hidden.len()), (vec!["notes__search"], notes().len() - 1));
        let (mut left, mut hidden) = (Vec::new(), notes());
        assert!(limit(&mut left, &mut hidden, Some(&agent(&[], &["notes/*"]))).is_some());
        assert!(left.is_empty(), "all of a source are all that it shows");
    }
}
