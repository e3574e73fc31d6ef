import { useTranslation } from 'react-i18next';
import type { SelfTest, SelfTestFigures } from '../../../shared/contract/traces.ts';
import { useLanguage } from '../../context.tsx';
import { formatScore } from '../../ui/format.ts';

const FIGURES = ['recall', 'recallAt10', 'mrr', 'wrongGiven'] as const;

/** What a self-test measured, the present settings beside the others. */
export function SelfTestResult({ result }: { result: SelfTest }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { questions, useful, wrong, tooFew, before, after, better, worse } = result;
  if (questions === 0) return <p className="muted">{t('settings.selfTest.none')}</p>;
  const show = (figures: SelfTestFigures | null, name: (typeof FIGURES)[number]) => {
    const value = figures?.[name] ?? null;
    if (value === null) return '–';
    return name === 'wrongGiven' ? String(value) : formatScore(value, language);
  };
  return (
    <>
      <p className="muted">
        {t('settings.selfTest.marks', { questions, useful, wrong })}
        {tooFew && ` ${t('settings.selfTest.tooFew')}`}
      </p>
      <table className="layout-table">
        <thead>
          <tr>
            <th />
            <th>{t('settings.selfTest.before')}</th>
            <th>{t('settings.selfTest.after')}</th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map((name) => (
            <tr key={name}>
              <td>{t(`settings.selfTest.${name}`)}</td>
              <td className="number">{show(before, name)}</td>
              <td className="number">{show(after, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {after !== null && <p>{t('settings.selfTest.difference', { better, worse })}</p>}
    </>
  );
}
