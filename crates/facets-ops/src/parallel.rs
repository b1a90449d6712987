//! Work on several things at once.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Does something with each item, on all processors. The results have the order of the items.
pub(crate) fn on_all_processors<Item: Sync, Out: Send>(
    items: &[Item],
    work: impl Fn(&Item) -> Out + Sync,
) -> Vec<Out> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let out = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, out));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(run);
        }
        run();
    });
    let mut all = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, out)| out).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = on_all_processors(&items, |item| item * 2);
        assert!(doubled.into_iter().eq((0..1000).map(|item| item * 2)));
        assert!(on_all_processors(&[0_usize; 0], |item| *item).is_empty());
    }
}
