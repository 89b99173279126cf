//! When to try again.

use std::time::{Duration, Instant};

/// The first pause, unless the server names one; it doubles from there.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// From the first refusal to giving up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The pauses between the attempts of one call.
#[derive(Debug, Default)]
pub struct Retry {
    since: Option<Instant>,
    pause: Duration,
}

impl Retry {
    /// Waits before the next attempt, as long as the server asked for if it did. False once patience is over.
    pub async fn pause(&mut self, asked: Option<Duration>) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() >= PATIENCE {
            return false;
        }
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, MAX_PAUSE);
        tokio::time::sleep(asked.unwrap_or(self.pause).min(MAX_PAUSE)).await;
        true
    }

    /// For how long it has been tried.
    pub fn waited(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}
