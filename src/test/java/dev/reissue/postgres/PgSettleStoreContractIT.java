package dev.reissue.postgres;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.SettleStoreContract;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PgSettleStoreContractIT extends SettleStoreContract {
    private final SettleLedger ledger = SettleLedger.open(4);

    @BeforeAll
    void createTheSequence() throws SQLException {
        ledger.sequence("contract");
    }

    @AfterAll
    void close() throws SQLException {
        ledger.close();
    }

    @Override
    protected SettleStore store() {
        return ledger.store;
    }

    @Override
    protected BatchRange openBatch(int size) {
        try {
            return ledger.openBatch(SEQUENCE, size);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected void seal(BatchRange batch, long issuedTo) {
        try {
            ledger.seal(batch, issuedTo);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
