//! Reads a model folder as sentence encoders are published: what each file says, checked before anything is computed.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::fault;
use super::matrix::Matrix;
use super::network::{Layer, Network, Norm, Pooling, Sizes, Table};
use super::safetensors::Tensors;
use super::tokenizer::{Normalizer, Special, Tokenizer, WORD_CHARS};
use crate::EmbedError;

/// The largest file of settings or vocabulary that is read.
const TEXT_BYTES: u64 = 32 << 20;
/// The largest weights that are read.
const WEIGHTS_BYTES: u64 = 2 << 30;
/// The longest prompt, in bytes.
const PROMPT_BYTES: usize = 2_000;
/// The weights within a model folder.
const WEIGHTS: &str = "model.safetensors";

/// What a folder says about how texts become tokens.
pub(super) struct Settings {
    pub(super) tokenizer: Tokenizer,
    pub(super) sizes: Sizes,
    pub(super) pooling: Pooling,
    /// Most tokens of a text.
    pub(super) length: usize,
    /// What is put before a question.
    pub(super) query: String,
    /// What is put before a paragraph.
    pub(super) passage: String,
}

#[derive(Deserialize)]
struct Config {
    model_type: String,
    hidden_act: String,
    hidden_size: usize,
    intermediate_size: usize,
    layer_norm_eps: f32,
    max_position_embeddings: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    position_embedding_type: Option<String>,
    type_vocab_size: usize,
    vocab_size: usize,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct PoolingConfig {
    word_embedding_dimension: usize,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
    include_prompt: Option<bool>,
}

#[derive(Deserialize, Default)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize, Default)]
struct PromptConfig {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

#[derive(Deserialize, Default)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
    strip_accents: Option<bool>,
    tokenize_chinese_chars: Option<bool>,
}

#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Option<NormalizerFile>,
    pre_tokenizer: Option<Kind>,
    model: WordPiece,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct NormalizerFile {
    #[serde(rename = "type")]
    kind: String,
    clean_text: Option<bool>,
    handle_chinese_chars: Option<bool>,
    strip_accents: Option<bool>,
    lowercase: Option<bool>,
}

#[derive(Deserialize)]
struct WordPiece {
    #[serde(rename = "type")]
    kind: Option<String>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    max_input_chars_per_word: Option<usize>,
    #[serde(default)]
    vocab: serde_json::Value,
}

/// The bytes of a regular file, at most so many; `None` when there is none.
fn read(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, EmbedError> {
    let unreadable =
        |error: std::io::Error| fault(path, format!("can't be read ({error}): check its permissions"));
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !metadata.is_file() {
        return Err(fault(path, "not a regular file: put the file itself here"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(cap)).unwrap_or(0) + 1);
    File::open(path).and_then(|file| file.take(cap + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > cap {
        return Err(fault(path, format!("larger than {} MiB: not an encoder of this kind", cap >> 20)));
    }
    Ok(Some(bytes))
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, EmbedError> {
    let Some(bytes) = read(path, TEXT_BYTES)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        fault(path, format!("not in the published form ({error}); download the model again"))
    })
}

fn missing(path: &Path, what: &str) -> EmbedError {
    fault(path, format!("missing: {what}; download the whole folder of the model"))
}

impl Settings {
    pub(super) fn read(folder: &Path) -> Result<Self, EmbedError> {
        if !folder.is_dir() {
            return Err(fault(
                folder,
                "not a folder: name the folder that holds config.json and model.safetensors",
            ));
        }
        let sizes = sizes(&folder.join("config.json"))?;
        let sentences = folder.join("sentence_bert_config.json");
        let length =
            json::<SentenceConfig>(&sentences)?.unwrap_or_default().max_seq_length.unwrap_or(sizes.positions);
        if length < 3 {
            return Err(fault(&sentences, format!("max_seq_length is {length}: it must be at least 3")));
        }
        let (query, passage) = prompts(&folder.join("config_sentence_transformers.json"))?;
        let pooling = pooling(folder, sizes.hidden, !query.is_empty() || !passage.is_empty())?;
        let tokenizer = tokenizer(folder, sizes.vocabulary)?;
        Ok(Self { tokenizer, sizes, pooling, length: length.min(sizes.positions), query, passage })
    }
}

fn sizes(path: &Path) -> Result<Sizes, EmbedError> {
    let config: Config = json(path)?.ok_or_else(|| missing(path, "it holds the sizes of the model"))?;
    let refuse = |what: String| Err(fault(path, what));
    if config.model_type != "bert" {
        return refuse("model_type is not bert: only encoders of the BERT family are supported (MiniLM, bge, e5, gte, arctic-embed)".into());
    }
    if config.hidden_act != "gelu" {
        return refuse("hidden_act is not gelu: other activations are not supported".into());
    }
    if config.position_embedding_type.as_deref().is_some_and(|kind| kind != "absolute") {
        return refuse("position_embedding_type is not absolute: other kinds are not supported".into());
    }
    for (name, value, most) in [
        ("hidden_size", config.hidden_size, 4_096),
        ("intermediate_size", config.intermediate_size, 16_384),
        ("max_position_embeddings", config.max_position_embeddings, 8_192),
        ("num_attention_heads", config.num_attention_heads, 128),
        ("num_hidden_layers", config.num_hidden_layers, 48),
        ("type_vocab_size", config.type_vocab_size, 16),
        ("vocab_size", config.vocab_size, 500_000),
    ] {
        if value == 0 || value > most {
            return refuse(format!("{name} is {value}: 1 to {most} are supported"));
        }
    }
    if !config.hidden_size.is_multiple_of(config.num_attention_heads) {
        return refuse("hidden_size is not a multiple of num_attention_heads".into());
    }
    if !(0.0..=0.1).contains(&config.layer_norm_eps) {
        return refuse("layer_norm_eps is not between 0 and 0.1".into());
    }
    Ok(Sizes {
        vocabulary: config.vocab_size,
        positions: config.max_position_embeddings,
        types: config.type_vocab_size,
        hidden: config.hidden_size,
        heads: config.num_attention_heads,
        intermediate: config.intermediate_size,
        layers: config.num_hidden_layers,
        epsilon: config.layer_norm_eps,
    })
}

/// Prompts for a question and for a paragraph; empty where none is given.
fn prompts(path: &Path) -> Result<(String, String), EmbedError> {
    let PromptConfig { prompts, default_prompt_name } = json(path)?.unwrap_or_default();
    if prompts.values().any(|prompt| prompt.len() > PROMPT_BYTES) {
        return Err(fault(path, format!("a prompt is longer than {PROMPT_BYTES} bytes: shorten it")));
    }
    let named = |names: &[&str]| {
        let fallback = default_prompt_name.as_deref();
        names.iter().copied().chain(fallback).find_map(|name| prompts.get(name)).cloned().unwrap_or_default()
    };
    Ok((named(&["query"]), named(&["passage", "document"])))
}

fn pooling(folder: &Path, hidden: usize, prompted: bool) -> Result<Pooling, EmbedError> {
    let path = folder.join("modules.json");
    let mut name = "1_Pooling".to_owned();
    if let Some(modules) = json::<Vec<Module>>(&path)? {
        for module in &modules {
            match module.kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" if module.path.is_empty() => {}
                "Pooling" => name.clone_from(&module.path),
                "Normalize" => {}
                _ => {
                    return Err(fault(
                        &path,
                        "names a step other than Transformer (in the folder itself), Pooling and Normalize: not supported",
                    ));
                }
            }
        }
        if name.is_empty() || name.len() > 100 || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
            return Err(fault(&path, "the path of its Pooling step is not the name of a folder"));
        }
    }
    let path = folder.join(name).join("config.json");
    let config: PoolingConfig =
        json(&path)?.ok_or_else(|| missing(&path, "it says how token vectors become one"))?;
    if config.word_embedding_dimension != hidden {
        return Err(fault(&path, "word_embedding_dimension is not the hidden_size of config.json"));
    }
    if prompted && config.include_prompt == Some(false) {
        return Err(fault(
            &path,
            "include_prompt is false: leaving the prompt out of the mean is not supported",
        ));
    }
    let unsupported = config.pooling_mode_max_tokens
        || config.pooling_mode_weightedmean_tokens
        || config.pooling_mode_lasttoken;
    let mean = config.pooling_mode_mean_tokens || config.pooling_mode_mean_sqrt_len_tokens;
    match (config.pooling_mode_cls_token, mean, unsupported) {
        (true, false, false) => Ok(Pooling::First),
        (false, true, false) => Ok(Pooling::Mean),
        _ => Err(fault(
            &path,
            "neither the mean alone nor the first token alone: other poolings are not supported",
        )),
    }
}

fn tokenizer(folder: &Path, size: usize) -> Result<Tokenizer, EmbedError> {
    let path = folder.join("tokenizer.json");
    if let Some(file) = json::<TokenizerFile>(&path)? {
        return described(&path, file, size);
    }
    let path = folder.join("vocab.txt");
    let bytes = read(&path, TEXT_BYTES)?.ok_or_else(|| {
        missing(&path, "tokenizer.json is missing as well, and one of the two holds the vocabulary")
    })?;
    let text = String::from_utf8(bytes).map_err(|_| fault(&path, "not UTF-8; download the model again"))?;
    let words = text.lines().map(Box::from).zip(0..);
    let config: TokenizerConfig = json(&folder.join("tokenizer_config.json"))?.unwrap_or_default();
    let lowercase = config.do_lower_case.unwrap_or(true);
    let normalizer = Normalizer {
        clean: true,
        space_cjk: config.tokenize_chinese_chars.unwrap_or(true),
        strip_accents: config.strip_accents.unwrap_or(lowercase),
        lowercase,
    };
    assemble(&path, words.collect(), size, "[UNK]", ("##".into(), WORD_CHARS), normalizer)
}

fn described(path: &Path, file: TokenizerFile, size: usize) -> Result<Tokenizer, EmbedError> {
    let TokenizerFile { normalizer, pre_tokenizer, model } = file;
    // Older files leave out the model's type.
    if model.kind.as_deref().is_some_and(|kind| kind != "WordPiece") || !model.vocab.is_object() {
        return Err(fault(path, "its model is not WordPiece: other tokenizers are not supported"));
    }
    let normalizer = normalizer
        .filter(|normalizer| normalizer.kind == "BertNormalizer")
        .ok_or_else(|| fault(path, "its normalizer is not BertNormalizer: others are not supported"))?;
    if pre_tokenizer.is_none_or(|split| split.kind != "BertPreTokenizer") {
        return Err(fault(path, "its pre_tokenizer is not BertPreTokenizer: others are not supported"));
    }
    let lowercase = normalizer.lowercase.unwrap_or(true);
    let settings = Normalizer {
        clean: normalizer.clean_text.unwrap_or(true),
        space_cjk: normalizer.handle_chinese_chars.unwrap_or(true),
        strip_accents: normalizer.strip_accents.unwrap_or(lowercase),
        lowercase,
    };
    let vocabulary = HashMap::deserialize(model.vocab)
        .map_err(|error| fault(path, format!("its vocabulary is not words with numbers ({error})")))?;
    let unknown = model.unk_token.unwrap_or_else(|| "[UNK]".into());
    let prefix = model.continuing_subword_prefix.unwrap_or_else(|| "##".into());
    let chars = model.max_input_chars_per_word.unwrap_or(WORD_CHARS);
    assemble(path, vocabulary, size, &unknown, (prefix.into(), chars), settings)
}

fn assemble(
    path: &Path,
    vocabulary: HashMap<Box<str>, u32>,
    size: usize,
    unknown: &str,
    (prefix, chars): (Box<str>, usize),
    normalizer: Normalizer,
) -> Result<Tokenizer, EmbedError> {
    if let Some(largest) = vocabulary.values().max().filter(|largest| **largest as usize >= size) {
        return Err(fault(
            path,
            format!(
                "holds token {largest}, but vocab_size of config.json is {size}: files of different models are mixed"
            ),
        ));
    }
    let special = |name: &str| {
        vocabulary.get(name).copied().ok_or_else(|| {
            let name: String = name.chars().take(20).collect();
            fault(path, format!("the token {name} is missing: not the vocabulary of a BERT encoder"))
        })
    };
    let special = Special { unknown: special(unknown)?, begin: special("[CLS]")?, end: special("[SEP]")? };
    Ok(Tokenizer::new(vocabulary, prefix, chars, special, normalizer))
}

/// The bytes of the weights, and where they are.
pub(super) fn weights(folder: &Path) -> Result<(PathBuf, Vec<u8>), EmbedError> {
    let path = folder.join(WEIGHTS);
    match read(&path, WEIGHTS_BYTES)? {
        Some(bytes) => Ok((path, bytes)),
        None => {
            Err(missing(&path, "it holds the weights (other formats and weights in parts are not supported)"))
        }
    }
}

/// The network that these weights make.
pub(super) fn network(
    path: &Path,
    file: &[u8],
    sizes: Sizes,
    pooling: Pooling,
) -> Result<Network, EmbedError> {
    let tensors = Tensors::parse(path, file)?;
    let hidden = sizes.hidden;
    let root = if tensors.has("bert.embeddings.word_embeddings.weight") { "bert." } else { "" };
    let norm = |name: &str| {
        let weight = tensors.vector(&format!("{name}.weight"), hidden)?;
        Ok::<_, EmbedError>(Norm { weight, bias: tensors.vector(&format!("{name}.bias"), hidden)? })
    };
    let rows = |name: &str, shape: &[usize], each: &mut dyn FnMut(usize, &[f32])| {
        let tensor = tensors.get(name, shape)?;
        let mut numbers = Vec::new();
        for (n, row) in tensor.rows().enumerate() {
            if !tensor.decode(row, &mut numbers) {
                return Err(tensors.not_finite(name));
            }
            each(n, &numbers);
        }
        Ok(())
    };
    let matrix = |names: &[String], inputs: usize, outputs: usize| {
        let mut matrix = Matrix::new(inputs, outputs * names.len());
        for (part, name) in names.iter().enumerate() {
            let bias = tensors.vector(&format!("{name}.bias"), outputs)?;
            rows(&format!("{name}.weight"), &[outputs, inputs], &mut |n, row| {
                matrix.set(part * outputs + n, row, bias[n]);
            })?;
        }
        Ok::<_, EmbedError>(matrix)
    };
    let embeddings = format!("{root}embeddings");
    // Sizes that the file does not bear out are refused before memory is taken for them.
    tensors.get(&format!("{embeddings}.word_embeddings.weight"), &[sizes.vocabulary, hidden])?;
    let mut words = Table::new(sizes.vocabulary, hidden);
    rows(&format!("{embeddings}.word_embeddings.weight"), &[sizes.vocabulary, hidden], &mut |_, row| {
        words.push(row)
    })?;
    let mut kind = Vec::new();
    rows(&format!("{embeddings}.token_type_embeddings.weight"), &[sizes.types, hidden], &mut |n, row| {
        if n == 0 {
            kind = row.to_vec();
        }
    })?;
    let mut places = Vec::new();
    rows(&format!("{embeddings}.position_embeddings.weight"), &[sizes.positions, hidden], &mut |_, row| {
        places.extend(row.iter().zip(&kind).map(|(place, kind)| place + kind));
    })?;
    let mut layers = Vec::new();
    for number in 0..sizes.layers {
        let layer = format!("{root}encoder.layer.{number}");
        let attention = ["query", "key", "value"].map(|part| format!("{layer}.attention.self.{part}"));
        layers.push(Layer {
            attention: matrix(&attention, hidden, hidden)?,
            attention_out: matrix(&[format!("{layer}.attention.output.dense")], hidden, hidden)?,
            attention_norm: norm(&format!("{layer}.attention.output.LayerNorm"))?,
            up: matrix(&[format!("{layer}.intermediate.dense")], hidden, sizes.intermediate)?,
            down: matrix(&[format!("{layer}.output.dense")], sizes.intermediate, hidden)?,
            norm: norm(&format!("{layer}.output.LayerNorm"))?,
        });
    }
    Ok(Network { sizes, words, places, norm: norm(&format!("{embeddings}.LayerNorm"))?, layers, pooling })
}
