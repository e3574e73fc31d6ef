import { Button, Modal, Textarea } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Vault } from '../../../shared/contract/vaults.ts';
import { useApp, useAttempt, useSession } from '../../context.tsx';
import { showUndo } from '../../ui/undo.tsx';
import { VaultChooser } from '../../ui/VaultChooser.tsx';
import { VaultNotice } from '../../ui/VaultNotice.tsx';

export function VaultSettings() {
  const { t } = useTranslation();
  const vaults = useApp((state) => state.vaults);
  const [adding, setAdding] = useState(false);
  return (
    <section>
      <h2>{t('settings.vaults')}</h2>
      {vaults.length === 0 && <p className="muted">{t('settings.noVaults')}</p>}
      {vaults.map((vault) => (
        <VaultRow key={vault.id} vault={vault} />
      ))}
      <Button variant="default" mt="sm" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
        {t('settings.addVault')}
      </Button>
      <Modal
        opened={adding}
        onClose={() => setAdding(false)}
        title={t('settings.addVault')}
        size="lg"
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <VaultChooser onAdded={() => setAdding(false)} />
      </Modal>
    </section>
  );
}

function VaultRow({ vault }: { vault: Vault }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { api, store } = useSession();
  const { state, indexed, total } = vault.progress;
  const paused = state === 'paused';
  const { id } = vault;

  const remove = () =>
    void attempt(async () => {
      await api.client.vaults.remove({ id });
      await store.getState().refreshVaults();
      showUndo(
        t('settings.removed', { name: vault.name }),
        t('common.undo'),
        () =>
          void attempt(async () => {
            await api.client.vaults.restore({ id });
            await store.getState().refreshVaults();
          }),
      );
    });

  const confirm = () =>
    void attempt(async () => {
      await api.client.vaults.confirm({ id });
      await store.getState().refreshVaults();
    });

  return (
    <div className="vault-settings">
      <div className="setting-name">
        <strong>{vault.name}</strong>
        <span className="path row-label">{vault.path}</span>
        <Button
          size="compact-sm"
          variant="default"
          disabled={state === 'unavailable'}
          onClick={() =>
            void attempt(async () => {
              await (paused ? api.client.vaults.resume({ id }) : api.client.vaults.pause({ id }));
              await store.getState().refreshVaults();
            })
          }
        >
          {paused ? t('settings.resume') : t('settings.pause')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={remove}>
          {t('settings.removeVault')}
        </Button>
      </div>
      {state === 'unavailable' ? (
        <VaultNotice vault={vault} onConfirm={confirm} />
      ) : (
        <div className="muted">{t('settings.vaultState', { indexed, total })}</div>
      )}
      {vault.problems.map(({ code, what }) => (
        <div key={`${code} ${what}`} className="muted">
          {t(`vault.problem.${code}`, { what })}
        </div>
      ))}
      <IgnorePatterns vault={vault} />
    </div>
  );
}

function IgnorePatterns({ vault }: { vault: Vault }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { api, store } = useSession();
  const saved = vault.ignorePatterns.join('\n');
  const [text, setText] = useState(saved);
  const [preview, setPreview] = useState<{ count: number; paths: string[] } | null>(null);
  const patterns = text.split('\n').filter((line) => line.trim() !== '');
  const look = () =>
    void attempt(async () => setPreview(await api.client.vaults.previewIgnore({ id: vault.id, patterns })));
  const save = () =>
    void attempt(async () => {
      await api.client.vaults.setIgnorePatterns({ id: vault.id, patterns });
      await store.getState().refreshVaults();
      setPreview(null);
    });
  return (
    <>
      <Textarea
        mt="xs"
        label={t('settings.ignore')}
        description={t('settings.ignoreHint')}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setPreview(null);
        }}
      />
      {(text !== saved || patterns.length > 0) && (
        <div className="setting-name partial">
          <Button size="compact-sm" variant="default" onClick={look}>
            {t('settings.ignorePreview')}
          </Button>
          {text !== saved && (
            <>
              <Button size="compact-sm" onClick={save}>
                {t('common.save')}
              </Button>
              <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setText(saved)}>
                {t('common.cancel')}
              </Button>
            </>
          )}
        </div>
      )}
      {preview && (
        <div className="partial">
          <div>
            {preview.count === 0
              ? t('settings.ignoreNone')
              : t('settings.ignoreCount', { count: preview.count })}
          </div>
          {preview.paths.map((path) => (
            <div key={path} className="path">
              {path}
            </div>
          ))}
        </div>
      )}
    </>
  );
}
