import type { Turn } from '../../shared/contract/chat.ts';
import { AppError, type Language } from '../../shared/errors.ts';
import type { ConversationId, TurnId, VaultId } from '../../shared/ids.ts';
import { chosenLanguage } from '../../shared/settings.ts';
import { conversationMarkdown, turnMarkdown } from '../chat/transcript.ts';
import type { Services } from '../services.ts';
import { addToDailyNote, saveNote } from '../vaults/savedNotes.ts';

/** Turns read at once. */
const PAGE = 200;

interface Wish {
  vaultId: VaultId;
  what: { conversationId: ConversationId } | { turnId: TurnId };
  where: 'note' | 'daily-note';
}

const languageOf = ({ settings, systemLanguage }: Services): Language =>
  chosenLanguage(settings.read().language, systemLanguage);

/** A conversation as Markdown. @throws AppError NOT_FOUND */
export function exportConversation(
  services: Services,
  id: ConversationId,
): { title: string; markdown: string } {
  const { conversation } = services.chat.get(id, { limit: 1 });
  return {
    title: conversation.title,
    markdown: conversationMarkdown(conversation, turnsOf(services, id), languageOf(services)),
  };
}

/** @throws AppError NOT_FOUND, as `saveNote` and `addToDailyNote` */
export async function saveToVault(
  services: Services,
  { vaultId, what, where }: Wish,
): Promise<{ path: string }> {
  const vault = services.vaultStore.get(vaultId);
  if (vault?.removedAt !== null) throw new AppError('NOT_FOUND', { what: 'vault' });
  const language = languageOf(services);
  const turns =
    'turnId' in what ? services.chat.turns([what.turnId]) : turnsOf(services, what.conversationId);
  const id = 'turnId' in what ? turns[0]?.conversationId : what.conversationId;
  if (id === undefined) throw new AppError('NOT_FOUND', { what: 'turn' });
  const { conversation } = services.chat.get(id, { limit: 1 });
  const { title } = conversation;
  const path =
    where === 'note'
      ? await saveNote(vault.path, title, conversationMarkdown(conversation, turns, language))
      : await addToDailyNote(
          vault.path,
          `${turns.map((turn) => turnMarkdown(turn, language)).join('\n\n')}\n`,
          { at: services.clock.now(), language },
        );
  return { path };
}

/** Every turn of a conversation's active path, the oldest first. */
function turnsOf({ chat }: Services, id: ConversationId): Turn[] {
  const pages: Turn[][] = [];
  for (let before: TurnId | undefined; ; ) {
    const { turns, hasMore } = chat.get(id, { limit: PAGE, before });
    pages.unshift(turns);
    before = turns[0]?.id;
    if (!hasMore || before === undefined) return pages.flat();
  }
}
