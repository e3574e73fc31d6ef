import type { Weigh } from './clauseNets.ts';
import { MessageReader } from './messageReader.ts';
import { openFrame } from './pretence.ts';
import type { Statement } from './statement.ts';
import { toStatement } from './toStatement.ts';

/** What is known when a message comes. */
export interface Known {
  /** Are facts known of somebody of a name? Of strangers little is learnt. */
  isKnownName?: (name: string) => boolean;
  /** The user's earlier messages of the sitting, the latest last: a game or a story that they began goes on. */
  before?: readonly string[];
  /** How much more evidence a clause may lack than the weights ask for; what is found so is to be believed only for another reason. */
  lacking?: number;
  /** What the evidence of a clause counts, if not what was fitted. */
  weigh?: Weigh | undefined;
}

/**
 * Finds what a user's message plainly states of themselves and the people and things around them, in French and English, by rules
 * alone. Precision comes before recall: what is quoted, asked, supposed, wished, ordered, played, told of others or said of everyone is
 * no statement. Runs in time linear in the length of the messages.
 * @param at when it was said, in milliseconds since 1970; dates are read in the local time zone
 * @returns in the order of the text
 */
export function findStatements(
  message: string,
  at: number,
  { isKnownName = () => false, before = [], lacking = 0, weigh }: Known = {},
): Statement[] {
  const frame = openFrame(before, message);
  const reader = new MessageReader(message, isKnownName, { frame, least: -lacking, weigh });
  return reader.read().map((found) => toStatement(found, message, at));
}
