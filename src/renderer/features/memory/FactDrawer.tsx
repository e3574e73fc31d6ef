import { ActionIcon, Button, CloseButton, Menu, Select, TagsInput, Textarea, Tooltip } from '@mantine/core';
import { IconEraser, IconPin, IconPinnedOff, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Fact, FactKind } from '../../../shared/contract/facts.ts';
import { useApp, useAttempt, useLanguage } from '../../context.tsx';
import { useChannelName } from '../../ui/channel.ts';
import { formatNumber, formatScore, formatWhen } from '../../ui/format.ts';
import { OpenConversation } from '../../ui/OpenConversation.tsx';
import { SettingSlider } from '../../ui/SettingSlider.tsx';
import { useNow } from '../../ui/useNow.ts';
import { FactHistory } from './FactHistory.tsx';
import type { MemoryStore } from './memoryStore.ts';
import type { FactActions } from './useFactActions.ts';

interface Props {
  fact: Fact;
  store: MemoryStore;
  actions: FactActions;
}

/** One fact: its wording, its origin and its earlier wordings. */
export function FactDrawer({ fact, store, actions }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const [content, setContent] = useState<string | null>(null);
  const save = () => {
    const next = content?.trim();
    setContent(null);
    if (next && next !== fact.content) actions.change(fact, { content: next });
  };
  const isForgotten = fact.status === 'forgotten';
  return (
    <aside className="inspector" aria-label={fact.content}>
      <div className="head">
        <strong className="row-label">{t(`memory.kinds.${fact.kind}`)}</strong>
        <Tooltip label={fact.pinned ? t('memory.unpin') : t('memory.pin')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={fact.pinned ? t('memory.unpin') : t('memory.pin')}
            onClick={() => actions.change(fact, { pinned: !fact.pinned })}
          >
            {fact.pinned ? <IconPinnedOff size={16} /> : <IconPin size={16} />}
          </ActionIcon>
        </Tooltip>
        <Tooltip label={t('memory.forget')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('memory.forget')}
            disabled={isForgotten}
            onClick={() => actions.remove([fact.id])}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
        <ForgetMenu fact={fact} />
        <CloseButton onClick={() => store.getState().select(null)} />
      </div>
      <div className="scroll passage">
        {isForgotten && (
          <Button
            size="xs"
            variant="light"
            onClick={() => void attempt(() => store.getState().restore([fact.id]))}
          >
            {t('common.undo')}
          </Button>
        )}
        <Textarea
          autosize
          minRows={2}
          label={t('memory.columns.content')}
          maxLength={2_000}
          value={content ?? fact.content}
          onChange={(event) => setContent(event.currentTarget.value)}
          onBlur={save}
        />
        <Select
          mt="sm"
          allowDeselect={false}
          label={t('memory.kind')}
          value={fact.kind}
          data={FactKind.options.map((value) => ({ value, label: t(`memory.kinds.${value}`) }))}
          onChange={(kind) => kind && kind !== fact.kind && actions.change(fact, { kind })}
        />
        <TagsInput
          mt="sm"
          label={t('memory.columns.subjects')}
          value={fact.subjects}
          onChange={(subjects) => actions.change(fact, { subjects })}
        />
        <Origin fact={fact} />
        <FactHistory fact={fact} store={store} actions={actions} />
        <details>
          <summary>{t('memory.more')}</summary>
          <div>{t('memory.importance')}</div>
          <SettingSlider
            label={t('memory.importance')}
            value={fact.importance}
            range={[0, 1, 0.05]}
            format={(value) => formatScore(value, language)}
            onChange={(value) => {
              if (value !== fact.importance) actions.change(fact, { importance: Number(value.toFixed(2)) });
            }}
          />
          <p className="path">
            {fact.id} {fact.key} {formatNumber(fact.revisions.length, language)}
          </p>
        </details>
      </div>
    </aside>
  );
}

/** Forgets more than the fact: also where it was said, or all about one of its subjects. */
function ForgetMenu({ fact: { id, subjects } }: { fact: Fact }) {
  const { t } = useTranslation();
  const forget = useApp((state) => state.forget);
  return (
    <Menu position="bottom-end" withinPortal width={300}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('forget.more')}>
          <IconEraser size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => forget({ subject: { facts: [id], turns: [] } })}>
          {t('forget.factAndOrigin')}
        </Menu.Item>
        {subjects.map((topic) => (
          <Menu.Item key={topic} onClick={() => forget({ subject: { topic } })}>
            {t('forget.about', { topic })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Where a fact came from, and how often it was given. */
function Origin({ fact }: { fact: Fact }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const channelName = useChannelName();
  const { conversationId, turnId } = fact;
  return (
    <>
      <dl className="facts-list">
        <dt>{t('memory.source')}</dt>
        <dd>{t(`memory.sources.${fact.source}`)}</dd>
        {fact.channel !== null && (
          <>
            <dt>{t('chat.channel')}</dt>
            <dd>{channelName(fact.channel)}</dd>
          </>
        )}
        <dt>{t('memory.columns.learnt')}</dt>
        <dd>{formatWhen(fact.createdAt, now, language)}</dd>
        {fact.expiresAt !== null && (
          <>
            <dt>{t('memory.expires')}</dt>
            <dd>{formatWhen(fact.expiresAt, now, language)}</dd>
          </>
        )}
        <dt>{t('memory.use')}</dt>
        <dd>{t('memory.given', { count: fact.useCount })}</dd>
      </dl>
      {conversationId !== null && <OpenConversation conversationId={conversationId} turnId={turnId} />}
    </>
  );
}
