package dev.reissue.support;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * A container image without a base, unpacked from its tar, whose commands can be run: in a mount namespace of their own with the
 * layers as a read-only root, a JDK where Temurin's images have it, this machine's system libraries, and the image's user. Needs
 * root and Linux. One thread.
 */
public final class UnpackedImage {
    private static final String JAVA_HOME = "/opt/java/openjdk";

    /** Binds what a base would bring, makes all of it read-only, and becomes the user. */
    private static final String ENTER = """
            set -e
            root=$1 jdk=$2 user=$3
            shift 3
            mount --make-rprivate /
            mount --bind "$root" "$root"
            for d in usr lib lib64 proc dev; do
              [ -e "/$d" ] || continue
              mkdir -p "$root/$d"
              mount --rbind "/$d" "$root/$d"
            done
            mkdir -p "$root%1$s" "$root/tmp"
            mount --bind "$jdk" "$root%1$s"
            mount -t tmpfs tmpfs "$root/tmp"
            chmod 1777 "$root/tmp"
            mount -o remount,bind,ro "$root"
            exec chroot --userspec="$user" "$root" "$@"
            """.formatted(JAVA_HOME);

    private final Path root;
    private final JsonObject config;
    private final Set<String> files;
    private final int layers;
    private final long packedBytes;

    private UnpackedImage(Path root, JsonObject config, Set<String> files, int layers, long packedBytes) {
        this.root = root;
        this.config = config;
        this.files = files;
        this.layers = layers;
        this.packedBytes = packedBytes;
    }

    /** Unpacks an image below a folder. */
    public static UnpackedImage unpack(Path tar, Path dir) {
        try {
            Map<String, byte[]> parts = new HashMap<>();
            try (InputStream in = Files.newInputStream(tar)) {
                each(in, (entry, content) -> parts.put(entry.getName(), content.readAllBytes()));
            }
            JsonObject manifest = new JsonArray(text(parts, "manifest.json")).getJsonObject(0);
            JsonObject config = new JsonObject(text(parts, manifest.getString("Config"))).getJsonObject("config");
            Path root = Files.createDirectory(
                    Files.createTempDirectory(dir, "image").resolve("root"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            Set<String> files = new TreeSet<>();
            JsonArray layers = manifest.getJsonArray("Layers");
            for (int i = 0; i < layers.size(); i++) {
                unpackLayer(part(parts, layers.getString(i)), root, files);
            }
            return new UnpackedImage(root, config, files, layers.size(), Files.size(tar));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the image's configuration: user, ports, environment. */
    public JsonObject config() {
        return config;
    }

    /** Returns every file of every layer, without a leading slash. */
    public Set<String> files() {
        return files;
    }

    /** Returns how many layers there are. */
    public int layers() {
        return layers;
    }

    /** Returns the size of the tar. */
    public long packedBytes() {
        return packedBytes;
    }

    /** Returns what a container of this image runs when it is told nothing else. */
    public List<String> command() {
        List<String> command = new ArrayList<>();
        for (String part : List.of("Entrypoint", "Cmd")) {
            config.getJsonArray(part, new JsonArray()).forEach(word -> command.add(String.valueOf(word)));
        }
        return command;
    }

    /** Runs a command as a container would; the network is this machine's. */
    public Process run(List<String> command, Path output, String... environment) throws IOException {
        List<String> all = new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", ENTER, "sh"));
        all.addAll(List.of(root.toString(), jdk().toString(), config.getString("User")));
        all.addAll(command);
        ProcessBuilder builder =
                new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(output.toFile());
        Map<String, String> env = builder.environment();
        env.clear();
        env.put("PATH", JAVA_HOME + "/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        for (String each : environment) {
            int at = each.indexOf('=');
            env.put(each.substring(0, at), each.substring(at + 1));
        }
        return builder.start();
    }

    /** Sends a signal to a command that was run: each step on the way to it has given up its process to the next. */
    public void signal(Process process, String name) throws IOException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .onExit()
                .join();
    }

    /** Returns the newest JDK of this machine, or the one that runs the test. */
    private static Path jdk() throws IOException {
        Path all = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(all)) {
            try (Stream<Path> jdks = Files.list(all)) {
                List<Path> of25 = jdks.filter(p -> p.getFileName().toString().contains("25"))
                        .filter(p -> Files.isExecutable(p.resolve("bin/java")))
                        .toList();
                if (!of25.isEmpty()) {
                    return of25.get(0).toRealPath();
                }
            }
        }
        return Path.of(System.getProperty("java.home")).toRealPath();
    }

    private static void unpackLayer(byte[] layer, Path root, Set<String> files) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(layer))) {
            each(in, (entry, content) -> {
                Path target = root.resolve(entry.getName()).normalize();
                if (!target.startsWith(root)) {
                    throw new IOException("a layer reaches outside: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else {
                    files.add(entry.getName());
                    Files.createDirectories(target.getParent());
                    Files.copy(content, target);
                }
            });
        }
    }

    private interface Visitor {
        void visit(TarArchiveEntry entry, InputStream content) throws IOException;
    }

    private static void each(InputStream in, Visitor visitor) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(in)) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                visitor.visit(entry, tar);
            }
        }
    }

    private static byte[] part(Map<String, byte[]> parts, String name) {
        byte[] part = parts.get(name);
        if (part == null) {
            throw new IllegalArgumentException("the image has no " + name);
        }
        return part;
    }

    private static String text(Map<String, byte[]> parts, String name) {
        return new String(part(parts, name), StandardCharsets.UTF_8);
    }
}
