import { Badge, Button, UnstyledButton } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { NoteDetail, Passage } from '../../../shared/contract/notes.ts';
import type { NoteId } from '../../../shared/ids.ts';
import { useApp, useAttempt, useLanguage } from '../../context.tsx';
import { formatBytes, formatWhen } from '../../ui/format.ts';
import { Markdown } from '../../ui/Markdown.tsx';
import { OpenInObsidian } from '../../ui/OpenInObsidian.tsx';
import { useNow } from '../../ui/useNow.ts';
import { NoteStatusText } from './NoteStatusText.tsx';
import type { NotesStore } from './notesStore.ts';
import { RememberPassage } from './RememberPassage.tsx';

/** The selected note: its state and what to do about it, its passages, its backlinks, and the answers that used it. */
export function NoteView({ store }: { store: NotesStore }) {
  const { t } = useTranslation();
  const detail = useStore(store, (state) => state.detail);
  if (!detail) {
    return (
      <aside className="inspector">
        <div className="turns empty">
          <p className="muted">{t('notes.choose')}</p>
        </div>
      </aside>
    );
  }
  return (
    <aside className="inspector" aria-label={detail.note.title}>
      <div className="head">
        <strong className="row-label">{detail.note.title}</strong>
        <OpenInObsidian url={detail.obsidianUrl} />
      </div>
      <div className="scroll">
        <NoteState detail={detail} store={store} />
        <Passages detail={detail} />
        <Connections detail={detail} store={store} />
      </div>
    </aside>
  );
}

function NoteState({ detail, store }: { detail: NoteDetail; store: NotesStore }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const now = useNow();
  const { note, tags, aliases } = detail;
  return (
    <div className="passage">
      <div className="path">{note.path}</div>
      <dl className="facts-list">
        <dt>{t('notes.columns.status')}</dt>
        <dd>
          <NoteStatusText note={note} />
          {note.indexedAt !== null && (
            <span className="muted">
              {t('notes.indexedAt', { when: formatWhen(note.indexedAt, now, language) })}
            </span>
          )}
        </dd>
        {note.reason !== null && (
          <>
            <dt>{t('notes.detail')}</dt>
            <dd>
              {t(`notes.reason.${note.reason}`)}
              {note.detail !== null && <div className="path">{note.detail}</div>}
            </dd>
          </>
        )}
        <dt>{t('setup.foundSize')}</dt>
        <dd>{formatBytes(note.bytes, language)}</dd>
        {aliases.length > 0 && (
          <>
            <dt>{t('notes.aliases')}</dt>
            <dd>{aliases.join(', ')}</dd>
          </>
        )}
        {tags.length > 0 && (
          <>
            <dt>{t('notes.tags')}</dt>
            <dd>
              {tags.map((tag) => (
                <Badge key={tag} variant="default" size="sm" mr={4} tt="none" fw={400}>
                  #{tag}
                </Badge>
              ))}
            </dd>
          </>
        )}
      </dl>
      {note.reason !== null && (
        <Button
          size="xs"
          variant="default"
          onClick={() => void attempt(() => store.getState().retry([note.id]))}
        >
          {t('common.retry')}
        </Button>
      )}
    </div>
  );
}

function Passages({ detail }: { detail: NoteDetail }) {
  const { t } = useTranslation();
  return (
    <section>
      <h2 className="section-title passage">{t('notes.passages', { count: detail.passages.length })}</h2>
      {detail.passages.map((passage) => (
        <PassageView key={passage.id} noteId={detail.note.id} passage={passage} />
      ))}
    </section>
  );
}

function PassageView({ noteId, passage }: { noteId: NoteId; passage: Passage }) {
  const { t } = useTranslation();
  const shown = useRef<HTMLDivElement>(null);
  const { heading, startLine, endLine, markdown } = passage;
  return (
    <div className="passage">
      <div className="muted">
        {heading.length > 0 && <strong>{heading.join(' › ')} · </strong>}
        {startLine === endLine
          ? t('notes.line', { from: startLine })
          : t('notes.lines', { from: startLine, to: endLine })}
      </div>
      {markdown === '' ? (
        <em className="muted">{t('notes.emptyPassage')}</em>
      ) : (
        <>
          <div ref={shown}>
            <Markdown source={markdown} />
          </div>
          <RememberPassage noteId={noteId} chunkId={passage.id} shown={shown} />
        </>
      )}
    </div>
  );
}

function Connections({ detail, store }: { detail: NoteDetail; store: NotesStore }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const now = useNow();
  const go = useApp((state) => state.go);
  return (
    <>
      <section className="passage">
        <h2 className="section-title">{t('notes.backlinks')}</h2>
        {detail.backlinks.length === 0 && <span className="muted">{t('notes.noBacklinks')}</span>}
        {detail.backlinks.map((link) => (
          <UnstyledButton
            key={`${link.id}:${link.line}`}
            className="vault-choice"
            onClick={() => void attempt(() => store.getState().select(link.id))}
          >
            <span className="row-label">{link.title}</span>
            <span className="muted">{t('notes.line', { from: link.line })}</span>
          </UnstyledButton>
        ))}
      </section>
      <section className="passage">
        <h2 className="section-title">{t('notes.usedIn')}</h2>
        {detail.usedIn.length === 0 && <span className="muted">{t('notes.notUsed')}</span>}
        {detail.usedIn.map(({ conversationId, title, at }) => (
          <UnstyledButton
            key={conversationId}
            className="vault-choice"
            onClick={() => go({ pane: 'chat', conversationId })}
          >
            <span className="row-label">{title}</span>
            <span className="muted">{formatWhen(at, now, language)}</span>
          </UnstyledButton>
        ))}
      </section>
    </>
  );
}
