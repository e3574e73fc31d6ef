import { Button, CopyButton, SegmentedControl, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../../shared/errors.ts';
import { Settings } from '../../../shared/settings.ts';
import { useApp, useLanguage } from '../../context.tsx';
import { formatScore } from '../../ui/format.ts';
import { keptHere } from '../../ui/keptHere.ts';
import { SettingSlider } from '../../ui/SettingSlider.tsx';
import { useAllRemoteHosts } from '../../useRemoteHost.ts';
import { advancedRetrieval, InstructionsControl, rangeOf, switchOf } from './AdvancedRetrieval.tsx';
import { BackupControl } from './BackupControl.tsx';
import { ChannelsControl } from './ChannelsControl.tsx';
import { EraseControl, ExportControl } from './DataControls.tsx';
import { DeletedControl } from './DeletedControl.tsx';
import { desktopSettings } from './desktopSettings.tsx';
import { FactsNoteControl } from './FactsNoteControl.tsx';
import { ImportControl } from './ImportControl.tsx';
import { JobList } from './JobList.tsx';
import { SelfTestControl } from './SelfTestControl.tsx';
import { UsageControl } from './UsageControl.tsx';

export const SECTIONS = [
  'general',
  'desktop',
  'retrieval',
  'channels',
  'learning',
  'advanced',
  'usage',
  'data',
  'shortcuts',
] as const;

/** A line of the settings page: a name, what it means, and its control. */
export interface Row {
  section: (typeof SECTIONS)[number];
  name: string;
  hint?: string;
  /** The setting that the row changes, if it changes one. */
  setting?: keyof Settings;
  /** Its control is a list, which takes the whole width. */
  isWide?: boolean;
  control: (labelId: string) => ReactNode;
}

type SetSettings = (patch: Partial<Settings>) => void;

/** The rows of every section, in their order. */
export function useSettingRows(set: SetSettings): Row[] {
  return [
    ...useGeneralRows(set),
    ...useRetrievalRows(set),
    ...useChannelRows(set),
    ...useLearningRows(set),
    ...useUsageRows(),
    ...useDataRows(set),
    ...useShortcutRows(),
  ];
}

function useGeneralRows(set: SetSettings): Row[] {
  const { t } = useTranslation();
  const settings = useApp((state) => state.settings);
  const hello = useApp((state) => state.hello);
  return [
    {
      section: 'general',
      name: t('settings.language'),
      hint: t('settings.languageHint'),
      setting: 'language',
      control: (labelId) => (
        <Select
          aria-labelledby={labelId}
          allowDeselect={false}
          value={settings.language}
          onChange={(value) => set({ language: value as Settings['language'] })}
          data={[
            { value: 'system', label: t('settings.system') },
            { value: 'en', label: 'English' },
            { value: 'fr', label: 'Français' },
          ]}
        />
      ),
    },
    {
      section: 'general',
      name: t('settings.appearance'),
      setting: 'appearance',
      control: (labelId) => (
        <SegmentedControl
          fullWidth
          aria-labelledby={labelId}
          value={settings.appearance}
          onChange={(value) => set({ appearance: value })}
          data={[
            { value: 'system', label: t('settings.system') },
            { value: 'light', label: t('settings.light') },
            { value: 'dark', label: t('settings.dark') },
          ]}
        />
      ),
    },
    ...(hello?.host === 'desktop' ? desktopSettings : []).map(
      ([setting, Control]): Row => ({
        section: 'desktop',
        name: t(`settings.${setting}`),
        hint: t(`settings.${setting}Hint`),
        setting,
        control: (labelId) => <Control settings={settings} labelId={labelId} set={set} />,
      }),
    ),
  ];
}

const AutoRetrieve = switchOf('autoRetrieve');
const Tools = switchOf('tools');

function useRetrievalRows(set: SetSettings): Row[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const settings = useApp((state) => state.settings);
  return [
    {
      section: 'retrieval',
      name: t('settings.autoRetrieve'),
      hint: t('settings.autoRetrieveHint'),
      setting: 'autoRetrieve',
      control: (labelId) => <AutoRetrieve settings={settings} labelId={labelId} set={set} />,
    },
    {
      section: 'retrieval',
      name: t('settings.tools'),
      hint: t('settings.toolsHint'),
      setting: 'tools',
      control: (labelId) => <Tools settings={settings} labelId={labelId} set={set} />,
    },
    {
      section: 'retrieval',
      name: t('settings.maxResults'),
      hint: t('settings.maxResultsHint'),
      setting: 'maxResults',
      control: () => (
        <SettingSlider
          label={t('settings.maxResults')}
          value={settings.maxResults}
          range={[1, 10, 1]}
          format={String}
          onChange={(maxResults) => set({ maxResults })}
        />
      ),
    },
    {
      section: 'retrieval',
      name: t('settings.minScore'),
      hint: t('settings.minScoreHint'),
      setting: 'minScore',
      control: () => (
        <SettingSlider
          label={t('settings.minScore')}
          value={settings.minScore}
          range={[0.3, 0.8, 0.05]}
          format={(value) => formatScore(value, language)}
          onChange={(minScore) => set({ minScore: Number(minScore.toFixed(2)) })}
        />
      ),
    },
    {
      section: 'retrieval',
      name: t('settings.selfTest.name'),
      hint: t('settings.selfTest.hint'),
      isWide: true,
      control: () => <SelfTestControl />,
    },
    {
      section: 'retrieval',
      name: t('settings.systemPrompt'),
      hint: t('settings.systemPromptHint'),
      setting: 'chat.systemPrompt',
      control: (labelId) => <InstructionsControl settings={settings} labelId={labelId} set={set} />,
    },
    ...advancedRetrieval.map(
      ([setting, Control]): Row => ({
        section: 'advanced',
        name: t(`settings.${setting}`),
        hint: [t(`settings.${setting}Hint`), rangeText(setting, language)].filter(Boolean).join(' '),
        setting,
        control: (labelId) => <Control settings={settings} labelId={labelId} set={set} />,
      }),
    ),
  ];
}

function useChannelRows(set: SetSettings): Row[] {
  const { t } = useTranslation();
  const settings = useApp((state) => state.settings);
  return [
    {
      section: 'channels',
      name: t('settings.channelChoices'),
      hint: t('settings.channelChoicesHint'),
      setting: 'channelChoices',
      isWide: true,
      control: () => <ChannelsControl settings={settings} set={set} />,
    },
  ];
}

const LearnFacts = switchOf('learnFacts');
const SummariseWithModel = switchOf('summariseWithModel');

function useLearningRows(set: SetSettings): Row[] {
  const { t } = useTranslation();
  const settings = useApp((state) => state.settings);
  return [
    {
      section: 'learning',
      name: t('settings.learnFacts'),
      hint: t('settings.learnFactsHint'),
      setting: 'learnFacts',
      control: (labelId) => <LearnFacts settings={settings} labelId={labelId} set={set} />,
    },
    {
      section: 'learning',
      name: t('settings.learnWithModel'),
      hint: t('settings.learnWithModelHint'),
      setting: 'learnWithModel',
      control: (labelId) => (
        <Select
          aria-labelledby={labelId}
          allowDeselect={false}
          disabled={!settings.learnFacts}
          value={settings.learnWithModel}
          onChange={(value) => set({ learnWithModel: value as Settings['learnWithModel'] })}
          data={Settings.shape.learnWithModel.options.map((value) => ({
            value,
            label: t(`settings.learnWithModelAs.${value}`),
          }))}
        />
      ),
    },
    {
      section: 'learning',
      name: t('settings.summariseWithModel'),
      hint: t('settings.summariseWithModelHint'),
      setting: 'summariseWithModel',
      control: (labelId) => <SummariseWithModel settings={settings} labelId={labelId} set={set} />,
    },
  ];
}

/** "0.5–1", with the decimal sign of the language. */
function rangeText(setting: keyof Settings, language: Language): string {
  const range = rangeOf(setting);
  return range ? `${range.map((value) => value.toLocaleString(language)).join('\u2060–\u2060')}.` : '';
}

function useUsageRows(): Row[] {
  const { t } = useTranslation();
  return [
    {
      section: 'usage',
      name: t('usage.name'),
      hint: t('usage.hint'),
      isWide: true,
      control: (labelId) => <UsageControl labelId={labelId} />,
    },
  ];
}

function useDataRows(set: SetSettings): Row[] {
  const { t } = useTranslation();
  const settings = useApp((state) => state.settings);
  const hello = useApp((state) => state.hello);
  return [
    {
      section: 'data',
      name: t('settings.dataDir'),
      hint: t('settings.dataDirHint'),
      control: () => (
        <div className="setting-name">
          <span className="path">{hello?.dataDir}</span>
          <CopyButton value={hello?.dataDir ?? ''}>
            {({ copied, copy }) => (
              <Button variant="default" size="compact-sm" onClick={copy}>
                {copied ? t('common.copied') : t('common.copy')}
              </Button>
            )}
          </CopyButton>
        </div>
      ),
    },
    {
      section: 'data',
      name: t('settings.backups'),
      hint: t('settings.backupsHint'),
      control: () => <BackupControl />,
    },
    {
      section: 'data',
      name: t('settings.keepDeleted'),
      hint: t('settings.keepDeletedHint'),
      setting: 'keepDeletedDays',
      control: (labelId) => (
        <Select
          aria-labelledby={labelId}
          allowDeselect={false}
          value={String(settings.keepDeletedDays)}
          onChange={(value) => set({ keepDeletedDays: Number(value) as Settings['keepDeletedDays'] })}
          data={[30, 7, 1, 0].map((days) => ({
            value: String(days),
            label: t('settings.keepDeletedDays', { count: days }),
          }))}
        />
      ),
    },
    {
      section: 'data',
      name: t('settings.deleted'),
      hint: t('settings.deletedHint'),
      isWide: true,
      control: () => <DeletedControl />,
    },
    {
      section: 'data',
      name: t('settings.factsNote'),
      hint: t('settings.factsNoteHint'),
      setting: 'factsNote',
      control: () => <FactsNoteControl />,
    },
    {
      section: 'data',
      name: t('settings.exportData'),
      hint: t('settings.exportHint'),
      control: () => <ExportControl />,
    },
    {
      section: 'data',
      name: t('settings.importData'),
      hint: t('settings.importHint'),
      control: () => <ImportControl />,
    },
    {
      section: 'data',
      name: t('settings.erase'),
      hint: t('settings.eraseHint'),
      control: () => <EraseControl />,
    },
    {
      section: 'data',
      name: t('settings.jobs'),
      hint: t('settings.jobsHint'),
      control: () => <JobList />,
    },
    { section: 'data', name: t('settings.privacy'), control: () => <Privacy settings={settings} /> },
    { section: 'data', name: t('settings.version'), control: () => hello?.version },
  ];
}

/** What leaves this computer with the present settings. */
function Privacy({ settings }: { settings: Settings }) {
  const { t } = useTranslation();
  const hosts = useAllRemoteHosts();
  const { updateUrl } = settings;
  return (
    <>
      {hosts.length > 0 && (
        <div>
          {t('settings.privacyModel', {
            host: hosts.join(', '),
            kept: t(`settings.kept.${keptHere(settings)}`),
          })}
        </div>
      )}
      {updateUrl !== '' && <div>{t('settings.privacyUpdates', { host: new URL(updateUrl).host })}</div>}
      {hosts.length === 0 && updateUrl === '' && t('settings.privacyNothing')}
    </>
  );
}

const SHORTCUTS = [
  ['shortcutSend', 'Enter'],
  ['shortcutLine', 'Shift Enter'],
  ['shortcutNew', 'Alt N'],
  ['shortcutMemoryless', 'Alt Shift N'],
  ['shortcutPalette', 'Ctrl K'],
  ['shortcutPanes', 'Alt 1 2 3 4 5'],
  ['shortcutSearch', '/'],
  ['shortcutLists', '↑ ↓'],
  ['shortcutConversation', 'F2 P M A F'],
  ['shortcutFact', 'Enter P Space'],
  ['shortcutDelete', 'Delete'],
  ['shortcutClose', 'Esc'],
] as const;

/** Names of keys on French keyboards. */
const FRENCH_KEYS: Readonly<Record<string, string>> = {
  Enter: 'Entrée',
  Shift: 'Maj',
  Space: 'Espace',
  Delete: 'Suppr',
  Esc: 'Échap',
};

function useShortcutRows(): Row[] {
  const { t } = useTranslation();
  const language = useLanguage();
  return SHORTCUTS.map(
    ([name, keys]): Row => ({
      section: 'shortcuts',
      name: t(`settings.${name}`),
      control: () => (
        <span>
          {keys.split(' ').map((key) => (
            <kbd key={key}>{language === 'fr' ? (FRENCH_KEYS[key] ?? key) : key}</kbd>
          ))}
        </span>
      ),
    }),
  );
}
