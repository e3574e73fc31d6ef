import { Alert, Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Notice } from '../shared/contract/app.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from './context.tsx';
import { formatMoment } from './ui/format.ts';

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
  const textOf = ({ code, params }: Notice) =>
    code === 'changes-lost'
      ? t('notices.changesLost', {
          since: formatMoment(Number(params.since), language),
          until: formatMoment(Number(params.until), language),
        })
      : t('notices.damaged', { reason: String(params.reason) });
  return notices.map((notice) => (
    <Alert
      key={notice.code}
      color="red"
      radius={0}
      title={t(notice.code === 'changes-lost' ? 'notices.changesLostTitle' : 'notices.damagedTitle')}
    >
      <p className="notice-text">{textOf(notice)}</p>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => void attempt(() => client.app.dismissNotice({ code: notice.code }))}
      >
        {t('notices.read')}
      </Button>
    </Alert>
  ));
}
