//! The bounds of the Gremlin API.

use std::time::Duration;

/// A connection without traffic is closed after this time, as on the service. Pings count as traffic.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// From a connection's start until it has logged in.
pub(super) const LOGIN_TIMEOUT: Duration = Duration::from_secs(60);
/// A client that takes no byte of its answers for so long is cut off.
pub(super) const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the closing of a WebSocket may take.
pub(super) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Wrong passwords on one connection.
pub(super) const MAX_FAILED_LOGINS: u32 = 3;
/// Requests kept aside until a connection has logged in, in bytes.
pub(super) const MAX_WAITING_BYTES: usize = 10 * 1024 * 1024;
/// Requests of one connection that are not yet answered.
pub(super) const MAX_IN_FLIGHT_PER_CONNECTION: usize = 128;
/// Requests of the whole API that are not yet answered.
pub(super) const MAX_IN_FLIGHT: usize = 1024;
/// Traversals of one connection that run at a time, so that a client who does not read his answers leaves room for others.
pub(super) const MAX_RUNNING_PER_CONNECTION: usize = 8;
/// Traversals that run at a time. Each has a thread, which mostly waits for the store.
pub(super) const MAX_RUNNING: usize = 64;
/// Answers that wait for a client to take them, per connection.
pub(super) const MAX_WAITING_ANSWERS: usize = 4;
/// Traversals that only read and run at a time for each processor: more would but take turns, and p99 would be many turns.
pub(super) const READERS_PER_CORE: usize = 2;
/// How long one waits for such a place: then it runs beside the others, which may be long ones.
pub(super) const READER_PATIENCE: Duration = Duration::from_millis(5);
/// Memory of one traversal.
pub(super) const MAX_MEMORY_BYTES: usize = 256 * 1024 * 1024;
/// Results of one answer, unless the client says otherwise.
pub(super) const DEFAULT_BATCH_SIZE: usize = 64;
/// And at the most.
pub(super) const MAX_BATCH_SIZE: usize = 100_000;
/// How long a request may take, unless the client says otherwise.
pub(super) const DEFAULT_EVALUATION_TIMEOUT: Duration = Duration::from_secs(30);
/// And at the most, also if the client says forever.
pub(super) const MAX_EVALUATION_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// Sessions of one connection.
pub(super) const MAX_SESSIONS_PER_CONNECTION: usize = 16;
/// Sessions of the whole API.
pub(super) const MAX_SESSIONS: usize = 1024;
/// A session that was not used for so long is forgotten.
pub(super) const SESSION_IDLE_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// Variables of a session, or of one text.
pub(super) const MAX_VARIABLES: usize = 256;
/// Values within all variables, counted one by one.
pub(super) const MAX_VARIABLE_VALUES: usize = 100_000;
/// Values that a statement collects into one, as `toSet()` does, or that a variable or an HTTP answer takes.
pub(super) const MAX_COLLECTED: usize = 100_000;
/// Statements of one text.
pub(super) const MAX_STATEMENTS: usize = 1_000;
/// Bytes of a request over plain HTTP.
pub(super) const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// Limits of the service, applied where the server is told to be strict.
pub(super) mod service {
    use std::time::Duration;

    /// Bytes of a text.
    pub const MAX_TEXT_BYTES: usize = 64 * 1024;
    /// Rounds of a repetition.
    pub const MAX_REPEAT_ROUNDS: u64 = 32;
    /// Steps of a traversal, those within others included.
    pub const MAX_STEPS: usize = 400;
    /// Time of a request.
    pub const EVALUATION_TIMEOUT: Duration = Duration::from_secs(30);
}
