/** Raised when a note would be cut differently: every note is then cut again, and every passage embedded again. */
export const CHUNKER_VERSION = 2;
