import { useTranslation } from 'react-i18next';

/** The whole window when its address no longer opens a connection. */
export function Refused() {
  const { t } = useTranslation();
  return (
    <main className="setup">
      <div className="setup-inner">
        <h1>{t('refused.used')}</h1>
        <p>{t('refused.usedHint')}</p>
        <p>{t('refused.someoneElse')}</p>
      </div>
    </main>
  );
}
