package dev.reissue.recycle;

import static dev.reissue.recycle.RecycleWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.postgres.PgSettleStore;
import dev.reissue.recycle.RecycleWorld.Holder;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Ten thousand holders confirm while their numbers time out, are released and claimed for the next holder. */
class ConfirmExpiryRaceIT {
    private static final int NUMBERS = 10_000;
    private static final int CALL = 100;

    @Test
    void eachNumberIsEitherConfirmedByItsHolderOrReissuedNeverBoth() {
        try (RecycleWorld world = new RecycleWorld(9)) {
            world.flush();
            int s = world.sequence();
            // The window is over at once: late confirms meet the release and the claim too.
            world.run("update sequence set safety_window = '0 s' where id = ?", s);
            List<Item> items = new ArrayList<>();
            for (int b = 0; b < NUMBERS / 1000; b++) {
                long id = world.sealed(s, b * 1000L, b * 1000L + 999);
                for (int v = b * 1000; v < b * 1000 + 1000; v++) {
                    items.add(new Item(
                            SettleKind.CONFIRM, s, "", id, v, 0, false, false, false, null, null, "race", null));
                }
            }
            Collections.shuffle(items, new Random(7));
            PgSettleStore settle = new PgSettleStore(world.database);
            Holder next = world.holder();
            Set<Long> confirmed = new HashSet<>();
            Set<Long> reissued = new HashSet<>();

            for (int i = 0; i < NUMBERS; i += CALL * 4) {
                List<Item> group = items.subList(i, i + CALL * 4);
                List<Future<?>> all = new ArrayList<>();
                List<Future<List<Answer>>> calls = new ArrayList<>();
                all.add(new ExpirePass(world.scans, world.only(s), new Paging(new PageSize(400), 1)).run());
                for (int c = 0; c < group.size(); c += CALL) {
                    calls.add(settle.settle(group.subList(c, c + CALL)));
                }
                all.addAll(calls);
                all.add(world.release(s).run());
                next.stock.shelf(s).asked.add(100_000);
                world.nanos.addAndGet(600_000_000L);
                all.add(next.pass.run());
                await(Future.all(all));
                for (int c = 0; c < group.size(); c++) {
                    if (calls.get(c / CALL).result().get(c % CALL).outcome() == SettleOutcome.CONFIRMED) {
                        confirmed.add(group.get(c).value());
                    }
                }
                take(next, s, reissued);
            }
            await(world.expire(s).run());
            await(world.release(s).run());
            world.nanos.addAndGet(3_600_000_000_000L);
            for (int i = 0; i < 100 && confirmed.size() + reissued.size() < NUMBERS; i++) {
                next.stock.shelf(s).asked.add(100_000);
                world.nanos.addAndGet(600_000_000L);
                await(next.pass.run());
                take(next, s, reissued);
                world.pass(s, 30);
                await(world.repush(s).run());
            }

            assertThat(confirmed).isNotEmpty().doesNotContainAnyElementsOf(reissued);
            assertThat(reissued).isNotEmpty();
            assertThat(confirmed.size() + reissued.size()).isEqualTo(NUMBERS);
        }
    }

    private static void take(Holder next, int sequence, Set<Long> reissued) {
        for (Claimed c = next.stock.poll(sequence); c != null; c = next.stock.poll(sequence)) {
            assertThat(reissued.add(c.value())).isTrue();
        }
    }
}
