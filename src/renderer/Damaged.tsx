import { Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Copy } from '../shared/contract/data.ts';
import { useAttempt, useLanguage, useRead, useSession } from './context.tsx';
import { Confirm } from './ui/Confirm.tsx';
import { formatBytes, formatMoment } from './ui/format.ts';
import { ReadState } from './ui/ReadState.tsx';

interface Props {
  code: string;
  dataDir: string;
}

/** The whole window while the data cannot be opened: says what happened, and restores a copy or begins anew. */
export function Damaged({ code, dataDir }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [copies, setCopies] = useState<Copy[]>([]);
  const [chosen, setChosen] = useState<Copy | 'anew' | null>(null);
  const [busy, setBusy] = useState(false);
  const read = useRead(
    useCallback(async () => setCopies(await client.data.copies()), [client]),
    null,
  );

  // The core sends `reset` when it is done, and the window loads anew.
  const replace = async (choice: Copy | 'anew') => {
    setBusy(true);
    await attempt(async () => {
      if (choice === 'anew') await client.data.startAnew();
      else await client.data.restore({ path: choice.path });
    });
    setBusy(false);
    setChosen(null);
  };

  const nameOf = ({ madeAt, bytes, kind }: Copy) =>
    `${formatMoment(madeAt, language)}, ${formatBytes(bytes, language)}, ${t(`damaged.kind.${kind}`)}`;
  const what = code === 'DATABASE_MISSING' ? 'missing' : 'broken';
  return (
    <main className="setup">
      <div className="setup-inner">
        <h1>{t(`damaged.${what}`)}</h1>
        <p>{t(`damaged.${what}Body`, { dataDir })}</p>
        {read.state !== 'ready' && <ReadState read={read} />}
        {read.state === 'ready' && copies.length === 0 && <p>{t('damaged.noCopy')}</p>}
        {copies.length > 0 && (
          <>
            <h2>{t('damaged.copies')}</h2>
            <p className="muted">{t('damaged.copiesHint')}</p>
            <ul className="backups">
              {copies.map((copy, place) => (
                <li key={copy.path}>
                  <span className="row-label">{nameOf(copy)}</span>
                  <Button
                    variant={place === 0 ? 'filled' : 'default'}
                    size="compact-sm"
                    aria-label={t('damaged.restoreOf', { name: nameOf(copy) })}
                    onClick={() => setChosen(copy)}
                  >
                    {t('damaged.restore')}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
        <h2>{t('damaged.anew')}</h2>
        <p className="muted">{t('damaged.anewHint')}</p>
        <Button variant="default" size="xs" onClick={() => setChosen('anew')}>
          {t('damaged.anewAction')}
        </Button>
        {chosen && (
          <Confirm
            title={
              chosen === 'anew'
                ? t('damaged.anewTitle')
                : t('damaged.restoreTitle', { name: formatMoment(chosen.madeAt, language) })
            }
            action={chosen === 'anew' ? t('damaged.anewAction') : t('damaged.restore')}
            busy={busy}
            onConfirm={() => void replace(chosen)}
            onClose={() => setChosen(null)}
          >
            {t(chosen === 'anew' ? 'damaged.anewBody' : 'damaged.restoreBody')}
          </Confirm>
        )}
      </div>
    </main>
  );
}
