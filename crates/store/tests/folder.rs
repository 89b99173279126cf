//! The folder: lock, format, and what may be wrong with it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use orrery_store::{Error, FjallOptions, FjallStore, Space, Store};

use crate::support::{CHILD_FOLDER, act, all_rows, child, open, put};

fn error_of(folder: &Path) -> Error {
    FjallStore::open(folder, FjallOptions::default()).map(drop).expect_err("the store does not open")
}

#[tokio::test]
async fn what_was_committed_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    // Creates what is missing on the way.
    let path = folder.path().join("a/b");
    for round in 0..3u8 {
        let store = open(&path);
        assert_eq!(all_rows(&store, Space::Items).await.len(), usize::from(round));
        put(&store, Space::Items, [round], "v").await;
        if round == 1 {
            store.close().await.unwrap();
        }
    }
    assert_eq!(fs::read_to_string(path.join("format")).unwrap(), "orrery format 1\n");
}

#[tokio::test]
async fn a_flushed_store_reads_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, Space::Feed, "k", "v").await;
    let before = store.snapshot();
    store.flush().await.unwrap();
    assert_eq!(before.get(Space::Feed, b"k").await.unwrap(), Some("v".into()));
    drop((before, store));
    assert_eq!(open(folder.path()).get(Space::Feed, b"k").await.unwrap(), Some("v".into()));
}

#[test]
fn a_second_opening_is_refused_until_the_first_and_its_snapshots_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let snapshot = store.snapshot();
    let refused = error_of(folder.path());
    assert!(matches!(&refused, Error::Locked { path } if Path::new(path) == folder.path()));
    assert!(refused.to_string().contains("in use by another process"));
    drop(store);
    assert!(matches!(error_of(folder.path()), Error::Locked { .. }));
    drop(snapshot);
    open(folder.path());
}

#[test]
fn a_folder_open_in_another_process_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut holder = child("folder::child_holds_the_folder", folder.path(), "").stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(
        lines.by_ref().map_while(Result::ok).any(|line| line.contains("holding")),
        "the child has opened the store"
    );
    assert!(matches!(error_of(folder.path()), Error::Locked { .. }));
    holder.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(holder.wait().unwrap().success());
    open(folder.path());
}

/// Not a test of its own: the other process of the test above.
#[test]
fn child_holds_the_folder() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER) else { return };
    let _store = open(Path::new(&folder));
    println!("holding");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
fn a_newer_format_is_refused_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("format"), "orrery format 2\n").unwrap();
    let refused = error_of(folder.path());
    assert!(matches!(refused, Error::NewerFormat { found: 2, known: 1, .. }));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the format file");
}

#[test]
fn a_folder_that_is_none_of_ours_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("format"), "PNG\n").unwrap();
    assert!(matches!(error_of(folder.path()), Error::Damaged { .. }));
    fs::remove_file(folder.path().join("format")).unwrap();
    fs::create_dir(folder.path().join("store")).unwrap();
    assert!(matches!(error_of(folder.path()), Error::Damaged { .. }));
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(error_of(&file), Error::Open { .. }));
    assert!(matches!(error_of(&file.join("below")), Error::Open { .. }));
}

#[tokio::test]
async fn a_creation_cut_short_is_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    // fjall writes this file last, and refuses a folder that has all others.
    fs::remove_file(folder.path().join("store/version")).unwrap();
    let store = open(folder.path());
    put(&store, Space::Items, "k", "v").await;
}

#[tokio::test]
async fn a_damaged_journal_is_an_error_and_not_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for number in 0..50u8 {
        put(&store, Space::Items, [1, number], vec![number; 100]).await;
    }
    drop(store);
    let journal = folder.path().join("store/0.jnl");
    let mut bytes = fs::read(&journal).unwrap();
    let at = bytes.windows(100).position(|window| window == [25; 100]).expect("the value is in the journal");
    bytes[at] ^= 0xFF;
    fs::write(&journal, bytes).unwrap();
    assert!(matches!(error_of(folder.path()), Error::Damaged { .. }));
}

#[tokio::test]
async fn other_files_in_the_folder_stay() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("certificate.pem"), "keep").unwrap();
    let store = open(folder.path());
    act(&store, |_| Ok(orrery_store::Verdict::Commit)).await.unwrap();
    drop(store);
    assert_eq!(fs::read_to_string(folder.path().join("certificate.pem")).unwrap(), "keep");
}
