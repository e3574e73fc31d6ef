import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfTest, SelfTestFigures } from '../../../shared/contract/traces.ts';
import { useApp, useLanguage, useSession } from '../../context.tsx';
import { formatScore } from '../../ui/format.ts';
import { RetrievalForm } from '../../ui/RetrievalForm.tsx';

const FIGURES = ['recall', 'recallAt10', 'mrr', 'wrongGiven'] as const;

/** Retrieval measured on what the user marked, with the present settings beside others that could be chosen. */
export function SelfTestControl() {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const settings = useApp((state) => state.settings);
  const [result, setResult] = useState<SelfTest | null>(null);
  return (
    <>
      <RetrievalForm
        start={settings}
        action={t('settings.selfTest.run')}
        onRun={async (bounds) => setResult(await client.traces.selfTest(bounds))}
      />
      <div role="status">{result && <Result result={result} />}</div>
    </>
  );
}

function Result({ result }: { result: SelfTest }) {
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
