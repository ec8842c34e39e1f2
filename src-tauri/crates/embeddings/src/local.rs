//! Encoders of sentences that run here: a folder with a model of the BERT family, read and computed in Rust.

mod files;
mod matrix;
mod network;
mod safetensors;
mod tokenizer;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use fearless_simd::{Level, Simd, dispatch};
use sha2::{Digest as _, Sha256};

use self::files::Settings;
use self::network::{Network, Scratch};
use self::tokenizer::Tokenizer;
use crate::{EmbedError, Embedder, Model, Purpose};

/// About how many tokens are computed together: enough that reading the weights costs little, few enough to stay in
/// the processor's cache.
const PASS_TOKENS: usize = 256;
/// More bring little: the weights come through the same memory.
const MAX_THREADS: usize = 4;

/// A sentence encoder from a model folder.
///
/// The same text gives the same vector, bit for bit, whatever is embedded with it and however many threads work.
pub struct LocalEncoder {
    model: Model,
    tokenizer: Tokenizer,
    network: Network,
    length: usize,
    query: String,
    passage: String,
    level: Level,
    threads: usize,
}

fn fault(path: &Path, what: impl Into<String>) -> EmbedError {
    EmbedError::Files { path: path.display().to_string(), what: what.into() }
}

impl LocalEncoder {
    /// The model in this folder: `config.json`, `tokenizer.json` or `vocab.txt`, `1_Pooling/config.json` and
    /// `model.safetensors` as sentence encoders are published.
    pub fn open(folder: &Path) -> Result<Self, EmbedError> {
        let settings = Settings::read(folder)?;
        let (path, file) = files::weights(folder)?;
        let (network, digest) = std::thread::scope(|scope| {
            let digest = scope.spawn(|| Sha256::digest(&file));
            (files::network(&path, &file, settings.sizes, settings.pooling), digest.join())
        });
        let digest = digest.map_err(|_| fault(&path, "its digest could not be computed"))?;
        let digest = hex::encode(&digest[..6]);
        let name = folder
            .canonicalize()
            .ok()
            .and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()));
        let name = name.unwrap_or_else(|| "model".into());
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        Ok(Self {
            model: Model { id: format!("local:{name}:{digest}"), dimensions: settings.sizes.hidden },
            tokenizer: settings.tokenizer,
            network: network?,
            length: settings.length,
            query: settings.query,
            passage: settings.passage,
            level: Level::new(),
            threads,
        })
    }

    /// The same encoder with at most so many threads for one call.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// How many tokens of a text, with its prompt, count; what is beyond is not seen.
    pub fn length(&self) -> usize {
        self.length
    }

    fn tokens(&self, text: &str, purpose: Purpose) -> Vec<u32> {
        let prompt = match purpose {
            Purpose::Query => &self.query,
            Purpose::Passage => &self.passage,
        };
        if prompt.is_empty() {
            return self.tokenizer.encode(text, self.length);
        }
        self.tokenizer.encode(&[prompt, text].concat(), self.length)
    }

    fn pass(&self, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        #[inline(always)]
        fn run<S: Simd>(
            simd: S,
            network: &Network,
            texts: &[&[u32]],
            scratch: &mut Scratch,
        ) -> Vec<Vec<f32>> {
            simd.vectorize(
                #[inline(always)]
                || network.encode(simd, texts, scratch),
            )
        }
        dispatch!(self.level, simd => run(simd, &self.network, texts, scratch))
    }
}

impl Embedder for LocalEncoder {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| self.tokens(text, purpose)).collect();
        // Texts of about one length together, so that passes are of about one size; the long ones first, so that
        // threads end together.
        let mut order: Vec<usize> = (0..tokens.len()).collect();
        order.sort_by_key(|text| (std::cmp::Reverse(tokens[*text].len()), *text));
        let mut passes: Vec<Vec<usize>> = Vec::new();
        let mut filled = usize::MAX;
        for text in order {
            let length = tokens[text].len();
            match passes.last_mut() {
                Some(pass) if filled + length <= PASS_TOKENS => {
                    pass.push(text);
                    filled += length;
                }
                _ => {
                    passes.push(vec![text]);
                    filled = length;
                }
            }
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut scratch = Scratch::default();
            let mut done = Vec::new();
            while let Some(pass) = passes.get(next.fetch_add(1, Ordering::Relaxed)) {
                let texts: Vec<&[u32]> = pass.iter().map(|text| tokens[*text].as_slice()).collect();
                done.extend(pass.iter().copied().zip(self.pass(&texts, &mut scratch)));
            }
            done
        };
        let threads = self.threads.min(passes.len());
        let mut vectors = vec![Vec::new(); tokens.len()];
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                // A thread that panicked left its passes undone; the check below says so.
                done.extend(other.join().unwrap_or_default());
            }
            for (text, vector) in done {
                vectors[text] = vector;
            }
        });
        // Weights that are finite but absurd overflow on the way.
        if vectors.iter().any(|vector| vector.is_empty() || vector.iter().any(|number| !number.is_finite())) {
            return Err(EmbedError::Files {
                path: self.model.id.clone(),
                what: "a text gave numbers that are not finite: the weights are damaged; download the model again".into(),
            });
        }
        Ok(vectors)
    }
}
