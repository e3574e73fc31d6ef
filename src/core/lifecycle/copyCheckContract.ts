import { oc, type } from '@orpc/contract';

/** Why a copy cannot be used: damage, which `reason` describes, or a failure with this code. */
export interface CopyProblem {
  kind: 'damage' | 'failure';
  reason: string;
}

/** The procedure of the thread that checks a copy. Its input is typed without a check, because both ends run in this process. */
export const copyCheckContract = {
  /** See `finishCopy`. What it throws is returned, because errors do not cross threads; null if the copy is whole. */
  finish: oc.input(type<{ path: string }>()).output(type<CopyProblem | null>()),
};
