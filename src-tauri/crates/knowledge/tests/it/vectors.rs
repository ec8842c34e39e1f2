//! Vectors of a model beside the words.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use embeddings::{EmbedError, Embedder, Model, Purpose};
use knowledge::{Base, HitOrigin, KnowledgeError, Mode, Query, ingest};
use pretty_assertions::assert_eq;

use crate::World;

/// A small model of its own kind: it knows three topics and the words that belong to each.
struct Topics {
    model: Model,
    texts: Mutex<Vec<String>>,
    calls: AtomicUsize,
}

const TOPICS: [&[&str]; 3] =
    [&["boat", "ship", "vessel", "harbour"], &["bread", "loaf", "oven"], &["winter", "frost", "snow"]];

impl Topics {
    fn new(id: &str) -> Arc<Self> {
        let model = Model { id: id.to_owned(), dimensions: TOPICS.len() };
        Arc::new(Self { model, texts: Mutex::default(), calls: AtomicUsize::new(0) })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let text = text.to_lowercase();
        TOPICS.map(|words| words.iter().filter(|word| text.contains(**word)).count() as f32).to_vec()
    }

    fn embedded(&self) -> Vec<String> {
        let mut texts = std::mem::take(&mut *self.texts.lock().unwrap());
        texts.sort();
        texts
    }
}

impl Embedder for Topics {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        assert_eq!(purpose, Purpose::Passage);
        assert!(texts.len() <= 64);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.texts.lock().unwrap().extend(texts.iter().map(|&text| text.to_owned()));
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

const ROWS: &str = r#"{"id":"1","title":"Sea","text":"Every vessel is counted in the harbour.","items":[{"id":"1(a)","text":"vessel"}],"refs":[]}
{"id":"2","text":"A loaf comes out of the oven.","refs":[]}
{"id":"3","text":"Frost and snow stop the work.","refs":[]}
"#;

fn base_with(world: &World, model: &Arc<Topics>) -> Base {
    let mut options = world.options(world.sources.path());
    options.embedder = Some(Arc::<Topics>::clone(model));
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    Base::open(world.home.path(), "primer").unwrap()
}

fn asked(model: &Topics, text: &str, mode: Mode) -> Query {
    Query { text: text.to_owned(), mode, vector: Some(model.vector(text)), ..Query::default() }
}

#[test]
fn a_paragraph_without_the_words_is_found_by_its_vector() {
    let (world, model) = (World::with(&[("rows.jsonl", ROWS)]), Topics::new("topics"));
    let base = base_with(&world, &model);
    let hits = base.search(&asked(&model, "which ship", Mode::Auto)).unwrap();
    assert_eq!((hits[0].id.as_str(), &hits[0].via), ("1", &HitOrigin::Similarity));
    assert_eq!((hits[0].why.similarity, hits[0].why.similarity_rank), (Some(1.0), Some(1)));
    let hits = base.search(&asked(&model, "loaf", Mode::Auto)).unwrap();
    assert_eq!((hits[0].id.as_str(), hits[0].score, &hits[0].via), ("2", 1.0, &HitOrigin::Words));
    assert_eq!(base.search(&asked(&model, "which ship", Mode::Words)).unwrap(), []);
    assert_eq!(base.search(&asked(&model, "snow", Mode::Vectors)).unwrap()[0].id, "3");
}

#[test]
fn only_new_texts_go_to_the_model() {
    let (world, model) = (World::with(&[("rows.jsonl", ROWS)]), Topics::new("topics"));
    base_with(&world, &model);
    assert_eq!(model.embedded().len(), 3);
    world.write("rows.jsonl", ROWS.replace("Frost and snow stop", "Snow stops").as_bytes());
    let base = base_with(&world, &model);
    assert_eq!(model.embedded(), ["Snow stops the work."]);
    assert_eq!(base.search(&asked(&model, "ship", Mode::Vectors)).unwrap()[0].id, "1");
    let other = Topics::new("another");
    base_with(&world, &other);
    assert_eq!(other.embedded().len(), 3);
}

#[test]
fn the_same_texts_and_model_give_the_same_bytes() {
    let bytes = |_: u32| {
        let world = World::with(&[("rows.jsonl", ROWS)]);
        base_with(&world, &Topics::new("topics"));
        fs::read(world.home.path().join("knowledge/primer/g000001/vectors.bin")).unwrap()
    };
    assert_eq!(bytes(1), bytes(2));
}

#[test]
fn a_vector_of_another_length_or_a_base_without_vectors_is_an_error_that_says_so() {
    let (world, model) = (World::with(&[("rows.jsonl", ROWS)]), Topics::new("topics"));
    let base = base_with(&world, &model);
    let query = Query { vector: Some(vec![1.0; 7]), ..asked(&model, "ship", Mode::Auto) };
    let refused = base.search(&query).unwrap_err();
    assert!(matches!(refused, KnowledgeError::OtherVector { expected: 3, found: 7, .. }), "{refused}");
    let query = Query { vector: None, ..asked(&model, "ship", Mode::Vectors) };
    assert!(matches!(base.search(&query), Err(KnowledgeError::NoVectors { .. })));
    let plain = World::with(&[("rows.jsonl", ROWS)]);
    let plain = plain.base();
    assert!(matches!(
        plain.search(&asked(&model, "ship", Mode::Vectors)),
        Err(KnowledgeError::NoVectors { .. })
    ));
    assert_eq!(plain.search(&asked(&model, "loaf", Mode::Auto)).unwrap()[0].id, "2");
}

#[test]
fn damaged_vectors_are_named_and_words_still_answer() {
    let (world, model) = (World::with(&[("rows.jsonl", ROWS)]), Topics::new("topics"));
    base_with(&world, &model);
    let path = world.home.path().join("knowledge/primer/g000001/vectors.bin");
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        for bytes in [&flipped[..], &whole[..at]] {
            fs::write(&path, bytes).unwrap();
            let base = Base::open(world.home.path(), "primer").unwrap();
            let refused = base.search(&asked(&model, "ship", Mode::Auto));
            assert!(matches!(refused, Err(KnowledgeError::Damaged { .. })), "at {at}");
            assert_eq!(base.search(&asked(&model, "loaf", Mode::Words)).unwrap()[0].id, "2");
        }
    }
}

#[test]
fn a_cancelled_ingest_stops_before_the_model_is_asked_again() {
    let (world, model) = (World::new(), Topics::new("topics"));
    let row = |n: usize| format!("{{\"id\":\"{n}.1\",\"text\":\"Ship number {n}.\",\"refs\":[]}}\n");
    world.write("rows.jsonl", (0..200).map(row).collect::<String>().as_bytes());
    let mut options = world.options(world.sources.path());
    options.embedder = Some(Arc::<Topics>::clone(&model));
    let cancel = AtomicBool::new(false);
    let stopped = ingest(
        &options,
        &mut |_| {
            if model.calls.load(Ordering::Relaxed) == 1 {
                cancel.store(true, Ordering::Relaxed);
            }
        },
        &cancel,
    );
    assert!(matches!(stopped, Err(KnowledgeError::Cancelled)));
    assert!(model.calls.load(Ordering::Relaxed) <= 2);
    assert!(Base::open(world.home.path(), "primer").is_err());
}
