import { useTranslation } from 'react-i18next';
import type { ImportPreview } from '../../../shared/contract/imports.ts';

type Told = Omit<ImportPreview['problems'][number], 'examples'> & { examples?: string[] };

/** What of a history cannot be imported as it is, and where it occurs. */
export function ImportProblems({ problems }: { problems: readonly Told[] }) {
  const { t } = useTranslation();
  if (problems.length === 0) return null;
  return (
    <details className="import-problems">
      <summary>{t('settings.importProblems', { count: problems.length })}</summary>
      <ul>
        {problems.map(({ problem, count, examples = [] }) => (
          <li key={problem}>
            {t(`settings.importProblem.${problem}`, { count })}
            {examples.length > 0 && <div className="muted">{examples.join(' · ')}</div>}
          </li>
        ))}
      </ul>
    </details>
  );
}
