import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconListSearch, IconNotebook, IconRefresh } from '@tabler/icons-react';
import { type MouseEvent, memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ReplyVersion, Turn } from '../../../shared/contract/chat.ts';
import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { TraceItem } from '../../../shared/contract/traces.ts';
import { wordsOfEmptyReply } from '../../../shared/emptyReply.ts';
import { describeTold } from '../../../shared/errors.ts';
import { replyMarkdown } from '../../../shared/replyMarkdown.ts';
import { useApp, useAttempt, useLanguage } from '../../context.tsx';
import { ItemMarks } from '../../ui/ItemMarks.tsx';
import { Markdown, StreamedMarkdown } from '../../ui/Markdown.tsx';
import { placeLine } from '../../ui/place.ts';
import { BranchSwitch } from './BranchSwitch.tsx';
import { CitationView, placeOf } from './CitationView.tsx';
import { type ChatStore, isReplying, shownReply } from './chatState.ts';
import { Learnt } from './Learnt.tsx';
import { SaveToVaultDialog } from './SaveToVaultDialog.tsx';
import { Tools } from './Tools.tsx';
import { ToReview } from './ToReview.tsx';
import type { TurnsProps } from './Turns.tsx';

/** Model name of the replies of the built-in Passages. */
const PASSAGES = 'passages';

export interface ReplyProps extends TurnsProps {
  turn: Turn;
  /** Nothing was said after it. */
  isLast: boolean;
}

/** The reply that a turn shows, as far as it has come. At a delta, only this component is rendered. */
export const Reply = memo(function Reply({ turn, isLast, store, stored }: ReplyProps) {
  const { t, i18n } = useTranslation();
  const language = useLanguage();
  const stream = useStore(store, (state) => state.streams.get(turn.id) ?? null);
  const reply = shownReply(turn);
  if (!reply) return null;
  // An answer is in the language of its question, not of the window.
  const inAnswer = i18n.getFixedT(reply.language);
  const citations =
    stream && stream.citations.length > reply.citations.length ? stream.citations : reply.citations;
  const content = stream?.text || reply.content;
  const reasoning = stream?.reasoning || reply.reasoning;
  const tools = stream && stream.tools.length > 0 ? stream.tools : reply.tools;
  const isWritten = reply.model !== PASSAGES;
  const pending = reply.state === 'pending';
  return (
    <div className="reply" lang={reply.language}>
      {reasoning !== '' && <Reasoning text={reasoning} />}
      {tools.length > 0 && <Tools calls={tools} />}
      {content !== '' && (pending ? <StreamedMarkdown source={content} /> : <Markdown source={content} />)}
      {citations.length > 0 && !isWritten && <div className="muted">{inAnswer('chat.passages')}</div>}
      {citations.map((citation) => (
        <CitationView
          key={citation.ordinal}
          citation={citation}
          onOpen={store.getState().inspect}
          marks={
            stored &&
            !pending && <GivenMarks turn={turn} item={{ ...citation, itemId: citation.id }} store={stored} />
          }
        />
      ))}
      {pending && citations.length === 0 && content === '' && (
        <div className="muted">
          {t(reasoning === '' && tools.length === 0 ? 'chat.pending' : 'chat.thinking')}
        </div>
      )}
      {reply.whyEmpty !== null &&
        turn.learnt.length === 0 &&
        (reply.whyEmpty === 'nothing-found' ? (
          <NothingFound turn={turn} reply={reply} stored={stored} />
        ) : (
          <p>{wordsOfEmptyReply(reply.whyEmpty, reply.language)}</p>
        ))}
      {reply.state !== 'pending' && reply.state !== 'complete' && (
        <p className="muted">
          {reply.error
            ? describeTold(reply.error, language)
            : stored
              ? t(`chat.${reply.state}`)
              : t('chat.memoryless.stopped')}
          {reply.error && stored && content === '' && ` ${t('chat.messageKept')}`}
        </p>
      )}
      {reply.wantedModel !== null && !pending && (
        <p className="muted" role="note">
          {t('chat.fellBack', {
            wanted: reply.wantedModel,
            model: isWritten ? reply.model : t('chat.answerer'),
          })}
        </p>
      )}
      {reply.promptCut && (
        <p className="muted" role="note">
          {t('chat.promptCut', reply.promptCut)}
        </p>
      )}
      {!pending && isWritten && stored && <GivenNotCited turn={turn} store={stored} />}
      {stored && <Learnt turn={turn} store={stored} />}
      {turn.toReview > 0 && <ToReview count={turn.toReview} />}
      {!pending && <ReplyActions turn={turn} reply={reply} isLast={isLast} store={store} stored={stored} />}
    </div>
  );
});

/** What the model thought before it answered, folded. The text is in the page only while it is unfolded. */
function Reasoning({ text }: { text: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <details className="given reasoning" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('chat.reasoning')}</summary>
      {open && <div className="muted">{text}</div>}
    </details>
  );
}

