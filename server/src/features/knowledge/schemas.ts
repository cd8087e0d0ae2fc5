/** The most characters of a note's name. */
export const maxNameLength = 200;
/** The most characters of what says when a note is of use. */
export const maxTriggerLength = 2_000;
/** The most bytes of a note's text, in UTF-8: 100 KiB. */
export const maxBodyBytes = 102_400;
