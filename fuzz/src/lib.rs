//! What several fuzz targets share: a bound on time, values compared, and a server without sockets.

mod budget;
mod same;
mod server;

pub use budget::within_budget;
pub use same::same;
pub use server::{Answer, Server};
