const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML and XML show it: no mark-up is left in it, nor what XML has no place for. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (character) => (SPACES.has(character) ? character : '\ufffd'))
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** The only control characters that XML takes. */
const SPACES: ReadonlySet<string> = new Set(['\t', '\n', '\r'])
