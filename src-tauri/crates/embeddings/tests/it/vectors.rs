//! Vectors of a small model.

use std::fs;

use embeddings::{Embedder as _, LocalEncoder, Purpose};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::naive;
use crate::tiny::{self, Float, HIDDEN};

fn texts() -> Vec<String> {
    let long = ["audit", "risk", "control", "plan", "risk"].repeat(15);
    [0, 1, 2, 3, 7, 8, 9, 30, 31, 33, 62, 64, 75].map(|count| long[..count].join(" ")).to_vec()
}

fn near(found: &[f32], expected: &[f64]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| (f64::from(*found) - expected).abs() < 3e-4)
}

#[test]
fn vectors_equal_those_of_an_independent_implementation() {
    let folder = tempfile::tempdir().unwrap();
    let weights = tiny::weights();
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    tiny::write(folder.path(), Float::F32);
    for first_token in [false, true] {
        let pooling = json!({
            "word_embedding_dimension": HIDDEN,
            "pooling_mode_cls_token": first_token,
            "pooling_mode_mean_tokens": !first_token,
        });
        fs::write(folder.path().join("1_Pooling/config.json"), pooling.to_string()).unwrap();
        let encoder = LocalEncoder::open(folder.path()).unwrap();
        for (text, vector) in texts.iter().zip(encoder.embed(&texts, Purpose::Passage).unwrap()) {
            let expected = naive::encode(&weights, text, first_token);
            assert!(near(&vector, &expected), "{text}: {vector:?} instead of {expected:?}");
        }
    }
}

#[test]
fn each_kind_of_number_gives_the_same_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let [f32, f16, bf16] = [Float::F32, Float::F16, Float::Bf16].map(|float| {
        tiny::write(folder.path(), float);
        LocalEncoder::open(folder.path()).unwrap().embed(&["audit plan"], Purpose::Query).unwrap()
    });
    assert_eq!(f32, f16);
    assert_eq!(f32, bf16);
}

#[test]
fn a_vector_depends_neither_on_its_neighbours_nor_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    tiny::write(folder.path(), Float::F32);
    let texts: Vec<String> = texts().into_iter().cycle().take(60).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let one = LocalEncoder::open(folder.path()).unwrap().with_threads(1);
    let three = LocalEncoder::open(folder.path()).unwrap().with_threads(3);
    let alone: Vec<_> = texts.iter().flat_map(|text| one.embed(&[text], Purpose::Passage).unwrap()).collect();
    assert_eq!(one.embed(&texts, Purpose::Passage).unwrap(), alone);
    assert_eq!(three.embed(&texts, Purpose::Passage).unwrap(), alone);
    assert_eq!(one.embed(&[], Purpose::Query).unwrap(), Vec::<Vec<f32>>::new());
}

#[test]
fn prompts_stand_before_questions_and_paragraphs() {
    let folder = tempfile::tempdir().unwrap();
    tiny::write(folder.path(), Float::F32);
    let mut words = tiny::WORDS.map(str::to_owned);
    (words[8], words[9]) = ("ask".into(), "tell".into());
    fs::write(folder.path().join("vocab.txt"), words.join("\n")).unwrap();
    let prompts = json!({ "prompts": { "query": "ask ", "passage": "tell " } });
    fs::write(folder.path().join("config_sentence_transformers.json"), prompts.to_string()).unwrap();
    let encoder = LocalEncoder::open(folder.path()).unwrap();
    let weights = tiny::weights();
    for (purpose, prompted) in
        [(Purpose::Query, "query: risk plan"), (Purpose::Passage, "passage: risk plan")]
    {
        let vectors = encoder.embed(&["risk plan"], purpose).unwrap();
        assert!(near(&vectors[0], &naive::encode(&weights, prompted, false)), "{prompted}");
    }
}

#[test]
fn a_model_is_told_by_its_folder_and_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    let open = || LocalEncoder::open(&folder.path().join("tiny")).unwrap().model().clone();
    tiny::write(&folder.path().join("tiny"), Float::F32);
    let model = open();
    assert_eq!(model.dimensions, HIDDEN);
    assert!(
        model.id.starts_with("local:tiny:") && model.id.len() == "local:tiny:".len() + 12,
        "{}",
        model.id
    );
    assert_eq!(open(), model);
    tiny::write(&folder.path().join("tiny"), Float::F16);
    assert_ne!(open().id, model.id);
}

#[test]
fn a_text_beyond_the_model_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    tiny::write(folder.path(), Float::F32);
    fs::write(folder.path().join("sentence_bert_config.json"), r#"{"max_seq_length": 5}"#).unwrap();
    let encoder = LocalEncoder::open(folder.path()).unwrap();
    let vectors = encoder.embed(&["audit risk plan", "audit risk plan control"], Purpose::Passage).unwrap();
    assert_eq!(vectors[0], vectors[1]);
}
