package dev.reissue.sequence;

/**
 * What is wrong with one field of a definition.
 *
 * @param field the field's name in JSON
 * @param code the kind of mistake, stable, such as {@code out-of-range}
 * @param message a sentence for the caller, with the value that was refused
 */
public record FieldProblem(String field, String code, String message) {}
