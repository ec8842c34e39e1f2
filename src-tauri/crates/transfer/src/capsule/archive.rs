//! The file of a capsule: a zip archive of which every byte is known. Any program unpacks it; only one form of it is read
//! here: plain entries one after another, no times, no comments, no extra fields, nothing between them.

use std::collections::HashSet;
use std::io::{Read, Write};

use domain::Digest;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use crate::names::check_name;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// The version of the format that an entry needs, as every reader knows it.
const NEEDED: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// The first day that the format knows.
const DAY: u16 = 0x0021;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: usize = 46;
const END_BYTES: usize = 22;
/// The most that an entry unfolds to.
const MAX_ENTRY_BYTES: usize = 256 << 20;
/// The most entries: what the format's plain form counts.
const MAX_ENTRIES: usize = 65_000;

/// An entry that is not what it must be.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct CapsuleFault {
    /// The entry's name; the archive's own directory or end where no entry is meant.
    pub entry: String,
    /// What is wrong.
    pub why: String,
}

impl CapsuleFault {
    /// Of an entry.
    pub fn new(entry: impl Into<String>, why: impl Into<String>) -> Self {
        let entry: String = entry.into();
        Self { entry: entry.chars().filter(|c| !c.is_control()).take(200).collect(), why: why.into() }
    }
}

/// An entry as it stands in the archive.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Its name.
    pub name: String,
    method: u16,
    crc: u32,
    /// Its bytes as they stand there.
    packed: Vec<u8>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Packed {
    /// An entry that gets shorter where that is worth it.
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
        match packed {
            Ok(packed) if packed.len() < bytes.len() => {
                Self { name: name.to_owned(), method: DEFLATED, crc: crc(&bytes), packed, bytes }
            }
            _ => Self::plain(name, bytes),
        }
    }

    /// An entry as it is.
    pub fn plain(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), method: STORED, crc: crc(&bytes), packed: bytes.clone(), bytes }
    }

    /// The digest of its bytes as they stand in the archive.
    pub fn packed_digest(&self) -> Digest {
        Digest::of(&self.packed)
    }

    fn head(&self, out: &mut Vec<u8>) {
        for short in [NEEDED, FLAGS, self.method, 0, DAY] {
            out.extend(short.to_le_bytes());
        }
        out.extend(self.crc.to_le_bytes());
        out.extend((self.packed.len() as u32).to_le_bytes());
        out.extend((self.bytes.len() as u32).to_le_bytes());
        out.extend((self.name.len() as u16).to_le_bytes());
        out.extend(0u16.to_le_bytes());
    }

    fn local(&self) -> Vec<u8> {
        let mut out = LOCAL.to_le_bytes().to_vec();
        self.head(&mut out);
        out.extend(self.name.as_bytes());
        out
    }

    fn central(&self, offset: u32) -> Vec<u8> {
        let mut out = CENTRAL.to_le_bytes().to_vec();
        out.extend(NEEDED.to_le_bytes());
        self.head(&mut out);
        // Comment, disk, attributes inside and outside.
        out.extend([0; 10]);
        out.extend(offset.to_le_bytes());
        out.extend(self.name.as_bytes());
        out
    }
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The archive of these entries.
pub fn pack(entries: &[Packed]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut central = Vec::new();
    for entry in entries {
        central.extend(entry.central(out.len() as u32));
        out.extend(entry.local());
        out.extend(&entry.packed);
    }
    let at = out.len() as u32;
    out.extend(&central);
    out.extend(end(entries.len(), central.len(), at));
    out
}

