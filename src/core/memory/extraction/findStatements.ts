import { MessageReader } from './messageReader.ts';
import type { Statement } from './statement.ts';
import { toStatement } from './toStatement.ts';

/**
 * Finds what a user's message plainly states of themselves and the people and things around them, in French and English, by rules
 * alone. Precision comes before recall: what is quoted, asked, supposed, wished, ordered, told of others or said of everyone is
 * no statement. Runs in time linear in the length of the message.
 * @param at when it was said, in milliseconds since 1970; dates are read in the local time zone
 * @param isKnownName whether facts are known of somebody of a name; of strangers little is learnt
 * @returns in the order of the text
 */
export function findStatements(
  message: string,
  at: number,
  isKnownName: (name: string) => boolean = () => false,
): Statement[] {
  return new MessageReader(message, isKnownName).read().map((found) => toStatement(found, message, at));
}
