import type { TurnId } from '../../shared/ids.ts';
import { turnTerms } from '../items/turnText.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';

export interface TermPorts {
  db: Db;
  conversations: ConversationStore;
}

/**
 * Writes the terms by which a turn is found, from its messages and the reply that it shows; by triggers, its vector becomes due. Belongs
 * in the transaction of whatever changed them.
 */
export function writeTerms({ db, conversations }: TermPorts, id: TurnId): void {
  conversations.setTerms(id, turnTerms(db, id));
}
