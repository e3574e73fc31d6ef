import { Alert, Button, UnstyledButton } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnownVault, VaultInspection } from '../../shared/contract/vaults.ts';
import { useAttempt, useLanguage, useSession } from '../context.tsx';
import { FolderInput } from './FolderInput.tsx';
import { formatBytes, formatNumber } from './format.ts';

/** Chooses a vault among those that Obsidian knows, or any folder, and shows what it holds before it is indexed. */
export function VaultChooser({ onAdded }: { onAdded: () => void }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { api, store } = useSession();
  const [known, setKnown] = useState<KnownVault[] | null>(null);
  const [path, setPath] = useState('');
  const [inspection, setInspection] = useState<VaultInspection | null>(null);
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    void attempt(async () => setKnown(await api.client.vaults.known()));
  }, [attempt, api]);

  const during = async (work: () => Promise<void>) => {
    setBusy(true);
    await attempt(work);
    setBusy(false);
  };
  const look = (folder: string) =>
    during(async () => {
      setInspection(null);
      setInspection(await api.client.vaults.inspect({ path: folder }));
    });
  const add = (folder: string) =>
    during(async () => {
      await api.client.vaults.add({ path: folder });
      await store.getState().refreshVaults();
      onAdded();
    });
  const countOf = (vault: KnownVault) => {
    if (!vault.exists) return t('setup.missing');
    return vault.atLeast
      ? t('setup.atLeast', { count: vault.notes })
      : t('setup.notes', { count: vault.notes });
  };

  return (
    <>
      {known !== null && known.length === 0 && <p className="muted">{t('setup.noneKnown')}</p>}
      {known !== null && known.length > 0 && (
        <section>
          <h2 className="section-title">{t('setup.known')}</h2>
          {known.map((vault) => (
            <UnstyledButton
              key={vault.path}
              className="vault-choice"
              disabled={!vault.exists || busy}
              data-selected={inspection?.path === vault.path}
              onClick={() => {
                setPath(vault.path);
                void look(vault.path);
              }}
            >
              <IconFolder size={18} aria-hidden />
              <span className="row-label">
                {vault.name} <span className="path">{vault.path}</span>
              </span>
              <span className="muted">{countOf(vault)}</span>
            </UnstyledButton>
          ))}
        </section>
      )}
      <form
        className="path-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() !== '') void look(path.trim());
        }}
      >
        <FolderInput
          label={t('setup.path')}
          placeholder={t('setup.pathHint', {
            example: language === 'fr' ? '~/Documents/Mes notes' : '~/Documents/My notes',
          })}
          value={path}
          onChange={setPath}
        />
        <Button
          type="submit"
          variant="default"
          disabled={path.trim() === ''}
          loading={busy && inspection === null}
        >
          {t('setup.look')}
        </Button>
      </form>
      {inspection && (
        <Inspection inspection={inspection} busy={busy} onAdd={() => void add(inspection.path)} />
      )}
    </>
  );
}

interface InspectionProps {
  inspection: VaultInspection;
  busy: boolean;
  onAdd: () => void;
}

/** What a folder holds, before it is indexed. */
function Inspection({ inspection, busy, onAdd }: InspectionProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <section aria-live="polite">
      <h2 className="section-title">{t('setup.found', { name: inspection.name })}</h2>
      <dl className="facts-list">
        <dt>{t('setup.foundNotes')}</dt>
        <dd>
          {inspection.atLeast
            ? t('setup.atLeast', { count: inspection.notes })
            : formatNumber(inspection.notes, language)}
        </dd>
        {inspection.canvases > 0 && (
          <>
            <dt>{t('setup.foundCanvases')}</dt>
            <dd>{formatNumber(inspection.canvases, language)}</dd>
          </>
        )}
        <dt>{t('setup.foundFolders')}</dt>
        <dd>{formatNumber(inspection.folders, language)}</dd>
        <dt>{t('setup.foundSize')}</dt>
        <dd>{formatBytes(inspection.bytes, language)}</dd>
        {inspection.otherFiles > 0 && (
          <>
            <dt>{t('setup.foundOther')}</dt>
            <dd>{formatNumber(inspection.otherFiles, language)}</dd>
          </>
        )}
        {inspection.ignored > 0 && (
          <>
            <dt>{t('setup.foundIgnored')}</dt>
            <dd>{formatNumber(inspection.ignored, language)}</dd>
          </>
        )}
      </dl>
      {inspection.notes === 0 && inspection.canvases === 0 && (
        <Alert color="yellow">{t('setup.nothing')}</Alert>
      )}
      {!inspection.isObsidian && inspection.notes > 0 && <p className="muted">{t('setup.notObsidian')}</p>}
      {inspection.alreadyAdded ? (
        <p>{t('setup.already')}</p>
      ) : (
        <Button data-autofocus loading={busy} onClick={onAdd}>
          {t('setup.add')}
        </Button>
      )}
    </section>
  );
}
