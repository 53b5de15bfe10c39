package dev.reissue.app;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Set;

/** Who may know whom: the table of ARCHITECTURE.md. */
@AnalyzeClasses(packages = "dev.reissue", importOptions = ImportOption.DoNotIncludeTests.class)
class PackageRuleTest {
    private static final String ROOT = "dev.reissue.";
    private static final String[] JDK_AND_ANNOTATIONS = {"java..", "javax..", "org.jspecify..", "org.slf4j.."};

    private static final Set<String> FUTURES =
            Set.of(Future.class.getName(), Promise.class.getName(), AsyncResult.class.getName());

    @ArchTest
    static final ArchRule SEQUENCE_KNOWS_NOBODY = core("sequence");

    @ArchTest
    static final ArchRule SEGMENT_KNOWS_THE_LEDGER = core("segment", "ledger");

    @ArchTest
    static final ArchRule LEDGER_KNOWS_SEGMENTS = core("ledger", "segment");

    @ArchTest
    static final ArchRule ISSUANCE_KNOWS_THE_CORE = ours("issuance", "sequence", "segment", "ledger");

    @ArchTest
    static final ArchRule AUDIT_KNOWS_THE_CORE = ours("audit", "sequence", "segment", "ledger");

    @ArchTest
    static final ArchRule RECYCLE_KNOWS_THE_CORE_AND_FILLS_ISSUANCES_PORT =
            ours("recycle", "sequence", "segment", "ledger", "issuance");

    @ArchTest
    static final ArchRule EVENTS_KNOWS_THE_CORE_AND_ISSUANCE =
            ours("events", "sequence", "segment", "ledger", "issuance");

    @ArchTest
    static final ArchRule TRACING_KNOWS_THE_PORT_OF_THE_API = ours("tracing", "api", "issuance");

    @ArchTest
    static final ArchRule API_KNOWS_USE_CASES_AND_NO_ADAPTER =
            ours("api", "issuance", "audit", "recycle", "tenant", "sequence", "segment", "ledger");

    @ArchTest
    static final ArchRule TENANT_KNOWS_THE_CORE = ours("tenant", "sequence", "segment", "ledger");

    @ArchTest
    static final ArchRule POSTGRES_KNOWS_PORTS_AND_NO_OTHER_ADAPTER =
            ours("postgres", "sequence", "segment", "ledger", "issuance", "recycle", "audit", "tenant");

    @ArchTest
    static final ArchRule REDIS_KNOWS_PORTS_AND_NO_OTHER_ADAPTER =
            ours("redis", "sequence", "segment", "ledger", "issuance", "recycle", "audit", "events");

    @ArchTest
    static final ArchRule CLUSTER_KNOWS_PORTS_AND_NO_OTHER_ADAPTER =
            ours("cluster", "sequence", "segment", "ledger", "issuance", "recycle", "audit");

    @ArchTest
    static final ArchRule CONFIG_KNOWS_NOBODY = ours("config");

    @ArchTest
    static final ArchRule METRICS_KNOWS_THE_METERS_OF_OTHERS = ours(
            "metrics",
            "api",
            "issuance",
            "recycle",
            "audit",
            "events",
            "tenant",
            "sequence",
            "segment",
            "ledger",
            "postgres",
            "redis",
            "cluster",
            "tracing");

    @ArchTest
    static final ArchRule ONLY_APP_KNOWS_THE_SETTINGS = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + "config..", ROOT + "app..")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + "config.."));

    @ArchTest
    static final ArchRule ONLY_ADAPTERS_KNOW_DATABASE_CLIENTS = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + "postgres..", ROOT + "redis..", ROOT + "app..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    "io.vertx.sqlclient..",
                    "io.vertx.pgclient..",
                    "io.vertx.redis..",
                    "org.postgresql..",
                    "java.sql.."));

    @ArchTest
    static final ArchRule ONLY_THE_CLUSTER_KNOWS_HAZELCAST = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "cluster..")
            .should()
            .dependOnClassesThat(resideInAPackage("com.hazelcast.."));

    @ArchTest
    static final ArchRule ONLY_METRICS_AND_APP_KNOW_MICROMETER = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + "metrics..", ROOT + "app..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."));

    @ArchTest
    static final ArchRule ONLY_TRACING_KNOWS_OPENTELEMETRY = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "tracing..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.opentelemetry.."));

    /** Deadlines come from the database's clock and ages from the monotonic one; the dev command may name a folder by the time. */
    @ArchTest
    static final ArchRule NOBODY_ASKS_THE_WALL_CLOCK = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "app.dev..")
            .should()
            .callMethodWhere(DescribedPredicate.describe(
                    "reads the wall clock",
                    call -> call.getTarget().getName().equals("currentTimeMillis")
                            || (call.getTargetOwner().getPackageName().equals("java.time")
                                    && call.getTarget().getName().matches("now|system.*"))));

    /** A package of the core: the JDK, futures, a logger, and the named packages of ours. */
    private static ArchRule core(String name, String... known) {
        return classes()
                .that()
                .resideInAPackage(ROOT + name + "..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(JDK_AND_ANNOTATIONS)
                        .or(among(name, known))
                        .or(DescribedPredicate.describe("futures", c -> FUTURES.contains(c.getName())))
                        .or(DescribedPredicate.describe(
                                "arrays of primitives",
                                c -> c.getBaseComponentType().isPrimitive())))
                .allowEmptyShould(true);
    }

    /** A package that may use libraries, and of ours the named packages only. */
    private static ArchRule ours(String name, String... known) {
        return noClasses()
                .that()
                .resideInAPackage(ROOT + name + "..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.reissue..").and(DescribedPredicate.not(among(name, known))))
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> among(String name, String... known) {
        DescribedPredicate<JavaClass> any = resideInAPackage(ROOT + name + "..");
        for (String each : known) {
            any = any.or(resideInAPackage(ROOT + each + ".."));
        }
        return any;
    }
}
