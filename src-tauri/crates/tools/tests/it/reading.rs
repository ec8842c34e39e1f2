//! Reading files and listing folders.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use domain::CallEffect;
use pretty_assertions::assert_eq;
use serde_json::json;
use tools::Kind;

use crate::rig::{Rig, run};

#[tokio::test]
async fn a_text_comes_with_line_numbers() {
    let rig = Rig::new();
    rig.put("src/main.rs", "fn main() {\n    run();\n}\n");
    let planned = rig.plan("read", json!({"path": "src/main.rs"})).await.unwrap();
    assert_eq!(planned.intent, "Read src/main.rs");
    let path = rig.folder().join("src/main.rs").display().to_string();
    assert_eq!(planned.effect, CallEffect::Read { path });
    let outcome = rig.call("read", json!({"path": "src/main.rs"})).await.unwrap();
    assert_eq!(outcome.text, "     1\tfn main() {\n     2\t    run();\n     3\t}");
    assert_eq!(outcome.summary, "3 lines");
}

#[tokio::test]
async fn a_long_file_is_read_in_parts_that_say_where_to_go_on() {
    let rig = Rig::new();
    let text: String = (1..=5_000).map(|n| format!("line {n}\n")).collect();
    rig.put("long.txt", &text);
    let first = rig.call("read", json!({"path": "long.txt"})).await.unwrap();
    // As far as it is shown to a model, which the whole 2,000 lines are not.
    assert!(first.text.len() <= tools::MAX_SHOWN_BYTES, "{}", first.text.len());
    let last = first.summary.strip_suffix(" of 5000 lines").unwrap().parse::<usize>().unwrap();
    let hint =
        format!("{last:>6}\tline {last}\n\n(Lines 1 to {last} of 5000. Go on with offset {}.)", last + 1);
    assert!(first.text.ends_with(&hint), "{last}");
    assert_eq!(first.data.unwrap()["lines"], 2_000);
    let part = rig.said("read", json!({"path": "long.txt", "offset": 4_999, "limit": 10})).await;
    assert_eq!(part, "  4999\tline 4999\n  5000\tline 5000\n\n(Lines 4999 to 5000, the last of 5000.)");
    let past = rig.said("read", json!({"path": "long.txt", "offset": 6_000})).await;
    assert_eq!(past, "(There is nothing from line 6000 on: the file has 5000 lines.)");
}

#[tokio::test]
async fn long_lines_are_cut_and_long_texts_end_within_the_cap() {
    let rig = Rig::new();
    rig.put("one.txt", format!("{}\nshort\n", "ü".repeat(400_000)));
    let text = rig.said("read", json!({"path": "one.txt"})).await;
    assert!(text.len() < 5_000, "{}", text.len());
    assert!(text.contains("more)\n     2\tshort"), "{}", &text[1_900..]);
    rig.put("wide.txt", format!("{}\n", "x".repeat(1_900)).repeat(1_900));
    let wide = rig.call("read", json!({"path": "wide.txt"})).await.unwrap();
    assert!(wide.text.len() < tools::MAX_SHOWN_BYTES, "{}", wide.text.len());
    assert!(wide.text.contains("Go on with offset 15"), "{}", &wide.text[wide.text.len() - 100..]);
    // A program is given more at once.
    assert_eq!(wide.data.unwrap()["lines"], 137);
}

