import { NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Settings } from '../../../shared/settings.ts';

type NumberKey = {
  [K in keyof Settings]: Settings[K] extends number ? K : never;
}[keyof Settings];

export interface ControlProps {
  settings: Settings;
  labelId: string;
  set: (patch: Partial<Settings>) => void;
}

/** Settings that most people never change, in the order in which a retrieval uses them. */
export const advancedRetrieval = [
  ['scope', ScopeControl],
  ['noteContext', switchOf('noteContext')],
  ['pinnedNotes', PinnedControl],
  ['contextTag', TagControl],
  ['candidatesPerSource', numberOf('candidatesPerSource')],
  ['recentHours', numberOf('recentHours')],
  ['importanceFloor', numberOf('importanceFloor', 0.05)],
  ['dedupThreshold', numberOf('dedupThreshold', 0.05)],
  ['semanticBuffer', numberOf('semanticBuffer')],
  ['contextWindowDepth', numberOf('contextWindowDepth')],
  ['maxInjected', numberOf('maxInjected')],
  ['tokenBudget', numberOf('tokenBudget', 100)],
  ['timeoutMs', numberOf('timeoutMs', 20)],
  ['wholeTraceDays', numberOf('wholeTraceDays')],
  ['wholeTraces', numberOf('wholeTraces', 100)],
  ['embedder', EmbedderControl],
] as const satisfies readonly (readonly [keyof Settings, (props: ControlProps) => ReactNode])[];

/** Lowest and highest value of a setting that is a number. */
export function rangeOf(key: keyof Settings): [number, number] | null {
  const schema = Settings.shape[key];
  return 'minValue' in schema && 'maxValue' in schema ? [schema.minValue ?? 0, schema.maxValue ?? 0] : null;
}

/** A number within the range that the setting allows. */
function numberOf(key: NumberKey, step = 1) {
  const [min, max] = rangeOf(key) ?? [0, 0];
  return function NumberControl({ settings, labelId, set }: ControlProps) {
    const { i18n } = useTranslation();
    const { typed, type, leave } = useTyped(settings[key], (value) => {
      if (typeof value === 'number' && value >= min && value <= max) set({ [key]: value });
    });
    return (
      <NumberInput
        aria-labelledby={labelId}
        min={min}
        max={max}
        step={step}
        decimalSeparator={i18n.language === 'fr' ? ',' : '.'}
        allowDecimal={step < 1}
        clampBehavior="strict"
        value={typed}
        onChange={(value) => type(value as number)}
        onBlur={leave}
      />
    );
  };
}

export function switchOf(
  key:
    | 'autoRetrieve'
    | 'tools'
    | 'noteContext'
    | 'learnFacts'
    | 'summariseWithModel'
    | 'openAtLogin'
    | 'keepInTray',
) {
  return function SwitchControl({ settings, labelId, set }: ControlProps) {
    return (
      <Switch
        aria-labelledby={labelId}
        checked={settings[key]}
        onChange={(event) => set({ [key]: event.currentTarget.checked })}
      />
    );
  };
}

function ScopeControl({ settings, labelId, set }: ControlProps) {
  const { t } = useTranslation();
  return (
    <Select
      aria-labelledby={labelId}
      allowDeselect={false}
      value={settings.scope}
      onChange={(scope) => set({ scope: scope as Settings['scope'] })}
      data={(['everything', 'channel', 'conversation'] as const).map((value) => ({
        value,
        label: t(`settings.scopes.${value}`),
      }))}
    />
  );
}

function PinnedControl({ settings, labelId, set }: ControlProps) {
  const { t } = useTranslation();
  return (
    <TagsInput
      aria-labelledby={labelId}
      placeholder={settings.pinnedNotes.length === 0 ? t('settings.pinnedExample') : ''}
      value={settings.pinnedNotes}
      onChange={(pinnedNotes) => set({ pinnedNotes })}
    />
  );
}

function TagControl({ settings, labelId, set }: ControlProps) {
  const { typed, type, leave } = useTyped(settings.contextTag, (contextTag) => set({ contextTag }));
  return (
    <TextInput
      aria-labelledby={labelId}
      value={typed}
      onChange={(event) => type(event.currentTarget.value.trim())}
      onBlur={leave}
    />
  );
}

/** The user's own instructions. */
export function InstructionsControl({ settings, labelId, set }: ControlProps) {
  const { typed, type, leave } = useTyped(settings['chat.systemPrompt'], (systemPrompt) =>
    set({ 'chat.systemPrompt': systemPrompt }),
  );
  return (
    <Textarea
      aria-labelledby={labelId}
      autosize
      minRows={2}
      maxRows={8}
      maxLength={4_000}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={leave}
    />
  );
}

function EmbedderControl({ settings, labelId, set }: ControlProps) {
  const { t } = useTranslation();
  const isBuiltIn = settings.embedder === 'built-in';
  const [choosing, setChoosing] = useState(false);
  const { typed, type, leave } = useTyped(isBuiltIn ? '' : settings.embedder, (embedder) => {
    if (embedder !== '') set({ embedder });
  });
  return (
    <>
      <Select
        aria-labelledby={labelId}
        allowDeselect={false}
        value={isBuiltIn && !choosing ? 'built-in' : 'folder'}
        onChange={(value) => {
          setChoosing(value === 'folder');
          if (value === 'built-in' && !isBuiltIn) set({ embedder: 'built-in' });
        }}
        data={[
          { value: 'built-in', label: t('settings.embedderBuiltIn') },
          { value: 'folder', label: t('settings.embedderFolder') },
        ]}
      />
      {(choosing || !isBuiltIn) && (
        <TextInput
          mt={8}
          aria-label={t('settings.embedderFolder')}
          placeholder="/home/…/multilingual-e5-small"
          value={typed}
          onChange={(event) => type(event.currentTarget.value.trim())}
          onBlur={leave}
          onKeyDown={(event) => {
            if (event.key === 'Enter') leave();
          }}
        />
      )}
    </>
  );
}

/** Keeps what is being typed, and saves it when the field loses the focus. */
export function useTyped<T>(saved: T, save: (value: T) => void) {
  const [typed, setTyped] = useState<{ value: T } | null>(null);
  return {
    typed: typed ? typed.value : saved,
    type: (value: T) => setTyped({ value }),
    leave: () => {
      if (typed && typed.value !== saved) save(typed.value);
      setTyped(null);
    },
  };
}