/** What the model was given and does not cite. It is read when it is first unfolded. */
function GivenNotCited({ turn, store }: { turn: Turn; store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const [items, setItems] = useState<TraceItem[] | null>(null);
  return (
    <details
      className="given"
      onToggle={(event) => {
        if (event.currentTarget.open && items === null)
          void attempt(async () => setItems(await store.getState().givenNotCited(turn)));
      }}
    >
      <summary>{t('chat.givenNotCited')}</summary>
      {items?.length === 0 && <p className="muted">{t('chat.nothingMore')}</p>}
      <ul>
        {items?.map((item) => (
          <li key={item.itemId}>
            {placeLine(item)} <GivenMarks turn={turn} item={item} store={store} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What the user says of an item that the turn was given. */
function GivenMarks({
  turn,
  item,
  store,
}: {
  turn: Turn;
  item: Pick<TraceItem, 'kind' | 'itemId' | 'title' | 'heading'>;
  store: ChatStore;
}) {
  const { t } = useTranslation();
  const { kind, itemId } = item;
  return (
    <ItemMarks
      name={placeLine(item) || t(`traces.kind.${kind}`)}
      mark={turn.itemMarks.find((one) => one.itemId === itemId)?.mark ?? null}
      onMark={(mark) => store.getState().mark({ turnId: turn.id, kind, itemId, mark })}
    />
  );
}

function NothingFound({
  turn,
  reply,
  stored,
}: {
  turn: Turn;
  reply: ReplyVersion;
  stored: ChatStore | null;
}) {
  const { i18n } = useTranslation();
  const attempt = useAttempt();
  const [nearest, setNearest] = useState<Candidate[] | null>(null);
  const t = i18n.getFixedT(reply.language);
  return (
    <div>
      <p>{stored ? wordsOfEmptyReply('nothing-found', reply.language) : t('chat.memoryless.nothing')}</p>
      {stored && (
        <p className="muted">
          {t('chat.searched', {
            notes: t('chat.searchedNotes', { count: reply.scope.notesIndexed }),
            turns: t('chat.searchedTurns', { count: reply.scope.turns }),
          })}
        </p>
      )}
      {stored === null ? null : nearest === null ? (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => void attempt(async () => setNearest(await stored.getState().nearest(turn)))}
        >
          {t('chat.nearest')}
        </Button>
      ) : nearest.length === 0 ? (
        <p className="muted">{t('chat.noneNear')}</p>
      ) : (
        nearest.map((candidate) => (
          <div key={candidate.id} className="citation">
            <div className="citation-head">
              <span className="citation-place">
                {[candidate.title, placeOf(candidate)].filter(Boolean).join(' › ')}
              </span>
            </div>
            <div className="citation-text muted">{candidate.excerpt}</div>
          </div>
        ))
      )}
    </div>
  );
}

function ReplyActions({ turn, reply, isLast, store, stored }: ReplyProps & { reply: ReplyVersion }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const sending = useStore(store, isReplying);
  const go = useApp((state) => state.go);
  const [copied, setCopied] = useState(false);
  const [saving, setSaving] = useState(false);
  // Only what is stored has branches: without memory, what was said after a reply stands on it.
  const isOver = useStore(store, (state) => state.isOver);
  const mayChange = stored !== null || (isLast && !isOver);
  const versions = turn.replies.map((version) => version.version);
  const at = versions.indexOf(reply.version);
  const { notesIndexed, notesTotal, indexing, unsearched } = reply.scope;
  /** The turn takes the focus of the button, which goes while it is answered: the keyboard goes on there. */
  const answerAgain = (event: MouseEvent) => {
    event.currentTarget.closest<HTMLElement>('[data-turn]')?.focus({ preventScroll: true });
    void attempt(() => store.getState().regenerate(turn.id));
  };
  const choose = (version: number | undefined) => {
    if (version !== undefined) void attempt(() => store.getState().chooseVersion(turn.id, version));
  };
  const copy = () =>
    void attempt(async () => {
      await navigator.clipboard.writeText(replyMarkdown(reply));
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    });
  return (
    <>
      {mayChange && reply.state === 'complete' && (unsearched || indexing || notesIndexed < notesTotal) && (
        <div className="setting-name partial">
          <span className="muted">
            {unsearched
              ? t('chat.unsearched', {
                  sources: unsearched.map((source) => t(`traces.sources.${source}`)).join(', '),
                })
              : notesIndexed < notesTotal
                ? t('chat.partial', { done: notesIndexed, total: notesTotal })
                : t('chat.partialUnknown', { count: notesIndexed })}
          </span>
          <Button variant="light" size="compact-sm" disabled={sending} onClick={answerAgain}>
            {t('chat.askAgain')}
          </Button>
        </div>
      )}
      <div className="reply-actions">
        {mayChange && (
          <Tooltip label={t('chat.regenerate')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('chat.regenerate')}
              disabled={sending}
              onClick={answerAgain}
            >
              <IconRefresh size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        {(reply.citations.length > 0 || reply.content !== '') && (
          <Tooltip label={copied ? t('common.copied') : t('chat.copyReply')}>
            <ActionIcon variant="subtle" color="gray" aria-label={t('chat.copyReply')} onClick={copy}>
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
        {stored && (reply.citations.length > 0 || reply.content !== '') && (
          <Tooltip label={t('chat.saveToVault')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('chat.saveToVault')}
              onClick={() => setSaving(true)}
            >
              <IconNotebook size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        {saving && <SaveToVaultDialog what={{ turnId: turn.id }} onClose={() => setSaving(false)} />}
        {stored && (
          <Tooltip label={t('chat.why')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('chat.why')}
              onClick={() => go({ pane: 'traces', turnId: turn.id })}
            >
              <IconListSearch size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        {mayChange && versions.length > 1 && (
          <BranchSwitch
            of="reply"
            at={at}
            count={versions.length}
            disabled={sending}
            onChoose={(place) => choose(versions[place])}
          />
        )}
      </div>
    </>
  );
}
