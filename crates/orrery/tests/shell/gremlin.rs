//! Traversals.

use super::{Ran, Server, import, shell, text};

/// Two people who know each other, on lines of which one goes on.
const WRITES: &str = r#"g.addV('person').property('id', '1').property('country', 'NO').property('name', 'Ann').as('a').
  addV('person').property('id', '2').property('country', 'SE').property('name', 'Bo').as('b').
  addE('knows').from('a').to('b').property('since', 2020)
// that was all
"#;

/// Runs the texts that all places must answer alike.
fn check(run: impl Fn(&[&str], &str) -> Ran) {
    let ran = run(&["-d", "geo", "--container", "people", "--language", "gremlin"], WRITES);
    assert!(ran.code == Some(0) && ran.err.contains("1 row, "), "{}", ran.err);
    let rows = |output: &str, traversal: &str| -> String {
        let arguments = ["-d", "geo", "--container", "people", "--language", "gremlin", "--output", output];
        let ran = run(&arguments, traversal);
        assert_eq!(ran.code, Some(0), "{traversal}: {}", ran.err);
        ran.out
    };
    assert_eq!(rows("csv", "g.V().has('name', 'Bo')"), "id,label,country,name\n2,person,SE,Bo\n");
    assert_eq!(rows("csv", "g.V('1').outE().inV().path()"), "path\n1 -knows→ 2\n");
    assert_eq!(rows("csv", "g.E().project('out', 'since').by(outV().id()).by('since')"), "out,since\n1,2020\n");
    assert_eq!(rows("json", "a = g.V('1').next(); g.V(a).out().values('name')"), "\"Bo\"\n");
    assert!(rows("table", "g.V().has('name', 'Bo').profile()").contains("traverser count: 1\n"));
    assert!(rows("table", "g.V().has('name', 'Bo').explain()").contains("\nStage 1 "));
    let ran = run(&["-d", "geo", "--container", "people", "--language", "gremlin"], "\\explain\ng.V().count()");
    assert!(ran.out == "2\n" && ran.err.contains("count of vertices"), "{}{}", ran.out, ran.err);
    // Explaining writes nothing, however the text ends.
    let write = "\\explain\ng.addV('dog').property('country', 'NO') // once\ng.addV('dog').property('country', 'NO'); g.V().hasLabel('dog').count()";
    let ran = run(&["-d", "geo", "--container", "people", "--language", "gremlin"], write);
    assert!(ran.out.ends_with("\n2\n"), "{}{}", ran.out, ran.err);
    let ran = run(&["-d", "geo", "--container", "people", "--language", "gremlin"], "g.V().hasLabel('dog').drop()");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = run(&["-d", "geo", "--container", "people", "--language", "gremlin", "--limit", "1"], "g.V()");
    assert!(ran.out.lines().count() == 1 && ran.err.starts_with("the first 1 row of more"), "{}", ran.err);

    let ran = run(&["-d", "geo", "--container", "people", "--language", "gremlin"], "g.V().fly()\ng.V().count()");
    assert!(ran.err.contains("line 1: the server answered 400: 'fly' is not a step at offset 6"), "{}", ran.err);
    assert_eq!((ran.out.as_str(), ran.code), ("2\n", Some(1)));

    // The same graph in SQL, and back.
    let both = "SELECT VALUE c.name[0]._value FROM c WHERE c.country = 'SE';\n\\gremlin\ng.V('2').values('name')";
    let ran = run(&["-d", "geo", "--container", "people"], both);
    assert_eq!((ran.out.as_str(), ran.code), ("\"Bo\"\n\"Bo\"\n", Some(0)), "{}", ran.err);
}

#[test]
fn graphs_of_a_server_are_traversed() {
    check_server(&Server::start());
}

#[test]
fn graphs_without_room_in_memory_are_traversed() {
    check_server(&Server::start_with(&["--graph-mb", "0"]));
}

fn check_server(server: &Server) {
    import(&["--endpoint", &server.url], "people", "", "400");
    check(|arguments, input| server.shell(&[&["--gremlin-endpoint", &server.gremlin], arguments].concat(), input));
}

#[test]
fn graphs_of_a_folder_are_traversed_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let place = ["--data-dir", text(folder.path())];
    import(&place, "people", "", "400");
    check(|arguments, input| shell(&[&place[..], arguments].concat(), input));
    import(&place, "others", "", "400");
    let ran = shell(&[&place[..], &["-d", "geo", "--language", "gremlin"]].concat(), "g.V()");
    assert!(ran.code == Some(1) && ran.err.contains("There are: people, others"), "{}", ran.err);
}
