//! Several things at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Does something with each item and its number, on so many threads at most, and gives the results back in
/// the order of the items.
pub(crate) fn in_parallel<Item: Sync, Outcome: Send>(
    items: &[Item],
    threads: usize,
    act: impl Fn(usize, &Item) -> Outcome + Sync,
) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let outcome = act(index, item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, outcome));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut all = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_their_items() {
        let items: Vec<usize> = (0..100).collect();
        for threads in [0, 1, 3, 200] {
            let doubled = in_parallel(&items, threads, |index, item| (index, item * 2));
            assert!(doubled.into_iter().eq((0..100).map(|item| (item, item * 2))), "{threads}");
        }
        assert!(in_parallel(&[], 4, |_, item: &usize| *item).is_empty());
    }
}
