package dev.reissue.cluster;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.io.Serial;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Raises a mark where it lies, on its owner and its backup: revision and next value, each to the higher one. Its form on the wire is two
 * longs under the numbers of {@link Factory}, which stay as they are, for versions side by side.
 */
public final class RaiseMark implements EntryProcessor<String, long[], Boolean>, IdentifiedDataSerializable {
    static final int FACTORY_ID = 7001;
    private static final int CLASS_ID = 1;

    @Serial
    private static final long serialVersionUID = 1L;

    private long revision;
    private long nextValue;

    /** For the library, which reads the rest. */
    RaiseMark() {}

    RaiseMark(long revision, long nextValue) {
        this.revision = revision;
        this.nextValue = nextValue;
    }

    /** Makes the objects that come over the wire. */
    static final class Factory implements DataSerializableFactory {
        @Override
        public @Nullable IdentifiedDataSerializable create(int typeId) {
            return typeId == CLASS_ID ? new RaiseMark() : null;
        }
    }

    @Override
    public Boolean process(Map.Entry<String, long[]> entry) {
        long @Nullable [] before = entry.getValue();
        long[] after = before == null
                ? new long[] {revision, nextValue}
                : new long[] {Math.max(before[0], revision), Math.max(before[1], nextValue)};
        boolean higher = before == null || after[0] != before[0] || after[1] != before[1];
        if (higher) {
            entry.setValue(after);
        }
        return higher;
    }

    @Override
    public int getFactoryId() {
        return FACTORY_ID;
    }

    @Override
    public int getClassId() {
        return CLASS_ID;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeLong(revision);
        out.writeLong(nextValue);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        revision = in.readLong();
        nextValue = in.readLong();
    }
}
