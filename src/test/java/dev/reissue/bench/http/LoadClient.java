package dev.reissue.bench.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;

/**
 * A load client on one event loop: keep-alive connections, one request under way on each, no pipelining.
 *
 * <p>In a closed loop a connection sends when its answer has come: it finds the highest rate, and its latencies say little. In an
 * open loop rounds are due at fixed times, and a latency counts from there, whether or not the connection was free: a stall of the
 * server shows in every round that it delayed.
 */
final class LoadClient implements AutoCloseable {
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int GRACE_SECONDS = 15;

    private final boolean epoll = Epoll.isAvailable();
    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    private final int connections;

    /**
     * Creates a client.
     *
     * @param connections how many connections each run opens
     */
    LoadClient(int connections) {
        this.connections = connections;
    }

    /** Runs a closed loop. */
    Load closed(int port, double seconds, IntFunction<Conversation> conversations) throws InterruptedException {
        return run(port, seconds, 0, conversations);
    }

    /** Runs an open loop of {@code rate} rounds a second. */
    Load open(int port, double seconds, double rate, IntFunction<Conversation> conversations)
            throws InterruptedException {
        return run(port, seconds, (long) (connections * 1e9 / rate), conversations);
    }

    private Load run(int port, double seconds, long intervalNanos, IntFunction<Conversation> conversations)
            throws InterruptedException {
        Histogram latency = new Histogram(LONGEST_NANOS, 3);
        Histogram firstLatency = new Histogram(LONGEST_NANOS, 3);
        CountDownLatch open = new CountDownLatch(connections);
        List<Speaker> speakers = new ArrayList<>();
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Speaker speaker = new Speaker(conversations.apply(i), latency, firstLatency, open);
            speakers.add(speaker);
            channels.add(connect(port, speaker));
        }
        long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
        long end = start + (long) (seconds * 1e9);
        for (int i = 0; i < connections; i++) {
            Speaker speaker = speakers.get(i);
            long first = start + intervalNanos * i / connections;
            channels.get(i).eventLoop().execute(() -> speaker.start(first, end, intervalNanos));
        }
        boolean finished = open.await((long) seconds + GRACE_SECONDS, TimeUnit.SECONDS);
        double took = (System.nanoTime() - start) / 1e9;
        for (Channel channel : channels) {
            channel.close().sync();
        }
        return sum(speakers, latency, firstLatency, took, finished ? 0 : open.getCount());
    }

    private Channel connect(int port, Speaker speaker) throws InterruptedException {
        return new Bootstrap()
                .group(group)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(speaker)
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .sync()
                .channel();
    }

    private static Load sum(
            List<Speaker> speakers, Histogram latency, Histogram firstLatency, double seconds, long unfinished) {
        long rounds = 0;
        long failures = unfinished;
        String first = unfinished == 0 ? "" : "no answer within " + GRACE_SECONDS + " s";
        for (Speaker speaker : speakers) {
            rounds += speaker.rounds();
            failures += speaker.failures();
            first = first.isEmpty() ? speaker.firstFailure() : first;
        }
        return new Load(rounds, failures, first, seconds, latency, firstLatency);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
