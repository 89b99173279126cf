//! The signals that end the server in good order.

/// Waits for SIGTERM or Ctrl-C and returns its name.
///
/// # Errors
/// If the system does not let the process listen for signals.
#[cfg(unix)]
pub async fn requested() -> std::io::Result<&'static str> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => Ok("SIGTERM"),
        pressed = tokio::signal::ctrl_c() => pressed.map(|()| "Ctrl-C"),
    }
}

/// Waits for Ctrl-C and returns its name.
///
/// # Errors
/// If the system does not let the process listen for signals.
#[cfg(not(unix))]
pub async fn requested() -> std::io::Result<&'static str> {
    tokio::signal::ctrl_c().await.map(|()| "Ctrl-C")
}
