//! What the language computes: functions of values that know no graph and no traversal.
//!
//! [`order`] says how values compare, [`Condition`] whether one fits a predicate. [`number`] is arithmetic, [`collection`] lists and maps,
//! [`text`] texts; [`element`] shows elements as maps. [`Template`] and [`math`] are the small languages of `format()` and `math()`.

mod class_name;
pub mod collection;
mod condition;
mod convert;
pub mod element;
pub mod math;
pub mod number;
pub mod operator;
pub mod order;
mod reduce;
mod template;
pub mod text;

pub use condition::Condition;
pub use convert::{as_bool, as_date, date_add, date_diff};
pub use reduce::{Accumulator, reduce_local};
pub use template::{Template, TemplatePart};

use crate::run::RunError;

/// What a step says of a value that it cannot work on.
pub(crate) fn refuse(message: impl Into<String>) -> RunError {
    RunError::Evaluation { message: message.into() }
}
