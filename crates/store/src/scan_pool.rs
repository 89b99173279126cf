//! Where reads run: short ones on the caller's thread, long ones on a bounded number of blocking threads, and slow look-ups on both.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

use crate::guarded::{guarded, message_of};
use crate::{Error, Visit, Visitor};

/// Rows a scan may visit on the caller's thread before it moves to the pool: a thread hop costs as much as some twenty rows. More than a
/// page of the usual hundred, whose query would hop otherwise.
const INLINE_ROWS: usize = 256;

/// Time a scan may take on the caller's thread; slow rows move it to the pool before [`INLINE_ROWS`].
const INLINE_TIME: Duration = Duration::from_micros(250);

/// Time a scan holds its place in the pool while others wait for one.
const SLICE_TIME: Duration = Duration::from_millis(10);

/// Rows between two looks at the clock and at whether anyone still wants the scan.
const ROWS_PER_CHECK: usize = 8;

/// Fewest scans that run at once, however few cores there are: one long scan must not stop all others.
const MIN_PLACES: usize = 2;

/// A look-up of a key takes longer if its block was not at hand, and then those of the keys behind it are likely to.
const SLOW_LOOK_UP: Duration = Duration::from_micros(5);

/// Fewer look-ups are not worth the waking of another thread.
const MIN_SHARED_LOOK_UPS: usize = 4;

/// How long the helper's last look-up is waited for without sleeping, as it takes less than to sleep and be woken.
const LAST_LOOK_UP: Duration = Duration::from_micros(15);

/// Bounds how many scans run at once. Waiting scans take turns: one that has run for [`SLICE_TIME`] goes to the back of the
/// queue, so that a scan of a huge range does not delay a small one by more than a few slices.
pub(crate) struct ScanPool {
    places: Arc<Semaphore>,
}

impl ScanPool {
    /// A pool with as many places as there are cores, and at least [`MIN_PLACES`].
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(MIN_PLACES, usize::from);
        ScanPool { places: Arc::new(Semaphore::new(cores.max(MIN_PLACES))) }
    }

    /// Brings `visitor` to `rows` until either ends.
    pub(crate) async fn scan<R>(&self, rows: R, visitor: Box<dyn Visitor>) -> Result<Box<dyn Visitor>, Error>
    where
        R: Iterator<Item = Result<(Bytes, Bytes), Error>> + Send + 'static,
    {
        let abandoned = AbandonOnDrop(Arc::new(AtomicBool::new(false)));
        let mut run = ScanRun { rows, visitor, abandoned: abandoned.0.clone() };
        let mut progress = run.advance(INLINE_ROWS, INLINE_TIME)?;
        while progress == Progress::Paused {
            (run, progress) = self
                .run(move |places| {
                    let mut progress = Progress::Paused;
                    // Nobody can be waiting while a place is free.
                    while progress == Progress::Paused {
                        progress = run.advance(usize::MAX, SLICE_TIME)?;
                        if places.available_permits() == 0 {
                            break;
                        }
                    }
                    Ok((run, progress))
                })
                .await?;
        }
        Ok(run.visitor)
    }

    /// Looks up a few keys, in order: here as long as that is fast, and then with the help of a thread of the pool, if a place is free.
    pub(crate) async fn look_up<K, T>(
        &self,
        keys: Vec<K>,
        get: impl Fn(&K) -> Result<T, Error> + Send + Sync + 'static,
    ) -> Result<Vec<T>, Error>
    where
        K: Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
    {
        let mut found = Vec::with_capacity(keys.len());
        let (mut keys, mut is_slow) = (keys.into_iter(), false);
        while !is_slow || keys.len() < MIN_SHARED_LOOK_UPS {
            let Some(key) = keys.next() else { return Ok(found) };
            let started = Instant::now();
            found.push(get(&key)?);
            is_slow = started.elapsed() >= SLOW_LOOK_UP;
        }
        let rest = Arc::new(LookUps::new(keys.collect(), get));
        let place = self.places.clone().try_acquire_owned().ok();
        let helper = place.map(|place| {
            let rest = rest.clone();
            spawn_blocking(move || {
                let _place = place;
                rest.work();
            })
        });
        rest.work();
        let finished = Instant::now();
        let mut answers = rest.answers();
        while answers.is_none() && finished.elapsed() < LAST_LOOK_UP {
            std::hint::spin_loop();
            answers = rest.answers();
        }
        // A helper that has taken none need not be waited for.
        if let Some(helper) = helper.filter(|_| answers.is_none()) {
            helper.await.map_err(lost_task)?;
            answers = rest.answers();
        }
        found.extend(answers.ok_or(Error::Closed)??);
        Ok(found)
    }

    /// Runs blocking `work` in the pool.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Semaphore) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let place = self.places.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
        let places = self.places.clone();
        let task = spawn_blocking(move || {
            let _place = place;
            work(&places)
        });
        task.await.map_err(lost_task)?
    }
}

