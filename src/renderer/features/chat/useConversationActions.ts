import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationRow } from '../../../shared/contract/chat.ts';
import type { FactId } from '../../../shared/ids.ts';
import { useApp, useAttempt, useSession } from '../../context.tsx';
import { useChannelName } from '../../ui/channel.ts';
import { download } from '../../ui/download.ts';
import { showNotice, showUndo } from '../../ui/undo.tsx';
import type { ChatStore, ConversationChange } from './chatState.ts';

export interface ConversationActions {
  change(conversation: ConversationRow, change: ConversationChange): void;
  remove(conversation: ConversationRow): void;
  /** Saves it as a Markdown file. */
  export(conversation: ConversationRow): void;
  /** Opens the plan of all that would go with it. */
  forget(conversation: ConversationRow): void;
}

/** Actions on conversations, each with its undo. The same object at every rendering. */
export function useConversationActions(store: ChatStore): ConversationActions {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const channelName = useChannelName();
  const forget = useApp((state) => state.forget);

  return useMemo(() => {
    const undo = t('common.undo');

    /** What a notice says of a change; null for pinning, which shows by itself and is taken back where it was done. */
    const noticeOf = ({ title }: ConversationRow, change: ConversationChange): string | null => {
      if (change.title !== undefined) return t('chat.renamed', { title: change.title });
      if (change.channel !== undefined)
        return t('chat.moved', { title, channel: channelName(change.channel) });
      return change.archived === true ? t('chat.archivedNotice', { title }) : null;
    };

    const removeFacts = (conversation: ConversationRow, facts: readonly FactId[]) =>
      void attempt(async () => {
        await store.getState().removeFacts(facts);
        showUndo(
          t('chat.removedWithFacts', { title: conversation.title, count: facts.length }),
          undo,
          () =>
            void attempt(async () => {
              await store.getState().restoreFacts(facts);
              await store.getState().restore(conversation.id);
            }),
        );
      });

    return {
      forget: ({ id }) => forget({ subject: { conversationId: id } }),
      export: ({ id, title }) =>
        void attempt(async () => {
          const { markdown } = await client.chat.export({ id });
          download(
            `${title.replace(/[\p{Cc}\\/:*?"<>|]/gu, ' ').slice(0, 100)}.md`,
            [markdown],
            'text/markdown',
          );
        }),
      change: (conversation, change) =>
        void attempt(async () => {
          await store.getState().change(conversation.id, change);
          const { title, channel, pinned, archived } = conversation;
          const before = Object.fromEntries(
            Object.keys(change).map((key) => [key, { title, channel, pinned, archived }[key]]),
          ) as ConversationChange;
          const notice = noticeOf(conversation, change);
          if (notice !== null)
            showUndo(
              notice,
              undo,
              () => void attempt(() => store.getState().change(conversation.id, before)),
            );
        }),
      remove: (conversation) =>
        void attempt(async () => {
          const facts = await store.getState().remove(conversation.id);
          const { title } = conversation;
          const restore = {
            label: undo,
            run: () => void attempt(() => store.getState().restore(conversation.id)),
          };
          if (facts.length === 0) showNotice(t('chat.removed', { title }), [restore]);
          else {
            showNotice(t('chat.removedFactsStay', { title, count: facts.length }), [
              {
                label: t('chat.removeFactsToo', { count: facts.length }),
                run: () => removeFacts(conversation, facts),
              },
              restore,
            ]);
          }
        }),
    };
  }, [t, attempt, client, channelName, forget, store]);
}
