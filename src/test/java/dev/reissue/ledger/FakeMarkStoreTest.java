package dev.reissue.ledger;

import dev.reissue.support.FakeMarkStore;
import dev.reissue.support.MarkStoreContract;

class FakeMarkStoreTest extends MarkStoreContract {
    @Override
    protected MarkStore store() {
        return new FakeMarkStore();
    }
}
