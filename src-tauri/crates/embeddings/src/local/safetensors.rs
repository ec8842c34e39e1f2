//! Reads tensors out of a safetensors file: eight bytes with the length of a JSON header, the header, then the numbers.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::fault;
use crate::EmbedError;

/// The longest header that is read; those of encoders have some kilobytes.
const HEADER_BYTES: usize = 8 << 20;

/// The tensors of one file, checked when they are asked for.
pub(super) struct Tensors<'a> {
    path: &'a Path,
    header: BTreeMap<String, serde_json::Value>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// How a number is stored.
#[derive(Clone, Copy)]
enum Float {
    F32,
    F16,
    Bf16,
}

impl Float {
    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

/// One tensor of floats, by rows; a vector is one row.
pub(super) struct Tensor<'a> {
    float: Float,
    columns: usize,
    bytes: &'a [u8],
}

impl<'a> Tensors<'a> {
    pub(super) fn parse(path: &'a Path, file: &'a [u8]) -> Result<Self, EmbedError> {
        let damaged = |what: String| fault(path, format!("{what}: the file is damaged; download it again"));
        let (length, rest) =
            file.split_first_chunk::<8>().ok_or_else(|| damaged("shorter than its 8-byte head".into()))?;
        let length = usize::try_from(u64::from_le_bytes(*length))
            .ok()
            .filter(|length| *length <= HEADER_BYTES.min(rest.len()))
            .ok_or_else(|| damaged("its header is longer than the file or than 8 MiB".into()))?;
        let (header, data) = rest.split_at(length);
        let header = serde_json::from_slice(header)
            .map_err(|error| damaged(format!("its header is not a JSON object ({error})")))?;
        Ok(Self { path, header, data })
    }

    /// Whether there is a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.contains_key(name)
    }

    /// The tensor of this name and exactly this shape.
    pub(super) fn get(&self, name: &str, shape: &[usize]) -> Result<Tensor<'a>, EmbedError> {
        let wrong = |what: String| fault(self.path, format!("tensor {name}: {what}"));
        let entry = self.header.get(name).ok_or_else(|| {
            wrong("missing: the folder must hold an encoder of the BERT family with these layers".into())
        })?;
        let entry = Entry::deserialize(entry)
            .map_err(|error| wrong(format!("its entry in the header is malformed ({error})")))?;
        let float = match entry.dtype.as_str() {
            "F32" => Float::F32,
            "F16" => Float::F16,
            "BF16" => Float::Bf16,
            other => {
                let other: String = other.chars().take(20).collect();
                return Err(wrong(format!("numbers of type {other}: F32, F16 and BF16 are supported")));
            }
        };
        if entry.shape != shape {
            let found: Vec<_> = entry.shape.iter().take(8).collect();
            return Err(wrong(format!("shape {found:?} where config.json wants {shape:?}")));
        }
        let size = shape.iter().product::<usize>() * float.bytes();
        let [from, to] = entry.data_offsets;
        let bytes = self.data.get(from..to).filter(|bytes| bytes.len() == size).ok_or_else(|| {
            wrong(format!("its place {from}..{to} is not {size} bytes within the file; download it again"))
        })?;
        Ok(Tensor { float, columns: shape.last().copied().unwrap_or(1).max(1), bytes })
    }

    /// A tensor of one dimension as numbers, each finite.
    pub(super) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, EmbedError> {
        let tensor = self.get(name, &[length])?;
        let mut out = Vec::new();
        if !tensor.rows().next().is_some_and(|row| tensor.decode(row, &mut out)) {
            return Err(self.not_finite(name));
        }
        Ok(out)
    }

    pub(super) fn not_finite(&self, name: &str) -> EmbedError {
        fault(self.path, format!("tensor {name}: holds NaN or infinity; download the model again"))
    }
}

impl<'a> Tensor<'a> {
    /// The rows as they are stored.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.bytes.chunks_exact(self.columns * self.float.bytes())
    }

    /// The numbers of a row; whether all are finite.
    #[must_use]
    pub(super) fn decode(&self, row: &[u8], out: &mut Vec<f32>) -> bool {
        out.clear();
        match self.float {
            Float::F32 => out.extend(row.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes))),
            Float::F16 => {
                out.extend(row.as_chunks::<2>().0.iter().map(|bytes| half(u16::from_le_bytes(*bytes))));
            }
            Float::Bf16 => out.extend(
                row.as_chunks::<2>()
                    .0
                    .iter()
                    .map(|bytes| f32::from_bits(u32::from(u16::from_le_bytes(*bytes)) << 16)),
            ),
        }
        // No early exit, so that the loop is vectorised.
        out.iter().fold(true, |all, number| all & number.is_finite())
    }
}

/// IEEE 754 binary16 to binary32.
fn half(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7fff) << 13;
    let sign = u32::from(bits & 0x8000) << 16;
    if bits & 0x7c00 == 0x7c00 {
        return f32::from_bits(sign | 0x7f80_0000 | magnitude);
    }
    // The exponents' biases differ by 112; the multiplication is exact and brings subnormals right as well.
    let power = f32::from_bits((127 + 112) << 23);
    f32::from_bits(sign | (f32::from_bits(magnitude) * power).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_numbers_are_read_exactly() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65_504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x83ff, -6.097_555e-5),
        ] {
            assert_eq!(half(bits), value, "{bits:04x}");
        }
        assert_eq!(half(0xfc00), f32::NEG_INFINITY);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn lies_in_the_header_are_errors() {
        let path = Path::new("m.safetensors");
        let file = |header: &str, data: &[u8]| {
            [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
        };
        let entry = |dtype: &str, shape: &str, offsets: &str| {
            format!(r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#)
        };
        for (file, words) in [
            (vec![1, 2, 3], "shorter than"),
            ([&u64::MAX.to_le_bytes()[..], b"{}"].concat(), "longer than"),
            (file("[]", b""), "not a JSON object"),
            (file("{}", b""), "missing"),
            (file(r#"{"a":7}"#, b""), "malformed"),
            (file(&entry("F32", "[2]", "[0,-8]"), &[0; 8]), "malformed"),
            (file(&entry("I8", "[2]", "[0,2]"), &[0; 8]), "type I8"),
            (file(&entry("F32", "[3]", "[0,12]"), &[0; 12]), "shape [3]"),
            (file(&entry("F32", "[2]", "[0,16]"), &[0; 8]), "0..16"),
            (file(&entry("F32", "[2]", "[0,4]"), &[0; 8]), "0..4"),
            (file(&entry("F32", "[2]", "[8,0]"), &[0; 8]), "8..0"),
            (
                file(&entry("F32", "[2]", "[18446744073709551608,18446744073709551615]"), &[0; 8]),
                "not 8 bytes",
            ),
            (file(&entry("F32", "[2]", "[0,8]"), &f64::NAN.to_le_bytes().map(|_| 0xff)), "NaN"),
        ] {
            let error = Tensors::parse(path, &file)
                .and_then(|tensors| tensors.vector("a", 2))
                .unwrap_err()
                .to_string();
            assert!(error.contains(words) && error.starts_with("m.safetensors: "), "{words}: {error}");
        }
    }
}
