//! Where reads run: short ones on the caller's thread, long ones on a bounded number of blocking threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
