package dev.reissue.bench.http;

import java.util.List;
import java.util.Locale;

/**
 * Horizontal bars with their figures, as SVG. Immutable.
 *
 * @param title stands above the bars
 * @param bars from top to bottom
 */
record BarChart(String title, List<Bar> bars) {
    private static final int WIDTH = 720;
    private static final int LABEL = 240;
    private static final int FIGURE = 90;
    private static final int ROW = 22;
    private static final int HEAD = 34;

    /**
     * One bar.
     *
     * @param label stands left of it
     * @param value its length, 0 or more
     */
    record Bar(String label, double value) {}

    /** Returns one picture of this chart and another one below. */
    String above(BarChart below) {
        int height = height() + below.height();
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                        .formatted(WIDTH, height, WIDTH, height)
                + "font-family=\"sans-serif\" font-size=\"12\">\n"
                + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                + draw(0)
                + below.draw(height())
                + "</svg>\n";
    }

    private int height() {
        return HEAD + bars.size() * ROW + ROW / 2;
    }

    private String draw(int top) {
        double longest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
        StringBuilder svg = new StringBuilder();
        svg.append("<text x=\"8\" y=\"%d\" font-weight=\"bold\">%s</text>%n".formatted(top + 22, escaped(title)));
        int y = top + HEAD;
        for (Bar bar : bars) {
            double length = longest <= 0 ? 0 : bar.value() / longest * (WIDTH - LABEL - FIGURE);
            svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n"
                    .formatted(LABEL - 8, y + 14, escaped(bar.label())));
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#3b6ea5\"/>%n",
                    LABEL,
                    y + 2,
                    length,
                    ROW - 6));
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\">%s</text>%n",
                    LABEL + length + 6,
                    y + 14,
                    figure(bar.value())));
            y += ROW;
        }
        return svg.toString();
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
