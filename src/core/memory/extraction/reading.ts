import type { FactKind } from '../../../shared/contract/facts.ts';
import type { Mention, Statement } from './statement.ts';
import type { Word } from './words.ts';

/** What a clause says, if it says something worth keeping. */
export interface Reading {
  kind: FactKind;
  importance: number;
  states: Statement['states'];
  alias: Statement['alias'];
  /** Whom it is about. */
  about: Mention[];
  /** What it names besides, as written: values and objects. */
  things: string[];
  /** For a clause whose subject is a pronoun: the words that stand in its place. */
  replaces: { word: Word; by: string } | null;
  isPast: boolean;
}

/** What is known where a clause stands. */
export interface Context {
  text: string;
  /** People named before in the message, the latest last. */
  people: readonly Mention[];
  /** Those of them that were named before this clause. */
  known: readonly Mention[];
  /** Is it the name of somebody of whom facts are known? */
  isKnownName: (name: string) => boolean;
  /** How the last person without a name was called: "My wife". */
  kin: string | null;
  /** At most a greeting stands before it in the message. */
  isBeginning: boolean;
}

/** What a reading need not say. */
export const nothing = { states: null, alias: null, things: [], replaces: null, isPast: false } as const;
