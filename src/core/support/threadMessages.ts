const handedOver = new WeakSet<object>();

/** Marks an array so that its memory is transferred with the message that contains it. The array is empty here afterwards. */
export function handOver(values: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  handedOver.add(values);
  return values;
}

/**
 * Tells oRPC to clone a message instead of serialising it as JSON, so that typed arrays cross threads as they are. Returns the
 * memory to transfer, or null for the message that announces a stream, which oRPC serialises itself.
 */
export function cloneMessage([, , payload]: readonly [id: string, type: number, payload: unknown]):
  | ArrayBuffer[]
  | null {
  if (typeof payload !== 'object' || payload === null) return [];
  const { body, data } = payload as { body?: unknown; data?: unknown };
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) return null;
  return [...markedArrays(body), ...markedArrays(data)];
}

function* markedArrays(value: unknown): Generator<ArrayBuffer> {
  if (value instanceof Float32Array) {
    if (handedOver.has(value)) yield value.buffer as ArrayBuffer;
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) yield* markedArrays(one);
  }
}
