//! Which of the two services is spoken.

/// The two services that speak the protocol of tables. They differ in rules for names and keys and in some limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Azure Storage: keys may be empty, names of tables are letters and digits in any case.
    Storage,
    /// Azure Cosmos DB for Table: keys are not empty, names of tables are free and case-sensitive.
    Cosmos,
}
