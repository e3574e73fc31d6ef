import { oc } from '@orpc/contract';
import { z } from 'zod';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { clampTime } from '../time.ts';

const errorData = z.object({ params: z.record(z.string(), z.union([z.string(), z.number()])) });

/** HTTP-like status of every coded error; oRPC compares it on both sides. */
export const ERROR_STATUS = 422;

type ErrorMap = Record<ErrorCode, { status: typeof ERROR_STATUS; data: typeof errorData }>;

/** Base of every procedure's contract: the closed set of coded errors. */
export const base = oc.errors(
  Object.fromEntries(errorCodes.map((code) => [code, { status: ERROR_STATUS, data: errorData }])) as ErrorMap,
);

/** Milliseconds since 1970, UTC. What is no date, as in an edited database, becomes the nearest one: a list must not fail for one row. */
export const Timestamp = z.number().overwrite(clampTime);
