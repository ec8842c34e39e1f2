//! The rules for federal regulations and for European law, held against corpora whose ids and references are known.
//! Runs where AGENTNATIVE_CORPORA names their folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use knowledge::{Base, Paragraph, ingest};
use serde_json::Value;

use crate::World;

struct Row {
    id: String,
    section: String,
    title: String,
    text: String,
    /// References to places of the same document.
    refs: BTreeSet<String>,
}

/// The rows of a corpus; `None` where there are no corpora.
fn rows(file: &str) -> Option<Vec<Row>> {
    let path = PathBuf::from(std::env::var_os("AGENTNATIVE_CORPORA")?).join(file);
    let Ok(text) = std::fs::read_to_string(&path)
        .or_else(|_| std::fs::read_to_string(path.with_file_name("corpora").join(file)))
    else {
        return None;
    };
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let inner = ["article", "annex", "paragraph", "section"];
        let refs = row["refs"].as_array().unwrap().iter();
        let refs = refs.filter(|one| inner.contains(&one["rel"].as_str().unwrap_or_default()));
        Row {
            id: field("id"),
            section: field("section"),
            title: field("title"),
            text: field("text"),
            refs: refs.map(|one| one["to"].as_str().unwrap().to_owned()).collect(),
        }
    };
    Some(text.lines().map(row).collect())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn base(name: &str, text: &str, rules: &str) -> (World, Base) {
    let world = World::with(&[(name, text)]);
    let report =
        ingest(&world.options(world.sources.path()), &mut |_| {}, &std::sync::atomic::AtomicBool::new(false))
            .unwrap();
    assert_eq!(report.files[0].rules, rules);
    let base = world.base();
    (world, base)
}

/// Shares of ids, texts and references that agree, in hundredths; references found and references right.
fn agreement(rows: &[Row], base: &Base) -> [usize; 4] {
    let found: BTreeMap<&str, &Paragraph> =
        base.paragraphs().iter().map(|one| (one.id.as_str(), one)).collect();
    let known: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let within = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).take(60).collect::<String>();
    let (mut ids, mut texts, mut wanted, mut reached, mut made, mut right) = (0, 0, 0, 0, 0, 0);
    for row in rows {
        let Some(paragraph) = found.get(row.id.as_str()) else {
            println!("no {}", row.id);
            continue;
        };
        ids += 1;
        let text =
            &row.text[row.text.find(") ").filter(|_| row.text.starts_with('(')).map_or(0, |at| at + 2)..];
        texts +=
            usize::from(letters(&paragraph.text).contains(&letters(text)[..letters(text).len().min(30)]));
        let refs: Vec<&str> =
            paragraph.refs.iter().filter(|one| one.kind == "mentions").map(|one| one.to.as_str()).collect();
        // What leads to the row's own paragraph or out of the sample is not kept.
        for to in row.refs.iter().filter(|to| known.iter().any(|id| within(id, to)) && !within(&row.id, to)) {
            wanted += 1;
            if refs.iter().any(|one| within(one, to)) {
                reached += 1;
            } else {
                println!("{} does not lead to {to}: {refs:?}", row.id);
            }
        }
        for one in refs.iter().filter(|one| !within(&row.id, one)) {
            made += 1;
            if row.refs.iter().any(|to| within(one, to)) {
                right += 1;
            } else {
                println!("{} leads to {one}, not among {:?}", row.id, row.refs);
            }
        }
    }
    let share = |part: usize, whole: usize| 100 * part / whole.max(1);
    println!(
        "{ids} of {} ids, {texts} texts, {reached} of {wanted} references, {right} of {made} right",
        rows.len()
    );
    [share(ids, rows.len()), share(texts, ids), share(reached, wanted), share(right, made)]
}

