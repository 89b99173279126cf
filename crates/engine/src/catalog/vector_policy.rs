//! Vectors in a container's definition: which paths hold them, of what kind, and how they are indexed.

use serde_json::Value as Json;

use super::JsonMap;
use super::settings::wrong;
use crate::Error;

/// Numbers of one vector, as on the service.
pub const MAX_DIMENSIONS: u64 = 4096;
/// Numbers of one vector in a flat index, as on the service.
pub const MAX_FLAT_DIMENSIONS: u64 = 505;
/// Bytes that a vector is quantized to, as on the service.
const MAX_QUANTIZATION_BYTES: u64 = 512;
/// Sizes of the list that an index is built with, as on the service.
const SEARCH_LIST_SIZES: std::ops::RangeInclusive<u64> = 25..=500;
/// Paths that shard one vector index, as on the service.
const MAX_SHARD_PATHS: usize = 1;

const DATA_TYPES: [&str; 4] = ["float32", "float16", "int8", "uint8"];
const DISTANCE_FUNCTIONS: [&str; 3] = ["cosine", "euclidean", "dotproduct"];
const INDEX_TYPES: [&str; 3] = ["flat", "quantizedFlat", "diskANN"];

/// Checks the embeddings of a definition, and that each vector index is of one of them. The words are the service's, which its
/// clients' tests look for.
///
/// # Errors
/// [`Error::Invalid`] naming what is wrong.
pub(super) fn check(body: &JsonMap) -> Result<(), Error> {
    let policy = body.get("vectorEmbeddingPolicy");
    let embeddings = list(policy.and_then(|policy| policy.get("vectorEmbeddings")), "vectorEmbeddings")?;
    for (at, embedding) in embeddings.iter().enumerate() {
        let path = check_embedding(embedding)?;
        if embeddings[..at].iter().any(|other| other["path"] == path) {
            return Err(wrong(&format!("The Vector Embedding Policy has the path {path} more than once.")));
        }
    }
    for index in indexes(body)? {
        check_index(index, embeddings)?;
    }
    Ok(())
}

/// Checks that paths which stay are embedded and indexed as before: stored vectors and indexes are of that kind.
///
/// # Errors
/// [`Error::Invalid`] if one is not.
pub(super) fn check_replacement(before: &JsonMap, next: &JsonMap) -> Result<(), Error> {
    let embeddings = |body: &JsonMap| {
        let policy = body.get("vectorEmbeddingPolicy").cloned().unwrap_or_default();
        policy["vectorEmbeddings"].as_array().cloned().unwrap_or_default()
    };
    let refuse = |policy: &str| {
        Err(wrong(&format!("Paths in existing {policy} policy cannot be modified in Collection Replace.")))
    };
    if changes_path(indexes(before)?, indexes(next)?) {
        return refuse("vector indexing");
    }
    if changes_path(&embeddings(before), &embeddings(next)) {
        return refuse("embedding");
    }
    Ok(())
}

fn changes_path(before: &[Json], next: &[Json]) -> bool {
    before.iter().any(|old| next.iter().any(|new| new["path"] == old["path"] && new != old))
}

fn indexes(body: &JsonMap) -> Result<&[Json], Error> {
    list(body.get("indexingPolicy").and_then(|policy| policy.get("vectorIndexes")), "vectorIndexes")
}

fn list<'b>(given: Option<&'b Json>, name: &str) -> Result<&'b [Json], Error> {
    match given {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(list)) => Ok(list),
        Some(_) => Err(wrong(&format!("'{name}' must be an array"))),
    }
}

