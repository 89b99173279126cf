//! `call()`.

use super::super::{RunError, evaluation};
use super::{Boxed, each};

/// The service that lists the others.
const LIST: &str = "--list";

/// Lists the services, of which there are none, and refuses others by name.
pub(in crate::run) fn call<'r>(service: &str) -> Result<Boxed<'r>, RunError> {
    if service != LIST {
        return Err(evaluation(format!("Unrecognized service: {service}")));
    }
    Ok(each(|_, _| Ok(())))
}
