//! Results on their way out: gathered into batches, and sent no faster than the client takes them.

use std::time::{Duration, Instant};

use orrery_gremlin::graph::{GraphError, Waiting};
use orrery_gremlin::run::RunError;
use orrery_gremlin::value::{GValue, Traverser};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::command::Settings;
use super::envelope::{Envelope, Outgoing};
use super::fault::Fault;
use super::limits::{MAX_COLLECTED, MAX_WAITING_ANSWERS, WRITE_STALL_TIMEOUT};

/// The answer to one request, written by the thread that runs it.
pub(super) struct Answer {
    pub envelope: Envelope,
    out: Outlet,
    sending: Sending,
    /// Messages that are not sent yet.
    held: Vec<Outgoing>,
    settings: Settings,
    /// A bound beside that of the settings.
    latest: Option<Instant>,
    deadline: Instant,
    batch: Vec<GValue>,
}

/// How messages are sent.
#[derive(Debug)]
enum Sending {
    /// Each when it is full. Waits for the client.
    Blocking(Handle),
    /// All when the answer is known, or none if there is no room for them.
    AtOnce,
    /// By [`Answer::deliver`].
    Later,
}

/// Where an answer goes.
#[derive(Debug, Clone)]
pub(super) enum Outlet {
    /// To a WebSocket, in as many messages as it takes.
    Messages(mpsc::Sender<Outgoing>),
    /// To an HTTP reply, which is one message.
    Single(mpsc::Sender<Outgoing>),
}

impl Answer {
    /// An answer with the settings of its request; time runs from now on.
    pub fn new(envelope: Envelope, out: Outlet, settings: Settings, waiting: &Waiting) -> Answer {
        let deadline = Instant::now() + settings.evaluation_timeout;
        let sending = match waiting {
            Waiting::Blocking(runtime) => Sending::Blocking(runtime.clone()),
            Waiting::Never => Sending::AtOnce,
        };
        Answer { envelope, out, sending, held: Vec::new(), settings, deadline, latest: None, batch: Vec::new() }
    }

    /// The same answer, which must be done within `time` from now on, whatever the settings.
    pub fn within(mut self, time: Duration) -> Answer {
        self.latest = Some(Instant::now() + time);
        self
    }

    /// Leaves what is to be sent to [`Answer::deliver`].
    pub fn wait_later(&mut self) {
        self.sending = Sending::Later;
        self.latest = None;
    }

    /// When the request must be done.
    pub fn deadline(&self) -> Instant {
        self.latest.map_or(self.deadline, |latest| latest.min(self.deadline))
    }

    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Goes on with other settings. The time that a request may take counts from its beginning.
    pub fn set(&mut self, settings: Settings) {
        let began = self.deadline - self.settings.evaluation_timeout;
        self.deadline = began + settings.evaluation_timeout;
        self.settings = settings;
    }

    /// Adds a result. Blocks while the client is behind.
    ///
    /// # Errors
    /// If the client is gone, does not read, or cannot be told the results before.
    pub fn push(&mut self, value: GValue) -> Result<(), Fault> {
        if self.batch.len() >= self.batch_size() {
            let full = std::mem::take(&mut self.batch);
            self.send_results(206, full)?;
        }
        self.batch.push(if self.settings.has_properties { value } else { without_properties(value) });
        Ok(())
    }

    /// Adds a result as often as it stands for.
    ///
    /// # Errors
    /// As [`Answer::push`].
    pub fn push_bulk(&mut self, traverser: Traverser) -> Result<(), Fault> {
        (0..traverser.bulk).try_for_each(|_| self.push(traverser.value.clone()))
    }

    /// Sends what is left, with the code that ends the request.
    ///
    /// # Errors
    /// As [`Answer::push`].
    pub fn finish(&mut self) -> Result<u16, Fault> {
        let rest = std::mem::take(&mut self.batch);
        let code = if rest.is_empty() { 204 } else { 200 };
        self.send_results(code, rest)?;
        self.release()?;
        Ok(code)
    }

    /// Sends a failure instead of what is left, and says with which code; `None` if it would have to wait and may not.
    pub fn fail(&mut self, fault: &Fault) -> Option<u16> {
        let message = self.envelope.failure(fault);
        let code = message.code;
        match self.send(message, Instant::now() + WRITE_STALL_TIMEOUT).and_then(|()| self.release()) {
            Err(fault) if fault == must_wait() => None,
            // A client that is gone needs no answer.
            _ => Some(code),
        }
    }

    fn batch_size(&self) -> usize {
        match self.out {
            Outlet::Messages(_) => self.settings.batch_size,
            Outlet::Single(_) => MAX_COLLECTED,
        }
    }

