//! A disk that refuses writes.

use std::io::{BufRead, BufReader};
use std::path::Path;

use bytes::Bytes;
use orrery_store::{Error, FjallOptions, FjallStore, Space, Store, Verdict};

use crate::support::{CHILD_FOLDER, act, all_rows, child, noise, open, put};

/// Files may not grow beyond 4 MiB, and growing them is an error rather than a signal. (Some shells count in
/// units of 1024 bytes, then it is 8 MiB.)
const LIMITS: &str = "trap '' XFSZ; ulimit -f 8192";

#[tokio::test]
async fn a_full_disk_refuses_commits_loses_nothing_and_still_reads() {
    let folder = tempfile::tempdir().unwrap();
    // A new journal is created at its full length, which the child may not do.
    let store = open(folder.path());
    put(&store, Space::Items, "before", "v").await;
    drop(store);
    let mut writer = child("disk_full::child_writes_until_refused", folder.path(), LIMITS).spawn().unwrap();
    let lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
    let acknowledged = lines.filter_map(|line| line.strip_prefix("done ")?.parse::<u32>().ok()).max();
    assert!(writer.wait().unwrap().success(), "the child saw what it should");

    let acknowledged = acknowledged.expect("some commits succeeded before the disk was full");
    let store = open(folder.path());
    let found = all_rows(&store, Space::Items).await;
    for number in 0..=acknowledged {
        assert!(found.iter().any(|(key, _)| *key == key_of(number)), "{number} was acknowledged and is lost");
    }
    put(&store, Space::Items, "after", "v").await;
}

/// Not a test of its own: the process whose disk is full.
#[test]
fn child_writes_until_refused() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    runtime.block_on(write_until_refused(Path::new(&folder)));
}

async fn write_until_refused(folder: &Path) {
    const MORE_THAN_FITS: u32 = 1000;
    let store = FjallStore::open(folder, FjallOptions::default()).expect("opening needs no space");
    let mut refused = None;
    for number in 0..MORE_THAN_FITS {
        match write(&store, number).await {
            Ok(()) => println!("done {number}"),
            Err(error) => {
                refused = Some((number, error));
                break;
            }
        }
    }
    let (refused, error) = refused.expect("the disk is full at some point");
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    println!("refused: {error}");
    for number in [refused, refused + 1] {
        assert!(matches!(write(&store, number).await, Err(Error::Unavailable { .. })), "later commits fail alike");
        assert_eq!(store.get(Space::Items, &key_of(number)).await.unwrap(), None, "what was refused is not seen");
    }
    assert_eq!(store.get(Space::Items, b"before").await.unwrap(), Some("v".into()));
    assert_eq!(store.get(Space::Items, &key_of(0)).await.unwrap().map(|value| value.len()), Some(50_000));
    assert_eq!(all_rows(&store, Space::Items).await.len(), refused as usize + 1);
    assert!(matches!(store.close().await, Err(Error::Unavailable { .. })));
}

async fn write(store: &FjallStore, number: u32) -> Result<(), Error> {
    act(store, move |view| {
        // Two writes, so that half of the transaction may fit.
        view.put(Space::Side, key_of(number), Bytes::from_static(b"small"));
        view.put(Space::Items, key_of(number), noise(number.into(), 50_000));
        Ok(Verdict::Commit)
    })
    .await
}

fn key_of(number: u32) -> Vec<u8> {
    [&[0, 0, 0, 9][..], &number.to_be_bytes()].concat()
}
