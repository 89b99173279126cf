//! The official clients, in pinned versions, kept below `target/xtask`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::{at_root, cache, must, root};

/// A Python with the packages of `tests/python/requirements.txt`.
///
/// # Errors
/// If there is no Python, or a package cannot be installed.
pub fn python() -> anyhow::Result<PathBuf> {
    python_with("python", "requirements.txt")
}

/// A Python with the packages of `tests/python/requirements-cases.txt`: the runner of Gremlin cases needs a newer client than applications
/// of the service have.
///
/// # Errors
/// As for [`python`].
pub fn python_for_cases() -> anyhow::Result<PathBuf> {
    python_with("python-cases", "requirements-cases.txt")
}

fn python_with(name: &str, requirements: &str) -> anyhow::Result<PathBuf> {
    let folder = cache().join(name);
    let python = folder.join("bin").join("python");
    let requirements = root().join("tests/python").join(requirements);
    let stamp = folder.join("requirements.txt");
    let wanted = std::fs::read(&requirements)?;
    if std::fs::read(&stamp).ok().as_ref() == Some(&wanted) {
        return Ok(python);
    }
    must(at_root("python3").args(["-m", "venv"]).arg(&folder))?;
    must(
        at_root(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(&requirements),
    )?;
    std::fs::write(&stamp, wanted)?;
    Ok(python)
}

/// Installs the packages of `tests/node/package-lock.json` and returns that folder.
///
/// # Errors
/// If there is no Node, or a package cannot be installed.
pub fn node() -> anyhow::Result<PathBuf> {
    let folder = root().join("tests/node");
    let stamp = folder.join("node_modules/.orrery-lock");
    let wanted = std::fs::read(folder.join("package-lock.json"))?;
    if std::fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        must(Command::new("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder))?;
        std::fs::write(&stamp, wanted)?;
    }
    Ok(folder)
}

/// Compiles the Java client's checks and returns their class path. `tests/java/pom.xml` pins the packages; Maven itself comes from
/// the system.
///
/// # Errors
/// If there is no Maven and it cannot be installed, or a package cannot be fetched.
pub fn java() -> anyhow::Result<String> {
    java_in(&root().join("tests/java"))
}

/// The same for the Gremlin driver and console, of `tests/java/gremlin/pom.xml`.
///
/// # Errors
/// As for [`java`].
pub fn java_gremlin() -> anyhow::Result<String> {
    java_in(&root().join("tests/java/gremlin"))
}

fn java_in(folder: &Path) -> anyhow::Result<String> {
    maven(folder, &["compile", "dependency:build-classpath", "-Dmdep.outputFile=target/classpath"])?;
    let packages = std::fs::read_to_string(folder.join("target/classpath"))?;
    Ok(format!("{}:{}", folder.join("target/classes").display(), packages.trim()))
}

/// Runs Maven on the `pom.xml` of a folder.
///
/// # Errors
/// If there is no Maven and it cannot be installed, or it fails.
pub fn maven(folder: &Path, goals: &[&str]) -> anyhow::Result<()> {
    let installed = Command::new("mvn").arg("--version").output().is_ok_and(|output| output.status.success());
    if !installed {
        must(Command::new("apt-get").args(["install", "--yes", "--quiet", "maven"]))?;
    }
    must(Command::new("mvn").args(["--quiet", "--batch-mode"]).args(goals).current_dir(folder))
}

/// A folder with a store `trusted.p12` that holds the server's certificate; its password is `changeit`.
///
/// # Errors
/// If `keytool` fails.
pub fn java_trust(certificate: &Path) -> anyhow::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    must(
        Command::new("keytool")
            .args(["-importcert", "-noprompt", "-alias", "orrery", "-storepass", "changeit", "-file"])
            .arg(certificate)
            .arg("-keystore")
            .arg(folder.path().join("trusted.p12"))
            .stderr(Stdio::null()),
    )?;
    Ok(folder)
}
