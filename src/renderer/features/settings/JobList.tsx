import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { JobSummary } from '../../../shared/contract/app.ts';
import { useApp, useLanguage, useRead, useSession } from '../../context.tsx';
import { formatNumber, formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';

/** Names of the kinds of jobs. One that is not here is shown by its id. */
const NAMES = {
  'compare-facts': 'settings.jobCompareFacts',
  calibrate: 'settings.jobCalibrate',
  'daily-backup': 'settings.jobDailyBackup',
  'forget-items': 'settings.jobForgetItems',
  'expire-facts': 'settings.jobExpireFacts',
  import: 'settings.jobImport',
  learn: 'settings.jobLearn',
  summarise: 'settings.jobSummarise',
  'summarise-turn': 'settings.jobSummariseTurn',
  'roll-up': 'settings.jobRollUp',
  'purge-conversations': 'settings.jobPurgeConversations',
  'purge-facts': 'settings.jobPurgeFacts',
  'purge-vaults': 'settings.jobPurgeVaults',
  'erase-remains-conversations': 'settings.jobRemainsConversations',
  'erase-remains-facts': 'settings.jobRemainsFacts',
  'erase-remains-vaults': 'settings.jobRemainsVaults',
  'erase-from-backups': 'settings.jobEraseFromBackups',
  'write-facts-note': 'settings.jobFactsNote',
} as const;
const isNamed = (kind: string): kind is keyof typeof NAMES => Object.hasOwn(NAMES, kind);

const STATES = {
  waiting: 'settings.jobWaiting',
  running: 'settings.jobRunning',
  failed: 'settings.jobFailed',
} as const;

/** Background work that waits, runs or was given up. */
export function JobList() {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const { client } = useSession().api;
  const [jobs, setJobs] = useState<JobSummary[]>([]);
  const read = useRead(
    useCallback(async () => setJobs(await client.app.jobs()), [client]),
    useApp((state) => state.jobsRevision),
  );

  const describe = ({ state, nextAt, problem }: JobSummary): string => {
    const when =
      nextAt === null
        ? t(STATES[state])
        : nextAt <= now
          ? t('settings.jobDue')
          : t('settings.jobNext', { when: formatWhen(nextAt, now, language) });
    return problem === null ? when : `${when} · ${t('settings.jobProblem', { code: problem })}`;
  };
  if (read.state === 'failed') return <div role="alert">{read.message}</div>;
  if (read.state === 'ready' && jobs.length === 0)
    return <div className="muted">{t('settings.jobsNone')}</div>;
  return (
    <ul className="jobs">
      {jobs.map((job) => (
        <li key={`${job.kind} ${job.state}`}>
          <div>
            {isNamed(job.kind) ? t(NAMES[job.kind]) : job.kind}
            {job.count > 1 && ` (${formatNumber(job.count, language)})`}
          </div>
          <div className="muted">{describe(job)}</div>
        </li>
      ))}
    </ul>
  );
}
