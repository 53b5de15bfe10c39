package dev.reissue.config;

/**
 * A value that one source gives to one path, not yet read.
 *
 * @param path the path of a key, such as {@code http.port}
 * @param text the value as text
 * @param source where it stands: a file with its line, a variable, an option
 */
record Assignment(String path, String text, String source) {}