/// Reads a file as a model does that follows every hint, until none is left.
async fn followed(rig: &Rig, path: &str) -> (String, usize) {
    let mut arguments = json!({"path": path});
    let (mut whole, mut calls) = (String::new(), 0);
    loop {
        let text = rig.said("read", arguments.clone()).await;
        assert!(text.len() <= tools::MAX_SHOWN_BYTES, "{arguments}: {}", text.len());
        calls += 1;
        let (lines, hints) = text.rsplit_once("\n\n(").unwrap_or((&text, ""));
        if hints.contains("nothing from line") || hints.is_empty() && text.starts_with("(There is nothing") {
            return (whole, calls);
        }
        for line in lines.lines() {
            whole.push_str(line.split_once('\t').unwrap().1.split("… (").next().unwrap());
        }
        let number = |word: &str| {
            let at = hints.find(word)? + word.len();
            hints[at..].split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        };
        match (number("with offset "), number("and column ")) {
            (Some(offset), Some(column)) => {
                arguments = json!({"path": path, "offset": offset, "column": column})
            }
            (Some(offset), None) => arguments = json!({"path": path, "offset": offset}),
            (None, _) => return (whole, calls),
        }
    }
}

#[tokio::test]
async fn what_read_names_as_the_next_call_gives_all_of_it() {
    let rig = Rig::new();
    let minified = "{\"k\":\"wörter\"},".repeat(6_000);
    let lines: String = (0..3_000).map(|n| format!("line {n} {}\n", "x".repeat(40))).collect();
    let stray: Vec<u8> = [minified.as_bytes(), b"\xff", minified.as_bytes()].concat();
    for (name, content) in [
        ("minified.json", minified.as_bytes().to_vec()),
        ("ended.json", format!("{minified}\n").into_bytes()),
        ("marked.json", [b"\xef\xbb\xbf", minified.as_bytes()].concat()),
        ("lines.txt", lines.clone().into_bytes()),
        ("stray.json", stray),
    ] {
        rig.put(name, &content);
        let (whole, calls) = followed(&rig, name).await;
        let expected = String::from_utf8_lossy(&content).replace('\n', "");
        assert_eq!(whole.len(), expected.trim_start_matches('\u{feff}').len(), "{name}, in {calls} calls");
        assert_eq!(whole, expected.trim_start_matches('\u{feff}'), "{name}");
        assert!((4..=12).contains(&calls), "{name}: {calls} calls");
    }
    let text = rig.said("read", json!({"path": "minified.json", "column": 50_000, "limit": 1})).await;
    assert!(text.contains("bytes 50000 to "), "{}", &text[text.len() - 200..]);
    let text = rig.said("read", json!({"path": "minified.json", "column": 900_000})).await;
    assert!(text.contains("the end of line 1"), "{text}");
}

#[tokio::test]
async fn other_encodings_are_read_and_told() {
    let rig = Rig::new();
    rig.put("mark.txt", b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe\n");
    assert_eq!(rig.said("read", json!({"path": "mark.txt"})).await, "     1\tGrüße");
    let wide: Vec<u8> =
        [0xfe_u8, 0xff].into_iter().chain("Grüße\n".encode_utf16().flat_map(u16::to_be_bytes)).collect();
    rig.put("wide.txt", wide);
    let text = rig.said("read", json!({"path": "wide.txt"})).await;
    assert_eq!(text, "     1\tGrüße\n\n(Note: the file is UTF-16 (big-endian).)");
    rig.put("old.txt", b"Gr\xfc\xdfe \x80\n");
    let text = rig.said("read", json!({"path": "old.txt"})).await;
    assert_eq!(
        text,
        "     1\tGrüße €\n\n(Note: the file is not UTF-8; it is read as Windows-1252, which is a guess.)"
    );
    // The first odd byte stands far behind what is looked at first.
    let late = [vec![b'a'; 20_000], b"\n\xfc\n".to_vec()].concat();
    rig.put("late.txt", late);
    assert!(rig.said("read", json!({"path": "late.txt"})).await.contains("     2\tü"));
    rig.put("empty.txt", "");
    assert_eq!(rig.said("read", json!({"path": "empty.txt"})).await, "(The file is empty.)");
}

#[tokio::test]
async fn pictures_and_documents_are_given_as_they_are_and_other_bytes_are_named() {
    let rig = Rig::new();
    let png = [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 100]].concat();
    rig.put("a/picture.png", &png);
    let outcome = rig.call("read", json!({"path": "a/picture.png"})).await.unwrap();
    assert_eq!(outcome.media.len(), 1);
    assert_eq!(
        (outcome.media[0].media_type.as_str(), outcome.media[0].name.as_str()),
        ("image/png", "picture.png")
    );
    assert_eq!(outcome.media[0].data, png);
    rig.put("paper.txt", b"%PDF-1.7\n%\x80\x81\n");
    let outcome = rig.call("read", json!({"path": "paper.txt"})).await.unwrap();
    assert_eq!(outcome.media[0].media_type, "application/pdf");
    rig.put("huge.png", [png, vec![0; 11 << 20]].concat());
    assert_eq!(rig.fails("read", json!({"path": "huge.png"})).await.kind, Kind::TooLarge);
    for (bytes, says) in
        [(b"\x7fELF\x02\x01\0\0".as_slice(), "ELF"), (b"PK\x03\x04\0\0", "ZIP"), (b"\0\x01\x02", "binary")]
    {
        rig.put("bytes", bytes);
        let error = rig.fails("read", json!({"path": "bytes"})).await;
        assert_eq!(error.kind, Kind::Refused);
        assert!(error.message.contains(says), "{error}");
    }
}

