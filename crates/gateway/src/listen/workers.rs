//! Threads that drive connections, each its own ones.
//!
//! A runtime whose threads share their tasks hands a connection's next request to whichever is free: it wakes threads, moves tasks
//! between queues, and one processor's caches fill with what another has just read. A connection that stays on one thread costs
//! none of that (figures in ARCHITECTURE.md). What takes long must not run on these threads, for the thread's other connections wait
//! meanwhile: scans, traversals and compression of large bodies run on threads that may block.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use hyper::rt::Executor;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::give_way;

/// Threads that drive the connections of ports. They end when this is dropped, and with them what they still drive.
#[derive(Debug)]
pub struct Workers {
    threads: Vec<Arc<Worker>>,
    /// Dropped to end the threads.
    _stops: Vec<oneshot::Sender<()>>,
}

#[derive(Debug)]
struct Worker {
    runtime: Handle,
    connections: AtomicUsize,
    /// Requests of the connections that are not answered yet.
    unanswered: Arc<AtomicUsize>,
}

/// A connection's place on a thread.
#[derive(Debug)]
pub(super) struct Seat(Arc<Worker>);

impl Workers {
    /// Starts `count` threads; more than there are processors gain nothing.
    ///
    /// # Errors
    /// If the system has no threads or file descriptors left.
    pub fn start(count: usize) -> io::Result<Workers> {
        let (mut threads, mut stops) = (Vec::new(), Vec::new());
        for number in 0..count {
            let mut runtime = Builder::new_current_thread();
            let unanswered = Arc::<AtomicUsize>::default();
            give_way::install(&mut runtime, unanswered.clone());
            let runtime = runtime.enable_all().build()?;
            let (stop, stopped) = oneshot::channel();
            let handle = runtime.handle().clone();
            threads.push(Arc::new(Worker { runtime: handle, connections: AtomicUsize::new(0), unanswered }));
            stops.push(stop);
            let name = format!("connections-{number}");
            std::thread::Builder::new().name(name).spawn(move || {
                let _ = runtime.block_on(stopped);
                // A traversal for a client that left must not hold up the end.
                runtime.shutdown_background();
            })?;
        }
        Ok(Workers { threads, _stops: stops })
    }

    /// A place on the thread that has the fewest connections; `None` if there is no thread.
    pub(super) fn seat(&self) -> Option<Seat> {
        let worker = self.threads.iter().min_by_key(|worker| worker.connections.load(Relaxed))?;
        worker.connections.fetch_add(1, Relaxed);
        Some(Seat(worker.clone()))
    }
}

impl Seat {
    /// Tasks of this runtime run on the thread.
    pub(super) fn runtime(&self) -> Handle {
        self.0.runtime.clone()
    }

    /// Requests of the thread's connections that are not answered yet.
    pub(super) fn unanswered(&self) -> &AtomicUsize {
        &self.0.unanswered
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Relaxed);
    }
}

/// Runs the streams of an HTTP/2 connection on the runtime of the port, whose threads share them: such a connection may be the only
/// one of a client, and one thread would be too few for its requests.
#[derive(Debug, Clone)]
pub(super) struct SharedByThreads(pub(super) Handle);

impl<F> Executor<F> for SharedByThreads
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, future: F) {
        self.0.spawn(future);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_spread_evenly_and_fill_gaps() {
        let workers = Workers::start(2).unwrap();
        let mut seats: Vec<Seat> = (0..4).map(|_| workers.seat().unwrap()).collect();
        let counts = || workers.threads.iter().map(|worker| worker.connections.load(Relaxed)).collect::<Vec<_>>();
        assert_eq!(counts(), [2, 2]);
        let first = seats[0].0.clone();
        seats.retain(|seat| !Arc::ptr_eq(&seat.0, &first));
        assert_eq!(counts(), [0, 2]);
        seats.extend((0..2).map(|_| workers.seat().unwrap()));
        assert_eq!(counts(), [2, 2]);
        assert!(Workers::start(0).unwrap().seat().is_none());
    }

    #[tokio::test]
    async fn tasks_stay_on_their_thread_and_end_with_it() {
        let workers = Workers::start(1).unwrap();
        let (sender, names) = std::sync::mpsc::channel();
        let task = workers.seat().unwrap().runtime().spawn(async move {
            for _ in 0..3 {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                sender.send(std::thread::current().name().map(str::to_owned)).unwrap();
            }
            std::future::pending::<()>().await;
        });
        for _ in 0..3 {
            assert_eq!(names.recv().unwrap().as_deref(), Some("connections-0"));
        }
        drop(workers);
        assert!(task.await.unwrap_err().is_cancelled());
    }
}
