import { oc, type } from '@orpc/contract';
import type { Portion, PortionRequest } from './readPortion.ts';

/** A portion, or the system's code if the file cannot be read: errors do not cross threads. */
export type PortionReply = { portion: Portion } | { failure: string };

/** The procedure of the thread that reads histories. Both ends run in this process, so that nothing is checked. */
export const importContract = { read: oc.input(type<PortionRequest>()).output(type<PortionReply>()) };
