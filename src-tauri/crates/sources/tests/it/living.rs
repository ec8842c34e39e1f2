//! Sources shared through the pool.

use std::time::Duration;

use pretty_assertions::assert_eq;
use sources::{Pool, SourceState};

use crate::rig::{assert_gone, assert_works, guard, hostile, marked};

fn servers(marker: &str) -> usize {
    marked(marker).iter().filter(|(_, command)| !command.contains(" guard ")).count()
}

#[tokio::test]
async fn the_same_configuration_shares_one_server() {
    let pool = Pool::new(guard(), None);
    let (config, marker) = hostile("good");
    let (one, two) = tokio::join!(pool.get(config.clone()), pool.get(config.clone()));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!((pool.len(), servers(&marker)), (1, 1));
    drop(one);
    assert_works(&two).await;
    let (other, other_marker) = hostile("good");
    let three = pool.get(other).await.unwrap();
    assert_works(&three).await;
    assert_eq!(pool.len(), 2);

    pool.shutdown().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
    assert_gone(&other_marker, Duration::from_millis(100)).await;
    assert_eq!(two.state(), SourceState::Stopped);
    let error = pool.get(config).await.unwrap_err();
    assert_eq!(error.code(), "source_not_running");
}

/// Lets time pass at once, for tasks that have begun to wait.
async fn pass(time: Duration) {
    tokio::task::yield_now().await;
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn an_unused_server_is_ended_after_a_while() {
    // Well below the deadline of a call, which the moved clock brings nearer.
    let idle = Duration::from_secs(2);
    let pool = Pool::with_idle(guard(), None, idle);
    let (config, marker) = hostile("good");
    let lease = pool.get(config.clone()).await.unwrap();
    drop(lease);
    pass(idle / 2).await;
    let again = pool.get(config).await.unwrap();
    pass(idle).await;
    assert_works(&again).await;
    drop(again);
    pass(idle).await;
    assert_gone(&marker, Duration::from_secs(3)).await;
    assert!(pool.is_empty());
}

#[tokio::test]
async fn a_failed_server_is_restarted_for_the_next_user_once() {
    let pool = Pool::new(guard(), None);
    let (config, marker) = hostile("dies in a call");
    let lease = pool.get(config.clone()).await.unwrap();
    crate::rig::call(&lease, Duration::from_secs(5)).await.unwrap_err();
    while lease.state() != SourceState::Failed {
        lease.state_change().await;
    }
    let (one, two) = tokio::join!(pool.get(config.clone()), pool.get(config));
    assert_eq!(one.unwrap().state(), SourceState::Ready);
    assert_eq!(two.unwrap().state(), SourceState::Ready);
    assert_eq!(servers(&marker), 1);
    pool.shutdown().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_shutdown_ends_a_server_that_is_still_starting() {
    let pool = Pool::new(guard(), None);
    let (config, marker) = hostile("hangs at start");
    let starting = tokio::spawn({
        let pool = pool.clone();
        async move { pool.get(config).await.map(|_| ()) }
    });
    while servers(&marker) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    pool.shutdown().await;
    let error = starting.await.unwrap().unwrap_err();
    assert_eq!(error.code(), "source_cancelled");
    assert_gone(&marker, Duration::from_secs(3)).await;
}

#[tokio::test]
async fn a_source_that_someone_closed_is_replaced() {
    let pool = Pool::new(guard(), None);
    let (config, marker) = hostile("good");
    let first = pool.get(config.clone()).await.unwrap();
    first.close().await;
    let second = pool.get(config).await.unwrap();
    assert_works(&second).await;
    drop(first);
    assert_eq!((pool.len(), servers(&marker)), (1, 1));
    pool.shutdown().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}
