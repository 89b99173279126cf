//! Sessions: requests one after the other, with variables that stay.
//!
//! A session belongs to its connection and ends with it, as with official servers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use orrery_gremlin::value::GMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::fault::Fault;
use super::limits::MAX_SESSIONS_PER_CONNECTION;

/// The sessions of a connection.
#[derive(Debug)]
pub(super) struct Sessions {
    by_name: HashMap<Arc<str>, Session>,
    /// Room for sessions in the whole API.
    room: Arc<Semaphore>,
}

#[derive(Debug)]
struct Session {
    variables: Arc<Mutex<GMap>>,
    /// Ends when the last request in line has.
    last: Option<oneshot::Receiver<()>>,
    used: Instant,
    _room: OwnedSemaphorePermit,
}

/// A request's place in the line of its session. The next one's turn comes when this is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    before: Option<oneshot::Receiver<()>>,
    /// What the session remembers. Only whose turn it is looks at them.
    pub variables: Arc<Mutex<GMap>>,
    _done: oneshot::Sender<()>,
}

impl Turn {
    /// Waits until all requests before this one are done.
    pub async fn come(&mut self) {
        if let Some(before) = self.before.take() {
            // An error means that the request is gone, which is all this waits for.
            let _ = before.await;
        }
    }
}

impl Sessions {
    pub fn new(room: Arc<Semaphore>) -> Sessions {
        Sessions { by_name: HashMap::new(), room }
    }

    /// Stands in line in a session, which begins if there is none of that name.
    ///
    /// # Errors
    /// If there are too many sessions.
    pub fn enter(&mut self, name: &Arc<str>) -> Result<Turn, Fault> {
        if !self.by_name.contains_key(name) {
            if self.by_name.len() >= MAX_SESSIONS_PER_CONNECTION {
                return Err(Fault::TooManyRequests);
            }
            let room = self.room.clone().try_acquire_owned().map_err(|_| Fault::TooManyRequests)?;
            let session = Session { variables: Arc::default(), last: None, used: Instant::now(), _room: room };
            self.by_name.insert(name.clone(), session);
        }
        let session = self.by_name.get_mut(name).ok_or(Fault::TooManyRequests)?;
        Ok(session.stand_in_line())
    }

    /// Ends a session; requests that are in line are still answered. `None` if there is none of that name.
    pub fn close(&mut self, name: &str) -> Option<Turn> {
        self.by_name.remove(name).map(|mut session| session.stand_in_line())
    }

    /// Forgets sessions that nobody has used for `idle`.
    pub fn forget_idle(&mut self, idle: Duration) {
        let is_kept =
            |session: &mut Session| Arc::strong_count(&session.variables) > 1 || session.used.elapsed() < idle;
        self.by_name.retain(|_, session| is_kept(session));
    }
}

impl Session {
    fn stand_in_line(&mut self) -> Turn {
        let (done, last) = oneshot::channel();
        self.used = Instant::now();
        Turn { before: self.last.replace(last), variables: self.variables.clone(), _done: done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> Sessions {
        Sessions::new(Arc::new(Semaphore::new(100)))
    }

    #[tokio::test]
    async fn turns_come_in_the_order_of_entering() {
        let mut sessions = sessions();
        let name: Arc<str> = "s".into();
        let (mut first, mut second) = (sessions.enter(&name).unwrap(), sessions.enter(&name).unwrap());
        first.come().await;
        let waiting = second.come();
        tokio::pin!(waiting);
        assert!(tokio::time::timeout(Duration::ZERO, waiting.as_mut()).await.is_err());
        drop(first);
        waiting.await;
    }

    #[tokio::test]
    async fn variables_stay_until_the_session_is_closed() {
        let mut sessions = sessions();
        let name: Arc<str> = "s".into();
        let turn = sessions.enter(&name).unwrap();
        turn.variables.lock().unwrap().insert("x".into(), 1.into());
        drop(turn);
        assert_eq!(sessions.enter(&name).unwrap().variables.lock().unwrap().len(), 1);
        sessions.close(&name).unwrap().come().await;
        assert!(sessions.close(&name).is_none());
        assert!(sessions.enter(&name).unwrap().variables.lock().unwrap().is_empty());
    }

    #[test]
    fn sessions_are_bounded_and_forgotten() {
        let mut sessions = sessions();
        for number in 0..MAX_SESSIONS_PER_CONNECTION {
            sessions.enter(&format!("s{number}").into()).unwrap();
        }
        assert_eq!(sessions.enter(&"one more".into()).unwrap_err(), Fault::TooManyRequests);
        let used = sessions.enter(&"s0".into()).unwrap();
        sessions.forget_idle(Duration::ZERO);
        assert_eq!(sessions.by_name.len(), 1);
        drop(used);
        sessions.forget_idle(Duration::ZERO);
        assert_eq!(sessions.by_name.len(), 0);
        assert_eq!(sessions.room.available_permits(), 100);
    }
}
