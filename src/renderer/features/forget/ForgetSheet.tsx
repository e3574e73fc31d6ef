import { ActionIcon, Button, Drawer, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type KeyboardEvent, useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../../api.ts';
import type { ForgetRequest } from '../../appStore.ts';
import { useApp, useAttempt, useLanguage, useSession } from '../../context.tsx';
import { useReturnedFocus } from '../../ui/returnedFocus.ts';
import { showNotice } from '../../ui/undo.tsx';
import { useNow } from '../../ui/useNow.ts';
import { type Done, Forgotten } from './Forgotten.tsx';
import { focusFirstRow, PlanView, Problem } from './PlanView.tsx';
import { SubjectFields } from './SubjectFields.tsx';
import { askedOf, subjectOf, topicOf } from './subjects.ts';
import { countOf, type Ticks, tickedOf } from './ticks.ts';
import { usePlan } from './usePlan.ts';
import { Which } from './Which.tsx';

const UNTICKED: Ticks = new Map();

/** The sheet on which the user chooses what to forget, over whatever pane is shown. */
export function ForgetSheet() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const request = useApp((state) => state.forgetting);
  const ask = useApp((state) => state.forget);
  const [done, setDone] = useState<Done | null>(null);
  useReturnedFocus(request !== null);

  const undo = ({ at }: Done) => void attempt(() => client.forget.undo({ at }));
  const close = () => {
    ask(null);
    setDone(null);
    if (!done || done.erased || !request) return;
    const { topic } = done;
    showNotice(t('forget.forgotten', { count: done.count }), [
      { label: t('common.undo'), run: () => undo(done) },
      ...(topic === null
        ? []
        : [
            {
              label: t('forget.check'),
              run: () => {
                setDone(done);
                ask({ subject: { topic } });
              },
            },
          ]),
    ]);
  };
  return (
    <Drawer
      opened={request !== null}
      onClose={close}
      position="right"
      size="min(1040px, 100%)"
      title={t('forget.title')}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.35 }}
      classNames={{ content: 'forget', header: 'forget-header', body: 'forget-body' }}
    >
      {request && done && (
        <Forgotten
          done={done}
          onClose={close}
          onUndo={() => {
            undo(done);
            setDone(null);
            ask(null);
          }}
        />
      )}
      {request && !done && <Choice request={request} onDone={setDone} onClose={close} />}
    </Drawer>
  );
}

interface ChoiceProps {
  request: ForgetRequest;
  onDone: (done: Done) => void;
  onClose: () => void;
}

/** The plan, of which the user ticks what is to go, and the act. */
function Choice({ request, onDone, onClose }: ChoiceProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const { client } = useSession().api;
  const isConnected = useApp((state) => state.connection === 'open');
  const days = useApp((state) => state.settings.keepDeletedDays);
  const { recent = [] } = request;
  const hasRecent = recent.length > 0;
  const [asked, setAsked] = useState(() => askedOf(request.subject, hasRecent));
  const subject = subjectOf(asked, now);
  const planning = usePlan(subject, asked.mode === 'topic' || asked.mode === 'person');
  const [chosen, setChosen] = useState({ of: '', ticks: UNTICKED });
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const key = JSON.stringify(subject);
  // What was ticked of another subject is not of this one.
  const ticks = chosen.of === key ? chosen.ticks : UNTICKED;
  const plan = planning.state === 'ready' ? planning.plan : null;
  const ticked = plan ? tickedOf(plan, ticks) : null;
  const count = ticked ? countOf(ticked) : 0;

  // A sheet that opens with a subject is read from its first item.
  const [wantsFocus, setWantsFocus] = useState(request.subject !== null || hasRecent);

  const onFocused = useCallback(() => setWantsFocus(false), []);

  const forget = async (erased: boolean) => {
    if (!plan || !ticked || !subject || count === 0 || busy || !isConnected) return;
    setBusy(true);
    setProblem('');
    try {
      const { forgotten, at } = await client.forget.apply({ ticked, now: erased });
      request.onForgotten?.();
      onDone({
        count: forgotten,
        at,
        erased: erased || days === 0,
        onlyByUndo: ticked.titles.length + ticked.summaries.length > 0,
        topic: topicOf(subject),
        untouched: plan.untouched,
      });
    } catch (error) {
      setProblem(messageOf(error, language));
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The window's own shortcut goes to the search of the pane behind.
    if (event.key === '/') event.stopPropagation();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void forget(false);
  };
  const asksWhich = hasRecent && asked.mode === 'chosen' && subject === null;
  const { onSend } = request;
  const send =
    onSend &&
    (() => {
      onSend();
      onClose();
    });
  const whyNot = !isConnected
    ? t('forget.disconnected')
    : plan && count === 0 && plan.groups.some(({ items }) => items.length > 0)
      ? t('forget.nothingTicked')
      : '';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl Enter anywhere on the sheet forgets.
    <div className="forget-choice" onKeyDown={onKeyDown}>
      <SubjectFields
        asked={asked}
        offersPast={askedOf(request.subject).past}
        offersChoice={hasRecent}
        onChange={(patch) => setAsked((before) => ({ ...before, ...patch }))}
        onEnter={() => focusFirstRow(box.current)}
      />
      {asksWhich ? (
        <Which
          recent={recent}
          onSend={send}
          onChoose={(items) => setAsked((before) => ({ ...before, ...items }))}
        />
      ) : (
        <>
          <PlanView
            planning={planning}
            mode={asked.mode}
            ticks={ticks}
            onTicks={(next) => setChosen({ of: key, ticks: next })}
            wantsFocus={wantsFocus}
            onFocused={onFocused}
            onDone={() => button.current?.focus()}
            box={box}
          />
          {(problem || planning.problem) && (
            <Problem>
              {problem || planning.problem}{' '}
              {problem === '' && (
                <Button variant="default" size="compact-xs" onClick={planning.again}>
                  {t('common.retry')}
                </Button>
              )}
            </Problem>
          )}
          <div className="forget-foot">
            <span className="muted" id="forget-why">
              {whyNot || t('forget.hint', { count: days })}
            </span>
            {send && (
              <Button variant="default" onClick={send}>
                {t('forget.send')}
              </Button>
            )}
            <Button.Group>
              <Button
                ref={button}
                disabled={count === 0 || !isConnected}
                loading={busy}
                aria-describedby="forget-why"
                onClick={() => void forget(false)}
              >
                {count === 0 ? t('forget.title') : t('forget.act', { count })}
              </Button>
              <Menu position="top-end" withinPortal>
                <Menu.Target>
                  <ActionIcon
                    size={36}
                    className="forget-more"
                    aria-label={t('common.more')}
                    disabled={count === 0 || busy || !isConnected}
                  >
                    <IconChevronDown size={16} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item onClick={() => void forget(true)}>
                    {t('forget.eraseNow')}
                    <div className="muted forget-erase">{t('forget.eraseNowHint')}</div>
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </Button.Group>
          </div>
        </>
      )}
    </div>
  );
}
