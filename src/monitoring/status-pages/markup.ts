const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for HTML and XML: markup is escaped, and characters that XML does not allow are dropped. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (character) => (SPACES.has(character) ? character : '\ufffd'))
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** The only control characters that XML allows. */
const SPACES: ReadonlySet<string> = new Set(['\t', '\n', '\r'])
