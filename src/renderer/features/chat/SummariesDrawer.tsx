import { ActionIcon, Button, Drawer, Menu, Textarea } from '@mantine/core';
import { IconDots, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationRow } from '../../../shared/contract/chat.ts';
import type { Summary } from '../../../shared/contract/summaries.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from '../../context.tsx';
import { formatNumber, formatWhen } from '../../ui/format.ts';
import { showUndo } from '../../ui/undo.tsx';
import { useNow } from '../../ui/useNow.ts';

/** Summaries of a conversation, the highest first: to be read, corrected, made anew and deleted, with the way to their turns. */
export function SummariesDrawer({
  conversation,
  onClose,
}: {
  conversation: ConversationRow;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const [summaries, setSummaries] = useState<Summary[]>([]);
  const read = useRead(
    useCallback(
      async () => setSummaries(await client.summaries.list({ conversationId: conversation.id })),
      [client, conversation.id],
    ),
    useApp((state) => state.summariesRevision),
  );
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={520}
      title={t('summaries.title', { title: conversation.title })}
    >
      {read.state === 'failed' && <div role="alert">{read.message}</div>}
      {read.state === 'ready' && summaries.length === 0 && <p className="muted">{t('summaries.none')}</p>}
      <ul className="summaries">
        {summaries.map((summary) => (
          <SummaryItem key={summary.id} summary={summary} onLeave={onClose} />
        ))}
      </ul>
    </Drawer>
  );
}

function SummaryItem({ summary, onLeave }: { summary: Summary; onLeave: () => void }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const go = useApp((state) => state.go);
  const [draft, setDraft] = useState<string | null>(null);
  const { id, level, turns, text, findings, madeBy } = summary;
  const [first] = turns;
  const last = turns.at(-1);
  const name =
    first && last && first.id !== last.id
      ? t('summaries.turns', { first: first.number, last: last.number })
      : t('summaries.turn', { number: first?.number ?? 0 });
  const save = () =>
    void attempt(async () => {
      if (draft !== null) await client.summaries.correct({ id, text: draft });
      setDraft(null);
    });
  const remove = () =>
    void attempt(async () => {
      await client.summaries.remove({ id });
      showUndo(
        t('summaries.removed'),
        t('common.undo'),
        () => void attempt(() => client.summaries.restore({ id })),
      );
    });
  return (
    <li className="summary" data-level={level} aria-label={name}>
      <div className="summary-head">
        <Button
          variant="subtle"
          size="compact-sm"
          disabled={!first}
          onClick={() => {
            if (!first) return;
            onLeave();
            go({ pane: 'chat', conversationId: summary.conversationId, turnId: first.id });
          }}
        >
          {name}
        </Button>
        <span className="muted">
          {[
            last && formatWhen(last.at, now, language),
            t('summaries.characters', {
              count: summary.characters,
              shown: formatNumber(summary.characters, language),
            }),
            t(`summaries.madeBy.${madeBy}`),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {/* What is chosen there says where the focus goes. */}
        <Menu position="bottom-end" withinPortal returnFocus={draft === null}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size={24} aria-label={t('common.more')}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setDraft(text)}>
              {t('summaries.correct')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconRefresh size={16} />}
              onClick={() => void attempt(() => client.summaries.regenerate({ id }))}
            >
              {t('summaries.regenerate')}
            </Menu.Item>
            <Menu.Item leftSection={<IconTrash size={16} />} onClick={remove}>
              {t('common.delete')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {draft === null ? (
        <>
          <p className="summary-text">{text}</p>
          {findings.some((finding) => !text.includes(finding)) && (
            <ul className="summary-findings">
              {findings
                .filter((finding) => !text.includes(finding))
                .map((finding) => (
                  <li key={finding}>{finding}</li>
                ))}
            </ul>
          )}
        </>
      ) : (
        <>
          <Textarea
            autosize
            autoFocus
            // Escape leaves the drawer open.
            data-mantine-stop-propagation
            aria-label={t('summaries.correct')}
            maxLength={5_000}
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setDraft(null);
            }}
          />
          <div className="dialog-actions">
            <Button variant="default" onClick={() => setDraft(null)}>
              {t('common.cancel')}
            </Button>
            <Button disabled={draft.trim() === ''} onClick={save}>
              {t('common.save')}
            </Button>
          </div>
        </>
      )}
    </li>
  );
}