/// The path of an embedding.
fn check_embedding(embedding: &Json) -> Result<&str, Error> {
    let refuse = |what: String| Err(wrong(&format!("The Vector Embedding Policy has {what}")));
    let path = match embedding["path"].as_str() {
        Some(path) if is_path(path) => path,
        _ => return refuse(format!("an invalid Path:{}.", shown(&embedding["path"]))),
    };
    if !is_one_of(&DATA_TYPES, &embedding["dataType"]) {
        return refuse(format!("an invalid DataType:{}.", shown(&embedding["dataType"])));
    }
    if !is_one_of(&DISTANCE_FUNCTIONS, &embedding["distanceFunction"]) {
        return refuse(format!("an invalid DistanceFunction:{}.", shown(&embedding["distanceFunction"])));
    }
    let dimensions = &embedding["dimensions"];
    match dimensions.as_u64() {
        Some(1..=MAX_DIMENSIONS) => Ok(path),
        Some(more) if more > MAX_DIMENSIONS => {
            refuse(format!("Dimensions:{dimensions} which is more than the maximum supported value {MAX_DIMENSIONS}."))
        }
        _ => refuse(format!("Dimensions:{dimensions} which is not a whole number from 1 to {MAX_DIMENSIONS}.")),
    }
}

fn check_index(index: &Json, embeddings: &[Json]) -> Result<(), Error> {
    let path = &index["path"];
    let Some(embedding) = embeddings.iter().find(|embedding| embedding["path"] == *path) else {
        return Err(wrong(&format!(
            "The Vector Indexing Policy's path::{} not matching in Embedding's path.",
            shown(path)
        )));
    };
    if !is_one_of(&INDEX_TYPES, &index["type"]) {
        return Err(wrong(&format!("The Vector Indexing Policy's Index Type::{} is invalid.", shown(&index["type"]))));
    }
    let dimensions = embedding["dimensions"].as_u64().unwrap_or(MAX_DIMENSIONS);
    let is_flat = index["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("flat"));
    if is_flat && dimensions > MAX_FLAT_DIMENSIONS {
        return Err(wrong(&format!(
            "The Vector Indexing Policy's path::{} has {dimensions} dimensions; an index of the type flat has at most {MAX_FLAT_DIMENSIONS}.",
            shown(path)
        )));
    }
    // A number is not quantized to more than a byte.
    let quantized = 1..=dimensions.min(MAX_QUANTIZATION_BYTES);
    check_parameter(index, "quantizationByteSize", "QuantizationByteSize", quantized)?;
    check_parameter(index, "indexingSearchListSize", "IndexingSearchListSize", SEARCH_LIST_SIZES)?;
    check_shard_key(&index["vectorIndexShardKey"])
}

fn check_parameter(
    index: &Json,
    member: &str,
    name: &str,
    allowed: std::ops::RangeInclusive<u64>,
) -> Result<(), Error> {
    let given = &index[member];
    if given.is_null() || given.as_u64().is_some_and(|given| allowed.contains(&given)) {
        return Ok(());
    }
    Err(wrong(&format!(
        "The Vector Indexing Policy parameter {name} value :: {given} is out of range. The allowed range is between {} and {}.",
        allowed.start(),
        allowed.end()
    )))
}

fn check_shard_key(given: &Json) -> Result<(), Error> {
    if given.is_null() {
        return Ok(());
    }
    let paths = given.as_array().ok_or_else(|| wrong("'vectorIndexShardKey' must be an array of paths"))?;
    if let Some(path) = paths.iter().find(|path| !path.as_str().is_some_and(is_path)) {
        return Err(wrong(&format!("The Vector Indexing Policy has an invalid Shard Path: {}.", shown(path))));
    }
    if paths.len() > MAX_SHARD_PATHS {
        return Err(wrong(&format!(
            "The number of shard paths defined in the Vector Indexing Policy: {} exceeds the maximum: {MAX_SHARD_PATHS}.",
            paths.len()
        )));
    }
    Ok(())
}

fn is_path(path: &str) -> bool {
    path.len() > 1 && path.starts_with('/')
}

fn is_one_of(known: &[&str], given: &Json) -> bool {
    given.as_str().is_some_and(|given| known.iter().any(|known| known.eq_ignore_ascii_case(given)))
}

/// A string without its quotes, as the service writes it.
fn shown(given: &Json) -> String {
    given.as_str().map_or_else(|| given.to_string(), str::to_owned)
}
