//! A model folder made here: two layers of eight dimensions with made-up weights and words.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

pub const HIDDEN: usize = 8;
pub const HEADS: usize = 2;
pub const INTERMEDIATE: usize = 12;
pub const LAYERS: usize = 2;
pub const POSITIONS: usize = 80;
pub const WORDS: [&str; 10] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "audit", "risk", "control", "plan", "query:", "passage:"];

/// Tensors by name, with their shapes.
pub type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// How numbers are written.
#[derive(Debug, Clone, Copy)]
pub enum Float {
    F32,
    F16,
    Bf16,
}

/// Weights that each kind of number holds exactly: 64ths between -1 and 1.
pub fn weights() -> Weights {
    let mut state = 12_345_u32;
    let mut tensors = Weights::new();
    let mut add = |name: String, shape: &[usize], around: f32| {
        let numbers = (0..shape.iter().product())
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                around + ((state >> 16) % 65) as f32 / 64.0 - 0.5
            })
            .collect();
        tensors.insert(name, (shape.to_vec(), numbers));
    };
    let norm = |add: &mut dyn FnMut(String, &[usize], f32), name: &str| {
        add(format!("{name}.LayerNorm.weight"), &[HIDDEN], 1.0);
        add(format!("{name}.LayerNorm.bias"), &[HIDDEN], 0.0);
    };
    let dense = |add: &mut dyn FnMut(String, &[usize], f32), name: &str, inputs: usize, outputs: usize| {
        add(format!("{name}.weight"), &[outputs, inputs], 0.0);
        add(format!("{name}.bias"), &[outputs], 0.0);
    };
    add("embeddings.word_embeddings.weight".into(), &[WORDS.len(), HIDDEN], 0.0);
    add("embeddings.position_embeddings.weight".into(), &[POSITIONS, HIDDEN], 0.0);
    add("embeddings.token_type_embeddings.weight".into(), &[2, HIDDEN], 0.0);
    norm(&mut add, "embeddings");
    for layer in 0..LAYERS {
        let layer = format!("encoder.layer.{layer}");
        for part in ["query", "key", "value"] {
            dense(&mut add, &format!("{layer}.attention.self.{part}"), HIDDEN, HIDDEN);
        }
        dense(&mut add, &format!("{layer}.attention.output.dense"), HIDDEN, HIDDEN);
        norm(&mut add, &format!("{layer}.attention.output"));
        dense(&mut add, &format!("{layer}.intermediate.dense"), HIDDEN, INTERMEDIATE);
        dense(&mut add, &format!("{layer}.output.dense"), INTERMEDIATE, HIDDEN);
        norm(&mut add, &format!("{layer}.output"));
    }
    tensors
}

fn bytes(number: f32, float: Float) -> Vec<u8> {
    let bits = number.to_bits();
    match float {
        Float::F32 => number.to_le_bytes().to_vec(),
        Float::Bf16 => ((bits >> 16) as u16).to_le_bytes().to_vec(),
        Float::F16 if number == 0.0 => vec![0, 0],
        Float::F16 => {
            let exponent = ((bits >> 23) & 0xff) - 112;
            (((bits >> 16) & 0x8000 | exponent << 10 | (bits >> 13) & 0x3ff) as u16).to_le_bytes().to_vec()
        }
    }
}

/// The bytes of a safetensors file.
pub fn safetensors(tensors: &Weights, float: Float) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".into(), json!({ "format": "pt" }));
    let mut data = Vec::new();
    for (name, (shape, numbers)) in tensors {
        let from = data.len();
        data.extend(numbers.iter().flat_map(|number| bytes(*number, float)));
        let dtype = match float {
            Float::F32 => "F32",
            Float::F16 => "F16",
            Float::Bf16 => "BF16",
        };
        header.insert(
            name.clone(),
            json!({ "dtype": dtype, "shape": shape, "data_offsets": [from, data.len()] }),
        );
    }
    let header = serde_json::Value::from(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}

/// The model's settings.
pub fn config() -> serde_json::Value {
    json!({
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": HIDDEN, "intermediate_size": INTERMEDIATE,
        "layer_norm_eps": 1e-12, "max_position_embeddings": POSITIONS, "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS, "type_vocab_size": 2, "vocab_size": WORDS.len(),
    })
}

/// Writes a folder that can be opened; pools by the mean.
pub fn write(folder: &Path, float: Float) {
    fs::create_dir_all(folder.join("1_Pooling")).unwrap();
    fs::write(folder.join("config.json"), config().to_string()).unwrap();
    fs::write(folder.join("vocab.txt"), WORDS.join("\n")).unwrap();
    let pooling = json!({ "word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": true });
    fs::write(folder.join("1_Pooling/config.json"), pooling.to_string()).unwrap();
    fs::write(folder.join("model.safetensors"), safetensors(&weights(), float)).unwrap();
}
