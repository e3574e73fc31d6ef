import { createSpotlight, Spotlight } from '@mantine/spotlight';
import {
  IconBookmark,
  IconEraser,
  IconFileText,
  IconMessage,
  IconMessageOff,
  IconMessagePlus,
  IconMoon,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { PANES } from '../shared/link.ts';
import type { Place } from './appStore.ts';
import { useApp, useAttempt, useSession } from './context.tsx';
import { useChannelName } from './ui/channel.ts';
import { paneIcons } from './ui/paneIcons.ts';

const [store, palette] = createSpotlight();

/** Opens the palette and gives it the focus at once, so that the next key goes to it. Ctrl K does the same. */
export function openPalette(): void {
  flushSync(palette.open);
  document.querySelector<HTMLElement>('input.palette-search')?.focus();
}

interface Entry {
  id: string;
  label: string;
  description?: string;
  Icon: typeof IconMessage;
  run: () => void;
}

/** Settings that the palette offers, by their names in the settings pane. */
const SETTINGS = [
  'language',
  'appearance',
  'vaults',
  'model',
  'maxResults',
  'minScore',
  'scope',
  'noteContext',
  'pinnedNotes',
  'contextTag',
  'embedder',
  'backups',
  'exportData',
  'importData',
  'erase',
  'privacy',
  'shortcuts',
] as const;
/** Pause in typing before anything is looked up. */
const REST_MS = 120;
const MOST = 5;

/** Lets keys scroll the list. Spotlight passes this on to its ScrollArea, though its types lack it. */
const scrolledByKey = { viewportProps: { tabIndex: 0 } };

/** Text as it is compared: without case and accents. */
const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Entries whose label holds a query, first those that begin with it: "memory" is the pane before it is a chat without memory. */
function matching(entries: readonly Entry[], query: string): Entry[] {
  const wanted = fold(query.trim());
  const found = entries.filter(({ label }) => fold(label).includes(wanted));
  const begins = ({ label }: Entry) => Number(fold(label).startsWith(wanted));
  return found.sort((one, other) => begins(other) - begins(one));
}

/**
 * Selects the first entry if none is selected. Spotlight does so when the query changes, but results come later.
 */
function chooseFirst(): void {
  const { listId } = store.getState();
  const list = listId === '' ? null : document.getElementById(listId);
  if (!list || list.querySelector('[data-selected]')) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** The command palette: panes, actions, settings, conversations, notes and facts by their names. */
export function Palette() {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const found = useFound(query);
  const wanted = useForgetTopic(query);
  const commands = [...wanted, ...matching(useCommands(), query)];
  const groups: [name: string, entries: Entry[]][] = [
    [
      t('palette.commands'),
      query.trim() === '' ? commands.filter(({ id }) => !id.startsWith('setting-')) : commands,
    ],
    [t('chat.list'), found.conversations],
    [t('nav.notes'), found.notes],
    [t('memory.tab.facts'), found.facts],
  ];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query and other finds change the list.
  useEffect(chooseFirst, [query, found]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      event.preventDefault();
      openPalette();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const isEmpty = groups.every(([, entries]) => entries.length === 0);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      attributes={{ content: { 'aria-label': t('palette.placeholder') } }}
      classNames={{
        actionDescription: 'palette-description',
        actionsGroup: 'palette-group',
        empty: 'palette-empty',
        search: 'palette-search',
      }}
      maxHeight={460}
      scrollable
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      transitionProps={{ duration: 0 }}
    >
      <Spotlight.Search
        placeholder={t('palette.placeholder')}
        aria-label={t('palette.placeholder')}
        leftSection={<IconSearch size={18} />}
      />
      <Spotlight.ActionsList {...scrolledByKey}>
        {groups.map(
          ([name, entries]) =>
            entries.length > 0 && (
              <Spotlight.ActionsGroup key={name} label={name}>
                {entries.map(({ id, label, description, Icon, run }) => (
                  <Spotlight.Action
                    key={id}
                    label={label}
                    {...(description === undefined ? {} : { description })}
                    leftSection={<Icon size={16} aria-hidden />}
                    onClick={run}
                  />
                ))}
              </Spotlight.ActionsGroup>
            ),
        )}
        {isEmpty && <Spotlight.Empty>{t('palette.nothing')}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** "Forget Léa", in either language: opens the plan of it. */
function useForgetTopic(query: string): Entry[] {
  const { t } = useTranslation();
  const forget = useApp((state) => state.forget);
  const topic = /^(?:forget|oublie[rz]?)\s+(?:about\s+)?(\S.*)$/i.exec(query.trim())?.[1];
  if (topic === undefined) return [];
  const label = t('forget.about', { topic });
  return [{ id: 'forget-topic', label, Icon: IconEraser, run: () => forget({ subject: { topic } }) }];
}

/** Entries that need no search. */
function useCommands(): Entry[] {
  const { t } = useTranslation();
  const go = useApp((state) => state.go);
  const settings = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  const to = (place: Place) => () => go(place);
  const forget = useApp((state) => state.forget);
  const isDark = settings.appearance === 'dark';
  return [
    { id: 'new', label: t('chat.new'), Icon: IconMessagePlus, run: to({ pane: 'chat', draft: '' }) },
    {
      id: 'memoryless',
      label: t('chat.memoryless.name'),
      Icon: IconMessageOff,
      run: to({ pane: 'chat', memoryless: true }),
    },
    ...PANES.map((pane) => ({
      id: pane,
      label: t(`nav.${pane}`),
      Icon: paneIcons[pane],
      run: to({ pane }),
    })),
    { id: 'forget', label: t('forget.open'), Icon: IconEraser, run: () => forget({ subject: null }) },
    {
      id: 'appearance',
      label: t(isDark ? 'palette.light' : 'palette.dark'),
      Icon: IconMoon,
      run: () => void change({ appearance: isDark ? 'light' : 'dark' }),
    },
    {
      id: 'autoRetrieve',
      label: t(settings.autoRetrieve ? 'palette.retrieveOff' : 'palette.retrieveOn'),
      Icon: IconBookmark,
      run: () => void change({ autoRetrieve: !settings.autoRetrieve }),
    },
    ...SETTINGS.map((name) => {
      const label = t(`settings.${name}`);
      return {
        id: `setting-${name}`,
        label: t('palette.setting', { name: label }),
        Icon: IconSettings,
        run: to({ pane: 'settings', query: label }),
      };
    }),
  ];
}

/** Conversations, notes and facts that a query names. */
function useFound(query: string) {
  const attempt = useAttempt();
  const go = useApp((state) => state.go);
  const channelName = useChannelName();
  const { client } = useSession().api;
  const [found, setFound] = useState<Found>(NOTHING);

  useEffect(() => {
    const text = query.trim();
    if (text === '') return undefined;
    let dropped = false;
    const look = async () => {
      const [conversations, { notes }, { facts }] = await Promise.all([
        client.chat.list({ query: text }),
        client.notes.list({ query: text, bestFirst: true, limit: MOST }),
        client.facts.list({ query: text }),
      ]);
      if (dropped) return;
      setFound({
        text,
        conversations: conversations.slice(0, MOST).map(({ id, title, channel }) => ({
          id,
          label: title,
          description: channelName(channel),
          Icon: IconMessage,
          run: () => go({ pane: 'chat', conversationId: id }),
        })),
        notes: notes.map(({ id, title, path }) => ({
          id,
          label: title,
          description: path,
          Icon: IconFileText,
          run: () => go({ pane: 'notes', noteId: id }),
        })),
        facts: facts.slice(0, MOST).map(({ id, content }) => ({
          id,
          label: content,
          Icon: IconBookmark,
          run: () => go({ pane: 'memory', factId: id }),
        })),
      });
    };
    const timer = setTimeout(() => void attempt(look), REST_MS);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [attempt, channelName, client, go, query]);
  // Results of an earlier query must not be opened.
  return found.text === query.trim() ? found : NOTHING;
}

interface Found {
  /** The query that these results answer. */
  text: string;
  conversations: Entry[];
  notes: Entry[];
  facts: Entry[];
}

const NOTHING: Found = { text: '', conversations: [], notes: [], facts: [] };
