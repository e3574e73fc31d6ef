import { Button, Select, TextInput } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FactsNoteStatus } from '../../../shared/contract/factsNote.ts';
import { describeTold } from '../../../shared/errors.ts';
import { isNotePath, placeOf } from '../../../shared/factsNote.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from '../../context.tsx';
import { formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';

/** Whether Souvenir writes a note of the facts, where, and how that goes. */
export function FactsNoteControl() {
  const place = placeOf(useApp((state) => state.settings.factsNote));
  return place ? <Written place={place} /> : <Choice />;
}

function Choice() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const change = useApp((state) => state.changeSettings);
  const vaults = useApp((state) => state.vaults);
  const [vaultId, setVaultId] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const chosen = vaults.find(({ id }) => id === vaultId) ?? vaults[0];
  const path = (typed ?? t('settings.factsNotePath')).trim();
  if (!chosen) return <div className="muted">{t('settings.noVaults')}</div>;
  return (
    <div>
      {vaults.length > 1 && (
        <Select
          label={t('notes.vault')}
          allowDeselect={false}
          value={chosen.id}
          onChange={setVaultId}
          data={vaults.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <TextInput
        label={t('settings.factsNoteWhere', { vault: chosen.name })}
        value={typed ?? t('settings.factsNotePath')}
        error={!isNotePath(path) && t('settings.factsNoteBadPath')}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button
        mt="xs"
        variant="default"
        size="compact-sm"
        disabled={!isNotePath(path)}
        onClick={() => void attempt(() => change({ factsNote: `${chosen.id}/${path}` }))}
      >
        {t('settings.factsNoteStart')}
      </Button>
    </div>
  );
}

function Written({ place }: { place: NonNullable<ReturnType<typeof placeOf>> }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const change = useApp((state) => state.changeSettings);
  const vault = useApp((state) => state.vaults.find(({ id }) => id === place.vaultId));
  const [status, setStatus] = useState<FactsNoteStatus | null>(null);
  const revision = useApp((state) => state.factsNoteRevision + state.connections);
  useRead(
    useCallback(async () => setStatus(await client.factsNote.status()), [client]),
    revision,
  );
  return (
    <div>
      <div className="setting-name">
        <span className="path">
          {vault?.name} › {place.path}
        </span>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => void attempt(() => change({ factsNote: '' }))}
        >
          {t('settings.factsNoteStop')}
        </Button>
      </div>
      {status?.problem && <div role="alert">{describeTold(status.problem, language)}</div>}
      {status && !status.problem && !status.asked && status.writtenAt !== null && (
        <div className="muted">
          {t('settings.factsNoteAgreed', { when: formatWhen(status.writtenAt, now, language) })}
        </div>
      )}
      {status?.asked && <div role="alert">{t('notices.noteLoss', status.asked)}</div>}
      {status?.refused.map(({ line, reason }) => (
        <div key={line} className="muted">
          {t(`settings.factsNoteRefused.${reason}`, { line })}
        </div>
      ))}
    </div>
  );
}
