use pretty_assertions::assert_eq;
use store::StoredJudgement;

use crate::{Home, begin};

fn judgement(key: u8, finding: &str) -> StoredJudgement {
    StoredJudgement { key: [key; 32], finding: finding.into(), words: "w".into(), reason: "r".into() }
}

async fn known(home: &Home, keys: &[u8]) -> Vec<(u8, String)> {
    let keys: Vec<[u8; 32]> = keys.iter().map(|key| [*key; 32]).collect();
    let found = home.store.judgements(&keys).await.expect("reads");
    let mut found: Vec<_> = found.into_iter().map(|one| (one.key[0], one.finding)).collect();
    found.sort();
    found
}

#[tokio::test]
async fn judgements_are_known_as_long_as_the_run_that_asked_last() {
    let mut home = Home::new().await;
    for run in ["r1", "r2"] {
        home.store.commit(begin(run, run)).await.expect("begins");
    }
    let many: Vec<StoredJudgement> = (1..=40).map(|key| judgement(key, "supported")).collect();
    home.store.keep_judgements("r1", &many).await.expect("keeps");
    home.store.keep_judgements("r2", &[judgement(2, "not"), judgement(3, "supported")]).await.expect("keeps");
    home.store.keep_judgements("gone", &[judgement(50, "not")]).await.expect("keeps nothing");
    home = home.reopened().await;
    let all: Vec<u8> = (0..=60).collect();
    let found = known(&home, &all).await;
    assert_eq!((found.len(), &found[1]), (40, &(2, "not".to_owned())));
    assert_eq!(known(&home, &[]).await, []);

    assert!(home.store.delete_run("r1").await.expect("deletes"));
    assert_eq!(known(&home, &all).await, [(2, "not".to_owned()), (3, "supported".to_owned())]);
    assert!(home.store.delete_session("r2").await.expect("deletes"));
    assert_eq!(known(&home, &all).await, []);
}
