package orrery;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.tinkerpop.gremlin.driver.Client;
import org.apache.tinkerpop.gremlin.driver.Cluster;
import org.apache.tinkerpop.gremlin.driver.RequestOptions;
import org.apache.tinkerpop.gremlin.driver.Result;
import org.apache.tinkerpop.gremlin.driver.ResultSet;
import org.apache.tinkerpop.gremlin.driver.exception.ResponseException;
import org.apache.tinkerpop.gremlin.driver.remote.DriverRemoteConnection;
import org.apache.tinkerpop.gremlin.process.traversal.AnonymousTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.__;
import org.apache.tinkerpop.gremlin.structure.T;
import org.apache.tinkerpop.gremlin.util.ser.GraphBinaryMessageSerializerV1;
import org.apache.tinkerpop.gremlin.util.ser.GraphSONMessageSerializerV2;
import org.apache.tinkerpop.gremlin.util.ser.GraphSONMessageSerializerV3;
import org.apache.tinkerpop.gremlin.util.MessageSerializer;

/** The Java driver against an empty graph of a running server: texts and bytecode, requests that overlap, failures. */
public final class GremlinSmoke {
    private static int passed;
    private static int failed;

    private interface Check {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        try (Way graphBinary = new Way(new GraphBinaryMessageSerializerV1(), false);
                Way graphSon3 = new Way(new GraphSONMessageSerializerV3(), true);
                Way graphSon2 = new Way(new GraphSONMessageSerializerV2(), false)) {
            for (Way way : List.of(graphBinary, graphSon3)) {
                both(way);
            }
            check("the service's GraphSON 2 is read", () -> same(List.of("2"), texts(graphSon2.client.submit("g.inject(1, 2).count()"))));
        }
        System.out.println("test result: " + passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void both(Way way) {
        String name = way.name;
        check(name + ": bytecode writes and reads", () -> {
            GraphTraversalSource g = way.traversal();
            g.V().drop().iterate();
            g.addV("airport").property(T.id, "SEA").property("country", "US").property("elevationFt", 433).iterate();
            g.addV("airport").property(T.id, "LHR").property("country", "GB").property("elevationFt", 83).iterate();
            g.V("SEA").addE("route").to(__.V("LHR")).property("days", 7).iterate();
            same(List.of("SEA"), g.V().has("elevationFt", P.gt(100)).id().toList());
            same(List.of("LHR"), g.V("SEA").out("route").id().toList());
            same(7, g.E().values("days").next());
            same(2L, g.V().count().next());
        });
        check(name + ": texts with bindings", () -> {
            RequestOptions options = RequestOptions.build().addParameter("code", "SEA").create();
            same(List.of("433"), texts(way.client.submit("g.V(code).values('elevationFt')", options)));
        });
        check(name + ": requests overlap", () -> {
            List<CompletableFuture<ResultSet>> answers = new ArrayList<>();
            for (int number = 0; number < 100; number++) {
                answers.add(way.client.submitAsync("g.inject(" + number + ")"));
            }
            for (int number = 0; number < answers.size(); number++) {
                same(List.of("" + number), texts(answers.get(number).get()));
            }
        });
        check(name + ": many results", () -> {
            String text = "g.inject(1).repeat(union(identity(), identity())).times(10)";
            same(1024, way.client.submit(text, RequestOptions.build().batchSize(100).create()).all().get().size());
        });
        check(name + ": a text that is none, a failing step, and no time", () -> {
            same(597, code(way.client, "g.V("));
            same(595, code(way.client, "g.inject(1).fail()"));
            same(598, code(way.client, "g.with('evaluationTimeout', 100).inject(1).repeat(identity())"));
        });
        check(name + ": a session keeps its variables", () -> {
            Client session = way.cluster.connect("session-" + name);
            same(List.of("5"), texts(session.submit("x = g.inject(5).next()")));
            same(List.of("5"), texts(session.submit("g.inject(x)")));
            session.close();
        });
    }

    /** One way to the graph that the variables name. */
    private static final class Way implements AutoCloseable {
        final String name;
        final Cluster cluster;
        final Client client;

        Way(MessageSerializer<?> serializer, boolean encrypted) {
            String[] place = variable("ORRERY_GREMLIN").replaceAll("^ws://|/gremlin$", "").split(":");
            Cluster.Builder builder = Cluster.build(encrypted ? "localhost" : place[0]).port(Integer.parseInt(place[1]))
                    .credentials(variable("ORRERY_GRAPH"), variable("ORRERY_KEY")).serializer(serializer);
            if (encrypted) {
                builder.enableSsl(true).trustStore(System.getProperty("javax.net.ssl.trustStore")).trustStorePassword("changeit");
            }
            name = serializer.getClass().getSimpleName() + (encrypted ? " over TLS" : "");
            cluster = builder.create();
            client = cluster.connect();
        }

        GraphTraversalSource traversal() {
            return AnonymousTraversalSource.traversal().withRemote(DriverRemoteConnection.using(client, "g"));
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    private static List<String> texts(ResultSet results) throws Exception {
        return results.all().get().stream().map(Result::getString).collect(Collectors.toList());
    }

    private static int code(Client client, String text) throws Exception {
        try {
            client.submit(text).all().get();
            return 200;
        } catch (Exception failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof ResponseException) {
                    return ((ResponseException) cause).getResponseStatusCode().getValue();
                }
            }
            throw failure;
        }
    }

    private static void check(String name, Check check) {
        try {
            check.run();
            passed++;
            System.out.println("ok " + name);
        } catch (Throwable failure) {
            failed++;
            System.out.println("FAILED " + name + ": " + failure);
            failure.printStackTrace(System.out);
        }
    }

    private static void same(Object expected, Object found) {
        if (!Objects.equals(expected, found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }

    private static String variable(String name) {
        return Objects.requireNonNull(System.getenv(name), name + " is not set; run cargo xtask test");
    }
}
