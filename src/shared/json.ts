/** Parses JSON; undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A list of texts, stored as JSON; empty for anything else, as after damage or an edit by hand. */
export function parseTexts(json: string): string[] {
  const list = parseJson(json);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
