//! Measuring search against judged queries.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use embeddings::{EmbedError, Embedder, Model, Purpose};
use knowledge::Mode;
use knowledge::eval::{
    Collection, EvalError, EvalOptions, Judgments, Measured, Run, compare, evaluate, score,
};
use pretty_assertions::assert_eq;

use crate::World;

fn judgments(rows: &[(&str, &str, i64)]) -> Judgments {
    let mut judgments = Judgments::new();
    for &(query, document, grade) in rows {
        judgments.entry(query.into()).or_default().insert(document.into(), grade);
    }
    judgments
}

fn run(rows: &[(&str, &str, f64)]) -> Run {
    let mut run = Run::default();
    rows.iter().for_each(|&(query, document, score)| run.add(query, document, score));
    run
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn measures_are_those_of_trec() {
    let judgments = judgments(&[("1", "a", 3), ("1", "b", 1), ("1", "c", 0), ("2", "a", 1), ("3", "z", 0)]);
    let run = run(&[("1", "c", 9.0), ("1", "b", 8.0), ("1", "x", 7.0), ("1", "a", 7.5)]);
    let scores = score(&run, &judgments);
    let one = scores.each["1"];
    let ideal = 3.0 + 1.0 / 3.0_f64.log2();
    close(one.ndcg_10, (1.0 / 3.0_f64.log2() + 3.0 / 2.0) / ideal);
    close(one.recall_100, 1.0);
    close(one.mrr, 0.5);
    // A judged query without results, or without anything relevant, counts as one.
    close(scores.mean.ndcg_10, one.ndcg_10 / 3.0);
    close(scores.mean.mrr, 0.5 / 3.0);
}

#[test]
fn ids_with_spaces_are_one_field_of_a_run() {
    let one = run(&[("question 1", "Art. 6(2)", 2.0), ("question 1", "AC-2", 1.0)]);
    let lines = one.to_trec("ours");
    assert!(lines.lines().all(|line| line.split_whitespace().count() == 6), "{lines}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run"), lines).unwrap();
    assert_eq!(Run::read(&folder.path().join("run")).unwrap(), one);
}

