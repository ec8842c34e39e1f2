use std::fs;

use pretty_assertions::assert_eq;
use serde_json::json;
use workspace::{Agent, Origin, Workspace, WorkspaceError};

use crate::support::{AGENT_MD, Home, PROMPT, config};

#[test]
fn a_sound_agent_of_ones_own_loads_with_all_its_files() {
    let home = Home::new();
    let agent = home.workspace().agent("reader").unwrap();
    assert_eq!(agent.origin, Origin::Own(home.folder()));
    assert_eq!(agent.front_matter.sources, ["knowledge-base"]);
    assert_eq!(agent.instructions, "# Reader");
    assert_eq!(agent.prompts.keys().collect::<Vec<_>>(), ["answer.md", "mend.md"]);
    assert_eq!(agent.prompts["answer.md"], PROMPT);
    assert_eq!(agent.schemas[&"answer".into()]["required"], json!(["text"]));
}

#[test]
fn what_a_run_pins_comes_back_the_same_but_for_its_origin() {
    let home = Home::new();
    let agent = home.workspace().agent("reader").unwrap();
    let pinned = serde_json::to_string(&agent).unwrap();
    assert!(!pinned.contains("workspaces"), "no path is pinned");
    let back: Agent = serde_json::from_str(&pinned).unwrap();
    assert_eq!(back, Agent { origin: Origin::Pinned, ..agent });
}

#[test]
fn ones_own_agent_stands_in_for_a_shipped_one() {
    let home = Home::new();
    let slug = Workspace::open(&home.path().join("nothing")).agents()[0].slug.clone();
    let mut own = config();
    own["slug"] = json!(slug);
    home.write_at(&format!("agents/{slug}/AGENT.md"), AGENT_MD);
    home.write_at(&format!("agents/{slug}/config.json"), own.to_string());
    for (name, text) in
        [("prompts/answer.md", PROMPT), ("prompts/mend.md", "Mend."), ("schemas/answer.json", "{}")]
    {
        home.write_at(&format!("agents/{slug}/{name}"), text);
    }
    let entry = home.workspace().agents().into_iter().find(|entry| entry.slug == slug).unwrap();
    assert!(entry.overrides_shipped);
    assert_eq!(entry.agent.unwrap().config.name, "Reader");
}

#[test]
fn a_broken_agent_is_an_entry_and_the_others_still_load() {
    let home = Home::new();
    home.write_at("agents/broken/config.json", "{");
    let agents = home.workspace().agents();
    let broken = agents.iter().find(|entry| entry.slug == "broken").unwrap();
    assert!(broken.agent.is_err());
    assert!(agents.iter().any(|entry| entry.slug == "reader" && entry.agent.is_ok()));
    let error = home.workspace().agent("broken").unwrap_err();
    assert!(matches!(&error, WorkspaceError::Broken { problems, .. } if problems.len() == 2), "{error}");
}

#[test]
fn an_unknown_agent_or_source_is_told_the_nearest_names() {
    let home = Home::new();
    let workspace = home.workspace();
    let error = workspace.agent("raeder").unwrap_err();
    assert!(
        matches!(&error, WorkspaceError::UnknownAgent { nearest, .. } if nearest == &["reader"]),
        "{error}"
    );
    assert_eq!(error.problem().action.as_deref(), Some("did you mean `reader`?"));
    let error = workspace.source("knowlege-base").unwrap_err();
    assert!(
        matches!(&error, WorkspaceError::UnknownSource { nearest, .. } if nearest[0] == "knowledge-base"),
        "{error}"
    );
    assert!(workspace.agent("../../etc").is_err());
}

#[test]
fn instructions_alone_are_an_agent_without_stages() {
    let home = Home::new();
    let page =
        |head: &str| home.write_at("agents/clerk/AGENT.md", format!("---\n{head}\n---\nLook it up.\n"));
    page("name: Clerk\ndescription: Looks things up.\nsources: [knowledge-base]\ntools: [kb_search]");
    let agent = home.workspace().agent("clerk").unwrap();
    assert_eq!(agent.config.name, "Clerk");
    assert!(agent.config.control_flow.stages.is_empty());
    assert_eq!(
        (agent.config.sources[0].slug.as_str(), agent.config.sources[0].required),
        ("knowledge-base", false)
    );
    assert_eq!(agent.instructions, "Look it up.");
    page("name: Clerk\ndescription: Looks things up.\nsources: [knowlege-base]");
    let error = home.workspace().agent("clerk").unwrap_err();
    let WorkspaceError::Broken { problems, .. } = error else { panic!("{error}") };
    assert!(problems[0].file.ends_with("AGENT.md"), "{problems:?}");
    assert_eq!(problems[0].remedy.as_deref(), Some("did you mean `knowledge-base`?"));
    // It needs no other file, so that none is missed where the page is wrong.
    page("name: Clerk\ndescription: Looks things up.\nconversation: continue");
    let error = home.workspace().agent("clerk").unwrap_err();
    let WorkspaceError::Broken { problems, .. } = error else { panic!("{error}") };
    assert_eq!(
        problems.iter().map(|problem| problem.pointer.as_str()).collect::<Vec<_>>(),
        ["/conversation"]
    );
    fs::remove_file(home.workspace().root().join("agents/clerk/AGENT.md")).unwrap();
    let error = home.workspace().agent("clerk").unwrap_err();
    let WorkspaceError::Broken { problems, .. } = error else { panic!("{error}") };
    assert_eq!(problems.len(), 2, "{problems:?}");
}

#[test]
fn a_configuration_without_stages_names_none() {
    let home = Home::new();
    let mut config = config();
    config["controlFlow"] = json!({"stages": []});
    home.config(&config);
    assert!(home.load().unwrap().config.control_flow.stages.is_empty());
    config["controlFlow"] = json!({"stages": [], "pauseAfterStages": ["find"]});
    home.config(&config);
    assert_eq!(home.problems()[0].pointer, "/controlFlow/pauseAfterStages");
}

#[test]
fn a_folder_anywhere_can_be_checked() {
    let home = Home::new();
    let elsewhere = home.path().join("elsewhere/reader");
    fs::create_dir_all(elsewhere.parent().unwrap()).unwrap();
    fs::rename(home.folder(), &elsewhere).unwrap();
    assert!(home.workspace().check_agent(&elsewhere).is_ok());
    assert!(home.workspace().check_agent(&home.folder()).is_err());
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let home = Home::new();
    let plain = home.load().unwrap();
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    home.write("AGENT.md", windows(AGENT_MD));
    home.write("prompts/answer.md", windows(PROMPT));
    home.write("config.json", windows(&serde_json::to_string_pretty(&config()).unwrap()));
    assert_eq!(home.load().unwrap(), plain);
}

#[test]
fn a_data_directory_that_is_not_there_has_what_is_shipped() {
    let home = Home::new();
    let workspace = Workspace::open(&home.path().join("nothing"));
    assert!(workspace.agents().iter().all(|entry| entry.origin == Origin::Shipped));
    assert!(!home.path().join("nothing").exists(), "reading writes nothing");
}