#[tokio::test]
async fn a_missing_file_is_told_with_what_is_called_alike() {
    let rig = Rig::new();
    rig.put("src/settings.rs", "");
    let error = rig.fails("read", json!({"path": "src/setting.rs"})).await;
    assert_eq!(error.kind, Kind::NotFound);
    assert_eq!(error.message, "there is no `src/setting.rs`");
    assert_eq!(error.guidance, "Beside it there is `settings.rs`.");
    let error = rig.fails("read", json!({"path": "src"})).await;
    assert!(error.guidance.contains("`list`"), "{error:?}");
    let error = rig.fails("list", json!({"path": "src/settings.rs"})).await;
    assert!(error.guidance.contains("`read`"), "{error:?}");
    let error = rig.fails("read", json!({"path": "src/settings.rs/x"})).await;
    assert_eq!(error.kind, Kind::NotFound);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn pipes_devices_and_sockets_are_refused_at_once() {
    let rig = Rig::new();
    let pipe = rig.folder().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(rig.folder().join("socket")).unwrap();
    for name in ["pipe", "socket"] {
        for tool in ["read", "search", "write", "edit"] {
            let arguments = match tool {
                "search" => json!({"path": name, "pattern": "x"}),
                "write" => json!({"path": name, "content": "x"}),
                "edit" => json!({"path": name, "old": "x", "new": "y"}),
                _ => json!({"path": name}),
            };
            let error = rig.fails(tool, arguments).await;
            assert!(matches!(error.kind, Kind::Refused | Kind::Failed), "{tool} {name}: {error:?}");
        }
    }
    // In a folder they are passed over.
    rig.put("a.txt", "x\n");
    assert!(rig.said("search", json!({"pattern": "x"})).await.contains("a.txt"));
}

#[tokio::test]
async fn wrong_arguments_are_told_by_name() {
    let rig = Rig::new();
    let error = rig.fails("read", json!({"file": "a"})).await;
    assert_eq!(error.kind, Kind::Arguments);
    assert!(error.message.contains("unknown field `file`, expected one of `path`"), "{error}");
    for arguments in
        [json!(null), json!({}), json!([]), json!("a"), json!({"path": 1}), json!({"path": "a", "limit": -1})]
    {
        assert_eq!(rig.fails("read", arguments).await.kind, Kind::Arguments);
    }
}

#[tokio::test]
async fn a_folder_is_listed_as_a_tree_without_what_is_ignored() {
    let rig = Rig::new();
    rig.put(".gitignore", "target\n*.log\n!keep.log\n");
    rig.put("src/deep/er/file.rs", "x");
    rig.put("src/main.rs", "fn main() {}");
    rig.put("src/.gitignore", "made.rs\n");
    rig.put("src/made.rs", "");
    rig.put("target/debug/big", "");
    rig.put("a.log", "");
    rig.put("keep.log", "");
    rig.put(".env", "SECRET=1");
    rig.put(".git/config", "");
    symlink(rig.outside(), rig.folder().join("link")).unwrap();
    let text = rig.said("list", json!({})).await;
    assert_eq!(text, "./\n  keep.log  0 bytes\n  link  (a link)\n  src/\n    deep/\n    main.rs  12 bytes");
    let text = rig.said("list", json!({"path": "src", "depth": 9, "hidden": true, "ignored": true})).await;
    assert!(
        text.contains("made.rs") && text.contains(".gitignore") && text.contains("      file.rs"),
        "{text}"
    );
    let text = rig.said("list", json!({"glob": "**/*.rs"})).await;
    assert_eq!(text, "src/deep/er/file.rs  1 byte\nsrc/main.rs  12 bytes");
    let none = rig.said("list", json!({"glob": ["*.py", "!x"]})).await;
    assert!(none.starts_with("(No file has such a name"), "{none}");
    assert_eq!(rig.fails("list", json!({"glob": "a[" })).await.kind, Kind::Arguments);
}

#[tokio::test]
async fn a_large_folder_is_listed_from_the_top() {
    let rig = Rig::new();
    for folder in 0..60 {
        for file in 0..40 {
            rig.put(&format!("f{folder:02}/{file:02}.txt"), "");
        }
    }
    let outcome = rig.call("list", json!({})).await.unwrap();
    assert_eq!(outcome.text.lines().count(), 62);
    assert!(
        outcome.text.ends_with("(60 of 2460 entries, 1 folder deep; list one of the folders, or use glob.)")
    );
    let flat = rig.said("list", json!({"glob": "*.txt"})).await;
    assert!(flat.ends_with("(1000 of 2400 files; name a narrower pattern.)"));
}

#[tokio::test]
async fn rules_that_are_links_or_endless_are_not_read() {
    let rig = Rig::new();
    rig.put("sub/a.txt", "x");
    symlink("/dev/zero", rig.folder().join(".gitignore")).unwrap();
    symlink(rig.outside().join("secret.txt"), rig.folder().join("sub/.ignore")).unwrap();
    assert!(rig.said("list", json!({})).await.contains("a.txt"));
    fs::remove_file(rig.folder().join(".gitignore")).unwrap();
    rig.put(".gitignore", "a".repeat(3 << 20));
    assert!(rig.said("list", json!({})).await.contains("a.txt"));
}

#[tokio::test]
async fn a_file_that_this_program_may_not_read_is_told_as_that() {
    let rig = Rig::new();
    let path = rig.put("closed.txt", "x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // The superuser may read everything.
        return;
    }
    assert_eq!(rig.fails("read", json!({"path": "closed.txt"})).await.kind, Kind::Refused);
}

#[tokio::test]
async fn the_sessions_own_folder_is_read_and_only_its_data_written() {
    let rig = Rig::new();
    fs::write(rig.own().join("attachments/a.txt"), "attached\n").unwrap();
    let path = rig.own().join("attachments/a.txt").display().to_string();
    assert_eq!(rig.said("read", json!({"path": path})).await, "     1\tattached");
    assert_eq!(rig.fails("write", json!({"path": path, "content": "x"})).await.kind, Kind::Refused);
    let data = rig.own().join("data/new/a.txt");
    rig.call("write", json!({"path": data.display().to_string(), "content": "x"})).await.unwrap();
    assert_eq!(fs::read_to_string(data).unwrap(), "x");
}

#[tokio::test]
async fn without_a_folder_there_is_nothing_to_read() {
    let rig = Rig::new();
    let mut at = rig.at();
    at.folders = vec![rig.root().join("gone")];
    at.own = rig.root().join("gone-too");
    let error = rig.tool("read").run(&json!({"path": "a"}), &at, run()).await.unwrap_err();
    assert_eq!(error.kind, Kind::Refused);
    assert!(error.guidance.contains("add a folder"));
}

#[tokio::test]
async fn a_folder_inside_of_another_one_is_where_paths_begin_and_no_way_out() {
    let rig = Rig::new();
    rig.put("inner/a.txt", "inner\n");
    let mut at = rig.at();
    at.folders = vec![rig.folder().join("inner"), rig.folder()];
    let read = |path: &str| {
        let (arguments, at, tool) = (json!({"path": path}), at.clone(), rig.tool("read"));
        async move { tool.run(&arguments, &at, run()).await }
    };
    assert_eq!(read("a.txt").await.unwrap().text, "     1\tinner");
    rig.put("b.txt", "outer\n");
    assert_eq!(read("../b.txt").await.unwrap().text, "     1\touter");
    // Somebody who may write in the outer one puts a link in the place of the inner one.
    fs::remove_dir_all(rig.folder().join("inner")).unwrap();
    symlink(rig.outside(), rig.folder().join("inner")).unwrap();
    assert_eq!(read("secret.txt").await.unwrap_err().kind, Kind::Refused);
}

#[tokio::test]
async fn a_folder_of_a_source_is_read_and_nothing_else() {
    let rig = Rig::new();
    rig.put("docs/a.md", "# A\nneedle\n");
    let tools = tools::of_folder("handbook", rig.folder().join("docs"), true, None);
    let names: Vec<&str> = tools.iter().map(|tool| tool.info().name.as_str()).collect();
    assert_eq!(names, ["handbook__read", "handbook__list", "handbook__search"]);
    assert!(tools.iter().all(|tool| tool.info().source == "handbook" && tool.info().trusted));
    let at = rig.at();
    let read = tools[0].run(&json!({"path": "a.md"}), &at, run()).await.unwrap();
    assert_eq!(read.text, "     1\t# A\n     2\tneedle");
    assert!(tools[2].run(&json!({"pattern": "needle"}), &at, run()).await.unwrap().text.contains("a.md"));
    for path in ["../secret.txt", rig.folder().to_str().unwrap()] {
        assert_eq!(tools[0].run(&json!({"path": path}), &at, run()).await.unwrap_err().kind, Kind::Refused);
    }
}

#[tokio::test]
async fn every_tool_has_a_card_that_models_and_people_can_read() {
    struct Nobody;
    #[async_trait::async_trait]
    impl tools::Asker for Nobody {
        async fn ask(
            &self,
            _: &tools::CallContext,
            _: &str,
            _: Option<&serde_json::Value>,
            _: &tokio_util::sync::CancellationToken,
        ) -> Result<String, tools::ToolError> {
            Ok(String::new())
        }
    }
    let parts = tools::Parts { asker: Some(std::sync::Arc::new(Nobody)), ..tools::Parts::default() };
    let names: Vec<String> = tools::built_in(&parts)
        .iter()
        .map(|tool| {
            let info = tool.info();
            assert!(!info.title.is_empty() && info.description.len() > 80, "{}", info.name);
            assert_eq!(info.parameters["type"], "object");
            for (name, property) in info.parameters["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{} {name}", info.name);
            }
            for required in info.parameters["required"].as_array().unwrap() {
                assert!(info.parameters["properties"].get(required.as_str().unwrap()).is_some());
            }
            assert!(info.hints.read_only.is_some() && info.deadline.as_secs() > 0);
            info.name.clone()
        })
        .collect();
    assert_eq!(
        names,
        [
            "read",
            "list",
            "search",
            "write",
            "edit",
            "patch",
            "fetch",
            "ask",
            "plan",
            "tasks",
            "result",
            "call_model"
        ]
    );
}
