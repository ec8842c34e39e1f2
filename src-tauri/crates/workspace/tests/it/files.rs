//! Files that are broken as files: syntax, encoding, size, links; and the page's head.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Home, config};

/// The only problem after a file is written: file, line, expected, found.
fn after(name: &str, contents: impl AsRef<[u8]>) -> (String, Option<usize>, String, String) {
    let home = Home::new();
    home.write(name, contents);
    let mut problems = home.problems();
    assert_eq!(problems.len(), 1, "{problems:#?}");
    let problem = problems.remove(0);
    (problem.file, problem.line, problem.expected, problem.found)
}

fn told(
    file: &str,
    line: Option<usize>,
    expected: &str,
    found: &str,
) -> (String, Option<usize>, String, String) {
    (file.to_owned(), line, expected.to_owned(), found.to_owned())
}

#[test]
fn json_syntax_is_told_with_line_and_column() {
    assert_eq!(after("config.json", ""), told("config.json", Some(1), "JSON", "an empty file"));
    assert_eq!(
        after("config.json", "{\n  \"slug\": \"reader\",\n}"),
        told("config.json", Some(3), "JSON", "an error at column 1 (trailing comma)")
    );
    assert_eq!(after("config.json", "[".repeat(10_000)).2, "JSON");
    assert_eq!(
        after("schemas/answer.json", "{\n\"type\": }"),
        told("schemas/answer.json", Some(2), "JSON", "an error at column 9 (expected value)")
    );
}

#[test]
fn a_name_that_stands_twice_in_an_object_is_a_problem() {
    let text = serde_json::to_string_pretty(&config()).unwrap().replacen('{', "{\n\"slug\": \"reader\",", 1);
    let home = Home::new();
    home.write("config.json", text);
    let problems = home.problems();
    assert_eq!(problems[0].pointer, "/slug");
    assert_eq!(problems[0].expected, "each name once in an object");
}

#[test]
fn several_problems_of_a_file_are_told_at_once() {
    let home = Home::new();
    let mut config = config();
    config["slug"] = json!("writer");
    config["controlFlow"]["stages"][1]["prompt"] = json!("none.md");
    config["controlFlow"]["stages"][3]["document"]["answer"] = json!("outputs.answer.txt");
    home.config(&config);
    home.write("AGENT.md", "no head");
    let pointers: Vec<(String, String)> =
        home.problems().into_iter().map(|problem| (problem.file, problem.pointer)).collect();
    let config = |pointer: &str| ("config.json".to_owned(), pointer.to_owned());
    assert_eq!(
        pointers,
        [
            ("AGENT.md".to_owned(), String::new()),
            config("/controlFlow/stages/1/prompt"),
            config("/slug"),
            config("/controlFlow/stages/3/document/answer"),
        ]
    );
}

#[test]
fn prompts_are_checked_in_their_own_lines() {
    assert_eq!(
        after("prompts/answer.md", "one\ntwo {{ outputs.find.hit }}\n"),
        told("prompts/answer.md", Some(2), "a field of `outputs.find` (hits)", "`outputs.find.hit`")
    );
    let (file, line, expected, _) = after("prompts/answer.md", "one\n{% for x in y %}\n");
    assert_eq!((file.as_str(), line.is_some(), expected.as_str()), ("prompts/answer.md", true, "a template"));
    assert_eq!(after("prompts/mend.md", " \n"), told("prompts/mend.md", None, "a prompt", "an empty file"));
}

#[test]
fn the_head_of_the_agents_page_is_checked() {
    let head = |text: &str| after("AGENT.md", format!("---\n{text}\n---\nbody"));
    assert_eq!(after("AGENT.md", "# Reader\n").2, "YAML front matter between two lines of `---`");
    assert_eq!(head("name: R\ndescription: D\nsource: []").3, "the unknown field `source`");
    assert_eq!(head("name: R").2, "the field `description` (a text)");
    assert_eq!(head("name: [R]\ndescription: D"), told("AGENT.md", None, "a text", "a list of 1"));
    let (_, line, expected, _) = head("name: R\ndescription: \"D");
    assert_eq!((line.is_some(), expected.as_str()), (true, "YAML"));
    assert_eq!(
        head("name: R\ndescription: D\nsources: [other]").2,
        "a source that config.json lists (knowledge-base)"
    );
    assert_eq!(head(&format!("name: {}", "x".repeat(20_000))).2, "front matter of at most 16384 bytes");
    let home = Home::new();
    std::fs::remove_file(home.folder().join("AGENT.md")).unwrap();
    assert_eq!(home.problems()[0].found, "no file of that name");
}

