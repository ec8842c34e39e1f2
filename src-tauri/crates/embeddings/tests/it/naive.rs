//! The forward pass once more, as the paper's formulas stand, in f64 and without any care for speed.

use crate::tiny::{HEADS, HIDDEN, LAYERS, WORDS, Weights};

type Table = Vec<Vec<f64>>;

fn dense(weights: &Weights, name: &str, input: &Table) -> Table {
    let (shape, numbers) = &weights[&format!("{name}.weight")];
    let bias = &weights[&format!("{name}.bias")].1;
    let cell = |row: &Vec<f64>, n: usize| {
        let products = (0..shape[1]).map(|m| row[m] * f64::from(numbers[n * shape[1] + m]));
        products.sum::<f64>() + f64::from(bias[n])
    };
    input.iter().map(|row| (0..shape[0]).map(|n| cell(row, n)).collect()).collect()
}

fn norm(weights: &Weights, name: &str, input: &Table) -> Table {
    let (weight, bias) =
        (&weights[&format!("{name}.LayerNorm.weight")].1, &weights[&format!("{name}.LayerNorm.bias")].1);
    let one = |row: &Vec<f64>| {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
        let scaled = |n: usize| (row[n] - mean) / (variance + 1e-12).sqrt();
        (0..row.len()).map(|n| scaled(n) * f64::from(weight[n]) + f64::from(bias[n])).collect()
    };
    input.iter().map(one).collect()
}

fn add(a: &Table, b: &Table) -> Table {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
}

/// The distribution function of the normal distribution, by Simpson's rule.
fn phi(x: f64) -> f64 {
    const STEPS: u32 = 2_000;
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let width = x / f64::from(STEPS);
    let inner = (1..STEPS).map(|n| density(f64::from(n) * width) * if n % 2 == 1 { 4.0 } else { 2.0 });
    0.5 + (density(0.0) + inner.sum::<f64>() + density(x)) * width / 3.0
}

/// The vector of words that are in the vocabulary.
pub fn encode(weights: &Weights, text: &str, first_token: bool) -> Vec<f64> {
    let words = ["[CLS]"].into_iter().chain(text.split_whitespace()).chain(["[SEP]"]);
    let row = |name: &str, n: usize| {
        weights[name].1[n * HIDDEN..][..HIDDEN].iter().map(|x| f64::from(*x)).collect::<Vec<_>>()
    };
    let tokens: Table = words
        .enumerate()
        .map(|(place, word)| {
            let token = WORDS.iter().position(|known| *known == word).unwrap();
            let word = row("embeddings.word_embeddings.weight", token);
            let place = row("embeddings.position_embeddings.weight", place);
            let kind = row("embeddings.token_type_embeddings.weight", 0);
            (0..HIDDEN).map(|n| word[n] + place[n] + kind[n]).collect()
        })
        .collect();
    let mut states = norm(weights, "embeddings", &tokens);
    for layer in 0..LAYERS {
        let layer = format!("encoder.layer.{layer}");
        let [query, key, value] = ["query", "key", "value"]
            .map(|part| dense(weights, &format!("{layer}.attention.self.{part}"), &states));
        let width = HIDDEN / HEADS;
        let mut context = vec![vec![0.0; HIDDEN]; states.len()];
        for head in 0..HEADS {
            let columns = head * width..(head + 1) * width;
            for (a, context) in context.iter_mut().enumerate() {
                let score = |b: usize| {
                    columns.clone().map(|n| query[a][n] * key[b][n]).sum::<f64>() / (width as f64).sqrt()
                };
                let powers: Vec<f64> = (0..states.len()).map(|b| score(b).exp()).collect();
                let total: f64 = powers.iter().sum();
                for n in columns.clone() {
                    context[n] =
                        powers.iter().zip(&value).map(|(power, value)| power / total * value[n]).sum();
                }
            }
        }
        let out = dense(weights, &format!("{layer}.attention.output.dense"), &context);
        states = norm(weights, &format!("{layer}.attention.output"), &add(&states, &out));
        let mut inner = dense(weights, &format!("{layer}.intermediate.dense"), &states);
        inner.iter_mut().flatten().for_each(|x| *x *= phi(*x));
        let out = dense(weights, &format!("{layer}.output.dense"), &inner);
        states = norm(weights, &format!("{layer}.output"), &add(&states, &out));
    }
    let pooled: Vec<f64> = if first_token {
        states[0].clone()
    } else {
        (0..HIDDEN).map(|n| states.iter().map(|row| row[n]).sum::<f64>() / states.len() as f64).collect()
    };
    let length = pooled.iter().map(|x| x * x).sum::<f64>().sqrt();
    pooled.iter().map(|x| x / length).collect()
}
