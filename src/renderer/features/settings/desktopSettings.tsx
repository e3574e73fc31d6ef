import { Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Settings } from '../../../shared/settings.ts';
import { type ControlProps, switchOf, useTyped } from './AdvancedRetrieval.tsx';

/** Settings that only the desktop app has. */
export const desktopSettings = [
  ['openAtLogin', switchOf('openAtLogin')],
  ['keepInTray', switchOf('keepInTray')],
  ['captureShortcut', ShortcutControl],
  ['updateUrl', UpdateControl],
] as const satisfies readonly (readonly [keyof Settings, (props: ControlProps) => ReactNode])[];

function ShortcutControl({ settings, labelId, set }: ControlProps) {
  const { t } = useTranslation();
  const names = {
    '': t('settings.captureNone'),
    'CommandOrControl+Shift+Space': t('settings.captureCtrl'),
    'Alt+Shift+Space': t('settings.captureAlt'),
  };
  return (
    <Select
      aria-labelledby={labelId}
      allowDeselect={false}
      value={settings.captureShortcut}
      onChange={(value) => set({ captureShortcut: value as Settings['captureShortcut'] })}
      data={Settings.shape.captureShortcut.options.map((value) => ({ value, label: names[value] }))}
    />
  );
}

function UpdateControl({ settings, labelId, set }: ControlProps) {
  const { typed, type, leave } = useTyped(settings.updateUrl, (updateUrl) => set({ updateUrl }));
  return (
    <TextInput
      aria-labelledby={labelId}
      placeholder="https://"
      value={typed}
      onChange={(event) => type(event.currentTarget.value.trim())}
      onBlur={leave}
    />
  );
}
