//! Small transactions and visitors, and child processes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{
    Error, FjallOptions, FjallStore, KeyRange, MemoryStore, Scan, Snapshot, Space, Store, Transaction, Verdict, View,
    Visit, Visitor, scan, transact,
};
use tempfile::TempDir;

/// A transaction that is a closure.
pub struct Act<F>(pub F);

impl<F> Transaction for Act<F>
where
    F: FnMut(&mut dyn View) -> Result<Verdict, Error> + Send + 'static,
{
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, Error> {
        (self.0)(view)
    }
}

/// Runs a closure as a transaction.
pub async fn act<F>(store: &dyn Store, run: F) -> Result<(), Error>
where
    F: FnMut(&mut dyn View) -> Result<Verdict, Error> + Send + 'static,
{
    transact(store, Act(run)).await.map(drop)
}

/// Puts one key.
pub async fn put(store: &dyn Store, space: Space, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) {
    let (key, value) = (key.into(), Bytes::from(value.into()));
    let run = move |view: &mut dyn View| {
        view.put(space, key.clone(), value.clone());
        Ok(Verdict::Commit)
    };
    act(store, run).await.expect("the put commits");
}

/// A visitor that is a closure.
pub struct Look<F>(pub F);

impl<F> Visitor for Look<F>
where
    F: FnMut(&[u8], &Bytes) -> Visit + Send + 'static,
{
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        (self.0)(key, value)
    }
}

/// Collects rows.
#[derive(Default)]
pub struct Collect {
    pub rows: Vec<(Vec<u8>, Vec<u8>)>,
    pub limit: Option<usize>,
}

impl Visitor for Collect {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        self.rows.push((key.to_vec(), value.to_vec()));
        if self.limit == Some(self.rows.len()) { Visit::Stop } else { Visit::Continue }
    }
}

/// All rows of a range.
pub async fn rows(snapshot: &dyn Snapshot, space: Space, range: KeyRange, reverse: bool) -> Vec<(Vec<u8>, Vec<u8>)> {
    scan(snapshot, Scan { space, range, reverse }, Collect::default()).await.expect("the scan succeeds").rows
}

/// All rows of a space.
pub async fn all_rows(store: &dyn Store, space: Space) -> Vec<(Vec<u8>, Vec<u8>)> {
    rows(&*store.snapshot(), space, KeyRange::prefix(b""), false).await
}

/// A new store of each kind, and the folder that one of them needs.
pub fn both() -> (Vec<Arc<dyn Store>>, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    (vec![Arc::new(MemoryStore::new()), Arc::new(open(folder.path()))], folder)
}

/// A store in a folder, with default options.
pub fn open(folder: &Path) -> FjallStore {
    FjallStore::open(folder, FjallOptions::default()).expect("the store opens")
}

/// Bytes that do not compress: fjall compresses long values.
pub fn noise(seed: u64, length: usize) -> Bytes {
    let mut state = seed;
    let step = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    std::iter::repeat_with(step).take(length).collect::<Vec<u8>>().into()
}

/// The environment variable that tells a test that it is a child process, and where to work.
pub const CHILD_FOLDER: &str = "ORRERY_STORE_TEST_FOLDER";

/// This test binary once more, to run one test as a child process in `folder`; `limits` is a line of shell to run first.
pub fn child(test: &str, folder: &Path, limits: &str) -> Command {
    let binary = std::env::current_exe().expect("the path of this test binary");
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("{limits}\nexec \"$0\" --exact \"$1\" --nocapture --test-threads=1"))
        .arg(binary)
        .arg(test);
    command.env(CHILD_FOLDER, folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    command
}
