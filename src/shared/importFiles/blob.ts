/** What a browser's and Node's blobs have in common. This folder is compiled without the types of either. */
export interface Blob {
  readonly size: number;
  slice(from?: number, to?: number): Blob;
  arrayBuffer(): Promise<ArrayBuffer>;
  stream(): ByteStream;
}

/** A file that the user chose. */
export interface NamedBlob {
  name: string;
  /** When it was last changed, in milliseconds since 1970. */
  modifiedAt: number;
  blob: Blob;
}

export interface ByteStream extends AsyncIterable<Uint8Array> {
  pipeThrough<T>(through: { readable: AsyncIterable<T> }): AsyncIterable<T>;
}
