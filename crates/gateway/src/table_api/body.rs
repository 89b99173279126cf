//! Reading bodies within the service's limit.

use bytes::Bytes;

use super::error::ApiError;
use crate::listen::RequestBody;

/// Largest body of any request, a batch among them.
pub(crate) const MAX_BODY_BYTES: usize = orrery_table::batch::MAX_BATCH_BYTES;

/// The whole body.
///
/// # Errors
/// 413 if it is too large, 400 if it is damaged.
pub(crate) async fn read(body: RequestBody) -> Result<Bytes, ApiError> {
    Ok(body.collect(MAX_BODY_BYTES).await?)
}
