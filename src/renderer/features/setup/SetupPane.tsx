import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useApp } from '../../context.tsx';
import { VaultChooser } from '../../ui/VaultChooser.tsx';

/** The first screen: which vault to index. It can be skipped, since the chat works without a vault. */
export function SetupPane() {
  const { t } = useTranslation();
  const go = useApp((state) => state.go);
  const dismiss = useApp((state) => state.dismissSetup);
  return (
    <section className="setup" aria-labelledby="setup-title">
      <div className="setup-inner">
        <h1 id="setup-title">{t('setup.title')}</h1>
        <p className="muted">{t('setup.intro')}</p>
        <VaultChooser
          onAdded={() => {
            dismiss();
            go({ pane: 'chat' });
          }}
        />
        <Button variant="subtle" color="gray" mt="xl" onClick={dismiss}>
          {t('setup.later')}
        </Button>
      </div>
    </section>
  );
}