/// Runs blocking work that is no read: it takes no place in the pool.
pub(crate) async fn run_aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    spawn_blocking(work).await.map_err(lost_task)?
}

/// Look-ups that threads share: each takes the next one.
struct LookUps<K, T, G> {
    keys: Vec<K>,
    answers: Vec<OnceLock<Result<T, Error>>>,
    next: AtomicUsize,
    get: G,
}

impl<K, T: Clone, G: Fn(&K) -> Result<T, Error>> LookUps<K, T, G> {
    fn new(keys: Vec<K>, get: G) -> Self {
        let answers = keys.iter().map(|_| OnceLock::new()).collect();
        LookUps { keys, answers, next: AtomicUsize::new(0), get }
    }

    /// Takes look-ups until all are taken.
    fn work(&self) {
        loop {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let (Some(key), Some(answer)) = (self.keys.get(next), self.answers.get(next)) else { return };
            answer.get_or_init(|| (self.get)(key));
        }
    }

    /// The answers, once all threads that took look-ups are done.
    fn answers(&self) -> Option<Result<Vec<T>, Error>> {
        // The last ones come last.
        let are_there = self.answers.iter().rev().all(|answer| answer.get().is_some());
        are_there.then(|| self.answers.iter().filter_map(|answer| answer.get().cloned()).collect())
    }
}

/// A scan on its way.
struct ScanRun<R> {
    rows: R,
    visitor: Box<dyn Visitor>,
    abandoned: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Paused,
    Finished,
}

impl<R: Iterator<Item = Result<(Bytes, Bytes), Error>>> ScanRun<R> {
    /// Visits rows until there are none left, `max_rows` were visited or `time` is over.
    fn advance(&mut self, max_rows: usize, time: Duration) -> Result<Progress, Error> {
        guarded("visitor", || {
            let started = Instant::now();
            for visited in 1..=max_rows {
                let Some(row) = self.rows.next() else { return Ok(Progress::Finished) };
                let (key, value) = row?;
                if self.visitor.visit(&key, &value) == Visit::Stop {
                    return Ok(Progress::Finished);
                }
                if visited % ROWS_PER_CHECK == 0 {
                    if self.abandoned.load(Ordering::Relaxed) {
                        return Ok(Progress::Finished);
                    }
                    if started.elapsed() >= time {
                        break;
                    }
                }
            }
            Ok(Progress::Paused)
        })
    }
}

/// Tells a scan that nobody waits for it any more.
struct AbandonOnDrop(Arc<AtomicBool>);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn lost_task(error: JoinError) -> Error {
    match error.try_into_panic() {
        Ok(panic) => Error::Panicked { what: "read", message: message_of(&*panic) },
        // The runtime shuts down.
        Err(_) => Error::Closed,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::thread::{ThreadId, current, sleep};

    use super::*;

    const SLOW: Duration = Duration::from_millis(10);

    /// What a look-up of 0 to 15 gives, and the threads that took part.
    async fn look_up(pool: &ScanPool, time: Duration) -> (Vec<u32>, HashSet<ThreadId>) {
        let threads = Arc::<Mutex<HashSet<ThreadId>>>::default();
        let seen = threads.clone();
        let get = move |key: &u32| {
            sleep(time);
            seen.lock().unwrap().insert(current().id());
            Ok(key * 2)
        };
        let found = pool.look_up((0..16).collect(), get).await.unwrap();
        let threads = threads.lock().unwrap().clone();
        (found, threads)
    }

    #[tokio::test]
    async fn slow_look_ups_are_shared_and_stay_in_order() {
        let pool = ScanPool::new();
        let expected: Vec<u32> = (0..16).map(|key| key * 2).collect();
        let (found, threads) = look_up(&pool, SLOW).await;
        assert_eq!((found, threads.len()), (expected.clone(), 2));
        assert!(threads.contains(&current().id()));
        let everything = u32::try_from(pool.places.available_permits()).unwrap();
        let places = pool.places.acquire_many(everything).await.unwrap();
        let (found, threads) = look_up(&pool, SLOW).await;
        assert_eq!((found, threads.len()), (expected, 1), "there is no place for a helper");
        drop(places);
        assert_eq!(pool.look_up(Vec::<u32>::new(), |key| Ok(*key)).await.unwrap(), []);
    }

    #[tokio::test]
    async fn what_goes_wrong_in_one_is_told() {
        let pool = ScanPool::new();
        for wrong in [0, 15] {
            let get = move |key: &u32| {
                sleep(SLOW);
                if *key == wrong { Err(Error::Closed) } else { Ok(*key) }
            };
            assert!(matches!(pool.look_up((0..16).collect(), get).await, Err(Error::Closed)));
        }
    }
}
