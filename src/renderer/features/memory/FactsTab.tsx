import { ActionIcon, Button, Switch, TextInput, Tooltip } from '@mantine/core';
import { IconEraser, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { FactKind, FactSource, FactStatus } from '../../../shared/contract/facts.ts';
import { useApp, useAttempt } from '../../context.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { useNow } from '../../ui/useNow.ts';
import { Choice } from './Choice.tsx';
import { FactDrawer } from './FactDrawer.tsx';
import { FactTable } from './FactTable.tsx';
import { type FactFilter, type MemoryStore, matching, NO_FILTER } from './memoryStore.ts';
import { useFactActions } from './useFactActions.ts';
import { WordingEditor } from './WordingEditor.tsx';

/** As many facts as can be merged at once. */
const MOST_MERGED = 100;

/** The list of facts with its filters, and the selected fact beside it. */
export function FactsTab({ store }: { store: MemoryStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const now = useNow();
  const actions = useFactActions(store);
  const { facts, filter, ticked, selectedId } = useStore(store);
  const shown = useMemo(() => matching(facts, filter, now), [facts, filter, now]);
  const subjects = useMemo(() => [...new Set(facts.flatMap((fact) => fact.subjects))].sort(), [facts]);
  const selected = facts.find((fact) => fact.id === selectedId) ?? null;
  const set = (patch: Partial<FactFilter>) => void attempt(() => store.getState().setFilter(patch));
  const forget = useApp((state) => state.forget);
  const query = filter.query.trim();
  const chosen = facts.filter(({ id, status }) => ticked.has(id) && status === 'current');
  const mayMerge = chosen.length > 1 && chosen.length === ticked.size && chosen.length <= MOST_MERGED;
  /** What the selected facts are proposed to say as one; null while that is not asked. */
  const [proposed, setProposed] = useState<string | null>(null);
  const chosenIds = chosen.map(({ id }) => id);
  const propose = async () => setProposed(await store.getState().proposeMerge(chosenIds));
  const filtered = JSON.stringify(filter) !== JSON.stringify(NO_FILTER);
  return (
    <section className="main" aria-label={t('memory.tab.facts')}>
      <NewFact onAdd={actions.add} />
      <div className="filters">
        <TextInput
          data-pane-search
          size="xs"
          w={170}
          leftSection={<IconSearch size={14} />}
          aria-label={t('memory.filter')}
          placeholder={t('memory.filter')}
          value={filter.query}
          onChange={(event) => set({ query: event.currentTarget.value })}
        />
        <Choice
          label={t('memory.kind')}
          value={filter.kind}
          options={FactKind.options.map((value) => ({ value, label: t(`memory.kinds.${value}`) }))}
          onChange={(kind) => set({ kind })}
        />
        <Choice
          label={t('memory.subject')}
          value={filter.subject}
          options={subjects.map((value) => ({ value, label: value }))}
          onChange={(subject) => set({ subject })}
        />
        <Choice
          label={t('memory.source')}
          value={filter.source}
          options={FactSource.options.map((value) => ({ value, label: t(`memory.sources.${value}`) }))}
          onChange={(source) => set({ source })}
        />
        <Choice
          label={t('memory.age')}
          value={filter.age === 'any' ? null : filter.age}
          options={(['day', 'week', 'month'] as const).map((value) => ({
            value,
            label: t(`memory.ages.${value}`),
          }))}
          onChange={(age) => set({ age: age ?? 'any' })}
        />
        <Choice
          label={t('memory.use')}
          value={filter.use === 'any' ? null : filter.use}
          options={(['used', 'never'] as const).map((value) => ({
            value,
            label: t(`memory.uses.${value}`),
          }))}
          onChange={(use) => set({ use: use ?? 'any' })}
        />
        <Choice
          label={t('memory.state')}
          value={filter.status}
          options={FactStatus.options.map((value) => ({ value, label: t(`memory.status.${value}`) }))}
          onChange={(status) => set({ status, all: status !== null && status !== 'current' })}
        />
        <Switch
          size="xs"
          label={t('memory.all')}
          checked={filter.all}
          onChange={(event) => set({ all: event.currentTarget.checked, status: null })}
        />
        {(ticked.size > 0 || query !== '') && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconEraser size={14} />}
            onClick={() =>
              forget({ subject: ticked.size > 0 ? { facts: [...ticked], turns: [] } : { topic: query } })
            }
          >
            {ticked.size > 0 ? t('forget.open') : t('forget.about', { topic: query })}
          </Button>
        )}
        {ticked.size > 0 && (
          <>
            <span className="rail-spacer" />
            <span className="muted">{t('memory.ticked', { count: ticked.size })}</span>
            {mayMerge && (
              <Button size="compact-sm" variant="default" onClick={() => void attempt(propose)}>
                {t('review.merge')}
              </Button>
            )}
            <Tooltip label={t('memory.forget')}>
              <ActionIcon
                variant="light"
                color="red"
                aria-label={t('memory.deleteTicked', { count: ticked.size })}
                onClick={() => actions.remove([...ticked])}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          </>
        )}
      </div>
      {proposed !== null && mayMerge && (
        <Dialog onClose={() => setProposed(null)} title={t('review.mergeTitle', { count: chosen.length })}>
          <WordingEditor
            wordings={chosen.map(({ content }) => content)}
            action={t('review.merge')}
            label={t('review.wording')}
            hint={t('review.wordingHint')}
            proposed={proposed}
            onAccept={(content) => {
              setProposed(null);
              actions.merge(chosenIds, content);
            }}
            onCancel={() => setProposed(null)}
          />
        </Dialog>
      )}
      {/* The drawer opens beside the list alone: a row stays where it was clicked. */}
      <div className="columns">
        {shown.length === 0 ? (
          <div className="main turns empty">
            {filtered ? (
              <>
                <p className="muted">{t('memory.noMatch')}</p>
                <div>
                  <Button variant="default" size="xs" onClick={() => set(NO_FILTER)}>
                    {t('notes.clear')}
                  </Button>
                </div>
              </>
            ) : (
              <>
                <p className="muted">{t('memory.empty')}</p>
                <ul className="muted">
                  {(['one', 'two', 'three'] as const).map((example) => (
                    <li key={example}>{t(`memory.examples.${example}`)}</li>
                  ))}
                </ul>
              </>
            )}
          </div>
        ) : (
          <FactTable store={store} facts={shown} actions={actions} />
        )}
        {selected && <FactDrawer key={selected.id} fact={selected} store={store} actions={actions} />}
      </div>
    </section>
  );
}

function NewFact({ onAdd }: { onAdd: (content: string) => Promise<boolean> }) {
  const { t } = useTranslation();
  const [content, setContent] = useState('');
  const add = async () => {
    const text = content.trim();
    if (text === '') return;
    setContent('');
    // What could not be stored comes back, unless another was begun meanwhile.
    if (!(await onAdd(text))) setContent((typed) => typed || text);
  };
  return (
    <div className="filters">
      <TextInput
        flex={1}
        size="xs"
        aria-label={t('memory.new')}
        placeholder={t('memory.new')}
        maxLength={2_000}
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) void add();
        }}
      />
      <Button
        size="xs"
        leftSection={<IconPlus size={14} />}
        disabled={content.trim() === ''}
        onClick={() => void add()}
      >
        {t('memory.add')}
      </Button>
    </div>
  );
}
