import { Select } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnownEmbedder } from '../../shared/contract/traces.ts';

interface Props {
  embedders: readonly KnownEmbedder[];
  value: string;
  onChange: (setting: string) => void;
}

/** The semantic search model to try. Those that are not on this computer are listed, and cannot be chosen. */
export function EmbedderSelect({ embedders, value, onChange }: Props) {
  const { t } = useTranslation();
  const id = useId();
  if (embedders.length < 2) return null;
  const nameOf = (setting: string) =>
    setting === 'built-in' ? t('settings.embedderBuiltIn') : (setting.split(/[\\/]/).at(-1) ?? setting);
  return (
    <div>
      <label className="muted" htmlFor={id}>
        {t('settings.embedder')}
      </label>
      <Select
        id={id}
        size="xs"
        allowDeselect={false}
        value={value}
        onChange={(setting) => setting !== null && onChange(setting)}
        data={embedders.map(({ setting, isHere }) => ({
          value: setting,
          label: isHere ? nameOf(setting) : t('settings.embedderMissing', { name: nameOf(setting) }),
          disabled: !isHere,
        }))}
      />
    </div>
  );
}
