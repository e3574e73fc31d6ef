import { Button, Progress } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportProgress } from '../../../shared/contract/imports.ts';
import { describeTold } from '../../../shared/errors.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from '../../context.tsx';
import { ImportProblems } from './ImportProblems.tsx';

/** Imports that run or have ended, until they are taken off the list. */
export function ImportList() {
  const { client } = useSession().api;
  const [imports, setImports] = useState<ImportProgress[]>([]);
  const read = useRead(
    useCallback(async () => setImports((await client.imports.list()).imports), [client]),
    useApp((state) => state.importsRevision),
  );
  if (read.state === 'failed') return <div role="alert">{read.message}</div>;
  if (imports.length === 0) return null;
  return (
    <ul className="imports">
      {imports.map((one) => (
        <ImportRow key={one.id} found={one} />
      ))}
    </ul>
  );
}

function ImportRow({ found }: { found: ImportProgress }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const { id, names, state, bytes, counts, problems, failure } = found;
  const isRunning = state === 'running';
  const share = bytes.total === 0 ? 0 : bytes.done / bytes.total;
  // What stands in a zip file is named after it.
  const file = names[0]?.split('/')[0];
  const name = t('settings.importNames', { name: file, count: names.length });
  return (
    <li>
      <div className="import-head">
        <span className="row-label" title={names.join('\n')}>
          {name}
        </span>
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={t(isRunning ? 'settings.importCancelOf' : 'settings.importDismissOf', { name })}
          onClick={() => void attempt(() => client.imports.cancel({ id }))}
        >
          {t(isRunning ? 'common.cancel' : 'settings.importDismiss')}
        </Button>
      </div>
      {isRunning && <Progress value={share * 100} size="sm" aria-label={name} />}
      <div className="muted">
        {isRunning
          ? t('settings.importRunning', { share, count: counts.messages })
          : t(`settings.importEnded.${state}`)}
        {!isRunning && ` ${t('settings.importCounts', { ...counts })}`}
      </div>
      {failure !== null && <div role="alert">{describeTold({ code: failure, params: {} }, language)}</div>}
      {counts.facts > 0 && <div>{t('settings.importFactsWait', { count: counts.facts })}</div>}
      <ImportProblems problems={problems} />
    </li>
  );
}
