//! Servers that fail to start, and servers of both protocol generations that do.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use sources::{Era, Source, SourceConfig, SourceErrorKind, SourceEvent, SourceState};

use crate::rig::{HOSTILE, assert_gone, assert_works, guard, hostile, peak_rise, start_error};

#[tokio::test]
async fn a_server_that_hangs_at_start_is_given_up_in_time() {
    let error = start_error("hangs at start", |_| {}).await;
    assert!(matches!(error.kind, SourceErrorKind::StartTimeout { .. }), "{error}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_new_server_that_starts_too_late_for_the_probe_is_still_found_out() {
    let (mut config, marker) = hostile("slow and modern");
    config.probe_timeout = Duration::from_millis(50);
    let source = Source::start(config, guard(), None).await.unwrap();
    assert_works(&source).await;
    source.close().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_server_that_exits_at_once_is_quoted_with_its_exit_code() {
    let error = start_error("exits at start", |_| {}).await;
    assert!(error.to_string().contains("exit code 3"), "{error}");
    assert!(error.stderr_tail.contains("configuration missing"));
    assert!(!error.stderr_tail.contains('\u{1b}') && !error.stderr_tail.contains("[31m"));
}

#[tokio::test]
async fn a_server_with_a_wrong_handshake_breaks_the_protocol() {
    let error = start_error("wrong handshake", |_| {}).await;
    assert!(matches!(error.kind, SourceErrorKind::Protocol { .. }), "{error}");
}

#[tokio::test]
async fn a_greeting_that_breaks_the_protocol_is_told_at_once() {
    for mode in [
        "greets with an error",
        "greets with a list",
        "greets in a list",
        "greets with another id",
        "greets without a version",
        "greets well and lists nothing",
        "greets well and lists no tools",
    ] {
        let (mut config, marker) = hostile(mode);
        config.probe_timeout = Duration::from_millis(100);
        config.start_timeout = Duration::from_secs(60);
        let begun = Instant::now();
        let error = Source::start(config, guard(), None).await.unwrap_err();
        assert!(matches!(error.kind, SourceErrorKind::Protocol { .. }), "{mode}: {error}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{mode} took {:?}", begun.elapsed());
        assert_gone(&marker, Duration::from_secs(3)).await;
    }
}

#[tokio::test]
async fn a_server_that_floods_at_start_is_cut_off() {
    let (error, rise) = peak_rise(start_error("floods at start", |_| {})).await;
    assert!(matches!(error.kind, SourceErrorKind::Flood { .. }), "{error}");
    assert!(rise < 64 << 20, "memory rose by {rise}");
}

#[tokio::test]
async fn a_line_without_end_at_start_is_cut_off() {
    let (error, rise) = peak_rise(start_error("endless line at start", |_| {})).await;
    assert!(matches!(error.kind, SourceErrorKind::TooLarge { .. }), "{error}");
    assert!(rise < 64 << 20, "memory rose by {rise}");
}

#[tokio::test]
async fn a_list_of_tools_that_never_ends_is_given_up() {
    let error = start_error("endless pages", |_| {}).await;
    assert_eq!(error.kind, SourceErrorKind::EndlessPages { pages: 100 });
    let error = start_error("same page", |_| {}).await;
    assert_eq!(error.kind, SourceErrorKind::EndlessPages { pages: 2 });
}

#[tokio::test]
async fn ten_thousand_tools_are_too_many() {
    let error = start_error("too many tools", |_| {}).await;
    assert_eq!(error.kind, SourceErrorKind::TooManyTools { limit: 1_000 });
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn a_tool_with_a_huge_schema_is_left_out() {
    let (config, _) = hostile("huge schema");
    let source = Source::start(config, guard(), None).await.unwrap();
    assert!(source.tools().is_empty());
    let left_out: Vec<String> = source.left_out().iter().map(ToString::to_string).collect();
    assert_eq!(left_out, ["echo: the schema of its arguments is larger than 65536 bytes"]);
    source.close().await;
}

#[tokio::test]
async fn bad_tools_are_left_out_by_name_and_the_others_work() {
    let (config, marker) = hostile("bad among good tools");
    let source = Source::start(config, guard(), None).await.unwrap();
    assert_eq!(source.tools().keys().collect::<Vec<_>>(), ["echo"]);
    assert_works(&source).await;
    let left_out: Vec<String> = source.left_out().iter().map(|bad| bad.tool.clone()).collect();
    assert_eq!(left_out, ["tool 2 of its list", "hid\\u{200b}den", "bare", "odd", "twice"]);
    source.close().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_missing_command_names_the_path_that_was_searched() {
    let mut config = SourceConfig::new("hostile", "no-such-server");
    config.search_path = Some("/opt/tools/bin".into());
    let error = Source::start(config, guard(), None).await.unwrap_err();
    assert!(error.to_string().contains("PATH=/opt/tools/bin"), "{error}");
    assert_eq!(error.code(), "source_not_found");
}

#[tokio::test]
async fn a_file_that_cannot_be_run_is_a_failed_start() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("server");
    std::fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut config = SourceConfig::new("hostile", "./server");
    config.workspace = directory.path().into();
    for guard in [guard(), None] {
        let error = Source::start(config.clone(), guard, None).await.unwrap_err();
        assert_eq!(error.code(), "source_spawn_failed", "{error}");
    }
}

#[tokio::test]
async fn both_protocol_generations_are_spoken() {
    for (mode, expected) in [
        ("good", Era::Legacy),
        ("modern", Era::Modern),
        ("sdk", Era::Modern),
        ("banners", Era::Legacy),
        ("dies of discovery", Era::Legacy),
    ] {
        let (config, marker) = hostile(mode);
        let source = Source::start(config, guard(), None).await.unwrap();
        assert_eq!(source.era(), Some(expected), "{mode}");
        assert_eq!(source.state(), SourceState::Ready);
        assert_works(&source).await;
        source.close().await;
        assert_gone(&marker, Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn a_server_that_is_silent_about_discovery_is_probed_only_once() {
    let (mut config, _) = hostile("silent about discovery");
    config.probe_timeout = Duration::from_millis(700);
    let mut times = Vec::new();
    for _ in 0..2 {
        let begun = Instant::now();
        let source = Source::start(config.clone(), guard(), None).await.unwrap();
        times.push(begun.elapsed());
        assert_works(&source).await;
        source.close().await;
    }
    assert!(times[0] >= Duration::from_millis(700), "{times:?}");
    assert!(times[1] < Duration::from_millis(700), "{times:?}");
}

#[tokio::test]
async fn its_life_is_told_in_events() {
    let (sender, mut events) = tokio::sync::mpsc::channel(16);
    let (config, _) = hostile("good");
    let source = Source::start(config.clone(), guard(), Some(sender.clone())).await.unwrap();
    source.close().await;
    let mut failing = SourceConfig::new("other", HOSTILE).with_args(["exits at start"]);
    failing.start_timeout = Duration::from_secs(5);
    let error = Source::start(failing, guard(), Some(sender)).await.unwrap_err();
    drop(source);

    let mut told = Vec::new();
    while let Some(event) = events.recv().await {
        let SourceEvent { slug, state, error, tools, .. } = event;
        told.push((slug, state, error, tools));
    }
    let (hostile, other) = (|| "hostile".to_owned(), || "other".to_owned());
    assert_eq!(
        told,
        [
            (hostile(), SourceState::Starting, None, 0),
            (hostile(), SourceState::Ready, None, 1),
            (hostile(), SourceState::Stopped, None, 0),
            (other(), SourceState::Starting, None, 0),
            (other(), SourceState::Failed, Some(error), 0),
        ]
    );
}
