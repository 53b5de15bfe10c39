package dev.reissue.sequence;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether two formats, each with a range of values, have a number in common. Stateless, exact.
 *
 * <p>For each length of text there is one way to lay either format over it: literal, digits, literal.
 * <pre>
 *   A = "ORD1{seq:4}"   O R D 1 d d d d        0 = "1ddd" of B has to be 1000..1999
 *   B = "ORD{seq:5+}"   O R D d d d d d
 * </pre>
 * The text is then chosen from left to right. What matters of the choice so far is only whether the digits of A and of B still
 * equal those of their lower and upper bounds, so 16 states a position are enough, whatever the ranges.
 */
final class FormatOverlap {
    private static final int STATES = 16;
    private static final int ALL_TIGHT = STATES - 1;
    private static final int TIGHT_LOW = 1;
    private static final int TIGHT_HIGH = 2;
    private static final char NO_CHAR = 0;

    private FormatOverlap() {}

    static @Nullable String find(NumberFormat a, long aFirst, long aLast, NumberFormat b, long bFirst, long bLast) {
        int aLiterals = a.prefix().length() + a.suffix().length();
        int bLiterals = b.prefix().length() + b.suffix().length();
        for (int aDigits = a.minDigits(); aDigits <= a.maxDigits(); aDigits++) {
            int bDigits = aLiterals + aDigits - bLiterals;
            if (bDigits < b.minDigits() || bDigits > b.maxDigits()) {
                continue;
            }
            Side left = Side.of(a, aDigits, aFirst, aLast);
            Side right = Side.of(b, bDigits, bFirst, bLast);
            if (left != null && right != null) {
                String text = find(left, right, aLiterals + aDigits);
                if (text != null) {
                    return text;
                }
            }
        }
        return null;
    }

    private static @Nullable String find(Side a, Side b, int length) {
        // chosen[i][s]: the character at i - 1 by which state s was reached, and before[i][s] the state it came from
        char[][] chosen = new char[length + 1][STATES];
        int[][] before = new int[length + 1][STATES];
        chosen[0][ALL_TIGHT] = ' ';
        for (int i = 0; i < length; i++) {
            for (int state = 0; state < STATES; state++) {
                if (chosen[i][state] != NO_CHAR) {
                    step(a, b, i, state, chosen[i + 1], before[i + 1]);
                }
            }
        }
        for (int state = 0; state < STATES; state++) {
            if (chosen[length][state] != NO_CHAR) {
                return textOf(chosen, before, length, state);
            }
        }
        return null;
    }

    private static void step(Side a, Side b, int position, int state, char[] chosen, int[] before) {
        char fixed = a.isDigit(position) ? b.literal(position) : a.literal(position);
        char from = fixed == NO_CHAR ? '0' : fixed;
        char to = fixed == NO_CHAR ? '9' : fixed;
        for (char c = from; c <= to; c++) {
            int nextA = a.next(position, state & 3, c);
            int nextB = b.next(position, state >> 2, c);
            if (nextA >= 0 && nextB >= 0) {
                int next = nextA | nextB << 2;
                chosen[next] = c;
                before[next] = state;
            }
        }
    }

    private static String textOf(char[][] chosen, int[][] before, int length, int last) {
        char[] text = new char[length];
        int state = last;
        for (int i = length; i > 0; i--) {
            text[i - 1] = chosen[i][state];
            state = before[i][state];
        }
        return new String(text);
    }

    /** One format laid over a text of a known length, its bounds as digits of equal length. */
    private record Side(String prefix, String suffix, String low, String high) {

        /** Returns null where no value of the range has that many digits. */
        static @Nullable Side of(NumberFormat format, int digits, long first, long last) {
            long low = Math.max(first, digits == format.minDigits() ? 0 : NumberFormat.powerOfTen(digits - 1));
            long high = Math.min(last, NumberFormat.powerOfTen(digits) - 1);
            return low > high
                    ? null
                    : new Side(format.prefix(), format.suffix(), padded(low, digits), padded(high, digits));
        }

        private static String padded(long value, int digits) {
            String text = Long.toString(value);
            return "0".repeat(digits - text.length()) + text;
        }

        boolean isDigit(int position) {
            return position >= prefix.length() && position < prefix.length() + low.length();
        }

        char literal(int position) {
            if (position < prefix.length()) {
                return prefix.charAt(position);
            }
            int behind = position - prefix.length() - low.length();
            return behind >= 0 ? suffix.charAt(behind) : NO_CHAR;
        }

        /** Returns which bounds the digits still equal after {@code c}, or -1 where {@code c} is not possible here. */
        int next(int position, int tight, char c) {
            if (!isDigit(position)) {
                return literal(position) == c ? tight : -1;
            }
            char least = low.charAt(position - prefix.length());
            char most = high.charAt(position - prefix.length());
            boolean belowLow = (tight & TIGHT_LOW) != 0 && c < least;
            boolean aboveHigh = (tight & TIGHT_HIGH) != 0 && c > most;
            if (c < '0' || c > '9' || belowLow || aboveHigh) {
                return -1;
            }
            return tight & ((c == least ? TIGHT_LOW : 0) | (c == most ? TIGHT_HIGH : 0));
        }
    }
}
