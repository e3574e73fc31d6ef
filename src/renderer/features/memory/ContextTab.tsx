import { ActionIcon, Button, CloseButton, Select, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { IconFileText, IconPinnedOff } from '@tabler/icons-react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ContextNotes, NoteDetail, NoteRow } from '../../../shared/contract/notes.ts';
import type { NoteId } from '../../../shared/ids.ts';
import { useApp, useAttempt, useRead, useSession } from '../../context.tsx';
import { Markdown } from '../../ui/Markdown.tsx';
import { moveInList } from '../../ui/moveInList.ts';
import { OpenInObsidian } from '../../ui/OpenInObsidian.tsx';
import { ReadState } from '../../ui/ReadState.tsx';
import { SettingSwitch } from '../../ui/SettingSwitch.tsx';
import { showUndo } from '../../ui/undo.tsx';

/** How many notes are offered while a name is typed. */
const OFFERED = 8;
const REST_MS = 120;

/** Notes that are given whatever the question: pinned notes, and notes that carry the tag. */
export function ContextTab() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const settings = useApp((state) => state.settings);
  const settingsRevision = useApp((state) => state.settingsRevision);
  const change = useApp((state) => state.changeSettings);
  const revision = useThrottledValue(
    useApp((state) => state.notesRevision),
    1_000,
  );
  const { pinnedNotes, contextTag, noteContext } = settings;
  const [context, setContext] = useState<ContextNotes | null>(null);
  const [shown, setShown] = useState<NoteDetail | null>(null);
  const [tag, setTag] = useState<string | null>(null);

  const read = useRead(
    useCallback(async () => setContext(await client.notes.context()), [client]),
    // Reads again when notes or settings change.
    `${revision} ${settingsRevision}`,
  );

  const show = (id: NoteId) => void attempt(async () => setShown(await client.notes.get({ id })));
  const unpin = (entry: string, title: string) =>
    void attempt(async () => {
      const before = pinnedNotes;
      await change({ pinnedNotes: pinnedNotes.filter((one) => one !== entry) });
      showUndo(t('memory.unpinned', { title }), t('common.undo'), () => void change({ pinnedNotes: before }));
    });
  const saveTag = () => {
    const next = tag?.trim().replace(/^#/, '');
    setTag(null);
    if (next !== undefined && next !== contextTag) void change({ contextTag: next });
  };

  if (read.state !== 'ready') return <ReadState read={read} />;
  return (
    <div className="columns">
      <section className="scroll" aria-label={t('memory.tab.context')}>
        <div className="settings">
          <SettingSwitch
            name={t('settings.noteContext')}
            hint={t('settings.noteContextHint')}
            checked={noteContext}
            onChange={(on) => void change({ noteContext: on })}
          />
          <h2>{t('settings.pinnedNotes')}</h2>
          <p className="muted">{t('memory.pinnedHint')}</p>
          <NotePicker
            revision={revision}
            onPick={(entry) => void change({ pinnedNotes: [...new Set([...pinnedNotes, entry])] })}
          />
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the focus; this moves it among them. */}
          <div onKeyDown={(event) => moveInList(event, '[data-context-note]')}>
            {context?.pinned.map(({ entry, note }) => (
              <div key={entry} className="row">
                {note ? (
                  <ContextNote note={note} isShown={shown?.note.id === note.id} onShow={show} />
                ) : (
                  <span className="row-label muted">{t('memory.pinnedMissing', { entry })}</span>
                )}
                <Tooltip label={t('memory.unpin')}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={24}
                    aria-label={t('memory.unpinNote', { title: note?.title ?? entry })}
                    onClick={() => unpin(entry, note?.title ?? entry)}
                  >
                    <IconPinnedOff size={16} />
                  </ActionIcon>
                </Tooltip>
              </div>
            ))}
            {context?.pinned.length === 0 && <p className="muted">{t('memory.nonePinned')}</p>}
          </div>
          <h2>{t('settings.contextTag')}</h2>
          <p className="muted">{t('settings.contextTagHint')}</p>
          <TextInput
            size="xs"
            w={280}
            leftSection="#"
            aria-label={t('settings.contextTag')}
            value={tag ?? contextTag}
            onChange={(event) => setTag(event.currentTarget.value)}
            onBlur={saveTag}
            onKeyDown={(event) => {
              if (event.key === 'Enter') saveTag();
            }}
          />
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the focus; this moves it among them. */}
          <div className="tagged" onKeyDown={(event) => moveInList(event, '[data-context-note]')}>
            {context?.tagged.map((note) => (
              <div key={note.id} className="row">
                <ContextNote note={note} isShown={shown?.note.id === note.id} onShow={show} />
              </div>
            ))}
            {context?.tagged.length === 0 && contextTag !== '' && (
              <p className="muted">{t('memory.noneTagged', { tag: contextTag })}</p>
            )}
          </div>
        </div>
      </section>
      {shown && <Preview detail={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

interface ContextNoteProps {
  note: NoteRow;
  isShown: boolean;
  onShow: (id: NoteId) => void;
}

function ContextNote({ note, isShown, onShow }: ContextNoteProps) {
  return (
    <UnstyledButton
      className="row-label"
      data-context-note
      aria-pressed={isShown}
      onClick={() => onShow(note.id)}
    >
      <IconFileText className="kind-icon" size={15} color="var(--kind-note)" aria-hidden />
      {note.title} <span className="path">{note.path}</span>
    </UnstyledButton>
  );
}

interface NotePickerProps {
  /** Notes are looked for again whenever it changes. */
  revision: number;
  onPick: (entry: string) => void;
}

/** Finds a note by title or path, and pins the one that is picked. */
function NotePicker({ revision, onPick }: NotePickerProps) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<{ query: string; notes: NoteRow[] }>({ query: '', notes: [] });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it look again.
  useEffect(() => {
    let dropped = false;
    const timer = setTimeout(
      () =>
        void attempt(async () => {
          const { notes } = await client.notes.list({
            query: query.trim(),
            filter: 'indexed',
            bestFirst: true,
            limit: OFFERED,
          });
          if (!dropped) setFound({ query, notes });
        }),
      REST_MS,
    );
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [attempt, client, query, revision]);

  // Notes found for an earlier name must not be picked.
  const isFound = found.query === query;
  const offered = isFound ? found.notes : [];
  return (
    <Select
      size="xs"
      searchable
      w={420}
      aria-label={t('memory.pinNote')}
      placeholder={t('memory.pinNote')}
      nothingFoundMessage={isFound ? t('notes.noMatch') : t('common.loading')}
      searchValue={query}
      onSearchChange={setQuery}
      value={null}
      // The core has already filtered by title and path.
      filter={({ options }) => options}
      data={offered.map(({ vaultName, path, title }) => ({
        value: `${vaultName}/${path}`,
        label: `${title} (${path})`,
      }))}
      onChange={(entry) => {
        if (entry !== null) onPick(entry);
        setQuery('');
      }}
    />
  );
}

function Preview({ detail, onClose }: { detail: NoteDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const go = useApp((state) => state.go);
  const { note, obsidianUrl, passages } = detail;
  return (
    <aside className="inspector" aria-label={note.title}>
      <div className="head">
        <strong className="row-label">{note.title}</strong>
        <OpenInObsidian url={obsidianUrl} />
        <CloseButton onClick={onClose} />
      </div>
      <div className="scroll">
        {passages.map((passage) => (
          <div key={passage.id} className="passage">
            {passage.heading.length > 0 && <strong className="muted">{passage.heading.join(' › ')}</strong>}
            <Markdown source={passage.markdown} />
          </div>
        ))}
        <div className="passage">
          <Button variant="default" size="xs" onClick={() => go({ pane: 'notes', noteId: note.id })}>
            {t('common.showNote')}
          </Button>
        </div>
      </div>
    </aside>
  );
}