    fn send_results(&mut self, code: u16, results: Vec<GValue>) -> Result<(), Fault> {
        let messages = self.envelope.results(code, results)?;
        let is_one = code != 206 && messages.len() == 1;
        if matches!(self.out, Outlet::Single(_)) && !is_one {
            let message = format!(
                "more results than one HTTP reply takes ({MAX_COLLECTED}, and 10 MiB); narrow the traversal or use the WebSocket"
            );
            return Err(Fault::TooMuch { message });
        }
        let until = self.deadline();
        messages.into_iter().try_for_each(|message| self.send(message, until))
    }

    /// Sends what is held as the client takes it. One that is gone, or takes nothing, gets no more.
    pub async fn deliver(self) {
        let (Outlet::Messages(out) | Outlet::Single(out)) = self.out;
        for message in self.held {
            if !matches!(tokio::time::timeout(WRITE_STALL_TIMEOUT, out.send(message)).await, Ok(Ok(()))) {
                break;
            }
        }
    }

    /// Sends all that is held, or nothing if there is no room for it.
    fn release(&mut self) -> Result<(), Fault> {
        if let Sending::Later = self.sending {
            return Ok(());
        }
        let (Outlet::Messages(out) | Outlet::Single(out)) = &self.out;
        let places = out.try_reserve_many(self.held.len()).map_err(|error| match error {
            mpsc::error::TrySendError::Full(()) => must_wait(),
            mpsc::error::TrySendError::Closed(()) => Fault::Run(RunError::Cancelled),
        })?;
        self.held.drain(..).zip(places).for_each(|(message, place)| place.send(message));
        Ok(())
    }

    fn send(&mut self, message: Outgoing, until: Instant) -> Result<(), Fault> {
        let Sending::Blocking(runtime) = &self.sending else {
            self.held.push(message);
            // The queue takes no more.
            let is_too_much = matches!(self.sending, Sending::AtOnce) && self.held.len() > MAX_WAITING_ANSWERS;
            return if is_too_much { Err(must_wait()) } else { Ok(()) };
        };
        let (Outlet::Messages(out) | Outlet::Single(out)) = &self.out;
        let gone = || Fault::Run(RunError::Cancelled);
        let message = match out.try_send(message) {
            Ok(()) => return Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => return Err(gone()),
            Err(mpsc::error::TrySendError::Full(message)) => message,
        };
        let patience = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        match runtime.block_on(async { tokio::time::timeout(patience, out.send(message)).await }) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(gone()),
            Err(_) => Err(Fault::Timeout { evaluation_timeout: self.settings.evaluation_timeout }),
        }
    }
}

fn must_wait() -> Fault {
    Fault::Run(RunError::Graph(GraphError::MustWait))
}

