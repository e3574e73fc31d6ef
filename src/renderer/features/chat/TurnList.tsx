import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Turn } from '../../../shared/contract/chat.ts';
import type { TurnId } from '../../../shared/ids.ts';
import { useApp, useAttempt } from '../../context.tsx';
import { Markdown } from '../../ui/Markdown.tsx';
import { SentAttachments } from './Attachments.tsx';
import { isPending, questionOf, shownReply } from './chatState.ts';
import { MessageSwitch, Question } from './Question.tsx';
import { Reply, type ReplyProps } from './Reply.tsx';
import type { TurnsProps } from './Turns.tsx';

const OVERSCAN = 2;
/** Older turns are read when one of the first so many turns is shown. */
const NEAR_START = 3;
const GAP_PX = 32;
const PADDING_PX = 24;
/** A reader who is this close to the end follows a reply as it grows. */
const FOLLOWS_PX = 24;
const SCROLL_KEYS = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', ' ', 'Tab'];

/** Height of a turn before it is measured, in pixels, from its lines of 75 characters and its citations. */
function estimateHeight(turn: Turn): number {
  const reply = shownReply(turn);
  const characters = questionOf(turn).length + (reply?.content.length ?? 0);
  return 140 + (characters / 75) * 24 + (reply?.citations.length ?? 0) * 120;
}

/** The turns of a conversation. Only those in view are in the page, and those that hold the focus or the selection. */
export function TurnList({ store, stored }: TurnsProps) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const turns = useStore(store, (state) => state.turns);
  const hasOlder = useStore(store, (state) => state.hasOlder);
  const held = useStore(store, (state) => state.held);
  const scroll = useRef<HTMLDivElement>(null);
  const last = turns.at(-1);
  const lastId = last?.id ?? null;
  // Until the reader scrolls, the latest question stays at the top, so that its answer is read from its beginning.
  const [scrolledFrom, setScrolledFrom] = useState<TurnId | null>(null);
  /** The turn whose reply the reader follows to its end. */
  const [live, setLive] = useState<TurnId | null>(null);
  const pending = last !== undefined && isPending(last);
  if (pending && live !== lastId) setLive(lastId);
  const follows = lastId !== null && scrolledFrom === lastId && live === lastId;

  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroll.current,
    getItemKey: (index) => turns[index]?.id ?? index,
    estimateSize: (index) => estimateHeight(turns[index] as Turn),
    overscan: OVERSCAN,
    gap: GAP_PX,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
    scrollPaddingStart: 16,
    // The turns in view stay in place when older turns are added above them.
    anchorTo: 'end',
    scrollEndThreshold: follows ? FOLLOWS_PX : -1,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const shown = range(Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan));
      const kept = keptIndexes(scroll.current, turns);
      return kept.length === 0 ? shown : [...new Set([...kept, ...shown])].sort((a, b) => a - b);
    },
  });

  const heldPlace = turns.findIndex(({ id }) => id === held);
  const firstHeld = scrolledFrom === lastId ? null : turns[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another last turn is what scrolls, and turns that come above it.
  useLayoutEffect(() => {
    if (firstHeld === null) return;
    if (heldPlace >= 0) virtualizer.scrollToIndex(heldPlace, { align: 'auto' });
    else virtualizer.scrollToIndex(virtualizer.options.count - 1, { align: 'start' });
  }, [virtualizer, lastId, firstHeld, heldPlace]);
  useWantedTurn(turns, virtualizer);

  const items = virtualizer.getVirtualItems();
  const reachesStart = (items[0]?.index ?? 0) < NEAR_START;
  const fills = virtualizer.getTotalSize() > (virtualizer.scrollRect?.height ?? 0);
  // The list opens at its end. Its start is reached by scrolling, or at once if everything is in view.
  const isNearStart = hasOlder && reachesStart && (scrolledFrom === lastId || !fills);
  // biome-ignore lint/correctness/useExhaustiveDependencies: turns that have come may still begin near the first one in view.
  useEffect(() => {
    if (isNearStart) void attempt(() => store.getState().readOlder());
  }, [attempt, store, isNearStart, turns.length]);

  const release = () => setScrolledFrom(lastId);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the reader scrolls.
    <div
      ref={scroll}
      className="scroll turn-scroll"
      data-turns
      onWheel={release}
      onTouchMove={release}
      onPointerDown={(event) => event.target === event.currentTarget && release()}
      onKeyDown={(event) => SCROLL_KEYS.includes(event.key) && release()}
      // Unfolding something in a complete reply must not scroll the list.
      onClick={() => !pending && setLive(null)}
    >
      <div
        role="feed"
        aria-label={t('chat.turns')}
        className="turn-list"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map(({ index, key, start }) => {
          const turn = turns[index];
          if (!turn) return null;
          return (
            <article
              key={key}
              ref={virtualizer.measureElement}
              className="turn"
              data-index={index}
              data-turn={turn.id}
              data-last={index > 0 && index === turns.length - 1}
              aria-posinset={index + 1}
              aria-setsize={turns.length}
              tabIndex={-1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <TurnBody turn={turn} isLast={index === turns.length - 1} store={store} stored={stored} />
            </article>
          );
        })}
      </div>
    </div>
  );
}

