import { Button, Popover, Stack, TextInput } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Speaker } from '../../../shared/contract/retrieval.ts';
import { quotedPhrases } from '../../../shared/quoted.ts';
import { useChannelName } from '../../ui/channel.ts';
import { Choice } from './Choice.tsx';
import type { MemoryStore } from './memoryStore.ts';
import { activeParts, SEARCH_KINDS, type SearchPart, type SearchParts } from './searchFilter.ts';
import { useSearchPartName } from './useSearchPartName.ts';

const WIDTH = 260;

/** What a search is limited to, to be chosen. */
export function SearchFilters({ store }: { store: MemoryStore }) {
  const { t } = useTranslation();
  const channelName = useChannelName();
  const { parts, choices } = useStore(store, (state) => state.search);
  const set = (patch: Partial<SearchParts>) => store.getState().setParts(patch);
  const count = activeParts(parts).length;
  const same = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  return (
    <Popover position="bottom-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconFilter size={14} />}>
          {count === 0 ? t('memory.filters.open') : t('memory.filters.openCount', { count })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('memory.filters.open')}>
        <Stack gap={8}>
          <Choice
            inPopover
            width={WIDTH}
            label={t('memory.filters.kind')}
            value={parts.kind}
            options={SEARCH_KINDS.map((value) => ({ value, label: t(`memory.filters.kinds.${value}`) }))}
            onChange={(kind) => set({ kind })}
          />
          <Choice
            inPopover
            width={WIDTH}
            label={t('memory.filters.channel')}
            value={parts.channel}
            options={choices.channels.map((value) => ({ value, label: channelName(value) }))}
            onChange={(channel) => set({ channel })}
          />
          <Choice
            inPopover
            width={WIDTH}
            searchable
            label={t('memory.filters.folder')}
            value={parts.folder}
            options={same(choices.folders)}
            onChange={(folder) => set({ folder })}
          />
          <Choice
            inPopover
            width={WIDTH}
            searchable
            label={t('memory.filters.author')}
            value={parts.author}
            options={same(choices.authors)}
            onChange={(author) => set({ author })}
          />
          <Choice
            inPopover
            width={WIDTH}
            label={t('memory.filters.role')}
            value={parts.role}
            options={Speaker.options.map((value) => ({ value, label: t(`memory.filters.roles.${value}`) }))}
            onChange={(role) => set({ role })}
          />
          <div className="search-days">
            <Day part="from" parts={parts} onChange={set} />
            <Day part="to" parts={parts} onChange={set} />
          </div>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Day({
  part,
  parts,
  onChange,
}: {
  part: 'from' | 'to';
  parts: SearchParts;
  onChange(patch: Partial<SearchParts>): void;
}) {
  const { t } = useTranslation();
  return (
    <TextInput
      type="date"
      size="xs"
      label={t(`memory.filters.${part}`)}
      value={parts[part] ?? ''}
      onChange={(event) => onChange({ [part]: event.currentTarget.value || null })}
    />
  );
}

/** What a search is limited to, a button for each part that takes it away. */
export function FilterChips({ store }: { store: MemoryStore }) {
  const { t } = useTranslation();
  const nameOf = useSearchPartName();
  const { parts } = useStore(store, (state) => state.search);
  const active = activeParts(parts);
  if (active.length === 0) return null;
  return (
    <ul className="filter-chips" aria-label={t('memory.filters.active')}>
      {active.map((part) => (
        <li key={part}>
          <Button
            size="compact-xs"
            variant="light"
            color="gray"
            rightSection={<IconX size={12} />}
            aria-label={t('memory.filters.clear', { filter: nameOf(part, parts) })}
            onClick={() => store.getState().setParts({ [part]: null })}
          >
            {nameOf(part, parts)}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Nothing was found: says which filter to clear, and what there is without it. */
export function NothingFound({ store }: { store: MemoryStore }) {
  const { t } = useTranslation();
  const nameOf = useSearchPartName();
  const { parts, without: counted, text } = useStore(store, (state) => state.search);
  const isQuoted = quotedPhrases(text).length > 0;
  // A part may have been cleared since.
  const without = counted.filter(({ part }) => part === 'all' || parts[part] !== null);
  const clear = (part: SearchPart | 'all') =>
    part === 'all' ? store.getState().clearParts() : store.getState().setParts({ [part]: null });
  return (
    <div className="search-nothing muted" role="status">
      <p>{t(without.length === 0 ? 'memory.nothing' : 'memory.filters.nothing')}</p>
      {isQuoted && <p>{t('memory.nothingQuoted')}</p>}
      {without.map(({ part, count }) => (
        <Button key={part} size="compact-sm" variant="subtle" onClick={() => clear(part)}>
          {part === 'all'
            ? t('memory.filters.withoutAll', { count })
            : t('memory.filters.without', { count, filter: nameOf(part, parts) })}
        </Button>
      ))}
    </div>
  );
}
