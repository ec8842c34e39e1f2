//! Files that a page hands over by their bytes.

use std::fs;

use app::Request;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::ErrorCode;
use pretty_assertions::assert_eq;
use protocol::UploadPart;

use crate::world::{World, answer};

fn part(name: &str, at: u64, bytes: &[u8]) -> Request {
    Request::UploadWrite(UploadPart {
        upload: "upload-1".to_owned(),
        name: name.to_owned(),
        at,
        data: BASE64_STANDARD.encode(bytes),
    })
}

#[tokio::test]
async fn a_file_comes_in_parts_that_follow_each_other_and_nothing_leads_elsewhere() {
    let world = World::new().await;
    let first = answer!(world.call(part("Deal Room/lease.md", 0, b"one ")).await, Uploaded);
    assert_eq!(first.bytes, 4);
    let folder = world.home().join("uploads/upload-1");
    assert_eq!(std::path::Path::new(&first.folder), folder);
    let second = answer!(world.call(part("Deal Room/lease.md", 4, b"two")).await, Uploaded);
    assert_eq!(second.bytes, 7);
    // A part that was lost, and one that is sent again.
    for at in [9, 4] {
        let refused = world.local.call(part("Deal Room/lease.md", at, b"x")).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::Conflict, "{refused:?}");
    }
    assert_eq!(fs::read(folder.join("Deal Room/lease.md")).unwrap(), b"one two");
    // From its beginning it is another file.
    answer!(world.call(part("Deal Room/lease.md", 0, b"")).await, Uploaded);
    assert_eq!(fs::read(folder.join("Deal Room/lease.md")).unwrap(), b"");
    for name in ["../config.json", "/etc/passwd", "a/../../b", "", "a\\b", "C:x"] {
        let refused = world.local.call(part(name, 0, b"x")).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidInput, "{name}");
    }
    let elsewhere = UploadPart { upload: "..".to_owned(), name: "a".to_owned(), at: 0, data: String::new() };
    assert!(world.local.call(Request::UploadWrite(elsewhere)).await.is_err());
}

#[tokio::test]
async fn what_no_base_is_made_of_is_cleared_away_after_a_day() {
    let world = World::new().await;
    answer!(world.call(part("old.md", 0, b"x")).await, Uploaded);
    let old = world.home().join("uploads/upload-1");
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_secs(25 * 60 * 60);
    fs::File::open(&old).unwrap().set_modified(yesterday).unwrap();
    let next =
        UploadPart { upload: "upload-2".to_owned(), name: "new.md".to_owned(), at: 0, data: String::new() };
    answer!(world.call(Request::UploadWrite(next)).await, Uploaded);
    assert!(!old.exists());
    assert!(world.home().join("uploads/upload-2/new.md").is_file());
}