#[test]
fn a_head_that_multiplies_itself_is_refused_at_once() {
    let mut head = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..40 {
        head.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")));
    }
    let begun = Instant::now();
    let (file, _, expected, _) = after("AGENT.md", format!("---\nname: R\ndescription: D\n{head}---\n"));
    assert_eq!((file.as_str(), expected.as_str()), ("AGENT.md", "YAML"));
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn files_that_are_too_large_or_not_text_are_told_as_such() {
    assert_eq!(
        after("prompts/answer.md", vec![b'x'; 1024 * 1024 + 1]),
        told("prompts/answer.md", None, "at most 1 MiB", "1048577 bytes")
    );
    assert_eq!(
        after("prompts/answer.md", b"one\ntwo \xff\n"),
        told("prompts/answer.md", Some(2), "UTF-8 text", "bytes that are not UTF-8")
    );
    assert_eq!(after("config.json", b"\xff\xfe{\0}\0"), told("config.json", Some(1), "UTF-8 text", "UTF-16"));
    assert_eq!(after("config.json", vec![b' '; 1024 * 1024 + 1]).2, "at most 1 MiB");
}

#[test]
fn a_link_may_not_lead_out_of_the_folder() {
    let home = Home::new();
    let outside = home.path().join("outside.md");
    std::fs::write(&outside, "secret").unwrap();
    let prompt = home.folder().join("prompts/answer.md");
    std::fs::remove_file(&prompt).unwrap();
    symlink(&outside, &prompt).unwrap();
    let problems = home.problems();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].pointer, "/controlFlow/stages/1/prompt");
    assert_eq!(problems[0].found, "`answer.md`: a symbolic link that leads out of it");

    let inside = home.folder().join("prompts/other.md");
    std::fs::remove_file(&prompt).unwrap();
    std::fs::write(&inside, "Answer.").unwrap();
    symlink(&inside, &prompt).unwrap();
    assert_eq!(home.problems(), []);
}

#[test]
fn a_huge_graph_is_refused_without_looking_closer() {
    let home = Home::new();
    let stage = |index: usize| json!({"id": index, "name": format!("s{index}"), "title": "", "kind": "tools", "when": "request"});
    let mut config = config();
    config["controlFlow"] = json!({"stages": (0..8_000).map(stage).collect::<Vec<_>>()});
    home.write("config.json", config.to_string());
    let begun = Instant::now();
    assert_eq!(home.problems()[0].found, "8000 stages");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn many_problems_are_found_fast_and_the_first_hundred_are_told() {
    let unknown: serde_json::Map<String, serde_json::Value> =
        (0..50_000).map(|index| (format!("field{index}"), json!(1))).collect();
    let choices: Vec<_> = (0..5_000)
        .map(|index| json!({"id": format!("c{index}"), "label": "", "action": "skip", "matches": ["(((a{900}){900}"]}))
        .collect();
    let sections: Vec<_> =
        (0..8_000).map(|_| json!({"section": "x", "value": "outputs.x.y | shuffle"})).collect();
    for (pointer, name, value) in [
        ("", "orchestrator", json!(unknown)),
        ("/controlFlow/stages/0/pause", "choices", json!(choices)),
        ("/controlFlow/stages/0", "context", json!(sections)),
    ] {
        let home = Home::new();
        let mut config = config();
        config.pointer_mut(pointer).unwrap()[name] = value;
        home.write("config.json", config.to_string());
        let begun = Instant::now();
        assert!((1..=100).contains(&home.problems().len()), "{name}");
        assert!(begun.elapsed() < Duration::from_secs(120), "{name}: {:?}", begun.elapsed());
    }
}

#[test]
fn a_named_pipe_in_place_of_a_prompt_is_refused_without_waiting() {
    let home = Home::new();
    let prompt = home.folder().join("prompts/answer.md");
    std::fs::remove_file(&prompt).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&prompt).status().unwrap().success());
    assert_eq!(home.problems()[0].found, "`answer.md`: a folder, pipe or device");
}

#[test]
fn a_file_of_a_built_in_agent_can_be_named_and_data_is_read() {
    let home = Home::new();
    let mut config = config();
    config["controlFlow"]["stages"][1]["outputSchema"] =
        json!("@standards-research/schemas/synthesis.schema.json");
    config["controlFlow"]["stages"][1]["prompt"] = json!("@standards-research/judge.md");
    config["controlFlow"]["stages"][2]["steps"][0]["args"] = json!({ "quotes": "{{ data.quotes }}" });
    config["data"] = json!({ "quotes": "quotes.json" });
    home.config(&config);
    home.write("quotes.json", r#"["a"]"#);
    let agent = home.load().unwrap();
    assert_eq!(agent.data["quotes"], json!(["a"]));
    assert!(agent.prompts["@standards-research/judge.md"].contains("EVIDENCE"));
    assert_eq!(agent.schemas.values().next().unwrap()["title"], "Cited synthesis");

    home.write("quotes.json", r#"{"a": 1, "a": 2}"#);
    assert_eq!(home.problems().len(), 1);
    home.write("quotes.json", "[");
    assert_eq!(home.problems()[0].file, "quotes.json");
}
