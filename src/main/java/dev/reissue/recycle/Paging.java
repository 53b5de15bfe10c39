package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.function.BinaryOperator;
import java.util.function.IntFunction;

/**
 * The one bounded loop of a pass: pages until one is not full, and never more than a fixed number of them. Any thread.
 *
 * @param size rows a page
 * @param maxPages pages a pass
 */
public record Paging(PageSize size, int maxPages) {
    /** Checks the bound. */
    public Paging {
        if (maxPages < 1) {
            throw new IllegalArgumentException("a pass needs at least one page but has " + maxPages);
        }
    }

    /** Runs pages and adds up their reports; fails with the first failure, after which the next page is smaller. */
    <R extends PassReport> Future<R> run(IntFunction<Future<R>> page, BinaryOperator<R> plus) {
        return next(page, plus, 1);
    }

    private <R extends PassReport> Future<R> next(IntFunction<Future<R>> page, BinaryOperator<R> plus, int number) {
        return page.apply(size.rows()).onFailure(e -> size.shrink()).compose(report -> {
            size.grow();
            if (!report.more() || number >= maxPages) {
                return Future.succeededFuture(report);
            }
            return next(page, plus, number + 1).map(rest -> plus.apply(report, rest));
        });
    }
}
