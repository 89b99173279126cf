//! Opening the engine on what the command line names.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use orrery_engine::{Engine, EngineOptions};
use orrery_store::{Durability, FjallOptions, FjallStore, MemoryStore, Store};

use crate::cli::{DurabilityChoice, ServeArgs};

/// Opens the engine that `arguments` describe.
///
/// # Errors
/// If the folder is in use, of a newer format, damaged or not accessible.
pub async fn open(arguments: &ServeArgs) -> anyhow::Result<Engine> {
    let store: Arc<dyn Store> = if arguments.in_memory {
        Arc::new(MemoryStore::new())
    } else {
        let durability = match arguments.durability {
            DurabilityChoice::Durable => Durability::Durable,
            DurabilityChoice::Buffered => Durability::Buffered,
        };
        let options =
            FjallOptions { durability, cache_size_bytes: arguments.cache_mb << 20, ..FjallOptions::default() };
        Arc::new(open_store(&arguments.data_dir, options).await?)
    };
    Engine::open(store, EngineOptions::default()).await.context("the data cannot be opened")
}

/// Opens the store in a folder, off the async threads.
///
/// # Errors
/// If the folder is in use, of a newer format, damaged or not accessible.
pub async fn open_store(folder: &Path, options: FjallOptions) -> anyhow::Result<FjallStore> {
    let folder = folder.to_owned();
    Ok(tokio::task::spawn_blocking(move || FjallStore::open(folder, options)).await??)
}
