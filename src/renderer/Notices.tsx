import { Alert, Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Notice } from '../shared/contract/app.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from './context.tsx';
import { formatMoment } from './ui/format.ts';

const TITLES = {
  'changes-lost': 'notices.changesLostTitle',
  'database-damaged': 'notices.damagedTitle',
  'facts-note-loss': 'notices.noteLossTitle',
} as const;

/** What happened to the data, above every pane until the user says that they have read it. */
export function Notices() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [notices, setNotices] = useState<Notice[]>([]);
  const revision = useApp((state) => state.noticesRevision + state.connections);
  useRead(
    useCallback(async () => setNotices(await client.app.notices()), [client]),
    revision,
  );
  const textOf = ({ code, params }: Notice) => {
    if (code === 'facts-note-loss')
      return t('notices.noteLoss', { missing: Number(params.missing), of: Number(params.of) });
    if (code === 'database-damaged') return t('notices.damaged', { reason: String(params.reason) });
    return t('notices.changesLost', {
      since: formatMoment(Number(params.since), language),
      until: formatMoment(Number(params.until), language),
    });
  };
  const button = (label: string, act: () => Promise<unknown>) => (
    <Button key={label} variant="default" size="compact-sm" mr="xs" onClick={() => void attempt(act)}>
      {label}
    </Button>
  );
  const buttonsOf = ({ code }: Notice) =>
    code === 'facts-note-loss'
      ? [
          button(t('notices.noteRestore'), () => client.factsNote.answer({ act: 'restore' })),
          button(t('notices.noteForget'), () => client.factsNote.answer({ act: 'forget' })),
        ]
      : button(t('notices.read'), () => client.app.dismissNotice({ code }));
  return notices.map((notice) => (
    <Alert
      key={notice.code}
      color={notice.code === 'facts-note-loss' ? 'gray' : 'red'}
      radius={0}
      title={t(TITLES[notice.code])}
    >
      <p className="notice-text">{textOf(notice)}</p>
      {buttonsOf(notice)}
    </Alert>
  ));
}
