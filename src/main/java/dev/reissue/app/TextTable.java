package dev.reissue.app;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table for people: columns as wide as they need to be. One thread. */
final class TextTable {
    private final List<String[]> rows = new ArrayList<>();

    TextTable(String... titles) {
        rows.add(titles);
    }

    /** Adds a row with as many texts as there are titles. */
    void add(String... row) {
        rows.add(row);
    }

    void print(PrintWriter out) {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int c = 0; c < widths.length; c++) {
                widths[c] = Math.max(widths[c], row[c].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int c = 0; c < widths.length; c++) {
                line.append(row[c]).append(" ".repeat(widths[c] - row[c].length() + 2));
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
