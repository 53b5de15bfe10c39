package dev.reissue.bench.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One connection of the load client. One event loop; the counters are read after {@code done}. */
final class Speaker extends ChannelInboundHandlerAdapter {
    private static final int OK = 200;

    private final Conversation conversation;
    private final Histogram latency;
    private final Histogram firstLatency;
    private final CountDownLatch done;
    private final Response response = new Response();
    private @Nullable ChannelHandlerContext context;
    private long due;
    private long end;
    private long intervalNanos;
    private boolean begun;
    private boolean over;
    private long rounds;
    private long failures;
    private String firstFailure = "";

    Speaker(Conversation conversation, Histogram latency, Histogram firstLatency, CountDownLatch done) {
        this.conversation = conversation;
        this.latency = latency;
        this.firstLatency = firstLatency;
        this.done = done;
    }

    /**
     * Starts to speak.
     *
     * @param first when the first round is due, as by {@link System#nanoTime}
     * @param last no round starts after this
     * @param interval from one due round to the next, 0 for a closed loop
     */
    void start(long first, long last, long interval) {
        due = first;
        end = last;
        intervalNanos = interval;
        next();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            response.add(bytes);
        } finally {
            bytes.release();
        }
        if (response.complete()) {
            answered(ctx);
        }
    }

    private void answered(ChannelHandlerContext ctx) {
        if (response.status() != OK) {
            failed(response.status() + " " + response.body());
        } else {
            if (begun) {
                begun = false;
                firstLatency.recordValue(System.nanoTime() - due);
            }
            byte[] more = conversation.proceed(response);
            if (more != null) {
                response.drop();
                send(ctx, more);
                return;
            }
            rounds++;
            latency.recordValue(System.nanoTime() - due);
        }
        response.drop();
        due = intervalNanos == 0 ? System.nanoTime() : due + intervalNanos;
        next();
    }

    /** Starts the round that is due, now or when its time has come. */
    private void next() {
        ChannelHandlerContext ctx = context;
        if (ctx == null || due >= end) {
            finish();
            return;
        }
        long wait = due - System.nanoTime();
        if (wait > 0) {
            var unused = ctx.executor().schedule(() -> begin(ctx), wait, TimeUnit.NANOSECONDS);
        } else {
            begin(ctx);
        }
    }

    private void begin(ChannelHandlerContext ctx) {
        begun = true;
        send(ctx, conversation.begin());
    }

    private static void send(ChannelHandlerContext ctx, byte[] request) {
        var unused = ctx.writeAndFlush(ctx.alloc().directBuffer(request.length).writeBytes(request), ctx.voidPromise());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!over) {
            failed("the server closed the connection");
            finish();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        failed(cause.toString());
        var unused = ctx.close();
    }

    private void failed(String what) {
        failures++;
        firstFailure = firstFailure.isEmpty() ? what : firstFailure;
    }

    private void finish() {
        if (!over) {
            over = true;
            done.countDown();
        }
    }

    long rounds() {
        return rounds;
    }

    long failures() {
        return failures;
    }

    String firstFailure() {
        return firstFailure;
    }
}