#[test]
fn regulations_have_the_ids_of_the_corpus() {
    let Some(rows) = rows("cfr-audit.jsonl") else {
        return println!("skipped: AGENTNATIVE_CORPORA names no folder with cfr-audit.jsonl");
    };
    // Definitions have no designators of their own there; appendices are numbered by hand.
    let rows: Vec<Row> = rows
        .into_iter()
        .filter(|row| {
            row.id.starts_with("2 CFR 200.") && row.section != "200.1" && !row.id.contains(['~', '['])
        })
        .collect();
    let mut xml = String::from(
        "<?xml version=\"1.0\"?><DIV1 N=\"2\" TYPE=\"TITLE\"><HEAD>Title 2—Federal Financial Assistance</HEAD>\
         <DIV5 N=\"200\" TYPE=\"PART\"><HEAD>PART 200—UNIFORM REQUIREMENTS</HEAD>",
    );
    let mut section = "";
    for row in &rows {
        if row.section != section {
            let end = if section.is_empty() { "" } else { "</DIV8>" };
            let (number, title) = (&row.section, escaped(&row.title));
            let _ = write!(
                xml,
                "{end}<DIV8 N=\"§ {number}\" TYPE=\"SECTION\"><HEAD>§ {number}   {title}.</HEAD>"
            );
            section = &row.section;
        }
        let _ = write!(xml, "<P>{}</P>", escaped(&row.text));
    }
    xml.push_str("</DIV8></DIV5></DIV1>");
    let (_world, base) = base("title-2.xml", &xml, "cfr");
    let found = agreement(&rows, &base);
    // It has some items below the wrong one; of a range of sections it has the ends, not those between.
    assert!(found.iter().zip([90, 98, 90, 55]).all(|(found, least)| *found >= least), "{found:?}");
}

#[test]
fn european_law_has_the_ids_of_the_corpus() {
    let Some(rows) = rows("eu-ai-act.jsonl") else {
        return println!("skipped: AGENTNATIVE_CORPORA names no folder with eu-ai-act.jsonl");
    };
    let rows: Vec<Row> = rows.into_iter().filter(|row| !row.id.starts_with("Annex")).collect();
    let mut html = String::from(
        "<html><body><p class=\"oj-doc-ti\">REGULATION (EU) 2024/1689</p><p class=\"oj-normal\">Whereas:</p>",
    );
    let number = |id: &str| id.split([' ', '(']).nth(1).unwrap_or_default().to_owned();
    let mut recitals: Vec<&Row> = rows.iter().filter(|row| row.id.starts_with("Recital")).collect();
    recitals.sort_by_key(|row| number(&row.id).parse::<u32>().unwrap());
    for row in recitals {
        let (number, text) = (number(&row.id), escaped(&row.text));
        let _ = write!(
            html,
            "<div class=\"eli-subdivision\" id=\"rct_{number}\"><table><tr><td><p class=\"oj-normal\">({number})</p></td><td><p class=\"oj-normal\">{text}</p></td></tr></table></div>"
        );
    }
    html.push_str("<p class=\"oj-normal\">HAVE ADOPTED THIS REGULATION:</p>");
    let mut article = String::new();
    for row in rows.iter().filter(|row| row.id.starts_with("Art")) {
        let own = number(&row.id);
        if own != article {
            let title = escaped(&row.title);
            let _ = write!(
                html,
                "<div class=\"eli-subdivision\" id=\"art_{own}\"><p class=\"oj-ti-art\">Article {own}</p><p class=\"oj-sti-art\">{title}</p></div>"
            );
            article = own;
        }
        let text = escaped(&row.text);
        let paragraph = row.id.split_once('(').map(|(_, rest)| rest.trim_end_matches(')'));
        match paragraph {
            // Definitions are points of two columns.
            Some(number) if article == "3" => {
                let _ = write!(
                    html,
                    "<table><tr><td><p class=\"oj-normal\">({number})</p></td><td><p class=\"oj-normal\">{text}</p></td></tr></table>"
                );
            }
            Some(number) => {
                let _ = write!(html, "<p class=\"oj-normal\">{number}.&#160;&#160;&#160;{text}</p>");
            }
            None => {
                let _ = write!(html, "<p class=\"oj-normal\">{text}</p>");
            }
        }
    }
    html.push_str("</body></html>");
    let (_world, base) = base("act.html", &html, "eu-law");
    let found = agreement(&rows, &base);
    assert!(found.iter().zip([98, 98, 95, 80]).all(|(found, least)| *found >= least), "{found:?}");
}