/// The same value with elements as references to them.
fn without_properties(value: GValue) -> GValue {
    match value {
        GValue::Vertex(vertex) if vertex.properties.is_some() => {
            let mut vertex = std::sync::Arc::unwrap_or_clone(vertex);
            vertex.properties = None;
            GValue::Vertex(vertex.into())
        }
        GValue::Edge(edge) if edge.properties.is_some() => {
            let mut edge = std::sync::Arc::unwrap_or_clone(edge);
            edge.properties = None;
            GValue::Edge(edge.into())
        }
        GValue::VertexProperty(property) if property.properties.is_some() => {
            let mut property = std::sync::Arc::unwrap_or_clone(property);
            property.properties = None;
            GValue::VertexProperty(property.into())
        }
        GValue::List(items) => GValue::list(std::sync::Arc::unwrap_or_clone(items).into_iter().map(without_properties)),
        GValue::Set(members) => {
            GValue::set(std::sync::Arc::unwrap_or_clone(members).into_iter().map(without_properties))
        }
        GValue::Map(entries) => GValue::map(
            std::sync::Arc::unwrap_or_clone(entries)
                .into_iter()
                .map(|(key, value)| (without_properties(key), without_properties(value))),
        ),
        GValue::Traverser(traverser) => {
            let Traverser { bulk, value } = std::sync::Arc::unwrap_or_clone(traverser);
            GValue::Traverser(Traverser { bulk, value: without_properties(value) }.into())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use orrery_gremlin::io::{Format, Response};
    use orrery_gremlin::value::Vertex;
    use uuid::Uuid;

    use super::super::envelope::Voice;
    use super::*;

    fn answer(settings: Settings, room: usize) -> (Answer, mpsc::Receiver<Outgoing>) {
        let (out, messages) = mpsc::channel(room);
        let voice = Voice { format: Format::GraphSon3, is_text: false };
        let envelope = Envelope::new(Some(Uuid::nil()), voice, "/127.0.0.1:1".into());
        let waiting = Waiting::Blocking(Handle::current());
        (Answer::new(envelope, Outlet::Messages(out), settings, &waiting), messages)
    }

    fn codes_and_counts(messages: &mut mpsc::Receiver<Outgoing>) -> Vec<(u16, usize)> {
        let read = |message: Outgoing| {
            let response = Response::read(Format::GraphSon3, &message.bytes).unwrap();
            (response.code, response.data.map_or(0, |data| data.len()))
        };
        std::iter::from_fn(|| messages.try_recv().ok()).map(read).collect()
    }

    #[tokio::test]
    async fn every_batch_but_the_last_is_partial() {
        for (count, expected) in
            [(0, vec![(204, 0)]), (2, vec![(200, 2)]), (3, vec![(206, 2), (200, 1)]), (4, vec![(206, 2), (200, 2)])]
        {
            let (mut answer, mut messages) = answer(Settings { batch_size: 2, ..Settings::default() }, 8);
            answer.push_bulk(Traverser { bulk: count, value: 1.into() }).unwrap();
            answer.finish().unwrap();
            assert_eq!(codes_and_counts(&mut messages), expected, "{count}");
        }
    }

    #[tokio::test]
    async fn a_failure_may_follow_partial_batches() {
        let (mut answer, mut messages) = answer(Settings { batch_size: 1, ..Settings::default() }, 8);
        answer.push(1.into()).unwrap();
        answer.push(2.into()).unwrap();
        assert_eq!(answer.fail(&Fault::NoSuchElement), Some(597));
        assert_eq!(codes_and_counts(&mut messages), [(206, 1), (597, 0)]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_does_not_read_runs_out_of_time_and_one_that_left_cancels() {
        let settings = Settings { batch_size: 1, evaluation_timeout: Duration::from_millis(20), ..Settings::default() };
        let (mut slow, messages) = answer(settings, 1);
        let (mut left, gone) = answer(settings, 1);
        drop(gone);
        let pushes = tokio::task::spawn_blocking(move || {
            let endless = Traverser { bulk: i64::MAX, value: GValue::Null };
            (slow.push_bulk(endless.clone()), left.push_bulk(endless))
        });
        let (slow, left) = pushes.await.unwrap();
        assert!(matches!(slow, Err(Fault::Timeout { .. })), "{slow:?}");
        assert!(matches!(left, Err(Fault::Run(RunError::Cancelled))), "{left:?}");
        drop(messages);
    }

    #[tokio::test]
    async fn what_may_not_wait_sends_all_or_nothing() {
        let settings = Settings { batch_size: 2, ..Settings::default() };
        let most = 2 * MAX_WAITING_ANSWERS as i64;
        for (count, room, sent) in [(2, 1, 1), (3, 1, 0), (3, 2, 2), (most, 8, MAX_WAITING_ANSWERS), (most + 1, 8, 0)] {
            let (mut answer, mut messages) = answer(settings, room);
            answer.sending = Sending::AtOnce;
            let pushed = answer.push_bulk(Traverser { bulk: count, value: 1.into() });
            assert!(messages.try_recv().is_err(), "{count}: before its end");
            let ended = pushed.and_then(|()| answer.finish());
            assert_eq!(ended, if sent > 0 { Ok(200) } else { Err(must_wait()) }, "{count}");
            assert_eq!(codes_and_counts(&mut messages).len(), sent, "{count}");
        }
        let (mut answer, mut messages) = answer(settings, 2);
        answer.sending = Sending::AtOnce;
        answer.push_bulk(Traverser { bulk: 3, value: 1.into() }).unwrap();
        assert_eq!(answer.fail(&Fault::NoSuchElement), Some(597));
        assert_eq!(codes_and_counts(&mut messages), [(206, 2), (597, 0)]);
    }

    #[tokio::test]
    async fn what_waits_later_is_sent_as_the_client_takes_it() {
        let settings = Settings { batch_size: 1, ..Settings::default() };
        let (mut answer, mut messages) = answer(settings, 1);
        answer.sending = Sending::AtOnce;
        answer.push_bulk(Traverser { bulk: 3, value: 1.into() }).unwrap();
        answer.wait_later();
        answer.push_bulk(Traverser { bulk: 3, value: 1.into() }).unwrap();
        assert_eq!(answer.finish(), Ok(200));
        assert!(messages.try_recv().is_err());
        let delivery = tokio::spawn(answer.deliver());
        let mut count = 0;
        while messages.recv().await.is_some() {
            count += 1;
        }
        assert_eq!(count, 6);
        delivery.await.unwrap();
    }

    #[tokio::test]
    async fn elements_come_without_properties_where_only_tokens_are_wanted() {
        let vertex = Vertex { id: 1.into(), label: "person".into(), partition: None, properties: Some(Vec::new()) };
        let nested = GValue::list([GValue::Vertex(vertex.into())]);
        let GValue::List(items) = without_properties(nested) else { panic!("a list stays one") };
        assert!(matches!(&items[0], GValue::Vertex(vertex) if vertex.properties.is_none()));
    }
}
