//! Bundles, sound and hostile.

use std::io::{Cursor, Write as _};

use pretty_assertions::assert_eq;
use transfer::{BUNDLE_FORMAT, BUNDLE_VERSION, Bundle, BundleError, BundleWriter, Limits, Manifest};
use zip::write::SimpleFileOptions;

fn manifest() -> Manifest {
    Manifest {
        format: BUNDLE_FORMAT.to_owned(),
        version: BUNDLE_VERSION,
        schema: 5,
        program: "0.1.0".to_owned(),
        created_at: 1,
        sessions: vec!["260111-swift-river".to_owned()],
        entries: Vec::new(),
    }
}

fn bundle(manifest: Manifest) -> Vec<u8> {
    let mut writer = BundleWriter::new(Cursor::new(Vec::new()));
    writer.add("sessions/260111-swift-river/session.json", b"{}").unwrap();
    writer.add("blobs/ab", &[7; 5_000]).unwrap();
    writer.finish(manifest).unwrap().into_inner()
}

fn open(bytes: &[u8]) -> Result<Bundle<Cursor<&[u8]>>, BundleError> {
    Bundle::open(Cursor::new(bytes), 5, Limits::default())
}

/// An archive of these entries, with a manifest that lists nothing.
fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.start_file("manifest.json", SimpleFileOptions::default()).unwrap();
    zip.write_all(&serde_json::to_vec(&manifest()).unwrap()).unwrap();
    zip.finish().unwrap().into_inner()
}

#[test]
fn entries_come_back_as_they_were_and_the_same_ones_give_the_same_bytes() {
    let bytes = bundle(manifest());
    let mut back = open(&bytes).unwrap();
    assert_eq!(back.manifest().entries.len(), 2);
    assert_eq!(back.read("blobs/ab").unwrap(), [7; 5_000]);
    assert!(back.read("blobs/none").is_err());
    assert_eq!(bytes, bundle(manifest()));
}

#[test]
fn newer_forms_and_databases_are_refused_with_their_number() {
    let newer = bundle(Manifest { version: 2, ..manifest() });
    assert!(matches!(open(&newer), Err(BundleError::Newer { what: "form", found: 2, .. })));
    let newer = bundle(Manifest { schema: 6, ..manifest() });
    assert!(matches!(open(&newer), Err(BundleError::Newer { what: "database", found: 6, .. })));
}

#[test]
fn names_that_lead_out_refuse_the_whole_bundle() {
    for name in ["../x", "/etc/passwd", "a/../../x", "a\\..\\x", "C:/x", "sessions/con", "x."] {
        let bytes = archive(&[(name, b"x")]);
        let refused = open(&bytes);
        assert!(matches!(refused, Err(BundleError::Entry { .. })), "{name}");
    }
    assert!(matches!(open(&archive(&[("a", b"x"), ("A", b"y")])), Err(BundleError::Entry { .. })));
    assert!(matches!(open(&archive(&[("unlisted", b"x")])), Err(BundleError::Entry { .. })));
}

#[test]
fn links_folders_and_bombs_are_refused() {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert!(matches!(open(&bytes), Err(BundleError::Entry { .. })));
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_directory("folder", SimpleFileOptions::default()).unwrap();
    assert!(open(&zip.finish().unwrap().into_inner()).is_err());
    let bomb = archive(&[("bomb", &vec![0; 64 << 20])]);
    assert!(bomb.len() < 200_000);
    assert!(matches!(open(&bomb), Err(BundleError::Entry { .. })));
    let many = Limits { entries: 1, ..Limits::default() };
    let full = bundle(manifest());
    assert!(matches!(Bundle::open(Cursor::new(&full), 5, many), Err(BundleError::TooLarge(_))));
}

#[test]
fn a_bundle_that_was_changed_or_cut_is_an_error_and_never_a_panic() {
    let bytes = bundle(manifest());
    for end in (0..bytes.len()).step_by(7) {
        assert!(open(&bytes[..end]).is_err(), "cut at {end}");
    }
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 0x41;
        // Whatever still opens and reads is what was written.
        if let Ok(mut back) = open(&other)
            && let Ok(read) = back.read("blobs/ab")
        {
            assert_eq!(read, [7; 5_000], "changed at {at}");
        }
    }
    assert!(matches!(open(b"no archive"), Err(BundleError::NotOne(_))));
}

#[test]
fn whatever_is_written_can_be_read_again() {
    let mut long = b"yes\n".repeat(2 << 20);
    long.extend(b"the end");
    let mut writer = BundleWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in
        [("blobs/zeros", vec![0; 5 << 20]), ("blobs/lines", long), ("blobs/small", vec![0; 5_000])]
    {
        assert!(writer.add(name, &bytes).unwrap());
        assert!(!writer.add(&name.to_uppercase(), b"other").unwrap(), "a disk may not tell them apart");
    }
    assert!(writer.add("blobs/huge", &vec![0; (256 << 20) + 1]).is_err(), "a reader would refuse it");
    let bytes = writer.finish(manifest()).unwrap().into_inner();
    let mut back = open(&bytes).unwrap();
    assert_eq!(back.read("blobs/zeros").unwrap(), vec![0; 5 << 20]);
    assert!(back.read("blobs/lines").unwrap().ends_with(b"yes\nthe end"));
}
