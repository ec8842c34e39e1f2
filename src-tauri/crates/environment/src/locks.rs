//! Keyed locks: commands of the same scope are carried out one at a time, all others at once.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use protocol::Scope;
use tokio::sync::OwnedMutexGuard;

/// The locks of all scopes that are in use.
#[derive(Debug, Clone, Default)]
pub struct ScopeLocks {
    locks: Arc<Mutex<HashMap<Scope, Arc<tokio::sync::Mutex<()>>>>>,
}

/// The right to change what a scope names, until dropped.
#[derive(Debug)]
pub struct ScopeGuard {
    guard: Option<OwnedMutexGuard<()>>,
    scope: Scope,
    locks: ScopeLocks,
}

impl ScopeLocks {
    /// Waits until nobody else works in the scope.
    pub async fn lock(&self, scope: Scope) -> ScopeGuard {
        if scope == Scope::Free {
            return ScopeGuard { guard: None, scope, locks: self.clone() };
        }
        let lock = self.locks.lock().entry(scope.clone()).or_default().clone();
        ScopeGuard { guard: Some(lock.lock_owned().await), scope, locks: self.clone() }
    }
}

impl Drop for ScopeGuard {
    fn drop(&mut self) {
        if self.guard.take().is_none() {
            return;
        }
        let mut locks = self.locks.locks.lock();
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
        let locks = ScopeLocks::default();
        let first = locks.lock(Scope::Sessions).await;
        let _other = locks.lock(Scope::Settings).await;
        let (_free, _free_too) = (locks.lock(Scope::Free).await, locks.lock(Scope::Free).await);
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move { drop(locks.lock(Scope::Sessions).await) }
        });
        while Arc::strong_count(locks.locks.lock().get(&Scope::Sessions).unwrap()) < 3 {
            tokio::task::yield_now().await;
        }
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap();
        assert!(locks.locks.lock().get(&Scope::Sessions).is_none());
        assert_eq!(locks.locks.lock().len(), 1);
    }
}
