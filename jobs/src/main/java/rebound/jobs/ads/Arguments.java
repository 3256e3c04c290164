package rebound.jobs.ads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.flink.util.TimeUtils;

/**
 * Arguments of the form {@code --name value}. Problems are collected, so that
 * {@link #done} can name all of them at once; what it accepts was asked for by
 * one of the readers before.
 */
final class Arguments {
    private final Map<String, String> given = new LinkedHashMap<>();
    private final TreeSet<String> known = new TreeSet<>();
    private final List<String> problems = new ArrayList<>();

    Arguments(String[] args) {
        for (int i = 0; i < args.length; i += 2) {
            String name = args[i];
            if (!name.startsWith("--")) {
                problems.add(name + ": want --name value");
            } else if (i + 1 == args.length) {
                problems.add(name + ": value missing");
            } else if (given.put(name.substring(2), args[i + 1]) != null) {
                problems.add(name + ": given twice");
            }
        }
    }

    /** A text that must be given. */
    String required(String name) {
        String v = text(name, "");
        if (v.isEmpty()) {
            problems.add("--" + name + ": missing");
        }
        return v;
    }

    String text(String name, String otherwise) {
        known.add(name);
        return given.getOrDefault(name, otherwise);
    }

    /** One of {@code choices}, of which the first is the default. */
    String choice(String name, String... choices) {
        String v = text(name, choices[0]);
        if (!Arrays.asList(choices).contains(v)) {
            want(name, v, "one of " + String.join(", ", choices));
        }
        return v;
    }

    boolean flag(String name, boolean otherwise) {
        String v = text(name, Boolean.toString(otherwise));
        if (!v.equals("true") && !v.equals("false")) {
            want(name, v, "true or false");
        }
        return v.equals("true");
    }

    /** A whole number from {@code min} to {@code max}. */
    int number(String name, int otherwise, int min, int max) {
        String v = text(name, Integer.toString(otherwise));
        try {
            int n = Integer.parseInt(v);
            if (n >= min && n <= max) {
                return n;
            }
        } catch (NumberFormatException e) {
            // the same words for both
        }
        want(name, v, "a whole number from " + min + " to " + max);
        return otherwise;
    }

    /** An unsigned number of 64 bits, or a negative one of 63. */
    long seed(String name, long otherwise) {
        String v = text(name, Long.toString(otherwise));
        try {
            return v.startsWith("-") ? Long.parseLong(v) : Long.parseUnsignedLong(v);
        } catch (NumberFormatException e) {
            want(name, v, "a whole number of at most 64 bits");
            return otherwise;
        }
    }

    /** A number of things a second, 0 or more. */
    double rate(String name, double otherwise) {
        String v = text(name, Double.toString(otherwise));
        try {
            double n = Double.parseDouble(v);
            if (n >= 0 && n < Double.POSITIVE_INFINITY) {
                return n;
            }
        } catch (NumberFormatException e) {
            // the same words for both
        }
        want(name, v, "a number from 0");
        return otherwise;
    }

    /** A duration as Flink writes it, such as 10s, 500ms or 10min; a bare number is milliseconds. */
    Duration duration(String name, Duration otherwise, Duration min) {
        known.add(name);
        String v = given.get(name);
        if (v == null) {
            return otherwise;
        }
        try {
            Duration d = TimeUtils.parseDuration(v);
            if (d.compareTo(min) >= 0) {
                return d;
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // the same words for both
        }
        want(name, v, "a duration such as 10s, 500ms or 10min of at least " + min.toMillis() + "ms");
        return otherwise;
    }

    /** Adds a problem that shows only when several arguments are seen together. */
    void refuse(String problem) {
        problems.add(problem);
    }

    /** Throws an IllegalArgumentException that names every problem, one a line. */
    void done() {
        for (String name : given.keySet()) {
            if (!known.contains(name)) {
                problems.add("--" + name + ": unknown, known are --" + String.join(", --", known));
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
    }

    private void want(String name, String got, String want) {
        problems.add("--" + name + ": got \"" + got + "\", want " + want);
    }
}
