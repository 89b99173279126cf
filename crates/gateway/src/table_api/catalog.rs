//! Tables as what they are in the engine: the containers of one database, partitioned by `/PartitionKey`.

use std::sync::Arc;

use orrery_engine::{Condition, Container, Database, Engine, Error as EngineError, JsonMap, Parent, ResourceKind};
use orrery_table::{
    Dialect, Error, ErrorCode, ServiceProperties, ServicePropertiesChange, StoredPolicy, check_table_name,
    table_identity,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::Mutex;

use super::error::ApiError;

/// The database that tables are containers of; the service calls it so too.
pub const TABLES_DATABASE: &str = "TablesDB";
/// Names up to this length are refused for their characters in the Cosmos dialect.
const LONGEST_NAME_REFUSED: usize = 254;
/// Where entities have their PartitionKey.
pub const PARTITION_KEY_PATH: &str = "/PartitionKey";
/// Names of the records kept for a table and for all of them.
const POLICIES: &str = "table-policies";
const PROPERTIES: &str = "table-service-properties";

/// The tables of an engine. All clones and all accounts see the same ones.
#[derive(Clone)]
pub struct TableCatalog {
    engine: Engine,
    /// What is looked at before it is written is written by one at a time: names of tables, which must differ in more than case, and
    /// the properties of the service.
    writing: Arc<Mutex<()>>,
}

impl TableCatalog {
    /// The tables of `engine`.
    pub fn new(engine: Engine) -> Self {
        TableCatalog { engine, writing: Arc::default() }
    }

    /// The engine behind them.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The table of that name.
    ///
    /// # Errors
    /// 404: TableNotFound in the Storage dialect, ResourceNotFound in the Cosmos dialect. 400 if no table can have this name.
    pub(crate) fn table(&self, name: &str, dialect: Dialect) -> Result<Arc<Container>, Error> {
        let exact = self.engine.container(TABLES_DATABASE, name).ok();
        // The engine finds containers by their resource ids as well.
        if let Some(container) = exact.filter(|container| container.id() == name && is_table(container)) {
            return Ok(container);
        }
        match dialect {
            Dialect::Storage => {
                check_table_name(name, dialect)?;
                let identity = table_identity(name, dialect);
                let mut tables = self.tables().into_iter();
                let found = tables.find(|table| table_identity(table.id(), dialect) == identity);
                found.ok_or_else(|| Error::new(ErrorCode::TableNotFound))
            }
            // The service looks for names that are too long, and does not find them.
            Dialect::Cosmos => match check_table_name(name, dialect) {
                Err(refusal) if name.len() <= LONGEST_NAME_REFUSED => Err(refusal),
                _ => Err(Error::new(ErrorCode::ResourceNotFound)),
            },
        }
    }

    /// All tables in the order of their names.
    pub(crate) fn sorted_tables(&self, dialect: Dialect) -> Vec<Arc<Container>> {
        let mut tables = self.tables();
        tables.sort_by(|a, b| table_identity(a.id(), dialect).cmp(&table_identity(b.id(), dialect)));
        tables
    }

    /// Creates a table.
    ///
    /// # Errors
    /// 409 TableAlreadyExists, or 400 if no table can have this name.
    pub(crate) async fn create(&self, name: &str, dialect: Dialect) -> Result<(), ApiError> {
        check_table_name(name, dialect)?;
        let _one_at_a_time = self.writing.lock().await;
        if self.table(name, dialect).is_ok() {
            return Err(ApiError::new(ErrorCode::TableAlreadyExists));
        }
        let database = self.database().await?;
        let mut definition = JsonMap::new();
        definition.insert("id".into(), json!(name));
        let partition_key = json!({"paths": [PARTITION_KEY_PATH], "kind": "Hash", "version": 2});
        definition.insert("partitionKey".into(), partition_key);
        match self.engine.create_container(&database, &definition, None).await {
            Ok(_) => Ok(()),
            Err(EngineError::Conflict { .. }) => Err(ApiError::new(ErrorCode::TableAlreadyExists)),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a table with all its entities.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub(crate) async fn delete(&self, name: &str, dialect: Dialect) -> Result<(), ApiError> {
        let not_found = || ApiError::new(ErrorCode::ResourceNotFound);
        let table = self.table(name, dialect).map_err(|error| match error.code {
            ErrorCode::TableNotFound => not_found(),
            _ => error.into(),
        })?;
        match self.engine.delete_container(&table, &Condition::None).await {
            Err(EngineError::NotFound { .. }) => Err(not_found()),
            other => Ok(other?),
        }
    }

    /// The access policies of a table.
    ///
    /// # Errors
    /// 503 if the store cannot be read.
    pub(crate) async fn policies(&self, table: &Container) -> Result<Vec<StoredPolicy>, ApiError> {
        Ok(self.record(&Parent::container(table), POLICIES).await?.unwrap_or_default())
    }

    /// Sets all access policies of a table.
    ///
    /// # Errors
    /// 404 if the table is gone, 503 if the store cannot be written.
    pub(crate) async fn set_policies(&self, table: &Container, policies: &[StoredPolicy]) -> Result<(), ApiError> {
        self.set_record(&Parent::container(table), POLICIES, &policies).await
    }

    /// The properties of the service; those of all accounts are the same.
    ///
    /// # Errors
    /// 503 if the store cannot be read.
    pub(crate) async fn properties(&self) -> Result<ServiceProperties, ApiError> {
        let Ok(database) = self.engine.database(TABLES_DATABASE) else { return Ok(ServiceProperties::default()) };
        Ok(self.record(&Parent::database(&database), PROPERTIES).await?.unwrap_or_default())
    }

    /// Changes the properties of the service.
    ///
    /// # Errors
    /// 503 if the store cannot be written.
    pub(crate) async fn change_properties(&self, change: ServicePropertiesChange) -> Result<(), ApiError> {
        let _one_at_a_time = self.writing.lock().await;
        let mut properties = self.properties().await?;
        properties.apply(change);
        let database = self.database().await?;
        self.set_record(&Parent::database(&database), PROPERTIES, &properties).await
    }

    fn tables(&self) -> Vec<Arc<Container>> {
        let Ok(database) = self.engine.database(TABLES_DATABASE) else { return Vec::new() };
        let mut containers = self.engine.containers(&database);
        containers.retain(|container| is_table(container));
        containers
    }

    /// The database, created if this is the first table.
    async fn database(&self) -> Result<Arc<Database>, ApiError> {
        if let Ok(database) = self.engine.database(TABLES_DATABASE) {
            return Ok(database);
        }
        match self.engine.create_database(TABLES_DATABASE, None).await {
            Err(EngineError::Conflict { .. }) => Ok(self.engine.database(TABLES_DATABASE)?),
            other => Ok(other?),
        }
    }

    async fn record<T: DeserializeOwned>(&self, parent: &Parent, id: &str) -> Result<Option<T>, ApiError> {
        let resource = match self.engine.resource(parent, ResourceKind::Setting, id).await {
            Ok(resource) => resource,
            Err(EngineError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let value = resource.body().get("value").cloned().unwrap_or_default();
        let value = serde_json::from_value(value).map_err(|error| damaged(id, &error))?;
        Ok(Some(value))
    }

    async fn set_record(&self, parent: &Parent, id: &str, value: &impl Serialize) -> Result<(), ApiError> {
        let mut body = JsonMap::new();
        body.insert("id".into(), json!(id));
        body.insert("value".into(), serde_json::to_value(value).map_err(|error| damaged(id, &error))?);
        self.engine.upsert_resource(parent, ResourceKind::Setting, &body).await?;
        Ok(())
    }
}

fn damaged(id: &str, error: &serde_json::Error) -> ApiError {
    ApiError::with_detail(ErrorCode::ServerBusy, format_args!("The record {id} of the catalog is damaged: {error}."))
}

/// A container that was made over another API may be partitioned otherwise; it is no table.
fn is_table(container: &Container) -> bool {
    let settings = container.settings();
    match &*settings.partition_key.paths {
        [path] => matches!(path.segments(), [name] if name.as_str() == "PartitionKey"),
        _ => false,
    }
}
