//! How many requests one sender may make: a bucket of tokens for each, in a table of bounded size.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Tables, so that threads rarely wait for each other.
const SHARDS: usize = 16;
/// Buckets in one generation of one table: 128 Ki in all.
const GENERATION: usize = 4096;

/// How fast a bucket fills, and how much it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BucketRate {
    /// Nanoseconds until the next token; none is no limit.
    interval: Option<u64>,
    /// Nanoseconds until an empty bucket is full.
    capacity: u64,
}

impl BucketRate {
    /// So many a minute, so many at once. None a minute is no limit.
    pub(crate) fn per_minute(rate: u32, burst: u32) -> Self {
        const MINUTE: u64 = 60_000_000_000;
        let interval = MINUTE.checked_div(u64::from(rate));
        let capacity = interval.unwrap_or_default().saturating_mul(u64::from(burst));
        Self { interval, capacity }
    }
}

/// Buckets by sender. The time is passed in, counted from any fixed moment.
#[derive(Debug)]
pub(crate) struct RateLimiter<K> {
    rate: BucketRate,
    hasher: RandomState,
    shards: Vec<Mutex<Generations<K>>>,
}

/// Two generations of buckets. A bucket that is used moves to the young one; when that is full, the old one is
/// forgotten. So what was used lately stays, and the size is bounded.
#[derive(Debug)]
struct Generations<K> {
    young: HashMap<K, u64>,
    old: HashMap<K, u64>,
}

impl<K: Hash + Eq + Clone> RateLimiter<K> {
    pub(crate) fn new(rate: BucketRate) -> Self {
        let shard = || Mutex::new(Generations { young: HashMap::new(), old: HashMap::new() });
        let shards = std::iter::repeat_with(shard).take(SHARDS).collect();
        Self { rate, hasher: RandomState::new(), shards }
    }

    /// Takes one token; the error is how long to wait for it.
    pub(crate) fn take(&self, key: &K, now: Duration) -> Result<(), Duration> {
        let Some(interval) = self.rate.interval else { return Ok(()) };
        let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        let shard = usize::try_from(self.hasher.hash_one(key)).unwrap_or_default() % SHARDS;
        let mut generations = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let full_at = generations.get(key).max(now);
        let after = full_at.saturating_add(interval);
        let wait = after.saturating_sub(now).saturating_sub(self.rate.capacity);
        if wait > 0 {
            return Err(Duration::from_nanos(wait));
        }
        generations.set(key, after);
        Ok(())
    }
}

impl<K: Hash + Eq + Clone> Generations<K> {
    /// When the bucket will be full; long ago if there is none.
    fn get(&self, key: &K) -> u64 {
        self.young.get(key).or_else(|| self.old.get(key)).copied().unwrap_or_default()
    }

    fn set(&mut self, key: &K, full_at: u64) {
        if let Some(known) = self.young.get_mut(key) {
            *known = full_at;
            return;
        }
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(key);
        self.young.insert(key.clone(), full_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_burst_is_taken_at_once_and_then_the_rate_counts() {
        let limiter = RateLimiter::new(BucketRate::per_minute(60, 3));
        let start = seconds(1000);
        for _ in 0..3 {
            assert_eq!(limiter.take(&"a", start), Ok(()));
        }
        assert_eq!(limiter.take(&"a", start), Err(seconds(1)));
        assert_eq!(limiter.take(&"b", start), Ok(()), "another sender");
        assert_eq!(limiter.take(&"a", start + seconds(1)), Ok(()));
        assert!(limiter.take(&"a", start + seconds(1)).is_err());
        for _ in 0..3 {
            assert_eq!(limiter.take(&"a", start + seconds(60)), Ok(()));
        }
        assert!(limiter.take(&"a", start + seconds(60)).is_err(), "no more than the burst");
    }

    #[test]
    fn refused_requests_take_nothing() {
        let limiter = RateLimiter::new(BucketRate::per_minute(60, 1));
        assert_eq!(limiter.take(&"a", seconds(0)), Ok(()));
        for _ in 0..100 {
            assert_eq!(limiter.take(&"a", seconds(0)), Err(seconds(1)));
        }
        assert_eq!(limiter.take(&"a", seconds(1)), Ok(()));
    }

    #[test]
    fn no_rate_is_no_limit() {
        let limiter = RateLimiter::new(BucketRate::per_minute(0, 1));
        assert!((0..1000).all(|_| limiter.take(&"a", seconds(0)).is_ok()));
    }

    #[test]
    fn the_table_is_bounded_and_forgets_what_was_not_used_lately() {
        let limiter = RateLimiter::new(BucketRate::per_minute(1, 1));
        assert_eq!(limiter.take(&0, seconds(0)), Ok(()));
        for key in 1..400_000_u32 {
            assert_eq!(limiter.take(&key, seconds(0)), Ok(()));
        }
        let kept = limiter.shards.iter().map(|shard| {
            let generations = shard.lock().unwrap();
            generations.young.len() + generations.old.len()
        });
        assert!(kept.sum::<usize>() <= 2 * SHARDS * GENERATION);
        assert!(limiter.take(&399_999, seconds(0)).is_err(), "the latest is known");
        assert!(limiter.take(&0, seconds(0)).is_ok(), "the first is not");
    }
}
