/** The kinds of item that can be remembered, by the names of their indexes: passages of notes, turns of conversations, facts. */
export type TextIndex = 'chunk' | 'turn' | 'fact';
