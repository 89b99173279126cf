//! What import and export share: where the container is, the formats of files, and the progress bar.

mod column;
mod format;
mod location;
mod members;
mod progress;

pub use column::{Column, ColumnType, MAX_COLUMNS, parse_columns};
pub use format::Format;
pub use location::{Location, LocationArgs, PlaceArgs};
pub use members::{Member, members, write_object};
pub use progress::Progress;
