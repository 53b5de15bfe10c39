package dev.reissue.app.dev;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which a dev process keeps everything, locked for this process. The lock belongs to the operating system and so
 * ends with the process, however that ends. Any thread.
 */
final class DataDirectory implements AutoCloseable {
    private final Path root;
    private final FileChannel lock;

    private DataDirectory(Path root, FileChannel lock) {
        this.root = root;
        this.lock = lock;
    }

    /**
     * Creates and locks the directory.
     *
     * @throws IOException where it cannot be used, or is used by another process
     */
    static DataDirectory lock(Path directory) throws IOException {
        Path root = Files.createDirectories(directory).toRealPath();
        FileChannel channel =
                FileChannel.open(root.resolve("reissue.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (tryLock(channel) == null) {
            channel.close();
            throw new IOException("another dev process uses " + root
                    + "; stop it, or give this one its own directory with --set dev.dataDir=DIR");
        }
        return new DataDirectory(root, channel);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    Path root() {
        return root;
    }

    Path postgres() {
        return root.resolve("postgres");
    }

    Path redis() {
        return root.resolve("redis");
    }

    /** Unpacked programs; may be deleted at any time while nothing runs. */
    Path programs() {
        return root.resolve("programs");
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
