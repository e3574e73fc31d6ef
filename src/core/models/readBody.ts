/**
 * Reads the text of a response, and no further than it may be long: what a server sends without an end must not fill the memory.
 * @param most UTF-16 units
 * @returns null if it is longer
 */
export async function readBody(response: Response, most: number): Promise<string | null> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > most) return null;
  }
  return text + decoder.decode();
}
