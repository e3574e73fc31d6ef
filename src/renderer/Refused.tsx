import { useTranslation } from 'react-i18next';

/** Shown in place of everything when this window can no longer reach the core. */
export function Refused() {
  const { t } = useTranslation();
  return (
    <main className="setup">
      <div className="setup-inner">
        <h1>{t('refused.used')}</h1>
        <p>{t('refused.usedHint')}</p>
      </div>
    </main>
  );
}
