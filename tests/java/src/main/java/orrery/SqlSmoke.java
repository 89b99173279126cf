package orrery;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemIdentity;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.azure.cosmos.models.ThroughputProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The Java SDK in gateway mode against a running server: items, and every shape of query over several physical partitions. */
public final class SqlSmoke {
    private static final int COUNT = 48;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static int passed;
    private static int failed;

    private interface Check {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        String endpoint = variable("ORRERY_HTTPS_ENDPOINT");
        try (CosmosClient client =
                new CosmosClientBuilder().endpoint(endpoint).key(variable("ORRERY_KEY")).gatewayMode().endpointDiscoveryEnabled(false).buildClient()) {
            String name = "java-" + UUID.randomUUID();
            client.createDatabase(name);
            CosmosDatabase database = client.getDatabase(name);
            try {
                database.createContainer(new CosmosContainerProperties("items", "/pk"), ThroughputProperties.createManualThroughput(40000));
                CosmosContainer container = database.getContainer("items");
                items(container);
                queries(container);
            } finally {
                database.delete();
            }
        }
        System.out.println("test result: " + passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void items(CosmosContainer container) {
        check("items are created, read, replaced, patched and deleted", () -> {
            ObjectNode made = item(1000);
            PartitionKey key = new PartitionKey(made.get("pk").asText());
            same(201, container.createItem(made, key, new CosmosItemRequestOptions()).getStatusCode());
            same(1000, container.readItem("i1000", key, ObjectNode.class).getItem().get("n").asInt());
            made.put("n", 5);
            same(200, container.replaceItem(made, "i1000", key, new CosmosItemRequestOptions()).getStatusCode());
            container.patchItem("i1000", key, CosmosPatchOperations.create().increment("/n", 2), ObjectNode.class);
            same(7, container.readItem("i1000", key, ObjectNode.class).getItem().get("n").asInt());
            same(204, container.deleteItem("i1000", key, new CosmosItemRequestOptions()).getStatusCode());
            refused(404, () -> container.readItem("i1000", key, ObjectNode.class));
        });
        check("a batch is all or nothing", () -> {
            PartitionKey key = new PartitionKey("batch");
            CosmosBatch good = CosmosBatch.createCosmosBatch(key);
            good.createItemOperation(JSON.createObjectNode().put("id", "a").put("pk", "batch"));
            good.createItemOperation(JSON.createObjectNode().put("id", "b").put("pk", "batch"));
            same(true, container.executeCosmosBatch(good).isSuccessStatusCode());
            CosmosBatch bad = CosmosBatch.createCosmosBatch(key);
            bad.deleteItemOperation("a");
            bad.createItemOperation(JSON.createObjectNode().put("id", "b").put("pk", "batch"));
            same(409, container.executeCosmosBatch(bad).getStatusCode());
            container.deleteItem("a", key, new CosmosItemRequestOptions());
            container.deleteItem("b", key, new CosmosItemRequestOptions());
        });
    }

    private static void queries(CosmosContainer container) {
        for (int n = 0; n < COUNT; n++) {
            container.createItem(item(n));
        }
        List<Integer> all = IntStream.range(0, COUNT).boxed().collect(Collectors.toList());
        rows(container, "SELECT VALUE c.n FROM c", false, all);
        rows(container, "SELECT VALUE c.n FROM c WHERE c.n BETWEEN 10 AND 12 OR c.n IN (0, 5)", false, List.of(10, 11, 12, 0, 5));
        rows(container, "SELECT VALUE c.n FROM c ORDER BY c.n", true, all);
        rows(container, "SELECT VALUE c.n FROM c ORDER BY c.third DESC, c.n", true, all.stream().sorted((a, b) -> a % 3 != b % 3 ? b % 3 - a % 3 : a - b).collect(Collectors.toList()));
        rows(container, "SELECT TOP 5 VALUE c.n FROM c ORDER BY c.n DESC", true, List.of(47, 46, 45, 44, 43));
        rows(container, "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 7 LIMIT 3", true, List.of(7, 8, 9));
        rows(container, "SELECT DISTINCT VALUE c.third FROM c", false, List.of(0, 1, 2));
        rows(container, "SELECT DISTINCT VALUE c.third FROM c ORDER BY c.third DESC", true, List.of(2, 1, 0));
        rows(container, "SELECT VALUE COUNT(1) FROM c", true, List.of(COUNT));
        rows(container, "SELECT VALUE SUM(c.n) FROM c", true, List.of(COUNT * (COUNT - 1) / 2));
        rows(container, "SELECT VALUE AVG(c.third) FROM c", true, List.of(1));
        rows(container, "SELECT VALUE MIN(c.n) FROM c WHERE c.n > 20", true, List.of(21));
        rows(container, "SELECT VALUE MAX(c.n) FROM c", true, List.of(47));
        rows(container, "SELECT c.third, COUNT(1) AS count FROM c GROUP BY c.third", false, List.of(json("{'third':0,'count':16}"), json("{'third':1,'count':16}"), json("{'third':2,'count':16}")));
        rows(container, "SELECT VALUE t FROM c JOIN t IN c.tags WHERE c.n < 4", false, List.of("a", "a", "b", "a", "b", "c"));
        rows(container, "SELECT VALUE c.n FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'c')", false, all.stream().filter(n -> n % 4 == 3).collect(Collectors.toList()));
        check("parameters are bound", () -> {
            SqlQuerySpec query = new SqlQuerySpec("SELECT VALUE c.id FROM c WHERE c.n = @n", new SqlParameter("@n", 9));
            same("[\"i9\"]", container.queryItems(query, new CosmosQueryRequestOptions(), JsonNode.class).stream().map(JsonNode::toString).collect(Collectors.toList()).toString());
        });
        check("one logical partition is queried alone", () -> {
            CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setPartitionKey(new PartitionKey("p3"));
            same(all.stream().filter(n -> n % 11 == 3).count(), container.queryItems("SELECT * FROM c", options, JsonNode.class).stream().count());
        });
        check("pages go on from a continuation token", () -> {
            String token = null;
            List<String> found = new ArrayList<>();
            do {
                Iterable<FeedResponse<JsonNode>> pages = container.queryItems("SELECT VALUE c.n FROM c ORDER BY c.n", new CosmosQueryRequestOptions(), JsonNode.class).iterableByPage(token, 5);
                FeedResponse<JsonNode> page = pages.iterator().next();
                page.getResults().forEach(row -> found.add(row.toString()));
                token = page.getContinuationToken();
            } while (token != null);
            same(all.toString(), found.toString());
        });
        check("many items are read at once", () -> {
            List<CosmosItemIdentity> wanted = all.stream().map(n -> new CosmosItemIdentity(new PartitionKey("p" + n % 11), "i" + n)).collect(Collectors.toList());
            same(COUNT, container.readMany(wanted, JsonNode.class).getResults().size());
        });
        check("a broken query is refused", () -> refused(400, () -> container.queryItems("SELEC * FROM c", new CosmosQueryRequestOptions(), JsonNode.class).stream().count()));
    }

    private static ObjectNode item(int n) {
        ObjectNode item = JSON.createObjectNode().put("id", "i" + n).put("pk", "p" + n % 11).put("n", n).put("third", n % 3);
        Arrays.asList("a", "b", "c").subList(0, n % 4).forEach(item.withArray("tags")::add);
        return item;
    }

    private static void rows(CosmosContainer container, String query, boolean ordered, List<?> expected) {
        check(query, () -> {
            List<String> found = container.queryItems(query, new CosmosQueryRequestOptions(), JsonNode.class).stream().map(SqlSmoke::canonical).collect(Collectors.toList());
            List<String> wanted = expected.stream().map(value -> canonical(JSON.valueToTree(value))).collect(Collectors.toList());
            if (!ordered) {
                found.sort(null);
                wanted.sort(null);
            }
            same(wanted.toString(), found.toString());
        });
    }

    /** Whole numbers print alike whatever type the client gave them. */
    private static String canonical(JsonNode value) {
        return value.isNumber() && value.asDouble() == value.asLong() ? Long.toString(value.asLong()) : value.toString();
    }

    private static JsonNode json(String text) throws RuntimeException {
        try {
            return JSON.readTree(text.replace('\'', '"'));
        } catch (Exception error) {
            throw new IllegalArgumentException(text, error);
        }
    }

    private static void refused(int status, Check check) throws Exception {
        try {
            check.run();
        } catch (CosmosException error) {
            same(status, error.getStatusCode());
            return;
        }
        throw new AssertionError("expected " + status + ", but it succeeded");
    }

    private static void same(Object expected, Object found) {
        if (!String.valueOf(expected).equals(String.valueOf(found))) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }

    private static void check(String name, Check check) {
        try {
            check.run();
            passed++;
            System.out.println("ok - " + name);
        } catch (Throwable error) {
            failed++;
            System.out.println("not ok - " + name + ": " + error);
        }
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set: run this through cargo xtask test");
        }
        return value;
    }
}
