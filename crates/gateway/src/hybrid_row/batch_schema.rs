//! The two schemas of the service's batch interface.

use super::layout::{Layout, SparseColumn, SparseKind, VariableColumn, VariableKind};

/// Schema of a request's rows, one per operation.
pub(super) static BATCH_OPERATION: Layout = Layout {
    name: "BatchOperation",
    schema_id: 2_145_473_648,
    fixed: &["operationType", "resourceType"],
    variable: &[
        utf8("partitionKey"),
        binary("effectivePartitionKey"),
        utf8("id"),
        binary("binaryId"),
        binary("resourceBody"),
    ],
    sparse: &[
        sparse("indexingDirective", SparseKind::Utf8),
        sparse("ifMatch", SparseKind::Utf8),
        sparse("ifNoneMatch", SparseKind::Utf8),
        sparse("timeToLiveInSeconds", SparseKind::Int32),
        sparse("minimalReturnPreference", SparseKind::Bool),
    ],
};

/// Schema of a reply's rows, one per operation and in their order.
pub(super) static BATCH_RESULT: Layout = Layout {
    name: "BatchResult",
    schema_id: 2_145_473_649,
    fixed: &["statusCode", "subStatusCode"],
    variable: &[utf8("eTag"), binary("resourceBody")],
    sparse: &[sparse("retryAfterMilliseconds", SparseKind::UInt32), sparse("requestCharge", SparseKind::Float64)],
};

/// Numbers of the columns of [`BATCH_OPERATION`].
pub(super) mod operation_column {
    pub(in super::super) const OPERATION_TYPE: usize = 0;
    pub(in super::super) const RESOURCE_TYPE: usize = 1;
    pub(in super::super) const PARTITION_KEY: usize = 2;
    pub(in super::super) const EFFECTIVE_PARTITION_KEY: usize = 3;
    pub(in super::super) const ID: usize = 4;
    pub(in super::super) const BINARY_ID: usize = 5;
    pub(in super::super) const RESOURCE_BODY: usize = 6;
    pub(in super::super) const INDEXING_DIRECTIVE: usize = 7;
    pub(in super::super) const IF_MATCH: usize = 8;
    pub(in super::super) const IF_NONE_MATCH: usize = 9;
    pub(in super::super) const TIME_TO_LIVE_IN_SECONDS: usize = 10;
    pub(in super::super) const MINIMAL_RETURN_PREFERENCE: usize = 11;
}

const fn utf8(name: &'static str) -> VariableColumn {
    VariableColumn { name, kind: VariableKind::Utf8 }
}

const fn binary(name: &'static str) -> VariableColumn {
    VariableColumn { name, kind: VariableKind::Binary }
}

const fn sparse(name: &'static str, kind: SparseKind) -> SparseColumn {
    SparseColumn { name, kind }
}