fn end(entries: usize, bytes: usize, at: u32) -> Vec<u8> {
    let mut out = END.to_le_bytes().to_vec();
    out.extend([0; 4]);
    for _ in 0..2 {
        out.extend((entries as u16).to_le_bytes());
    }
    out.extend((bytes as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0; 2]);
    out
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The entries of an archive, in order.
///
/// # Errors
/// The first entry that is not exactly as this program writes it.
pub fn unpack(file: &[u8]) -> Result<Vec<Packed>, CapsuleFault> {
    let mut entries: Vec<(Packed, u32)> = Vec::new();
    let mut names = HashSet::new();
    let mut at = 0;
    // What its end says is looked at before any entry is unfolded.
    let told = file.len().checked_sub(END_BYTES).and_then(|end| short(file, end + 10)).unwrap_or_default();
    if usize::from(told) > MAX_ENTRIES {
        return Err(CapsuleFault::new(
            "the archive",
            format!("it has {told} entries; at most {MAX_ENTRIES} are read"),
        ));
    }
    while long(file, at) == Some(LOCAL) {
        if entries.len() >= MAX_ENTRIES {
            let why = format!("it has more than {MAX_ENTRIES} entries, which is the most that are read");
            return Err(CapsuleFault::new("the archive", why));
        }
        let entry = entry(file, at, entries.len())?;
        let next = at + LOCAL_BYTES + entry.name.len() + entry.packed.len();
        if !names.insert(entry.name.to_ascii_lowercase()) {
            return Err(CapsuleFault::new(entry.name, "there are two of that name"));
        }
        entries.push((entry, at as u32));
        at = next;
    }
    let directory = at;
    let last = entries.last().map_or("the archive", |(entry, _)| entry.name.as_str()).to_owned();
    if long(file, at) != Some(CENTRAL) {
        return Err(CapsuleFault::new(last, "what follows it is no entry and no directory"));
    }
    for (entry, offset) in &entries {
        let wanted = entry.central(*offset);
        if file.get(at..at + wanted.len()) != Some(wanted.as_slice()) {
            return Err(CapsuleFault::new(&entry.name, "the directory tells something else of it"));
        }
        at += wanted.len();
    }
    let wanted = end(entries.len(), at - directory, directory as u32);
    if file.get(at..) != Some(wanted.as_slice()) {
        return Err(CapsuleFault::new(
            "the archive's end",
            "it is not what the entries say, or something follows it",
        ));
    }
    debug_assert_eq!((CENTRAL_BYTES, END_BYTES), (46, wanted.len()));
    Ok(entries.into_iter().map(|(entry, _)| entry).collect())
}

fn entry(file: &[u8], at: usize, number: usize) -> Result<Packed, CapsuleFault> {
    let nameless = || CapsuleFault::new(format!("entry {}", number + 1), "its head can't be read");
    let head = file.get(at..at + LOCAL_BYTES).ok_or_else(nameless)?;
    let (method, crc_of) = (short(head, 8).ok_or_else(nameless)?, long(head, 14).ok_or_else(nameless)?);
    let packed_len = long(head, 18).ok_or_else(nameless)? as usize;
    let len = long(head, 22).ok_or_else(nameless)? as usize;
    let name_len = usize::from(short(head, 26).ok_or_else(nameless)?);
    let name = file.get(at + LOCAL_BYTES..at + LOCAL_BYTES + name_len).ok_or_else(nameless)?;
    let name = std::str::from_utf8(name).map_err(|_| nameless())?.to_owned();
    let fault = |why: &str| CapsuleFault::new(&name, why);
    check_name(&name).map_err(|why| fault(&why.to_string()))?;
    let from = at + LOCAL_BYTES + name_len;
    let packed = from.checked_add(packed_len).and_then(|to| file.get(from..to));
    let packed = packed.ok_or_else(|| fault("it is longer than the file"))?.to_vec();
    let bytes = match method {
        STORED => packed.clone(),
        DEFLATED if len <= MAX_ENTRY_BYTES => {
            let mut bytes = Vec::with_capacity(len.min(8 << 20));
            DeflateDecoder::new(packed.as_slice())
                .take(len as u64 + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| fault(&format!("it can't be unpacked: {error}")))?;
            bytes
        }
        _ => return Err(fault("it is packed in a way, or is of a size, that no capsule has")),
    };
    if bytes.len() != len {
        return Err(fault("it unfolds to another size than it says"));
    }
    if crc(&bytes) != crc_of {
        return Err(fault("its bytes are not those that it had"));
    }
    let entry = Packed { name: name.clone(), method, crc: crc_of, packed, bytes };
    if entry.local() != file.get(at..from).unwrap_or_default() {
        return Err(fault("its head is not as this program writes it"));
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed() -> Vec<u8> {
        let text = "a text that gets shorter, ".repeat(40);
        pack(&[
            Packed::plain("capsule.json", b"{\"format\":\"x\"}".to_vec()),
            Packed::new("blobs/one", text.into_bytes()),
            Packed::new("blobs/two", vec![7, 8, 9]),
        ])
    }

    #[test]
    fn an_archive_with_too_many_entries_is_refused_by_their_number() {
        let entries: Vec<Packed> =
            (0..=MAX_ENTRIES).map(|number| Packed::plain(&format!("e/{number}"), Vec::new())).collect();
        let fault = unpack(&pack(&entries)).unwrap_err();
        assert_eq!(
            (fault.entry.as_str(), fault.why.contains("65001 entries")),
            ("the archive", true),
            "{}",
            fault.why
        );
        assert_eq!(unpack(&pack(&entries[1..])).unwrap().len(), MAX_ENTRIES);
    }

    #[test]
    fn what_was_packed_comes_out_and_other_programs_read_it() {
        let file = packed();
        let names: Vec<String> = unpack(&file).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["capsule.json", "blobs/one", "blobs/two"]);
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(file)).unwrap();
        let mut text = String::new();
        zip.by_name("blobs/one").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), 26 * 40);
    }

    #[test]
    fn no_byte_of_a_head_of_the_directory_or_of_the_end_can_be_another() {
        let file = packed();
        let mut open = Vec::new();
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut other = file.clone();
                other[at] ^= 1 << bit;
                if unpack(&other).is_ok() {
                    open.push(at);
                }
            }
        }
        // Only the last bits of a packed entry may stand for nothing; the manifest's digests of what is packed find those.
        let begins = LOCAL_BYTES + 12 + 14 + LOCAL_BYTES + 9;
        let length = unpack(&file).unwrap()[1].packed.len();
        assert!(open.iter().all(|at| *at == begins + length - 1), "{open:?}");
        for more in [&b"x"[..], &[0; 40]] {
            assert!(unpack(&[file.as_slice(), more].concat()).is_err());
            assert!(unpack(&[more, file.as_slice()].concat()).is_err());
        }
        assert!(unpack(&file[..file.len() - 1]).is_err());
    }

    #[test]
    fn an_entry_that_is_there_twice_is_refused() {
        let twice = pack(&[Packed::new("a", vec![1]), Packed::new("A", vec![2])]);
        assert_eq!(unpack(&twice).unwrap_err(), CapsuleFault::new("A", "there are two of that name"));
    }
}