#[test]
fn pieces_of_a_long_document_count_as_the_document() {
    let long = format!("{} umbrella", "rain falls on the town ".repeat(4_000));
    let world = World::with(&[
        (
            "docs.jsonl",
            &format!(
                "{}\n{}\n",
                serde_json::json!({"_id": "a", "text": long}),
                serde_json::json!({"_id": "b", "text": "A hat."})
            ),
        ),
        ("queries.jsonl", "{\"_id\":\"1\",\"text\":\"umbrella\"}\n"),
        ("qrels.tsv", "query\tdocument\tscore\n1\ta\t1\n"),
    ]);
    let options = EvalOptions {
        folder: world.sources.path().into(),
        embedder: None,
        mode: Mode::Words,
        hops: 0,
        plain: false,
        links: None,
    };
    let found = evaluate(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(found.paragraphs, 3);
    assert_eq!(found.ways[0].run.ranked("1"), ["a"]);
}

#[test]
fn only_the_first_ten_and_the_first_hundred_count() {
    let names: Vec<String> = (0..120).map(|number| format!("d{number:03}")).collect();
    let mut run = Run::default();
    names.iter().for_each(|name| run.add("q", name, 1.0));
    let at = |rank: usize| score(&run, &judgments(&[("q", &names[rank - 1], 1)])).mean;
    close(at(10).ndcg_10, 1.0 / 11.0_f64.log2());
    close(at(11).ndcg_10, 0.0);
    close(at(100).recall_100, 1.0);
    close(at(100).mrr, 0.01);
    close(at(101).recall_100, 0.0);
    close(at(101).mrr, 0.0);
}

#[test]
fn a_run_is_read_as_it_was_written() {
    let world = World::new();
    let found = run(&[("q1", "2 CFR 200.1", 1.5), ("q1", "b", 1.5), ("q2", "a", 0.25)]);
    assert_eq!(found.to_trec("words").lines().next(), Some("q1 Q0 2%20CFR%20200.1 1 1.500000 words"));
    world.write("out.trec", found.to_trec("words").as_bytes());
    let path = world.sources.path().join("out.trec");
    assert_eq!(Run::read(&path).unwrap(), found);
    for wrong in ["q1 Q0 1 1.0 tag", "q1 Q0 a 1 high tag", "q1 Q0 a 1 NaN tag"] {
        world.write("out.trec", format!("q Q0 a 1 1.0 tag\n{wrong}\n").as_bytes());
        assert!(matches!(Run::read(&path), Err(EvalError::Line { line: 2, .. })), "{wrong}");
    }
}

#[test]
fn a_difference_has_an_interval_that_is_always_the_same() {
    let queries: Vec<String> = (0..50).map(|number| format!("q{number}")).collect();
    let judged = queries.iter().map(|query| (query.as_str(), "a", 1));
    let judged = judgments(&judged.collect::<Vec<_>>());
    let (mut good, mut poor) = (Run::default(), Run::default());
    for (number, query) in queries.iter().enumerate() {
        good.add(query, "a", 1.0);
        // Every fifth query is as good.
        poor.add(query, if number % 5 == 0 { "a" } else { "b" }, 1.0);
    }
    let (good, poor) = (score(&good, &judged), score(&poor, &judged));
    let found = compare(&good, &poor);
    close(found.difference, 0.8);
    assert_eq!((found.better, found.worse), (40, 0));
    assert!(0.6 < found.low && found.low < 0.8 && 0.8 < found.high && found.high < 0.95, "{found:?}");
    assert_eq!(compare(&good, &poor), found);
    let turned = compare(&poor, &good);
    close(turned.low, -found.high);
    let same = compare(&good, &good);
    assert_eq!((same.low, same.difference, same.high), (0.0, 0.0, 0.0));
}

const DOCS: &str = r#"{"_id":"kettle","title":"Kettle","text":"Water is boiled in a kettle before tea is made."}
{"_id":"roof","title":"Roof","text":"Tiles keep rain from the rooms below."}
{"_id":"boat","title":"Boat","text":"A hull floats, and oars move it over the lake."}
"#;
const QUERIES: &str = r#"{"_id":"1","text":"boiling water"}
{"_id":"2","text":"rain tiles"}
{"_id":"unjudged","text":"lake"}
"#;

fn folder(world: &World) -> PathBuf {
    world.write("docs.jsonl", DOCS.as_bytes());
    world.write("queries.jsonl", QUERIES.as_bytes());
    world.write("qrels.tsv", b"query-id\tcorpus-id\tscore\n1\tkettle\t1\n2\troof\t2\n3\tboat\t1\n");
    world.sources.path().to_owned()
}

/// Makes every text the same vector but for those about boats.
struct Boats(Model);

impl Embedder for Boats {
    fn model(&self) -> &Model {
        &self.0
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts
            .iter()
            .map(|text| if text.contains("oars") { vec![0.0, 1.0] } else { vec![1.0, 0.0] })
            .collect())
    }
}

fn options(folder: &Path) -> EvalOptions {
    EvalOptions {
        folder: folder.to_owned(),
        embedder: None,
        mode: Mode::Auto,
        hops: 0,
        plain: false,
        links: None,
    }
}

