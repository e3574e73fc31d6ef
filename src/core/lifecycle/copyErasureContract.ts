import { oc, type } from '@orpc/contract';
import type { ErrorCode, ErrorParams } from '../../shared/errors.ts';
import type { CopyToClean } from './eraseFromCopy.ts';

/** Why a copy stays as it was. */
export interface CopyFailure {
  code: ErrorCode;
  params: ErrorParams;
}

/** The procedures of the thread that reads and rewrites copies. Their inputs are typed without a check, because both ends run in this process. */
export const copyErasureContract = {
  /** See `eraseFromCopy`. What it throws is returned, because errors do not cross threads; null if the copy was rewritten. */
  erase: oc.input(type<CopyToClean>()).output(type<CopyFailure | null>()),
  /** See `namingCopies`. */
  naming: oc.input(type<{ paths: string[]; names: string[] }>()).output(type<string[]>()),
};
