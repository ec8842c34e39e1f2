//! Model folders with something wrong give an error that says where and what.

use std::fs;
use std::path::Path;

use embeddings::{EmbedError, LocalEncoder};
use serde_json::{Value, json};

use crate::tiny::{self, Float, HIDDEN};

fn refusal(change: impl Fn(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    tiny::write(folder.path(), Float::F32);
    change(folder.path());
    match LocalEncoder::open(folder.path()).err() {
        Some(EmbedError::Files { path, what }) => format!("{path}: {what}"),
        other => panic!("not an error about files: {other:?}"),
    }
}

#[test]
fn each_missing_file_is_named() {
    for file in ["config.json", "vocab.txt", "1_Pooling/config.json", "model.safetensors"] {
        let words = refusal(|folder| fs::remove_file(folder.join(file)).unwrap());
        assert!(words.contains(&format!("{file}: missing")), "{words}");
        let words = refusal(|folder| {
            fs::remove_file(folder.join(file)).unwrap();
            fs::create_dir(folder.join(file)).unwrap();
        });
        assert!(words.contains(file) && words.contains("not a regular file"), "{words}");
    }
    let words = refusal(|folder| fs::remove_dir_all(folder).unwrap());
    assert!(words.contains("not a folder"), "{words}");
}

#[test]
fn settings_that_are_not_supported_are_named() {
    let config = |key: &str, value: Value| {
        let mut config = tiny::config();
        config[key] = value;
        ("config.json", config)
    };
    let tokenizer = |normalizer: &str, split: &str, model: Value| {
        let file = json!({ "normalizer": { "type": normalizer }, "pre_tokenizer": { "type": split }, "model": model });
        ("tokenizer.json", file)
    };
    let words = json!({ "[UNK]": 0, "[CLS]": 1, "[SEP]": 2 });
    let pooling = |key: &str, value: Value| {
        let mut file = json!({ "word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": true });
        file[key] = value;
        ("1_Pooling/config.json", file)
    };
    for ((file, value), expected) in [
        (config("model_type", json!("roberta")), "BERT family"),
        (config("hidden_act", json!("relu")), "hidden_act"),
        (config("position_embedding_type", json!("relative_key")), "position_embedding_type"),
        (config("hidden_size", json!(0)), "hidden_size is 0"),
        (config("hidden_size", json!(-1)), "not in the published form"),
        (config("hidden_size", json!(1_000_000_000)), "hidden_size"),
        (config("num_attention_heads", json!(3)), "multiple"),
        (config("num_hidden_layers", json!(49)), "num_hidden_layers"),
        (config("num_hidden_layers", json!(3)), "encoder.layer.2"),
        (config("vocab_size", json!(5)), "files of different models"),
        (config("vocab_size", json!(400_000)), "shape"),
        (config("layer_norm_eps", json!(7)), "layer_norm_eps"),
        (("config.json", json!([])), "not in the published form"),
        (pooling("word_embedding_dimension", json!(9)), "word_embedding_dimension"),
        (pooling("pooling_mode_max_tokens", json!(true)), "pooling"),
        (pooling("pooling_mode_cls_token", json!(true)), "pooling"),
        (pooling("pooling_mode_mean_tokens", json!(false)), "pooling"),
        (
            ("modules.json", json!([{ "path": "2_Dense", "type": "sentence_transformers.models.Dense" }])),
            "a step",
        ),
        (("modules.json", json!([{ "path": "../x", "type": "a.Pooling" }])), "not the name of a folder"),
        (("sentence_bert_config.json", json!({ "max_seq_length": 2 })), "max_seq_length"),
        (
            ("config_sentence_transformers.json", json!({ "prompts": { "query": "a".repeat(3_000) } })),
            "prompt",
        ),
        (tokenizer("NFKC", "BertPreTokenizer", json!({ "vocab": words })), "BertNormalizer"),
        (tokenizer("BertNormalizer", "ByteLevel", json!({ "vocab": words })), "BertPreTokenizer"),
        (
            tokenizer("BertNormalizer", "BertPreTokenizer", json!({ "type": "BPE", "vocab": words })),
            "WordPiece",
        ),
        (tokenizer("BertNormalizer", "BertPreTokenizer", json!({ "vocab": [] })), "WordPiece"),
        (tokenizer("BertNormalizer", "BertPreTokenizer", json!({ "vocab": { "a": -1 } })), "vocabulary"),
        (tokenizer("BertNormalizer", "BertPreTokenizer", json!({ "vocab": { "a": 1 } })), "[UNK] is missing"),
    ] {
        let words = refusal(|folder| fs::write(folder.join(file), value.to_string()).unwrap());
        assert!(
            words.contains(expected) && words.contains(file.split('/').next_back().unwrap())
                || words.contains("model.safetensors") && words.contains(expected),
            "{expected}: {words}"
        );
    }
}

#[test]
fn damaged_weights_are_refused() {
    for (change, expected) in [
        (f32::NAN, "encoder.layer.1.intermediate.dense.weight: holds NaN"),
        (f32::INFINITY, "encoder.layer.1.intermediate.dense.weight: holds NaN"),
    ] {
        let words = refusal(|folder| {
            let mut weights = tiny::weights();
            weights.get_mut("encoder.layer.1.intermediate.dense.weight").unwrap().1[3] = change;
            fs::write(folder.join("model.safetensors"), tiny::safetensors(&weights, Float::F32)).unwrap();
        });
        assert!(words.contains(expected), "{words}");
    }
    let whole = tiny::safetensors(&tiny::weights(), Float::F32);
    for length in [0, 7, 8, 100, whole.len() / 2, whole.len() - 1] {
        let words = refusal(|folder| fs::write(folder.join("model.safetensors"), &whole[..length]).unwrap());
        assert!(words.contains("model.safetensors") && words.contains("download"), "{length}: {words}");
    }
}

#[test]
fn weights_whose_numbers_overflow_are_reported_when_they_do() {
    use embeddings::{Embedder as _, Purpose};
    let folder = tempfile::tempdir().unwrap();
    tiny::write(folder.path(), Float::F32);
    let mut weights = tiny::weights();
    for (name, (_, numbers)) in &mut weights {
        if name.ends_with("LayerNorm.weight") {
            numbers.fill(3e38);
        }
    }
    fs::write(folder.path().join("model.safetensors"), tiny::safetensors(&weights, Float::F32)).unwrap();
    let encoder = LocalEncoder::open(folder.path()).unwrap();
    assert!(matches!(encoder.embed(&["audit"], Purpose::Query), Err(EmbedError::Files { .. })));
}
