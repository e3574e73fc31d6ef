import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import { useApp } from '../context.tsx';

interface Props {
  conversationId: ConversationId;
  /** The turn to show; null or absent shows the end. */
  turnId?: TurnId | null;
  icon?: ReactNode;
}

/** Leads from what quotes or was learnt from a conversation to the conversation itself. */
export function OpenConversation({ conversationId, turnId = null, icon }: Props) {
  const { t } = useTranslation();
  const go = useApp((state) => state.go);
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={icon}
      onClick={() => go({ pane: 'chat', conversationId, ...(turnId === null ? {} : { turnId }) })}
    >
      {t('chat.openConversation')}
    </Button>
  );
}
