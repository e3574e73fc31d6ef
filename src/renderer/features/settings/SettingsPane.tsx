import { ActionIcon, TextInput, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconSearch } from '@tabler/icons-react';
import { useCallback, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { defaultSettings, type Settings } from '../../../shared/settings.ts';
import { useApp, useAttempt } from '../../context.tsx';
import { ModelSettings } from './ModelSettings.tsx';
import { type Row, SECTIONS, useSettingRows } from './settingRows.tsx';
import { useTestedChange } from './TestedChange.tsx';
import { VaultSettings } from './VaultSettings.tsx';

/** Every setting on one page that can be searched. */
export function SettingsPane() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const settings = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  const wanted = useApp((state) => state.place.query);
  const [query, setQuery] = useState(wanted ?? '');
  const apply = useCallback(
    (patch: Partial<Settings>) => void attempt(() => change(patch)),
    [attempt, change],
  );
  const { set, dialog } = useTestedChange(apply);
  const rows = useSettingRows(set);

  const sought = query.trim().toLowerCase();
  const matches = (...texts: (string | undefined)[]) =>
    texts.some((text) => text?.toLowerCase().includes(sought));
  const shown = rows.filter((row) => matches(row.name, row.hint, t(`settings.${row.section}`)));
  const vaultsShown = matches(
    t('settings.vaults'),
    t('settings.addVault'),
    t('settings.ignore'),
    t('settings.removeVault'),
  );

  const modelShown = matches(t('settings.model'), t('settings.modelAddress'), t('settings.modelName'));

  return (
    <div className="setup">
      {dialog}
      <div className="settings">
        <h1>{t('settings.title')}</h1>
        <TextInput
          data-pane-search
          leftSection={<IconSearch size={16} />}
          placeholder={t('settings.search')}
          aria-label={t('settings.search')}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        {vaultsShown && <VaultSettings />}
        {modelShown && <ModelSettings />}
        {SECTIONS.map((section) => {
          const some = shown.filter((row) => row.section === section);
          if (some.length === 0) return null;
          return (
            <section key={section}>
              <h2>{t(`settings.${section}`)}</h2>
              {some.map((row) => (
                <SettingRow
                  key={row.name}
                  row={row}
                  changed={
                    row.setting !== undefined &&
                    JSON.stringify(settings[row.setting]) !== JSON.stringify(defaultSettings[row.setting])
                  }
                  onReset={() =>
                    row.setting !== undefined && set({ [row.setting]: defaultSettings[row.setting] })
                  }
                />
              ))}
            </section>
          );
        })}
        {shown.length === 0 && !vaultsShown && !modelShown && (
          <p className="muted">{t('settings.noMatch')}</p>
        )}
      </div>
    </div>
  );
}

function SettingRow({ row, changed, onReset }: { row: Row; changed: boolean; onReset: () => void }) {
  const { t } = useTranslation();
  const labelId = useId();
  return (
    <div className="setting" data-wide={row.isWide}>
      <div>
        <div className="setting-name">
          <span id={labelId}>{row.name}</span>
          {changed && (
            <>
              <span className="changed" aria-hidden />
              <Tooltip label={t('common.reset')}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={20}
                  aria-label={`${t('common.reset')}: ${row.name}`}
                  onClick={onReset}
                >
                  <IconArrowBackUp size={14} />
                </ActionIcon>
              </Tooltip>
            </>
          )}
        </div>
        {row.hint !== undefined && <div className="muted">{row.hint}</div>}
      </div>
      <div>{row.control(labelId)}</div>
    </div>
  );
}
