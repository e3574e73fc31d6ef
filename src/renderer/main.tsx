import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './ui/styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { useEffect, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nextProvider, useTranslation } from 'react-i18next';
import { connect, messageOf } from './api.ts';
import { createAppStore, languageOf } from './appStore.ts';
import { Capture } from './Capture.tsx';
import { type Session, SessionProvider, showAlert, showError, useApp, useLanguage } from './context.tsx';
import { Damaged } from './Damaged.tsx';
import { openLinksOutside } from './outsideLinks.ts';
import { Refused } from './Refused.tsx';
import { Shell } from './Shell.tsx';
import { createI18n } from './ui/i18n/index.ts';
import { themeIn } from './ui/theme.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// Read by libraries that add style elements of their own.
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

/** Is this the small window of quick capture? */
const isCapture = location.hash === '#/capture';

const i18n = createI18n(/^fr/i.test(navigator.language) ? 'fr' : 'en');
const api = connect();
const session: Session = { api, store: createAppStore(api, showError, showAlert) };

// The window that Souvenir opened reaches nothing but its host; a window in the user's own browser opens links by itself.
if (location.protocol === 'http:' && matchMedia('(display-mode: standalone)').matches) {
  openLinksOutside(document, (url) => {
    api.client.app
      .openOutside({ url })
      .catch((error: unknown) => showError(messageOf(error, languageOf(session.store.getState()))));
  });
}

function Window() {
  const language = useLanguage();
  const loaded = useApp((state) => state.loaded);
  const damaged = useApp((state) => state.hello?.damage != null);
  const appearance = useApp((state) => state.settings.appearance);
  const refused = useApp((state) => state.connection === 'refused' && !state.loaded);

  const hello = useApp((state) => state.hello);
  let content = isCapture ? <Capture /> : <Shell />;
  if (refused) content = <Refused />;
  else if (hello?.damage) content = <Damaged code={hello.damage.code} dataDir={hello.dataDir} />;

  const { t } = useTranslation();
  const close = t('common.close');
  const theme = useMemo(() => themeIn(close), [close]);

  useEffect(() => {
    if (!loaded && !damaged) return;
    document.documentElement.lang = language;
    void i18n.changeLanguage(language);
  }, [language, loaded, damaged]);

  return (
    <MantineProvider
      theme={theme}
      getStyleNonce={() => nonce}
      defaultColorScheme="auto"
      {...(appearance === 'system' ? {} : { forceColorScheme: appearance })}
    >
      <Notifications position="bottom-left" transitionDuration={0} containerWidth={360} className="notices" />
      {content}
    </MantineProvider>
  );
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <I18nextProvider i18n={i18n}>
      <SessionProvider value={session}>
        <Window />
      </SessionProvider>
    </I18nextProvider>,
  );
}