#[test]
fn a_folder_goes_through_ingest_and_search() {
    let world = World::new();
    let options = options(&folder(&world));
    let found = evaluate(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!((found.paragraphs, found.ways.len(), found.problems.len()), (3, 1, 0));
    let words = &found.ways[0];
    assert!(!words.with_model);
    // The third query is judged but not there.
    close(words.scores.mean.ndcg_10, 2.0 / 3.0);
    assert_eq!(words.run.ranked("1").first(), Some(&"kettle"));
    assert!(words.run.ranked("unjudged").is_empty());
    assert!(words.search.p50_ms <= words.search.p95_ms && words.search.p95_ms > 0.0);

    let model = Model { id: "test:boats".into(), dimensions: 2 };
    let options = EvalOptions { embedder: Some(Arc::new(Boats(model))), ..options };
    let found = evaluate(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(found.ways.iter().map(|one| one.with_model).collect::<Vec<_>>(), [false, true]);
    assert_eq!(found.model.as_deref(), Some("test:boats"));
    assert!(found.encoder.is_some());
    assert_eq!(found.ways[0].scores, words.scores);
    assert!(matches!(
        evaluate(&options, &mut |_| {}, &AtomicBool::new(true)),
        Err(EvalError::Cancelled | EvalError::Knowledge(knowledge::KnowledgeError::Cancelled))
    ));
}

#[test]
fn judgments_are_read_in_every_form_and_faults_are_placed() {
    let world = World::new();
    let folder = folder(&world);
    let expected = Collection::read(&folder).unwrap().judgments;
    assert_eq!(expected["2"]["roof"], 2);
    world.write("qrels.txt", b"1 0 kettle 1\n2 0 roof 2\n3 0 boat 1\n");
    std::fs::remove_file(folder.join("qrels.tsv")).unwrap();
    assert_eq!(Collection::read(&folder).unwrap().judgments, expected);
    let row = |query, document, grade| {
        format!("{{\"query-id\":\"{query}\",\"corpus-id\":\"{document}\",\"score\":{grade}}}\n")
    };
    world.write(
        "qrels.jsonl",
        [row("1", "kettle", 1), row("2", "roof", 2), row("3", "boat", 1)].concat().as_bytes(),
    );
    assert_eq!(Collection::read(&folder).unwrap().judgments, expected);
    world.write(
        "qrels.jsonl",
        b"{\"query-id\":\"1\",\"corpus-id\":\"kettle\",\"score\":1}\n{\"query-id\":\"1\"}\n",
    );
    assert!(matches!(Collection::read(&folder), Err(EvalError::Line { line: 2, .. })));
    std::fs::remove_file(folder.join("queries.jsonl")).unwrap();
    assert!(matches!(Collection::read(&folder), Err(EvalError::Missing { what: "queries.jsonl", .. })));
}

/// The vectors that stand beside a judged collection, by text.
struct Given {
    model: Model,
    vectors: HashMap<String, Vec<f32>>,
}

impl Given {
    fn beside(folder: &Path) -> Self {
        let rows = |name: &str| -> Vec<serde_json::Value> {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let text =
            |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().trim().to_owned();
        let documents = rows("docs.jsonl").into_iter().map(|row| (text(&row, "title"), text(&row, "text")));
        let documents =
            documents.map(|(title, text)| if title.is_empty() { text } else { format!("{title}\n{text}") });
        let queries = rows("queries.jsonl").into_iter().map(|row| text(&row, "text"));
        let dimensions = 384;
        let vectors = |name: &str| -> Vec<Vec<f32>> {
            let bytes = std::fs::read(folder.join(name)).unwrap();
            let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            let values: Vec<f32> =
                bytes[header..].as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
            values.chunks_exact(dimensions).map(<[f32]>::to_vec).collect()
        };
        let vectors =
            documents.zip(vectors("emb_docs.npy")).chain(queries.zip(vectors("emb_queries.npy"))).collect();
        Self { model: Model { id: "test:given".into(), dimensions }, vectors }
    }
}

impl Embedder for Given {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let given =
            |text: &&str| self.vectors.get(text.trim()).cloned().unwrap_or(vec![0.0; self.model.dimensions]);
        Ok(texts.iter().map(given).collect())
    }
}

#[test]
fn search_is_as_good_as_it_was_measured() {
    let corpora = std::env::var_os("AGENTNATIVE_CORPORA").map(PathBuf::from);
    let found = corpora.and_then(|folder| {
        let above = folder.parent()?.to_owned();
        [folder, above].into_iter().find(|folder| folder.join("judged").is_dir())
    });
    let Some(data) = found else {
        println!("skipped: AGENTNATIVE_CORPORA names no folder with judged collections");
        return;
    };
    let (controls, flows) = (data.join("judged/nist-csf"), data.join("judged/cranfield"));
    let links = data.join("corpora/nist-800-53.jsonl");
    // The folder, where its links are, hops, and what is reached without and with the model.
    let reached = [
        (&controls, None, 0, 0.40, 0.51),
        (&controls, None, 1, 0.40, 0.52),
        (&controls, Some(&links), 1, 0.40, 0.54),
        (&flows, None, 0, 0.38, 0.42),
    ];
    for (folder, links, hops, words, hybrid) in reached {
        let embedder: Arc<dyn Embedder> = Arc::new(Given::beside(folder));
        let links = links.cloned();
        let options = EvalOptions { embedder: Some(embedder), hops, links, ..options(folder) };
        let found = evaluate(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        for (measured, least) in found.ways.iter().zip([words, hybrid]) {
            let Measured { with_model, scores, search, .. } = measured;
            println!("{}, {hops} hops, model {with_model}: {:?}, {search:?}", folder.display(), scores.mean);
            assert!(scores.mean.ndcg_10 >= least, "{} is below {least}", scores.mean.ndcg_10);
        }
    }
}
