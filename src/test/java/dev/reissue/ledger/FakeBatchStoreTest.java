package dev.reissue.ledger;

import dev.reissue.support.BatchStoreContract;
import dev.reissue.support.FakeBatchStore;
import dev.reissue.support.LedgerProbe;

class FakeBatchStoreTest extends BatchStoreContract {
    private final FakeBatchStore fake = new FakeBatchStore();

    @Override
    protected BatchStore store() {
        return fake;
    }

    @Override
    protected LedgerProbe ledger() {
        return fake;
    }
}
