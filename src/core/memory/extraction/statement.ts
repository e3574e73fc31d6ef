import type { FactKind } from '../../../shared/contract/facts.ts';

/** Relations that have one value at a time. All others have many: friends, children, pets, allergies, likes, events. */
export const SINGLE_VALUED = [
  'name',
  'home',
  'employer',
  'job',
  'birthday',
  'partner',
  'phone',
  'email',
  'age',
] as const;
export type SingleValued = (typeof SINGLE_VALUED)[number];

/** What a person is to the user, whatever the language in which it was said: "my brother" and « mon frère » are `brother`. */
export type Kinship = string;

/** Whom or what a statement names, as far as the text says it. */
export type Mention =
  | { entity: 'user' }
  /** "my brother David" has both; "David" has no kinship, "my brother" no name. */
  | { entity: 'person'; name: string | null; kinship: Kinship | null };

/** One statement of a text about the user or the people and things around them, before it is compared with what is known. */
export interface Statement {
  /** The whole statement as it was worded, its date, place and cause included, its first letter in upper case. */
  content: string;
  kind: FactKind;
  /** From 0 to 1. */
  importance: number;
  /** The people, places, organisations, projects and things it is about, as written. */
  subjects: string[];
  /** Everyone it names, so that who they are can be remembered. */
  mentions: Mention[];
  /** Set if it gives a single-valued relation its value. */
  states: { of: Mention; relation: SingleValued; value: string } | null;
  /** Set if it says that one name stands for another: "dev is really Mickael". */
  alias: { name: string; of: string } | null;
  /** The user asked in so many words that it be remembered. */
  isAsked: boolean;
  /** When it no longer holds, in milliseconds since 1970, if the text says so; null otherwise. */
  expiresAt: number | null;
}
