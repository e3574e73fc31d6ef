import { useThrottledValue } from '@mantine/hooks';
import { useCallback, useEffect, useState } from 'react';
import type { ForgetPlan, ForgetSubject } from '../../../shared/contract/forget.ts';
import { messageOf } from '../../api.ts';
import { useApp, useLanguage, useSession } from '../../context.tsx';

/** Pause in typing before a plan is made. */
const REST_MS = 250;
/** How often a plan follows what is learnt, said or brought back meanwhile. */
const FOLLOWED_MS = 1_000;

export interface Planning {
  /** `planning`: the plan shown, if any, is of what was asked before. */
  state: 'none' | 'planning' | 'ready';
  /** The latest plan; after a failure, the one before. */
  plan: ForgetPlan | null;
  /** Why no plan could be made; empty otherwise. */
  problem: string;
  again: () => void;
}

interface Outcome {
  key: string;
  plan: ForgetPlan | null;
  problem: string;
}

/**
 * The plan of a subject. A question that was replaced meanwhile is given up; an answer that comes nevertheless is dropped.
 * @param isTyped waits until typing pauses
 */
export function usePlan(subject: ForgetSubject | null, isTyped: boolean): Planning {
  const { client } = useSession().api;
  const language = useLanguage();
  const key = JSON.stringify(subject);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [turn, setTurn] = useState(0);
  const revision = useThrottledValue(
    useApp((state) => state.factsRevision + state.conversationsRevision + state.connections),
    FOLLOWED_MS,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision and another turn plan again.
  useEffect(() => {
    const wanted = JSON.parse(key) as ForgetSubject | null;
    if (wanted === null) return;
    const given = new AbortController();
    const make = async () => {
      try {
        const plan = await client.forget.plan(wanted, { signal: given.signal });
        if (!given.signal.aborted) setOutcome({ key, plan, problem: '' });
      } catch (error) {
        // What was given up fails too, and tells nothing.
        if (given.signal.aborted) return;
        const problem = messageOf(error, language);
        setOutcome((before) => ({ key, plan: before?.key === key ? before.plan : null, problem }));
      }
    };
    const timer = setTimeout(() => void make(), isTyped ? REST_MS : 0);
    return () => {
      clearTimeout(timer);
      given.abort();
    };
  }, [client, key, isTyped, language, revision, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  if (subject === null) return { state: 'none', plan: null, problem: '', again };
  return {
    state: outcome?.key === key ? 'ready' : 'planning',
    plan: outcome?.plan ?? null,
    problem: outcome?.key === key ? outcome.problem : '',
    again,
  };
}
