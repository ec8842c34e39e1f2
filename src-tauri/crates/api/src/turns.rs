//! Keyed locks: commands of the same scope are carried out one at a time, all others at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use crate::table::Scope;

/// The locks of all scopes that are in use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns {
    locks: Arc<Mutex<HashMap<Scope, Arc<tokio::sync::Mutex<()>>>>>,
}

/// The right to change what a scope names, until dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    guard: Option<OwnedMutexGuard<()>>,
    scope: Scope,
    turns: Turns,
}

impl Turns {
    /// Waits until nobody else works in the scope.
    pub(crate) async fn take(&self, scope: Scope) -> Turn {
        if scope == Scope::Free {
            return Turn { guard: None, scope, turns: self.clone() };
        }
        let lock = self.map().entry(scope.clone()).or_default().clone();
        Turn { guard: Some(lock.lock_owned().await), scope, turns: self.clone() }
    }

    fn map(&self) -> std::sync::MutexGuard<'_, HashMap<Scope, Arc<tokio::sync::Mutex<()>>>> {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.guard.take().is_none() {
            return;
        }
        let mut locks = self.turns.map();
        // Whoever waits has a share of the lock besides the map's.
        if locks.get(&self.scope).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.scope);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_scope_is_taken_by_one_at_a_time_and_forgotten_afterwards() {
        let turns = Turns::default();
        let first = turns.take(Scope::Sessions).await;
        let _other = turns.take(Scope::Settings).await;
        let (_free, _free_too) = (turns.take(Scope::Free).await, turns.take(Scope::Free).await);
        let waiting = tokio::spawn({
            let turns = turns.clone();
            async move { drop(turns.take(Scope::Sessions).await) }
        });
        while Arc::strong_count(turns.map().get(&Scope::Sessions).unwrap()) < 3 {
            tokio::task::yield_now().await;
        }
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap();
        assert!(turns.map().get(&Scope::Sessions).is_none());
        assert_eq!(turns.map().len(), 1);
    }
}
