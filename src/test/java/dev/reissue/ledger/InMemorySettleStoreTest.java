package dev.reissue.ledger;

/** The fake keeps the contract of the real one. */
class InMemorySettleStoreTest extends SettleStoreContract {
    private final InMemorySettleStore store = new InMemorySettleStore();

    @Override
    protected SettleStore store() {
        return store;
    }

    @Override
    protected BatchRange openBatch(int size) {
        return store.openBatch(size);
    }

    @Override
    protected void seal(BatchRange batch, long issuedTo) {
        store.seal(batch, issuedTo);
    }
}