const range = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);

/** Indexes of the turns that hold the focus or a part of the selection. */
function keptIndexes(scroll: HTMLElement | null, turns: readonly Turn[]): number[] {
  if (!scroll) return [];
  const indexOf = (node: Node | null): number => {
    const element = node instanceof Element ? node : (node?.parentElement ?? null);
    if (!element || !scroll.contains(element)) return -1;
    const id = element.closest<HTMLElement>('[data-turn]')?.dataset.turn;
    return id === undefined ? -1 : turns.findIndex((turn) => turn.id === id);
  };
  const focused = indexOf(document.activeElement);
  const selection = document.getSelection();
  const [from, to] =
    selection && !selection.isCollapsed
      ? [indexOf(selection.anchorNode), indexOf(selection.focusNode)]
      : [-1, -1];
  return [
    ...(focused < 0 ? [] : [focused]),
    ...(from < 0 || to < 0 ? [] : range(Math.min(from, to), Math.max(from, to))),
  ];
}

/** Scrolls to the turn that another pane asked for, and gives it the focus. */
function useWantedTurn(turns: readonly Turn[], virtualizer: Virtualizer<HTMLDivElement, Element>): void {
  const wanted = useApp(({ place }) => (place.pane === 'chat' ? place.turnId : undefined));
  const index = wanted === undefined ? -1 : turns.findIndex(({ id }) => id === wanted);
  useEffect(() => {
    if (index < 0 || wanted === undefined) return;
    virtualizer.scrollToIndex(index, { align: 'center' });
    // The turn is in the page once the list has scrolled.
    const frame = requestAnimationFrame(() =>
      document
        .querySelector<HTMLElement>(`[data-turn="${CSS.escape(wanted)}"]`)
        ?.focus({ preventScroll: true }),
    );
    return () => cancelAnimationFrame(frame);
  }, [virtualizer, wanted, index]);
}

/** A message of a turn that was imported. What a tool was asked or answered is folded. */
function ImportedMessage({ message: { role, author, content } }: { message: Turn['messages'][number] }) {
  const { t } = useTranslation();
  if (role === 'tool')
    return (
      <details className="imported">
        <summary>{author ?? t('chat.importedTool')}</summary>
        <Markdown source={content} />
      </details>
    );
  return (
    <div className={role === 'user' ? 'question' : 'imported'}>
      {author && <div className="muted">{author}</div>}
      {role === 'user' ? content : <Markdown source={content} />}
    </div>
  );
}

const TurnBody = memo(function TurnBody({ turn, stored, ...rest }: ReplyProps) {
  if (turn.replies.length === 0) {
    return (
      <>
        {turn.messages.map((message) => (
          <ImportedMessage key={message.id} message={message} />
        ))}
        {stored && turn.siblings.length > 1 && (
          <div className="question-actions">
            <MessageSwitch turn={turn} store={stored} />
          </div>
        )}
      </>
    );
  }
  return (
    <>
      {stored ? (
        <Question turn={turn} store={stored} />
      ) : (
        <>
          <div className="question">{questionOf(turn)}</div>
          <SentAttachments attachments={turn.attachments} />
        </>
      )}
      <Reply turn={turn} stored={stored} {...rest} />
    </>
  );
});
