//! The signal to stop, from one place to every listener and connection.

use tokio::sync::watch;

/// Tells every [`Shutdown`] made with it to stop. Dropping it does the same.
#[derive(Debug)]
pub struct ShutdownTrigger(watch::Sender<bool>);

impl ShutdownTrigger {
    /// Asks for the stop; more calls change nothing.
    pub fn request(&self) {
        self.0.send_replace(true);
    }
}

/// The receiving end; clones are independent.
#[derive(Debug, Clone)]
pub struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// A trigger and its receiver.
    pub fn channel() -> (ShutdownTrigger, Shutdown) {
        let (sender, receiver) = watch::channel(false);
        (ShutdownTrigger(sender), Shutdown(receiver))
    }

    /// Whether the stop was asked for.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Waits until the stop is asked for; returns at once if it was.
    pub async fn requested(&mut self) {
        // An error means the trigger is gone, which asks for the stop as well.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}
