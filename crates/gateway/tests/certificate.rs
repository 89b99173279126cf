//! The kept certificate, and clients of other languages that trust it.

use std::fs;
use std::process::{Command, Output};

use orrery_gateway::listen::certificate::{CERTIFICATE_FILE, Certificate, KEY_FILE};

use crate::lab::{Server, start};

#[test]
fn a_certificate_is_kept_until_it_lacks_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let none: [String; 0] = [];
    let first = Certificate::load_or_make(folder.path(), &none).unwrap();
    let again = Certificate::load_or_make(folder.path(), &none).unwrap();
    assert_eq!(first.pem(), again.pem());

    let wider = ["db.example.org".to_owned(), "192.0.2.7".to_owned()];
    let remade = Certificate::load_or_make(folder.path(), &wider).unwrap();
    assert_ne!(first.pem(), remade.pem());
    assert_eq!(remade.pem(), Certificate::load_or_make(folder.path(), &wider).unwrap().pem());
    // A certificate with more names than wanted does.
    assert_eq!(remade.pem(), Certificate::load_or_make(folder.path(), &none).unwrap().pem());
    assert!(Certificate::load_or_make(folder.path(), &["not a name".to_owned()]).is_err());
}

#[test]
fn a_damaged_or_foreign_pair_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let first = Certificate::load_or_make(folder.path(), &[]).unwrap();
    fs::write(folder.path().join(CERTIFICATE_FILE), "damaged").unwrap();
    let second = Certificate::load_or_make(folder.path(), &[]).unwrap();
    assert_ne!(first.pem(), second.pem());
    // A key of another certificate.
    fs::write(folder.path().join(CERTIFICATE_FILE), first.pem()).unwrap();
    let third = Certificate::load_or_make(folder.path(), &[]).unwrap();
    assert_ne!(third.pem(), first.pem());
    fs::remove_file(folder.path().join(KEY_FILE)).unwrap();
    let fourth = Certificate::load_or_make(folder.path(), &[]).unwrap();
    assert_ne!(third.pem(), fourth.pem());
}

#[cfg(unix)]
#[test]
fn the_key_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    Certificate::load_or_make(folder.path(), &[]).unwrap();
    let mode = |file| fs::metadata(folder.path().join(file)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(KEY_FILE), 0o600);
    assert_eq!(mode(CERTIFICATE_FILE) & 0o022, 0);
}

const PYTHON: &str = "
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_X509_STRICT
print(urllib.request.urlopen(sys.argv[2] + '/hello', context=context, timeout=10).read().decode())
";

const NODE: &str = "
const [pem, url] = process.argv.slice(1);
require('https').get(url + '/hello', { ca: require('fs').readFileSync(pem) }, (reply) => {
  reply.on('data', (data) => console.log(data.toString()));
}).on('error', (error) => { console.error(error); process.exit(1); });
";

/// Runs a client that trusts the server's PEM; `None` where its language is not installed.
async fn run(server: &Server, program: &str, flag: &str, script: &'static str) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    let pem = folder.path().join(CERTIFICATE_FILE);
    fs::write(&pem, server.certificate.pem()).unwrap();
    let mut command = Command::new(program);
    let url = format!("https://localhost:{}", server.addr.port());
    command.arg(flag).arg(script).arg(&pem).arg(url);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    if output.is_err() {
        eprintln!("skipped: {program} is not installed");
    }
    output.ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn python_and_node_accept_the_certificate_once_they_trust_it() {
    let server = start().await;
    for (program, flag, script) in [("python3", "-c", PYTHON), ("node", "-e", NODE)] {
        if let Some(output) = run(&server, program, flag, script).await {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "hello", "{program}: {errors}");
        }
    }
}
